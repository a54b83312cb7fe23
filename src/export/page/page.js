// Builds the page's tables and flame graph from the data in the page. Names become text only, never markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// By node: its children, largest first, and its hierarchical time.
for (const thread of data.threads) {
  const count = thread.parent.length;
  thread.hier = thread.ns.slice();
  thread.sampled = thread.ns.map((_, at) => thread.error?.[at] > 0);
  thread.entered = thread.entries.slice();
  thread.children = Array.from({ length: count }, () => null);
  for (let at = count - 1; at > 0; at--) {
    const parent = thread.parent[at];
    thread.hier[parent] += thread.hier[at];
    thread.sampled[parent] ||= thread.sampled[at];
    thread.entered[parent] += thread.entered[at];
    // Nodes without recorded data are not shown.
    if (thread.hier[at] + thread.entered[at] > 0) {
      (thread.children[parent] ??= []).push(at);
    }
  }
  // A thread's total time is exact.
  thread.sampled[0] = false;
  thread.hottest = thread.ns.reduce((most, ns) => Math.max(most, ns), 0);
  for (const children of thread.children) {
    children?.sort((a, b) => thread.hier[b] - thread.hier[a] || thread.entries[b] - thread.entries[a]);
  }
}

// --- formatting ---

const whole = new Intl.NumberFormat("en");

function time(ns) {
  if (ns >= 1e9) return (ns / 1e9).toFixed(3) + " s";
  if (ns >= 1e6) return (ns / 1e6).toFixed(3) + " ms";
  if (ns >= 1e3) return (ns / 1e3).toFixed(3) + " µs";
  return (Number.isInteger(ns) ? ns : ns.toFixed(1)) + " ns";
}

const percent = (part, all) => (all > 0 ? (100 * part) / all : 0).toFixed(2);
const each = (ns, entries) => (entries > 0 ? time(ns / entries) : "");
const nameOf = (zone) => data.zones[zone].name || "(no name)";
const marked = (ns, isSampled) => (isSampled ? "~" : "") + time(ns);
const selfTime = (thread, at) => marked(thread.ns[at], thread.error?.[at] > 0);
const hierTime = (thread, at) => marked(thread.hier[at], thread.sampled[at]);

// Strength of a row's colour: 1 for the most self time, falling with the square.
const heat = (ns, most) => (most > 0 ? ((ns / most) ** 2).toFixed(3) : 0);

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

// Long names are shortened in tooltips.
const short = (text) => (text.length > 400 ? text.slice(0, 400) + "…" : text);

// --- the tree ---

const HOT_SHARE = 0.05;
const MOST_OPENED = 2000; // Rows: a stack may be much deeper.
const rows = document.querySelector("#tree tbody");

function row(index, at, depth) {
  const thread = data.threads[index];
  const total = thread.hier[0];
  const isThread = at === 0;
  const name = isThread ? thread.name + (thread.ended ? " (ended)" : "") : nameOf(thread.zone[at]);
  const made = element("tr", undefined, isThread ? "thread" : "");
  made.node = { index, at, depth };
  made.dataset.depth = depth;
  const first = element("td");
  // Deep levels are indented less, which leaves room for their names.
  const indent = 1.1 * Math.min(depth, 12) + 0.15 * Math.min(Math.max(depth - 12, 0), 60);
  first.style.paddingLeft = `calc(.6rem + ${indent.toFixed(2)}em)`;
  const toggle = element("span", thread.children[at] ? "▸" : "", "toggle");
  first.append(toggle, name);
  const zone = data.zones[thread.zone[at]];
  first.title = `${short(name)}\ndepth ${depth}` + (zone.file ? `\n${zone.file}:${zone.line}` : "");
  if (thread.children[at]) made.setAttribute("aria-expanded", "false");
  made.style.setProperty("--heat", heat(thread.ns[at], thread.hottest));
  made.append(
    first,
    element("td", isThread ? "" : whole.format(thread.entries[at])),
    element("td", hierTime(thread, at)),
    element("td", percent(thread.hier[at], total)),
    element("td", each(thread.hier[at], thread.entries[at])),
    element("td", selfTime(thread, at)),
    element("td", whole.format(thread.ticks[at])),
  );
  made.children[2].title = whole.format(thread.hier[at]) + " ns";
  made.children[5].title = whole.format(thread.ns[at]) + " ns";
  return made;
}

