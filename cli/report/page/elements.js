// Elements of the page. Texts only ever become text nodes or attributes: nothing of the data is read as HTML.

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

// A card with a heading, what it shows in a sentence, and controls beside the heading.
function card(title, about, { wide = false, controls = [], id } = {}, ...content) {
  return element("div", { class: wide ? "card wide" : "card", id },
    element("div", { class: "head" }, element("h3", {}, title), controls.length ? element("div", { class: "group" }, controls) : null),
    about ? element("p", { class: "about" }, about) : null,
    content);
}

// A place for a chart; `label` is what a screen reader says of it.
function chartBox(id, label, kind = "") {
  return element("div", { class: `chart ${kind}` }, element("canvas", { id, role: "img", "aria-label": label }));
}

// A table. Columns are {title, number, hide}; cells are texts or elements.
function table(columns, rows) {
  const kind = (column) => [column.number ? "n" : "", column.hide ? "hide" : ""].join(" ").trim() || null;
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, columns.map((column) => element("th", { class: kind(column), scope: "col" }, column.title)))),
    element("tbody", {}, rows.map((row) => element("tr", row.attributes,
      row.cells.map((cell, i) => element("td", { class: kind(columns[i]) }, cell)))))));
}

function select(id, label, options, chosen, changed) {
  const list = element("select", { id, onchange: () => changed(list.value) },
    options.map(([value, text]) => element("option", { value, selected: String(value) === String(chosen) }, text)));
  return element("label", {}, `${label} `, list);
}

function dot(variant) {
  return element("span", { class: "dot", style: `background:${variantColor(variant)}` });
}
