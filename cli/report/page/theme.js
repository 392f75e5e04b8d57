// Light and dark, and the colours of the charts.

const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
let variantOrder = [];  // of the group in view

function storedTheme() {
  try {
    return localStorage.getItem("bitune-theme") ?? "auto";
  } catch {
    return "auto";  // pages opened as files may have no storage
  }
}

function storeTheme(theme) {
  try {
    localStorage.setItem("bitune-theme", theme);
  } catch {
    // The choice then holds until the page is closed.
  }
}

function applyTheme(theme) {
  const dark = theme === "dark" || (theme === "auto" && darkSystem.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
}

function startTheme(redraw) {
  const picker = byId("theme");
  picker.value = storedTheme();
  applyTheme(picker.value);
  const change = () => {
    storeTheme(picker.value);
    applyTheme(picker.value);
    redraw();
  };
  picker.addEventListener("change", change);
  darkSystem.addEventListener("change", change);
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

// Each variant has one colour in all charts of a group.
function variantColor(name) {
  const place = variantOrder.indexOf(name);
  return color(place < 0 || place > 7 ? "v7" : `v${place}`);
}

function faded(hex, opacity) {
  const part = (at) => parseInt(hex.slice(at, at + 2), 16);
  return `rgba(${part(1)}, ${part(3)}, ${part(5)}, ${opacity})`;
}

// From the best (0) to the worst (1): light to dark, and apart for the colour-blind (the anchors of viridis).
const heatAnchors = [[253, 231, 37], [160, 218, 57], [74, 193, 109], [31, 161, 135], [39, 127, 142], [54, 92, 141], [70, 50, 127], [68, 1, 84]];

function heatColor(part) {
  const at = Math.min(Math.max(part, 0), 1) * (heatAnchors.length - 1);
  const low = heatAnchors[Math.floor(at)];
  const high = heatAnchors[Math.ceil(at)];
  return low.map((value, i) => Math.round(value + (high[i] - value) * (at - Math.floor(at))));
}

function heatText(rgb) {
  return 0.3 * rgb[0] + 0.6 * rgb[1] + 0.1 * rgb[2] > 120 ? "#10131a" : "#f4f6fa";
}
