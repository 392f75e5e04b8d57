// The best time over any two parameters of a variant, which the reader chooses.

// cells[y][x]: the fastest winner there, or nothing.
function heatCells(variant, xName, yName) {
  const names = namesOf(variant);
  const x = names.indexOf(xName) + 2;
  const y = names.indexOf(yName) + 2;
  const cells = variant.varied[yName].map(() => variant.varied[xName].map(() => null));
  for (const winner of variant.winners) {  // the fastest first
    cells[winner[y]][winner[x]] ??= winner;
  }
  return cells;
}

function heatCard(variant, state, controls, changed) {
  const names = namesOf(variant);
  if (names.length < 2) {
    return card("Heat map", "", { id: "heat-card", controls }, element("p", { class: "note" }, `${variant.name} was tried with ${names.length ? "one parameter" : "no parameter"} varied: there are no two to show.`));
  }
  const pick = (id, label, key) => select(id, label, names.map((name) => [name, name]), state[key], (value) => changed(key, value));
  const rows = variant.varied[state.y].length;
  const box = chartBox("heat", `Best time over ${state.x} and ${state.y}`);
  box.style.height = `${Math.min(Math.max(38 * rows + 60, 220), 460)}px`;
  const stops = Array.from({ length: 9 }, (_, i) => `rgb(${heatColor(i / 8)})`);
  return card("Heat map of two parameters",
    "The fastest configuration in each cell, all other parameters free, relative to the best of the problem.",
    { id: "heat-card", controls },
    element("div", { class: "group" }, pick("heat-x", "across", "x"), pick("heat-y", "up", "y")),
    box,
    element("div", { class: "scale", id: "heat-scale" }, element("span", {}), element("i", { style: `background:linear-gradient(90deg, ${stops.join(", ")})` }), element("span", {}), "empty: none valid"));
}

function cellLabels(cells, ratios, parts) {
  return {
    id: "cells",
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      cells.forEach((line, y) => chart.getDatasetMeta(y).data.forEach((bar, x) => {
        const { width, height, base, y: top } = bar.getProps(["width", "height", "base", "y"], true);
        if (!line[x] || width < 30 || height < 12) return;
        const text = ratios[y][x] < 9.995 ? ratios[y][x].toFixed(2) : ratios[y][x].toFixed(0);
        ctx.font = `${ratios[y][x] < 1.0005 ? "700 " : ""}${width < 40 ? 10 : 11.5}px system-ui, sans-serif`;
        ctx.fillStyle = heatText(heatColor(parts[y][x]));
        ctx.fillText(text, bar.x, (base + top) / 2);
      }));
      ctx.restore();
    },
  };
}

function drawHeat(problem, variant, state) {
  if (namesOf(variant).length < 2) return;
  const cells = heatCells(variant, state.x, state.y);
  const ratios = cells.map((line) => line.map((winner) => winner ? winner[1] / problem.best.us : null));
  const all = ratios.flat().filter((ratio) => ratio !== null);
  const low = Math.min(...all);
  const high = Math.max(Math.min(Math.max(...all), 4 * low), 1.02 * low);  // past four times, slow is slow
  const parts = ratios.map((line) => line.map((ratio) => ratio === null ? 1 : Math.log(ratio / low) / Math.log(high / low)));
  const [first, , last] = byId("heat-scale").children;
  first.textContent = ratioText(low);
  last.textContent = `${Math.max(...all) > high ? "≥ " : ""}${ratioText(high)}`;
  const ys = variant.varied[state.y];
  draw("heat", {
    type: "bar",
    data: {
      labels: variant.varied[state.x].map(String),
      datasets: cells.map((line, y) => ({
        data: line.map((winner) => winner ? [y, y + 1] : null),
        backgroundColor: line.map((winner, x) => winner ? `rgb(${heatColor(parts[y][x])})` : "transparent"),
        borderColor: color("card"), borderWidth: 1, borderSkipped: false, grouped: false, barPercentage: 1, categoryPercentage: 1,
      })),
    },
    plugins: [cellLabels(cells, ratios, parts)],
    options: {
      scales: {
        x: axis(state.x, { grid: { display: false }, ticks: { maxRotation: 0, autoSkip: true } }),
        y: axis(state.y, {
          min: 0, max: ys.length, grid: { display: false },
          afterBuildTicks: (scale) => { scale.ticks = ys.map((_, y) => ({ value: y + 0.5 })); },
          ticks: { autoSkip: false, callback: (value) => String(ys[Math.floor(value)] ?? "") },
        }),
      },
      plugins: {
        tooltip: {
          displayColors: false,
          callbacks: {
            title: (items) => `${state.x} = ${items[0].label}, ${state.y} = ${ys[items[0].datasetIndex]}`,
            label: ({ datasetIndex, dataIndex }) => `${timeText(cells[datasetIndex][dataIndex][1])}, ${ratioText(ratios[datasetIndex][dataIndex])} the best`,
            footer: ([item]) => {
              const winner = cells[item.datasetIndex][item.dataIndex];
              return [`trial ${winner[0]}`, ...wrapped(settingsOf(variant, winner).join(", "), 44)];
            },
          },
        },
      },
    },
  });
}
