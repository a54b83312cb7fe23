// Elements of the document. Names become text only, never markup.

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// A fragment of any number of elements; spreading them as arguments could exceed the limit.
function fragment(elements) {
  const all = document.createDocumentFragment();
  for (const one of elements) all.append(one);
  return all;
}

const find = (selector) => document.querySelector(selector);

// Long names are shortened in tooltips and labels.
const short = (text) => (text.length > 400 ? text.slice(0, 400) + "…" : text);

// The end of a path tells files apart; the whole path is in the tooltip.
function placeOf(zone) {
  if (!zone?.file) return "";
  return zone.file.split(/[\\/]/).slice(-2).join("/") + (zone.line ? ":" + zone.line : "");
}

const fullPlaceOf = (zone) => (zone?.file ? zone.file + (zone.line ? ":" + zone.line : "") : "");

const measuring = document.createElement("canvas").getContext("2d");

const MOST_MEASURED = 20_000; // texts
const measured = new Map(); // widths by font and text

// px: the width of a text in the font of an element.
function widthOf(text, font) {
  let widths = measured.get(font);
  if (!widths || widths.size > MOST_MEASURED) measured.set(font, (widths = new Map()));
  let width = widths.get(text);
  if (width === undefined) {
    measuring.font = font;
    widths.set(text, (width = measuring.measureText(text).width));
  }
  return width;
}
