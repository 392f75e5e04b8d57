// How the times of all valid configurations are distributed.

function withinText(problem) {
  return problem.distribution.within.map(([factor, count]) =>
    [factor < 1.5 ? `within ${Math.round((factor - 1) * 100)} %` : `within ${factor}×`,
      `${count.toLocaleString("en-US")} (${percentText(count / problem.valid)})`]);
}

function distributionText(problem) {
  if (problem.valid === 1) return "Only one is valid.";
  return `${countText(problem.valid, "configuration")}; half of them take at most ${ratioText(problem.distribution.median / problem.best.us)} the best.`;
}

function distributionCard(problem) {
  return card("All valid configurations", distributionText(problem),
    { id: "distribution-card" },
    chartBox("distribution", `Distribution of the times of ${problem.valid} configurations`, "tall"),
    pairs(withinText(problem)));
}

function drawDistribution(problem) {
  const { low, high, bins, counts } = problem.distribution;
  const best = problem.best.us;
  const edge = (bin) => low * (high / low) ** (bin / bins);
  const positions = Array.from({ length: bins }, (_, bin) => bin);
  const datasets = variantOrder.filter((name) => counts[name]).map((name) => ({
    label: name, data: counts[name], backgroundColor: variantColor(name), barPercentage: 1, categoryPercentage: 0.94, stack: "all",
  }));
  draw("distribution", {
    type: "bar",
    data: { labels: positions, datasets },
    options: {
      interaction: { mode: "index", intersect: false },
      scales: {
        x: axis("time relative to the best (log)", {
          stacked: true, grid: { display: false },
          ticks: { maxRotation: 0, autoSkip: true, maxTicksLimit: 8, callback: (value) => ratioText(edge(value) / best) },
        }),
        y: axis("configurations", { stacked: true, beginAtZero: true, ticks: { precision: 0 } }),
      },
      plugins: {
        legend: { display: datasets.length > 1, position: "bottom", labels: { boxHeight: 10 } },
        tooltip: {
          filter: (item) => item.raw > 0,
          callbacks: {
            title: (items) => items.length ? `${timeText(edge(items[0].dataIndex))} to ${timeText(edge(items[0].dataIndex + 1))} (${ratioText(edge(items[0].dataIndex) / best)})` : "",
            label: ({ dataset, raw }) => ` ${dataset.label}: ${raw}`,
          },
        },
      },
    },
  });
}
