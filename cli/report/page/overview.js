// One group of problems over n: the best of each variant, where another becomes the fastest, and CUB.

const views = {
  rate: { title: "throughput", axis: "keys a second (log)", value: (us, keys) => keys / us, text: rateText, type: "logarithmic" },
  time: { title: "time", axis: "time (log)", value: (us) => us, text: timeText, type: "logarithmic" },
  ratio: { title: "relative to the best", axis: "time relative to bitune's best", value: (us, keys, best) => us / best, text: ratioText, type: "linear" },
};

function variantOf(problem, name) {
  return problem.variants.find((variant) => variant.name === name && variant.us !== undefined);
}

function variantsOf(group) {
  return variantOrder.filter((name) => group.problems.some((problem) => variantOf(problem, name)));
}

// The recorded comparison of exactly this problem.
function benchOf(group, problem) {
  return group.bench?.records.find((record) => record.n === problem.n && record.rows === problem.rows);
}

function peerName(bench) {
  return `${bench.peer.toUpperCase()} ${bench.version}`;
}

function variantLine(group, name, view) {
  const points = [];
  for (const problem of group.problems) {
    const timed = variantOf(problem, name);
    if (!timed) continue;
    const { keys } = problem;
    points.push({ x: Math.log2(Math.max(problem.n, 1)), y: view.value(timed.us, keys, problem.best.us), timed, keys });
  }
  return {
    label: name, data: points, borderColor: variantColor(name), backgroundColor: variantColor(name), borderWidth: 2, pointRadius: 3,
    pointHoverRadius: 5, tension: 0,
  };
}

// "merge" and "merge_copy" are one family: in place or not.
function familyOf(method) {
  return method.split("_")[0];
}

function peerLine(group, family, dash, view) {
  const points = [];
  for (const record of group.bench.records) {
    const times = Object.entries(record.methods).filter(([method]) => familyOf(method) === family).map(([, us]) => us);
    const us = times.length ? Math.min(...times) : undefined;
    const problem = group.problems.find((one) => one.n === record.n && one.rows === record.rows);
    if (us === undefined || (view === views.ratio && !problem?.best)) continue;
    const { keys } = record;
    points.push({ x: Math.log2(record.n), y: view.value(us, keys, problem?.best?.us), us, keys });
  }
  return {
    label: `${group.bench.peer.toUpperCase()} ${family}`, data: points, borderColor: color("peer"), backgroundColor: color("peer"), borderWidth: 1.6,
    borderDash: dash, pointRadius: 2, pointStyle: "rect", tension: 0,
  };
}

// Where the lines cross: of bitune's variants, and bitune with its peer.
function crossingsOf(group) {
  const own = group.crossovers.map((one) => ({ ...one, peer: false }));
  const named = (name) => name === group.bench.peer ? name.toUpperCase() : name;
  const peers = (group.bench?.crossovers ?? []).map((one) => ({ ...one, from: named(one.from), to: named(one.to), peer: true }));
  return [...own, ...peers].sort((a, b) => a.n - b.n);
}

// Numbered marks, explained in the list below the chart.
function crossingMarks(crossings) {
  return {
    id: "crossings",
    afterDatasetsDraw(chart) {
      const { ctx, chartArea, scales } = chart;
      ctx.save();
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.font = "600 10px system-ui, sans-serif";
      let previous = -Infinity;
      let level = 0;
      crossings.forEach((crossing, i) => {
        const x = scales.x.getPixelForValue(Math.log2(crossing.n));
        if (x < chartArea.left || x > chartArea.right) return;
        level = x - previous < 20 ? level + 1 : 0;
        previous = x;
        const tint = crossing.peer ? color("bad") : color("soft");
        ctx.strokeStyle = faded(tint, 0.65);
        ctx.setLineDash([3, 3]);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.fillStyle = tint;
        ctx.beginPath();
        ctx.arc(x, chartArea.top + 9 + 20 * level, 8.5, 0, 2 * Math.PI);
        ctx.fill();
        ctx.fillStyle = color("card");
        ctx.fillText(String(i + 1), x, chartArea.top + 9.5 + 20 * level);
      });
      ctx.restore();
    },
  };
}

function crossingList(crossings) {
  if (!crossings.length) return null;
  return element("ol", { class: "crossings", id: "crossings" }, crossings.map((crossing) => element("li", {},
    element("b", {}, `${crossing.from} → ${crossing.to}`),
    crossing.interpolated ? ` at n ≈ ${aboutSizeText(crossing.n)} (2^${Math.log2(crossing.n).toFixed(1)})`
      : ` near n ≈ ${aboutSizeText(crossing.n)}, not measured on both sides`,
    crossing.peer ? ", measured in one run" : "")));
}

