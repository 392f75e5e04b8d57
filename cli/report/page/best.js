// The best configuration of one problem, and those that come near.

function samplesMarks(best) {
  return {
    id: "interval",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea, scales } = chart;
      const top = scales.y.getPixelForValue(best.high);
      const bottom = scales.y.getPixelForValue(best.low);
      ctx.save();
      ctx.fillStyle = faded(color("accent"), 0.16);
      ctx.fillRect(chartArea.left, top, chartArea.width, Math.max(bottom - top, 1));
      ctx.strokeStyle = color("accent");
      ctx.beginPath();
      ctx.moveTo(chartArea.left, scales.y.getPixelForValue(best.us));
      ctx.lineTo(chartArea.right, scales.y.getPixelForValue(best.us));
      ctx.stroke();
      ctx.restore();
    },
  };
}

// The interval of the median, and how sure it is. Of one sample there is none.
function rangeText(best) {
  return best.coverage > 0 ? `${intervalText(best)} (${timeText(best.low)} to ${timeText(best.high)}, ${Math.round(100 * best.coverage)} %)` : "one sample";
}

function drawSamples(best) {
  const low = Math.min(best.low, ...best.samples);
  const high = Math.max(best.high, ...best.samples);
  const pad = Math.max((high - low) * 0.1, best.us * 0.002);
  draw("samples", {
    type: "scatter",
    data: { datasets: [{ data: best.samples.map((us, i) => ({ x: i + 1, y: us })), backgroundColor: variantColor(best.variant), pointRadius: 3 }] },
    plugins: [samplesMarks(best)],
    options: {
      scales: {
        x: axis("sample", { min: 0, max: best.samples.length + 1, ticks: { precision: 0, maxTicksLimit: 8, includeBounds: false } }),
        y: axis("", { min: low - pad, max: high + pad, ticks: { maxTicksLimit: 5, includeBounds: false, callback: (value) => timeText(value) } }),
      },
      plugins: { tooltip: { callbacks: { label: ({ raw }) => `sample ${raw.x}: ${timeText(raw.y)}` } } },
    },
  });
}

function pairs(entries, hints = {}) {
  return element("div", { class: "pairs" }, entries.map(([name, value]) =>
    element("div", { title: hints[name] }, element("span", {}, name), element("b", {}, value))));
}

function comparisonText(group, problem) {
  const record = benchOf(group, problem);
  if (!record) return null;
  const ratio = record.peer_us / record.us;
  const peer = `${peerName(group.bench)} ${record.method}: ${timeText(record.peer_us)}`;
  if (!record.of_best) return element("p", { class: "about" }, `${peer}; bench sorted with another configuration than this best.`);
  return element("p", { class: "about" }, `${peer}; in the same run bitune took ${timeText(record.us)}: `,
    element("span", { class: ratio >= 1 ? "better" : "worse" }, ratio >= 1 ? `${ratioText(ratio)} faster` : `${ratioText(1 / ratio)} slower`));
}

// What NVML said while the samples were taken, where it was asked.
function clockEntries(best) {
  if (!best.clock_mhz) return [];
  const [low, high] = best.clock_mhz;
  return [["SM clock", low === high ? `${high} MHz` : `${low} to ${high} MHz`], ["throttled", best.throttled || "no"]];
}

function bestCard(group, problem, descriptions) {
  const best = problem.best;
  const hints = descriptions[best.variant]?.parameters ?? {};
  const ties = problem.leaders.filter((leader) => leader.tie).length - 1;
  return card("Best configuration",
    `Trial ${best.trial}, ${best.finalist ? "measured again in turn with the other finalists" : "measured once, not among finalists"}; ${best.time} UTC.`,
    { id: "best-card" },
    element("div", {},
      element("span", { class: "big" }, timeText(best.us)), " ",
      element("span", { class: "unit" }, rangeText(best))),
    element("div", {}, dot(best.variant), element("b", { title: descriptions[best.variant]?.text }, best.variant), ` · ${rateText(problem.keys / best.us)}`,
      ties > 0 ? ` · ties with ${ties === problem.leaders.length - 1 && problem.valid > problem.leaders.length ? "at least " : ""}${countText(ties, "other")}` : ""),
    comparisonText(group, problem),
    pairs(Object.entries(best.parameters), hints),
    pairs([["registers a thread", best.registers], ["shared memory a block", `${best.shared_bytes.toLocaleString("en-US")} B`], ["launches", best.launches], ...clockEntries(best)]),
    chartBox("samples", `All samples of the best trial`, "low"),
    element("p", { class: "about" }, `${countText(best.samples.length, "sample")} in the order taken, with median and interval. ${best.protocol}; ${best.compiler}, driver ${best.driver}.`));
}

function configurationText(problem, leader) {
  const variant = problem.variants.find((one) => one.name === leader.variant);
  const names = [...Object.keys(variant.varied), ...Object.keys(variant.fixed)].sort();
  return `${variant.name}(${names.map((name, i) => leader.values[i] === null ? "" : `${name}=${leader.values[i]}`).filter(Boolean).join(", ")})`;
}

function leadersCard(problem) {
  return card("Fastest configurations",
    "Finalists first, as they are ranked. A tie: its interval overlaps that of the best.", { wide: true, id: "leaders-card" },
    table([{ title: "trial", number: true, hide: true }, { title: "median", number: true }, { title: "interval", number: true }, { title: "to best", number: true }, { title: "" }, { title: "configuration" }],
      problem.leaders.map((leader, i) => ({
        cells: [
          String(leader.trial), timeText(leader.us), intervalText(leader), ratioText(leader.us / problem.best.us),
          element("span", {}, i === 0 ? element("span", { class: "tag" }, "best") : leader.tie ? element("span", { class: "tag" }, "tie") : "",
            leader.finalist ? " " : "", leader.finalist ? element("span", { class: "tag" }, "finalist") : ""),
          element("code", {}, configurationText(problem, leader)),
        ],
      }))));
}
