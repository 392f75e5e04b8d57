// What each parameter of a variant does: the best time under each of its values.

function namesOf(variant) {
  return Object.keys(variant.varied);
}

// The fastest winner under each value of one parameter; nothing where there is none.
function marginalBest(variant, name) {
  const at = namesOf(variant).indexOf(name) + 2;
  return variant.varied[name].map((value, place) => variant.winners.find((winner) => winner[at] === place));
}

// How much slower the worst value is than the best, each with all else at its best.
function spreadOf(variant, name) {
  const times = marginalBest(variant, name).filter(Boolean).map((winner) => winner[1]);
  return Math.max(...times) / Math.min(...times);
}

function bySpread(variant) {
  return namesOf(variant).sort((a, b) => spreadOf(variant, b) - spreadOf(variant, a));
}

// The whole configuration of a winner, as a list of "name=value".
function settingsOf(variant, winner) {
  const varied = namesOf(variant).map((name, i) => `${name}=${variant.varied[name][winner[i + 2]]}`);
  return [...varied, ...Object.entries(variant.fixed).map(([name, values]) => `${name}=${values[0]}`)].sort();
}

function effectsCard(variant, descriptions, controls) {
  const names = bySpread(variant);
  const hints = descriptions[variant.name]?.parameters ?? {};
  const fixed = Object.entries(variant.fixed).map(([name, values]) => `${name}=${values[0]}`);
  return card("Effect of each parameter",
    "The fastest configuration under each value, all other parameters free: a bar's height is what is lost to the best. The parameter that matters most comes first.",
    { wide: true, id: "effects-card", controls },
    names.length ? element("div", { class: "multiples" }, names.map((name, i) => element("div", {},
      element("h4", { title: hints[name] }, `${name} `, element("span", { class: "unit" }, `up to ${ratioText(spreadOf(variant, name))}`)),
      hints[name] ? element("p", { class: "about" }, hints[name]) : null,
      chartBox(`effect-${i}`, `Best time under each value of ${name}`, "low")))) : element("p", { class: "note" }, "All its configurations have the same parameters."),
    fixed.length ? element("p", { class: "note" }, `Tried with one value only: ${fixed.join(", ")}.`) : null);
}

function barLabels(size) {
  return {
    id: "labels",
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      const bars = chart.getDatasetMeta(0).data;
      if (bars.length && chart.chartArea.width / bars.length < 30) return;
      ctx.save();
      ctx.fillStyle = color("soft");
      ctx.font = `${size}px system-ui, sans-serif`;
      ctx.textAlign = "center";
      bars.forEach((bar, i) => {
        const value = chart.data.datasets[0].data[i];
        if (value) ctx.fillText(value[1].toFixed(value[1] < 10 ? 2 : 0), bar.x, bar.y - 4);
      });
      ctx.restore();
    },
  };
}

function drawEffects(problem, variant) {
  const base = variant.winners[0]?.[1];
  bySpread(variant).forEach((name, i) => {
    const winners = marginalBest(variant, name);
    const ratios = winners.map((winner) => winner ? winner[1] / base : null);
    const top = Math.max(1.05, ...ratios);
    const low = 1 - (top - 1) * 0.12;
    draw(`effect-${i}`, {
      type: "bar",
      data: {
        labels: variant.varied[name].map(String),
        datasets: [{
          data: ratios.map((ratio) => ratio === null ? null : [low, ratio]),
          backgroundColor: ratios.map((ratio) => faded(variantColor(variant.name), ratio < 1.0005 ? 1 : 0.45)),
        }],
      },
      plugins: [barLabels(10)],
      options: {
        layout: { padding: { top: 14 } },
        scales: {
          x: axis("", { grid: { display: false }, ticks: { maxRotation: 0 } }),
          y: axis("", { min: low, max: top, display: false }),  // the bars bear their values
        },
        plugins: {
          tooltip: {
            displayColors: false,
            callbacks: {
              title: (items) => `${name} = ${items[0].label}`,
              label: ({ dataIndex }) => `${timeText(winners[dataIndex][1])}, ${ratioText(ratios[dataIndex])} the best of ${variant.name}`,
              footer: (items) => [`trial ${winners[items[0].dataIndex][0]}`, ...wrapped(settingsOf(variant, winners[items[0].dataIndex]).join(", "), 44)],
            },
          },
        },
      },
    });
  });
}