function drawOverview(group, viewName) {
  const view = views[viewName];
  const measured = { ...group, problems: group.problems.filter((problem) => problem.best) };
  const datasets = variantsOf(measured).map((name) => variantLine(measured, name, view));
  const dashes = [[6, 4], [2, 3], [8, 3, 2, 3], [1, 2]];
  const families = [...new Set((group.bench?.methods ?? []).map(familyOf))];
  families.forEach((family, i) => datasets.push(peerLine(measured, family, dashes[i % dashes.length], view)));
  const sizes = datasets.flatMap((set) => set.data.map((point) => 2 ** point.x));
  const slowest = Math.max(...datasets.flatMap((set) => set.data.map((point) => point.y)));
  draw("over-n", {
    type: "line",
    data: { datasets },
    plugins: [crossingMarks(crossingsOf(group))],
    options: {
      interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: {
        x: sizeAxis("n: keys an array", sizes),
        y: axis(view.axis, {
          type: view.type,
          ...(viewName === "ratio" ? { min: 0, max: Math.min(4, Math.ceil(slowest * 2) / 2) } : { afterBuildTicks: decadeTicks }),
          ticks: {
            autoSkip: false,
            callback: (value) => viewName === "ratio" ? `${value}×` : shortText(view.text(value)),
          },
        }),
      },
      plugins: {
        legend: { display: true, position: "bottom", labels: { usePointStyle: false } },
        tooltip: {
          itemSort: (a, b) => (a.raw.timed?.us ?? a.raw.us) - (b.raw.timed?.us ?? b.raw.us),
          callbacks: {
            title: (items) => items.length ? `n = ${sizeText(Math.round(2 ** items[0].raw.x))}` : "",
            label: ({ dataset, raw }) => {
              const us = raw.timed?.us ?? raw.us;
              return ` ${dataset.label}: ${timeText(us)}${raw.timed ? ` ${intervalText(raw.timed)}` : ""}, ${rateText(raw.keys / us)}`;
            },
          },
        },
      },
    },
  });
}

function comparisonCells(group, problem) {
  if (!group.bench) return [];
  const record = benchOf(group, problem);
  if (!record) return ["", ""];
  const ratio = record.peer_us / record.us;
  const peer = `${timeText(record.peer_us)} (${record.method})`;
  if (!record.of_best) return [peer, element("span", { title: "bench sorted with another configuration than this best" }, "–")];
  return [
    peer,
    element("span", { class: ratio >= 1 ? "better" : "worse", title: `in one run: bitune ${timeText(record.us)}, ${group.bench.peer} ${timeText(record.peer_us)}` }, ratioText(ratio)),
  ];
}

function overviewTable(group, chosen, choose) {
  const columns = [
    { title: "n", number: true }, { title: "rows", number: true, hide: true }, { title: "best", number: true },
    { title: "interval", number: true, hide: true }, { title: "rate", number: true, hide: true }, { title: "variant" },
    { title: "valid / tried", number: true, hide: true },
  ];
  if (group.bench) columns.push({ title: peerName(group.bench), number: true, hide: true }, { title: `bitune vs ${group.bench.peer.toUpperCase()}`, number: true });
  return table(columns, group.problems.map((problem, i) => ({
    attributes: { class: i === chosen ? "choice chosen" : "choice", onclick: () => choose(i) },
    cells: [
      element("button", { type: "button", "aria-label": `show n = ${problem.n}` }, sizeText(problem.n)),
      sizeText(problem.rows),
      problem.best ? timeText(problem.best.us) : "none valid",
      problem.best ? intervalText(problem.best) : "",
      problem.best ? rateText(problem.keys / problem.best.us) : "",
      problem.best ? element("span", {}, dot(problem.best.variant), problem.best.variant) : "",
      `${problem.valid.toLocaleString("en-US")} / ${problem.trials.toLocaleString("en-US")}`,
      ...comparisonCells(group, problem),
    ],
  })));
}

function showOverview(group, state, choose) {
  const part = byId("overview");
  forgetCharts(part);
  const buttons = Object.entries(views).map(([name, view]) => element("button", {
    type: "button", "aria-pressed": String(name === state.view), "data-view": name,
    onclick: () => {
      state.view = name;
      showOverview(group, state, choose);
    },
  }, view.title));
  const anyValid = group.problems.some((problem) => problem.best);
  part.replaceChildren(
    element("div", { class: "head" }, element("h2", {}, group.title), element("div", { class: "group" }, buttons)),
    element("div", { class: "cards" },
      card("Best of each variant over n",
        `Medians of the fastest valid configuration.${group.bench ? ` ${peerName(group.bench)} as bitune bench recorded it (${group.bench.date}, driver ${group.bench.driver}).` : ""}`,
        { wide: true, id: "over-n-card" },
        anyValid ? chartBox("over-n", `Best time of each variant over n, ${group.title}`, "tall") : "No valid configuration.",
        crossingList(crossingsOf(group))),
      card("Problems", "Choose one to see it below.", { wide: true, id: "problems-card" }, overviewTable(group, state.problem, choose))));
  if (anyValid) drawOverview(group, state.view);
}