function open(parent) {
  if (parent.getAttribute("aria-expanded") !== "false") return [];
  const { index, at, depth } = parent.node;
  const made = data.threads[index].children[at].map((child) => row(index, child, depth + 1));
  parent.after(fragment(made));
  parent.setAttribute("aria-expanded", "true");
  parent.querySelector(".toggle").textContent = "▾";
  return made;
}

function close(parent) {
  if (parent.getAttribute("aria-expanded") !== "true") return;
  while (parent.nextSibling?.node.depth > parent.node.depth) parent.nextSibling.remove();
  parent.setAttribute("aria-expanded", "false");
  parent.querySelector(".toggle").textContent = "▸";
}

// Expands the nodes with at least 5 % of their thread's time.
function openHot() {
  const waiting = [...rows.children];
  let opened = 0;
  while (waiting.length > 0 && opened < MOST_OPENED) {
    const next = waiting.pop();
    const thread = data.threads[next.node.index];
    const isHot = (child) => thread.hier[child] >= HOT_SHARE * thread.hier[0] && thread.hier[0] > 0;
    if (next.node.at === 0 || thread.children[next.node.at]?.some(isHot)) {
      const made = open(next);
      opened += made.length;
      for (const child of made) if (isHot(child.node.at)) waiting.push(child);
    }
  }
}

function showTree() {
  rows.replaceChildren(fragment(data.threads.map((_, index) => row(index, 0, 0))));
}

rows.addEventListener("click", (event) => {
  const clicked = event.target.closest("tr");
  if (clicked?.getAttribute("aria-expanded") === "true") close(clicked);
  else if (clicked) open(clicked);
});
document.querySelector("#tree .hot").addEventListener("click", openHot);
document.querySelector("#tree .close").addEventListener("click", showTree);

// --- zones ---

const zones = data.zones
  .map((zone, at) => ({
    name: nameOf(at),
    entries: zone.entries,
    self: zone.self_ns,
    hier: zone.hier_ns,
    place: zone.file ? `${zone.file}:${zone.line}` : "",
    average: zone.entries > 0 ? zone.self_ns / zone.entries : 0,
    share: zone.self_ns,
    sampled: zone.sampled,
    hierSampled: zone.hier_sampled,
  }))
  .filter((zone) => zone.entries + zone.hier > 0);
const allSelf = zones.reduce((sum, zone) => sum + zone.self, 0);
const hottest = zones.reduce((most, zone) => Math.max(most, zone.self), 0);
const order = { key: "self", rising: false };

function showZones() {
  const wanted = document.querySelector("#zones input").value.toLowerCase();
  const shown = zones.filter((zone) => zone.name.toLowerCase().includes(wanted));
  const { key, rising } = order;
  const compare = (a, b) =>
    typeof a[key] === "string" ? a[key].localeCompare(b[key]) : a[key] - b[key];
  shown.sort((a, b) => (rising ? compare(a, b) : compare(b, a)));
  const made = shown.map((zone) => {
    const line = element("tr");
    line.style.setProperty("--heat", heat(zone.self, hottest));
    line.append(
      element("td", zone.name),
      element("td", whole.format(zone.entries)),
      element("td", marked(zone.self, zone.sampled)),
      element("td", percent(zone.self, allSelf)),
      element("td", marked(zone.hier, zone.hierSampled)),
      element("td", each(zone.self, zone.entries)),
      element("td", zone.place),
    );
    line.children[0].title = short(zone.name);
    line.children[2].title = whole.format(zone.self) + " ns";
    line.children[4].title = whole.format(zone.hier) + " ns";
    line.children[6].title = zone.place;
    return line;
  });
  document.querySelector("#zones tbody").replaceChildren(fragment(made));
  document.querySelector("#zones output").textContent = `${shown.length} of ${zones.length}`;
  for (const head of document.querySelectorAll("#zones th")) {
    head.removeAttribute("aria-sort");
    if (head.dataset.key === key) {
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    }
  }
}

document.querySelector("#zones thead").addEventListener("click", (event) => {
  const key = event.target.dataset.key;
  if (!key) return;
  const isText = key === "name" || key === "place";
  order.rising = order.key === key ? !order.rising : isText;
  order.key = key;
  showZones();
});
document.querySelector("#zones input").addEventListener("input", showZones);

// --- the flame graph ---

