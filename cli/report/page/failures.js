// What failed, by kind.

function failuresCard(problem) {
  const count = problem.failures.reduce((sum, kind) => sum + kind.count, 0);
  const title = "Failures by kind";
  if (!count) return card(title, problem.trials === 1 ? "The only trial did not fail." : `None of ${countText(problem.trials, "trial")} failed.`, { wide: true, id: "failures-card" });
  return card(title, `${count.toLocaleString("en-US")} of ${countText(problem.trials, "trial")} (${percentText(count / problem.trials)}).`, { wide: true, id: "failures-card" },
    chartBox("failures", "Failed trials by kind and variant", "low"),
    table([{ title: "kind" }, { title: "variant" }, { title: "count", number: true }, { title: "the newest" }], problem.failures.map((kind) => ({
      cells: [statusText(kind.status), element("span", {}, dot(kind.variant), kind.variant), kind.count.toLocaleString("en-US"),
        element("span", { class: "message" }, `trial ${kind.trial}${kind.message ? `: ${kind.message}` : ""}`)],
    }))));
}

function drawFailures(problem) {
  const kinds = [...new Set(problem.failures.map((kind) => kind.status))];
  if (!kinds.length) return;
  const count = (status, name) => problem.failures.find((kind) => kind.status === status && kind.variant === name)?.count ?? 0;
  byId("failures").parentElement.style.height = `${34 * kinds.length + 70}px`;
  draw("failures", {
    type: "bar",
    data: {
      labels: kinds.map(statusText),
      datasets: variantOrder.filter((name) => problem.failures.some((kind) => kind.variant === name)).map((name) => ({
        label: name, data: kinds.map((status) => count(status, name)), backgroundColor: variantColor(name), stack: "all",
      })),
    },
    options: {
      indexAxis: "y",
      scales: {
        x: axis("", { stacked: true, beginAtZero: true, ticks: { precision: 0 } }),
        y: axis("", { stacked: true, grid: { display: false } }),
      },
      plugins: { legend: { display: true, position: "bottom", labels: { boxHeight: 10 } } },
    },
  });
}
