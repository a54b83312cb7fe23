// Creates elements. Names are only inserted as text, never as markup.

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Returns a fragment with all elements. Passing all of them as arguments could exceed the engine's limit.
function fragment(elements) {
  const all = document.createDocumentFragment();
  for (const one of elements) all.append(one);
  return all;
}

const find = (selector) => document.querySelector(selector);

// Shortens long names, for tooltips and labels.
const short = (text) => (text.length > 400 ? text.slice(0, 400) + "…" : text);

// Returns the last two components of a path, which are usually enough to distinguish files. The tooltip shows the full
// path.
function placeOf(zone) {
  if (!zone?.file) return "";
  return zone.file.split(/[\\/]/).slice(-2).join("/") + (zone.line ? ":" + zone.line : "");
}

const fullPlaceOf = (zone) => (zone?.file ? zone.file + (zone.line ? ":" + zone.line : "") : "");

const measuring = document.createElement("canvas").getContext("2d");

const MAX_MEASURED = 20_000; // texts
const measured = new Map(); // widths by font and text

function widthOf(text, font) {
  let widths = measured.get(font);
  if (!widths || widths.size > MAX_MEASURED) measured.set(font, (widths = new Map()));
  let width = widths.get(text);
  if (width === undefined) {
    measuring.font = font;
    widths.set(text, (width = measuring.measureText(text).width));
  }
  return width;
}