const ROW_HEIGHT = 19;
const MIN_WIDTH = 1.5; // px: narrower frames are omitted
const MOST_ABOVE = 100; // rows: callers of the zoomed frame
const MOST_LEVELS = 1000; // rows: levels below the zoomed frame
const graph = document.querySelector("#flame .graph");
const select = document.querySelector("#flame select");
const about = document.querySelector("#flame output");
let zoomed = 0;
let drawn = 0; // px: the width it was drawn for

// Colours by name, so that a zone has the same colour in every page.
function hue(name) {
  let hash = 2166136261;
  for (let at = 0; at < Math.min(name.length, 64); at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 16777619);
  }
  return (hash >>> 8) % 360;
}

function label(thread, at) {
  const name = at === 0 ? thread.name : nameOf(thread.zone[at]);
  const share = percent(thread.hier[at], thread.hier[0]);
  const calls = at === 0 ? "" : `, ${whole.format(thread.entries[at])} calls`;
  return `${short(name)}: ${hierTime(thread, at)}, ${share} %, self ${selfTime(thread, at)}${calls}`;
}

function showFlame() {
  const thread = data.threads[select.value];
  graph.replaceChildren();
  about.textContent = "";
  graph.style.height = "3rem";
  if (!thread) return;
  about.textContent = label(thread, zoomed);
  const made = [];
  const width = graph.clientWidth;
  drawn = width;
  let deepest = 0;
  const frame = (at, depth, left, wide, isAbove) => {
    const name = at === 0 ? thread.name : nameOf(thread.zone[at]);
    const box = element("div", wide > 20 ? name.slice(0, 300) : "", "frame");
    if (isAbove) box.classList.add("above");
    box.node = at;
    box.title = label(thread, at);
    box.style.cssText = `left:${left}px;top:${depth * ROW_HEIGHT}px;width:${wide}px`;
    box.style.setProperty("--hue", hue(name));
    made.push(box);
    deepest = Math.max(deepest, depth);
  };
  // The callers of the zoomed frame fill the width.
  const below = [];
  for (let at = zoomed; at !== 0 && below.length < MOST_ABOVE; ) {
    at = thread.parent[at];
    below.push(at);
  }
  below.reverse().forEach((at, depth) => frame(at, depth, 0, width, true));
  const scale = thread.hier[zoomed] > 0 ? width / thread.hier[zoomed] : 0;
  const waiting = [[zoomed, below.length, 0]];
  while (waiting.length > 0) {
    const [at, depth, left] = waiting.pop();
    const wide = thread.hier[at] * scale;
    frame(at, depth, left, at === zoomed ? width : wide, false);
    let from = left;
    const isDeepest = depth - below.length >= MOST_LEVELS;
    for (const child of (isDeepest ? null : thread.children[at]) ?? []) {
      const childWide = thread.hier[child] * scale;
      if (childWide < MIN_WIDTH) break; // The following children are no wider.
      waiting.push([child, depth + 1, from]);
      from += childWide;
    }
  }
  graph.append(fragment(made));
  graph.style.height = `${(deepest + 1) * ROW_HEIGHT + 2}px`;
}

function zoom(at) {
  zoomed = at;
  showFlame();
}

graph.addEventListener("click", (event) => {
  const clicked = event.target.closest(".frame");
  if (clicked) zoom(clicked.node);
});
graph.addEventListener("mouseover", (event) => {
  const over = event.target.closest(".frame");
  if (over) about.textContent = over.title;
});
graph.addEventListener("keydown", (event) => {
  if (event.key === "Escape") zoom(0);
});
document.querySelector("#flame .all").addEventListener("click", () => zoom(0));
select.addEventListener("change", () => zoom(0));
new ResizeObserver(() => graph.clientWidth !== drawn && showFlame()).observe(graph);

// --- light and dark ---

const theme = document.documentElement.dataset;
const systemsDark = matchMedia("(prefers-color-scheme: dark)");
let isChosen = false;

function setDark(isDark) {
  theme.theme = isDark ? "dark" : "light";
}

document.getElementById("theme").addEventListener("click", () => {
  isChosen = true;
  setDark(theme.theme !== "dark");
});
systemsDark.addEventListener("change", () => isChosen || setDark(systemsDark.matches));
setDark(systemsDark.matches);

data.threads.forEach((thread, at) => {
  const option = element("option", `${short(thread.name)} (${time(thread.hier[0])})`);
  option.value = at;
  select.append(option);
});
showTree();
openHot();
showZones();
showFlame();
