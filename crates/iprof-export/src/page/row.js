// A grid row in the document. Its elements are reused for other nodes, and only differences are written. Changing texts
// is cheaper for the browser than creating elements and changing styles.

const INDENT = 12; // px per level
const MAX_INDENTED = 12; // levels; deeper rows show their depth as a number
const PADDING = 20; // px per cell, including room for the mark of a sorted column
const GAP = 9; // px between a name and the text after it
const TOGGLE = 17; // px; width of the mark that shows whether the row is expanded
const MIN_FILE_LETTERS = 3; // letters; fewer would be useless

class Row {
  #shown = {}; // last written values, by position
  #name = {}; // text nodes of the name's parts

  // `box` is a copy of the grid's template.
  constructor(grid, box) {
    this.grid = grid;
    this.box = box;
    [this.nameCell, ...this.cells] = box.children;
    this.texts = this.cells.map((cell) => cell.appendChild(new Text()));
  }

  show(at) {
    const { grid, box } = this;
    const node = (box.node = grid.rows[at]);
    this.#write("at", at, () => {
      box.id = grid.id + at;
      box.setAttribute("aria-rowindex", at + 2);
    });
    const heat = grid.columns[0].heat(node);
    const kinds = { idle: node.isIdle, own: node.isOwn, thread: node.thread, found: search.has(node), less: heat < 0 };
    const names = Object.keys(kinds).filter((kind) => kinds[kind]);
    this.#write("class", ["row", ...names].join(" "), (text) => (box.className = text));
    this.#write("heat", Math.abs(heat).toFixed(2), (text) => box.style.setProperty("--heat", text));
    if (grid.isTree) {
      this.#write("level", grid.depthOf(node) + 1, (level) => box.setAttribute("aria-level", level));
      const expanded = node.hasRows ? grid.open.has(node) : null;
      this.#write("expanded", expanded, () => (expanded === null ? box.removeAttribute("aria-expanded") : box.setAttribute("aria-expanded", expanded)));
    }
    this.#fillName(node);
    this.cells.forEach((cell, at) => {
      const column = grid.shownColumns[at + 1];
      this.#write(`width ${at}`, grid.columnWidths[at], (width) => (cell.style.width = width));
      const number = column.number(node);
      const isNone = Number.isNaN(number);
      const exact = isNone || !column.exact ? "" : column.exact(number);
      this.#write(at, isNone ? "" : column.text(number, node), (text) => (this.texts[at].data = text));
      this.#write(column.key, exact, (text) => (cell.title = text));
    });
  }

  #write(where, what, write) {
    if (this.#shown[where] === what) return;
    this.#shown[where] = what;
    write(what);
  }

  #fillName(node) {
    const { grid, nameCell } = this;
    const { name, suffix } = node;
    const depth = grid.isTree ? grid.depthOf(node) : 0;
    // Deep levels are not indented further, which leaves room for names. A number shows their depth.
    const indent = Math.min(depth, grid.indented) * INDENT;
    const texts = {
      depth: depth > grid.indented ? `(${depth})` : "",
      label: suffix ? name.slice(0, -suffix.length) : name,
      suffix,
      mark: markOf(node),
    };
    if (grid.isTree) texts.toggle = node.hasRows ? (grid.open.has(node) ? "▾" : "▸") : "";
    const start = grid.isTree ? indent + TOGGLE : PADDING;
    const taken = [name, texts.mark, texts.depth].reduce((sum, text) => sum + (text ? widthOf(text, grid.font) + GAP : 0), start);
    texts.place = placeIn(grid.nameWidth - taken - PADDING / 2, node.place, grid.small);
    const parts = ["depth", "suffix", "mark"].filter((part) => texts[part]);
    this.#write("parts", parts.join(), () => this.#makeName(parts));
    for (const part in this.#name) this.#write(part, texts[part], (text) => (this.#name[part].data = text));
    if (grid.isTree) this.#write("indent", indent, () => (nameCell.style.paddingLeft = `${indent}px`));
    const place = fullPlaceOf(node.place);
    const title = short(name) + (place ? "\n" + place : "") + (grid.isTree ? `\ndepth ${depth}` : "");
    this.#write("title", title, () => (nameCell.title = title));
  }

  // Creates a name's elements, without texts. `parts` lists the optional parts of this name.
  #makeName(parts) {
    const made = (part, className) => {
      const box = element("span", undefined, className);
      this.#name[part] = box.appendChild(new Text());
      this.#shown[part] = undefined;
      return box;
    };
    this.#name = {};
    const lead = element("span", undefined, "lead");
    if (this.grid.isTree) {
      const toggle = made("toggle", "toggle");
      toggle.setAttribute("aria-hidden", true);
      lead.append(toggle);
    }
    if (parts.includes("depth")) lead.append(made("depth", "depth"));
    const label = element("span", undefined, "label");
    label.append(made("label"));
    if (parts.includes("suffix")) label.append(made("suffix", "suffix"));
    lead.append(label);
    this.nameCell.replaceChildren(lead);
    if (parts.includes("mark")) this.nameCell.append(made("mark", "mark"));
    this.nameCell.append(made("place", "place"));
  }
}

// Returns as much of a source location as fits: folder, file and line, only the file, the start of the file, or only
// the line.
function placeIn(room, zone, font) {
  const fits = (text) => widthOf(text, font) <= room;
  const place = placeOf(zone);
  if (place === "" || fits(place)) return place;
  const file = place.split("/").at(-1);
  if (fits(file) || !zone.line) return fits(file) ? file : "";
  for (let kept = file.lastIndexOf("."); kept >= MIN_FILE_LETTERS; kept--) {
    const text = `${file.slice(0, kept)}…:${zone.line}`;
    if (fits(text)) return text;
  }
  return fits(`…:${zone.line}`) ? `…:${zone.line}` : "";
}

// Returns the remark that follows a row's name.
function markOf(node) {
  if (node.isGone) return "only in the other profile";
  if (node.isOwn) return "iprof itself";
  return node.isIdle && node.name !== IDLE_OUTSIDE ? "idle" : "";
}
