// What is shown: a device, a group of its problems, one of them, and a variant. The address keeps the choice.

let model;
const state = { device: 0, group: 0, problem: 0, view: "rate", variant: "", x: "", y: "" };

function device() {
  return model.devices[state.device];
}

function group() {
  return device().groups[state.group];
}

function problem() {
  return group().problems[state.problem];
}

function clamp(value, count) {
  const number = Number.parseInt(value, 10);
  return number >= 0 && number < count ? number : 0;
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  state.device = clamp(words.get("device"), model.devices.length);
  state.group = words.has("group") ? clamp(words.get("group"), device().groups.length) : fullest(device());
  state.problem = words.has("problem") ? clamp(words.get("problem"), group().problems.length) : richest(group());
  state.view = Object.hasOwn(views, words.get("view") ?? "") ? words.get("view") : "rate";
  state.variant = words.get("variant") ?? "";
  state.x = words.get("x") ?? "";
  state.y = words.get("y") ?? "";
}

function writeAddress() {
  const { device: at, group: of, problem: one, view, variant, x, y } = state;
  try {
    history.replaceState(null, "", `#${new URLSearchParams({ device: at, group: of, problem: one, view, variant, x, y })}`);
  } catch {
    // Some browsers refuse for pages inside of others: then only the address stays as it was.
  }
}

// What has the most trials tells the most: of the problems of a group, of the groups of a device.
function richest(of) {
  const trials = of.problems.map((one) => one.trials);
  return trials.indexOf(Math.max(...trials));
}

function fullest(at) {
  const trials = at.groups.map((of) => of.problems.reduce((sum, one) => sum + one.trials, 0));
  return trials.indexOf(Math.max(...trials));
}

// The variant in view, and two of its parameters: what was chosen if this problem has it, else what matters most.
function settle() {
  const usable = problem().variants.filter((variant) => variant.us !== undefined);
  const chosen = usable.find((variant) => variant.name === state.variant) ?? usable.find((variant) => variant.name === problem().best?.variant);
  if (!chosen) return null;
  const names = bySpread(chosen);
  if (!names.includes(state.x)) state.x = names.find((name) => name !== state.y) ?? "";
  if (!names.includes(state.y) || state.y === state.x) state.y = names.find((name) => name !== state.x) ?? "";
  return chosen;
}

function showFacts() {
  const at = device();
  const facts = [at.kind === "cuda" ? `sm_${10 * at.compute_major + at.compute_minor}` : at.kind, countText(at.sm_count, "SM"), `driver ${at.driver}`, countText(at.trials, "trial"), `last ${at.last_seen} UTC`];
  byId("facts").replaceChildren(element("b", {}, at.name), ` · ${facts.join(" · ")}`);
  byId("made").textContent = `Made by bitune ${model.bitune} from ${model.database}, ${model.time} UTC.${at.kind === "emulated" ? " Times of the emulated device say nothing about a GPU's." : ""}`;
  document.title = `bitune report: ${at.name}`;
}

function variantPicker(usable, chosen, id) {
  return select(id, "variant", usable.map((variant) => [variant.name, variant.name]), chosen.name, (name) => {
    state.variant = name;
    showProblem();
  });
}

function showProblem() {
  const part = byId("problem");
  forgetCharts(part);
  const one = problem();
  const chosen = settle();
  writeAddress();
  const step = (by, label) => element("button", {
    type: "button", "aria-label": label, disabled: !group().problems[state.problem + by], onclick: () => choose(state.problem + by),
  }, by < 0 ? "‹" : "›");
  const counts = `${countText(one.valid, "valid configuration")} of ${countText(one.trials, "trial")}${one.left_out ? `; ${countText(one.left_out, "trial")} under other protocols, with other kernels or read from files left out` : ""}`;
  const head = element("div", { class: "head" }, element("h2", { id: "problem-title" }, one.text),
    element("div", { class: "group" }, step(-1, "shorter"),
      select("problem-n", "n", group().problems.map((other, i) => [i, `${sizeText(other.n)}${other.rows > 1 ? ` × ${sizeText(other.rows)}` : ""}`]), state.problem, (i) => choose(Number(i))), step(1, "longer")),
    element("span", { class: "unit" }, counts));
  if (!one.best) {
    part.replaceChildren(head, element("div", { class: "cards" }, failuresCard(one)));
    drawFailures(one);
    return;
  }
  const usable = one.variants.filter((variant) => variant.us !== undefined);
  part.replaceChildren(head, element("div", { class: "cards" },
    bestCard(group(), one, model.descriptions), distributionCard(one),
    heatCard(chosen, state, [variantPicker(usable, chosen, "heat-variant")], (key, value) => {
      const other = key === "x" ? "y" : "x";
      if (state[other] === value) state[other] = state[key];  // they change places
      state[key] = value;
      showProblem();
    }),
    convergenceCard(one),
    effectsCard(chosen, model.descriptions, [variantPicker(usable, chosen, "effects-variant")]),
    leadersCard(one), failuresCard(one)));
  drawSamples(one.best);
  drawDistribution(one);
  drawHeat(one, chosen, state);
  drawConvergence(one);
  drawEffects(one, chosen);
  drawFailures(one);
}

function choose(i) {
  state.problem = i;
  showAll();
}

function showAll() {
  variantOrder = [...new Set(group().problems.flatMap((one) => one.variants.map((variant) => variant.name)))].sort();
  showFacts();
  showOverview(group(), state, choose);
  showProblem();
}

function fill(picker, texts, chosen, changed) {
  picker.replaceChildren(...texts.map((text, i) => element("option", { value: i, selected: i === chosen }, text)));
  picker.onchange = () => changed(Number(picker.value));
}

function showPickers() {
  byId("device-label").hidden = model.devices.length < 2;
  fill(byId("device"), model.devices.map((one) => one.name), state.device, (i) => {
    const first = fullest(model.devices[i]);
    Object.assign(state, { device: i, group: first, problem: richest(model.devices[i].groups[first]) });
    showPickers();
    showAll();
  });
  fill(byId("group"), device().groups.map((one) => `${one.title} (${one.problems.length})`), state.group, (i) => {
    Object.assign(state, { group: i, problem: richest(device().groups[i]) });
    showAll();
  });
}

async function readModel() {
  const bytes = Uint8Array.from(atob(byId("data").textContent.trim()), (character) => character.charCodeAt(0));
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(text).json();
}

async function start() {
  model = await readModel();
  readAddress();
  startTheme(showAll);
  showPickers();
  showAll();
  document.documentElement.dataset.drawn = "yes";
}

start().catch((error) => {
  byId("facts").textContent = `The page cannot be drawn; it needs a browser of 2023 or later. (${error})`;
});
