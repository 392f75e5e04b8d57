// How the search went on.

function reachedText(problem) {
  const goal = problem.convergence.improvements.at(-1);
  if (!goal) return "";
  const reached = (factor) => problem.convergence.improvements.find((point) => point[1] <= goal[1] * factor)[0].toLocaleString("en-US");
  return `Within 5 % of the best that the search saw after ${reached(1.05)}, within 1 % after ${reached(1.01)} of ${countText(problem.convergence.evaluations, "evaluation")}.`;
}

function convergenceCard(problem) {
  const title = "Convergence of the search";
  if (!problem.convergence.evaluations) return card(title, "No search is stored, only what was measured in finals.", { id: "convergence-card" });
  return card(title, reachedText(problem), { id: "convergence-card" },
    chartBox("convergence", "Best time so far over the evaluations"));
}

function drawConvergence(problem) {
  const { evaluations, improvements, sample } = problem.convergence;
  if (!evaluations) return;
  const best = problem.best.us;
  const point = ([x, us]) => ({ x, y: us / best, us });
  const placeOf = (name) => problem.variants.findIndex((variant) => variant.name === name);
  const found = (name) => sample.filter((one) => one[2] === placeOf(name));
  const line = improvements.map(point);
  if (line.length) line.push({ ...line.at(-1), x: evaluations });
  const clip = 4; // the last evaluation lies on the edge: its point reaches over it
  draw("convergence", {
    type: "scatter",
    data: {
      datasets: [
        { type: "line", label: "best so far", data: line, stepped: true, borderColor: color("ink"), borderWidth: 2, pointRadius: 0, pointStyle: "line", order: 0, clip },
        ...variantOrder.filter((name) => found(name).length).map((name) => ({
          label: name, data: found(name).map(point), backgroundColor: faded(variantColor(name), 0.65), pointRadius: 2.5, order: 1, clip,
        })),
      ],
    },
    options: {
      scales: {
        x: axis("evaluations", { type: "linear", min: 0, max: Math.max(evaluations, 1), ticks: { precision: 0, includeBounds: false } }),
        y: axis("time relative to the best (log)", {
          type: "logarithmic", min: 0.97 * Math.min(1, ...sample.map((one) => one[1] / best)),
          afterBuildTicks: decadeTicks,
          ticks: { callback: (value) => `${digits(value, 2)}×` },
        }),
      },
      plugins: {
        legend: { display: true, position: "bottom", labels: { usePointStyle: true, boxHeight: 6, boxWidth: 10 } },
        tooltip: { callbacks: { label: ({ raw, dataset }) => ` ${dataset.label}, evaluation ${raw.x}: ${timeText(raw.us)}, ${ratioText(raw.y)}` } },
      },
    },
  });
}
