// What all charts share: one look, and none left behind when its canvas goes.

const drawn = new Map();

function forgetCharts(part) {
  for (const [canvas, chart] of drawn) {
    if (!part || part.contains(canvas)) {
      chart.destroy();
      drawn.delete(canvas);
    }
  }
}

function axis(title, options = {}) {
  return {
    title: { display: Boolean(title), text: title, color: color("soft") },
    ...options,
    ticks: { color: color("soft"), ...options.ticks },
    grid: { color: color("grid"), borderColor: color("line"), tickColor: color("grid"), ...options.grid },
  };
}

// Lengths are drawn at their logarithm to base 2.
function sizeAxis(title, sizes) {
  const low = Math.log2(Math.max(Math.min(...sizes), 1));
  const high = Math.log2(Math.max(...sizes, 2));
  const pad = Math.max((high - low) * 0.02, 0.15);
  return axis(title, {
    type: "linear",
    min: low - pad,
    max: high + pad,
    afterBuildTicks: (scale) => {
      const step = Math.max(1, Math.ceil((high - low) / (scale.chart.width < 500 ? 6 : 14)));
      scale.ticks = [];
      for (let at = Math.ceil(low); at <= high; at += step) scale.ticks.push({ value: at });
    },
    ticks: { autoSkip: false, maxRotation: 0, callback: (value) => `2^${value}` },
  });
}

// The ticks of a logarithmic axis: powers of ten, and what is between them where there are few.
function decadeTicks(scale) {
  const decades = Math.log10(scale.max / scale.min);
  const mantissas = decades > 2.5 ? [1] : decades > 0.8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  scale.ticks = [];
  for (let power = Math.floor(Math.log10(scale.min)); power <= Math.log10(scale.max); ++power) {
    for (const mantissa of mantissas) {
      const value = mantissa * 10 ** power;
      if (value >= scale.min * 0.999 && value <= scale.max * 1.001) scale.ticks.push({ value });
    }
  }
}

function draw(id, config) {
  const canvas = byId(id);
  const options = config.options ?? {};
  const chart = new Chart(canvas, {
    ...config,
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      normalized: true,
      ...options,
      plugins: {
        ...options.plugins,
        legend: { display: false, ...options.plugins?.legend, labels: { color: color("ink"), boxWidth: 14, boxHeight: 2, ...options.plugins?.legend?.labels } },
        tooltip: {
          backgroundColor: isDark() ? "#000000ee" : "#1b1f27f2", padding: 9, boxPadding: 4, titleColor: "#ffffff", bodyColor: "#e7eaf0",
          footerColor: "#c3cad6", footerFont: { weight: "normal", size: 11 }, ...options.plugins?.tooltip,
        },
      },
    },
  });
  drawn.set(canvas, chart);
  return chart;
}

function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(/(?<=,) ?/)) {
    if (lines.at(-1).length + word.length > width && lines.at(-1)) lines.push("");
    lines[lines.length - 1] += word;
  }
  return lines;
}

Chart.defaults.font.family = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
Chart.defaults.font.size = 12;
