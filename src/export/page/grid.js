// A table of rows that may be opened, of which only those in view are in the document. Its columns of numbers
// are as wide as their widest number. Those that do not fit beside more important ones are left out.

const ROW = 22; // px
const HEAD = 25; // px: heads and borders
const MOST_OF_WINDOW = 0.7; // its height
const EXTRA_ROWS = 4; // beyond the view
const MIN_NAME = 220; // px, where there is room: a name
const NAME_AND_PLACE = 320; // px: what columns of averages and errors leave
const LEAST_NAME = 150; // px: a name
const MOST_REVEALED = 2000; // levels
const PADDING = 20; // px: of a cell, and for the mark of a sorted column
const GAP = 9; // px: between a name and what is behind it
const TOGGLE = 17; // px: the mark before a name that tells whether it is open
const LEAST_OF_FILE = 3; // letters that tell something of a file
const SMALL = 12; // px: the font of what is behind names
const INDENT = 12; // px a level
const MOST_INDENTED = 12; // levels: names of deeper ones have their depth before them
const INDENT_SHARE = 0.35; // of the column of names

class Grid {
  rows = [];
  open = new Set();
  current = 0;
  #wanted; // the path or key of the row that was chosen last
  // The place to which it is scrolled. The browser has to lay out the page before it can be asked for anything.
  #top = 0;
  #first = -1;
  #last = -1;

  // Columns: `key`, `title`, `explain`, `rank` (1 is the last to be left out), `beside` (the key of a column without
  // which it is left out), `number(node)` and `text(number, node)`. `onSort` makes heads sort.
  constructor(place, { id, label, isTree, onFocus, onSort }) {
    Object.assign(this, { id, isTree, onFocus, onSort });
    this.box = element("div", undefined, "grid");
    this.box.tabIndex = 0;
    this.box.setAttribute("role", isTree ? "treegrid" : "grid");
    this.box.setAttribute("aria-label", label);
    this.head = element("div", undefined, "head");
    this.head.setAttribute("role", "rowgroup");
    this.body = element("div", undefined, "body");
    this.body.setAttribute("role", "rowgroup");
    this.detail = element("p", undefined, "detail");
    this.detail.setAttribute("role", "status");
    this.box.append(this.head, this.body);
    place.append(this.box, this.detail);
    this.box.addEventListener("scroll", () => {
      this.#top = this.box.scrollTop;
      this.#draw();
    });
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.body.addEventListener("click", (event) => this.#click(event));
    this.box.addEventListener("focus", () => this.box.matches(":focus-visible") && this.focus(this.current));
    new ResizeObserver(() => (this.box.clientWidth !== this.width ? this.layout() : this.#draw())).observe(this.box);
  }

  // Shows other rows, which `open` opens; `columns` are all that there could be. The row that was chosen last stays the
  // current one, where it is among them, unless the rows are of something else: `isOther`.
  show(nodes, columns, { open, isOther } = {}) {
    if (isOther) this.#wanted = undefined;
    this.columns = columns;
    this.open.clear();
    this.rows = nodes.slice();
    open?.(this);
    this.current = this.#wanted === undefined ? 0 : Math.max(0, this.#find());
    this.detail.textContent = nodes.length > 0 ? detailOf(this.rows[this.current], columns) : "";
    this.layout(true);
  }

  // The row that was chosen last, or -1.
  #find() {
    if (!this.isTree) return this.rows.findIndex(({ key }) => key === this.#wanted);
    const { node, left } = follow(this.rows[0], this.#wanted);
    if (left.length > 0) return -1;
    this.#open(node);
    return this.rows.indexOf(node);
  }

  // Chooses the columns that fit, and their widths. `isOther`: the rows are others, and the current one is to be seen.
  layout(isOther) {
    if (!this.columns) return;
    // Other rows do not change it.
    if (!isOther || !this.width) this.width = this.box.clientWidth;
    // Or the browser would lay out rows that are replaced, in their new columns.
    this.body.replaceChildren();
    this.font ??= getComputedStyle(this.box).font;
    this.bold ??= "600 " + this.font.replace(/^(\d+|bold|normal) /, "");
    this.small ??= this.font.replace(/[\d.]+px/, `${SMALL}px`);
    const wide = (column) => {
      let most = 0;
      let least = 0;
      for (const node of this.rows) {
        const number = column.number(node);
        if (number > most) most = number;
        if (number < least) least = number;
      }
      const texts = [most, least, Number.MIN_VALUE].map((number) => "~" + column.text(number, null));
      return PADDING + Math.ceil(Math.max(...[column.title + (this.onSort ? " ▼" : ""), ...texts].map((text) => widthOf(text, this.bold))));
    };
    const widths = new Map(this.columns.slice(1).map((column) => [column, wide(column)]));
    const mostForName = Math.max(this.width / 3, LEAST_NAME);
    const forName = ({ rank }) => Math.min(rank < 5 ? MIN_NAME : NAME_AND_PLACE, mostForName);
    let left = this.width;
    const fitting = [...widths.keys()].sort((a, b) => a.rank - b.rank);
    const kept = new Set();
    for (const column of fitting) {
      const isAlone = column.beside && ![...kept].some(({ key }) => key === column.beside);
      if (isAlone || (left - widths.get(column) < forName(column) && kept.size > 0)) continue;
      left -= widths.get(column);
      kept.add(column);
    }
    this.shownColumns = [this.columns[0], ...[...widths.keys()].filter((column) => kept.has(column))];
    const tracks = this.shownColumns.slice(1).map((column) => widths.get(column) + "px");
    this.nameWidth = left;
    this.indented = Math.min(Math.max(Math.floor((left * INDENT_SHARE) / INDENT), 1), MOST_INDENTED);
    this.box.style.setProperty("--columns", `minmax(0, 1fr) ${tracks.join(" ")}`);
    this.box.setAttribute("aria-colcount", this.shownColumns.length);
    this.#drawHead();
    this.#makeTemplate();
    this.refresh(isOther);
  }

  // After a change of `rows`.
  refresh(isOther) {
    this.box.setAttribute("aria-rowcount", this.rows.length + 1);
    this.body.style.height = `${Math.max(1, this.rows.length) * ROW}px`;
    this.#first = -1;
    if (isOther) this.#scrollToCurrent(0);
    this.#draw();
  }

  #drawHead() {
    const row = element("div", undefined, "row");
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", 1);
    for (const column of this.shownColumns) {
      const head = element("div");
      head.setAttribute("role", "columnheader");
      head.dataset.key = column.key;
      head.title = column.explain;
      const isSorted = this.sorted?.key === column.key;
      if (isSorted) head.setAttribute("aria-sort", this.sorted.rising ? "ascending" : "descending");
      if (this.onSort) {
        const button = element("button", column.title + (isSorted ? (this.sorted.rising ? " ▲" : " ▼") : ""));
        button.type = "button";
        button.addEventListener("click", () => this.onSort(column));
        head.append(button);
      } else {
        head.textContent = column.title;
      }
      row.append(head);
    }
    this.head.replaceChildren(row);
  }

  // What all rows have in common.
  #makeTemplate() {
    this.template = element("div", undefined, "row");
    this.template.setAttribute("role", "row");
    this.template.setAttribute("aria-selected", false);
    for (const column of this.shownColumns) {
      const isName = column === this.columns[0];
      const cell = element("div", undefined, isName ? "name" : undefined);
      cell.setAttribute("role", isName ? "rowheader" : "gridcell");
      this.template.append(cell);
    }
  }

  #draw() {
    if (!this.shownColumns) return;
    const top = this.#top;
    const first = Math.max(0, Math.floor(top / ROW) - EXTRA_ROWS);
    const last = Math.min(this.rows.length, Math.ceil((top + mostHeight()) / ROW) + EXTRA_ROWS);
    if (first === this.#first && last === this.#last) return;
    const made = (from, to) => {
      const rows = [];
      for (let at = from; at < to; at++) rows.push(this.#row(at));
      return fragment(rows);
    };
    if (this.rows.length === 0) {
      this.body.replaceChildren(this.#nothing());
    } else if (this.#first < 0 || last <= this.#first || this.#last <= first) {
      this.body.replaceChildren(made(first, last));
    } else {
      // Rows that stay in view are kept.
      for (let at = this.#first; at < first; at++) this.body.firstChild.remove();
      for (let at = last; at < this.#last; at++) this.body.lastChild.remove();
      this.body.prepend(made(first, this.#first));
      this.body.append(made(this.#last, last));
    }
    [this.#first, this.#last] = [first, last];
    this.#select();
  }

  #nothing() {
    const row = element("div", undefined, "row");
    row.setAttribute("role", "row");
    const cell = element("div", "nothing to show", "name");
    cell.setAttribute("role", "gridcell");
    row.append(cell);
    return row;
  }

  #row(at) {
    const node = this.rows[at];
    const row = this.template.cloneNode(true);
    row.id = this.id + at;
    row.setAttribute("aria-rowindex", at + 2);
    row.style.top = `${at * ROW}px`;
    row.node = node;
    if (node.isIdle) row.classList.add("idle");
    if (node.isOwn) row.classList.add("own");
    if (node.thread) row.classList.add("thread");
    if (search.has(node)) row.classList.add("found");
    const heat = this.columns[0].heat(node);
    row.style.setProperty("--heat", Math.abs(heat).toFixed(3));
    if (heat < 0) row.classList.add("less");
    if (this.isTree) {
      row.setAttribute("aria-level", this.#depth(node) + 1);
      if (node.hasRows) row.setAttribute("aria-expanded", this.open.has(node));
    }
    let cell = row.firstChild;
    this.#fillName(cell, node);
    for (const column of this.shownColumns.slice(1)) {
      cell = cell.nextSibling;
      const number = column.number(node);
      if (Number.isNaN(number)) continue;
      cell.textContent = column.text(number, node);
      if (column.exact) cell.title = `${whole.format(number)} ns`;
    }
    return row;
  }

  #fillName(cell, node) {
    const lead = element("span", undefined, "lead");
    if (this.isTree) {
      // Deep levels are not indented further, which leaves room for their names: a number tells how deep they are.
      const depth = this.#depth(node);
      cell.style.paddingLeft = `${Math.min(depth, this.indented) * INDENT}px`;
      const toggle = element("span", node.hasRows ? (this.open.has(node) ? "▾" : "▸") : "", "toggle");
      toggle.setAttribute("aria-hidden", true);
      lead.append(toggle);
      if (depth > this.indented) lead.append(element("span", `(${depth})`, "depth"));
    }
    const { name, suffix } = node;
    const start = this.isTree ? Math.min(this.#depth(node), this.indented) * INDENT + TOGGLE : PADDING;
    const label = element("span", undefined, "label");
    label.append(element("span", suffix ? name.slice(0, -suffix.length) : name));
    if (suffix) label.append(element("span", suffix, "suffix"));
    lead.append(label);
    cell.append(lead);
    if (markOf(node)) cell.append(element("span", markOf(node), "mark"));
    const texts = [name, markOf(node), this.isTree && this.#depth(node) > this.indented ? `(${this.#depth(node)})` : ""];
    const taken = texts.reduce((sum, text) => sum + (text ? widthOf(text, this.font) + GAP : 0), start);
    cell.append(element("span", this.#placeIn(this.nameWidth - taken - PADDING / 2, node.place), "place"));
    const place = fullPlaceOf(node.place);
    cell.title = short(name) + (place ? "\n" + place : "") + (this.isTree ? `\ndepth ${this.#depth(node)}` : "");
  }

  // As much of a place as has room: folder, file and line; then the file, its beginning, or no more than the line.
  #placeIn(room, zone) {
    const fits = (text) => widthOf(text, this.small) <= room;
    const place = placeOf(zone);
    if (place === "" || fits(place)) return place;
    const file = place.split("/").at(-1);
    if (fits(file) || !zone.line) return fits(file) ? file : "";
    for (let kept = file.lastIndexOf("."); kept >= LEAST_OF_FILE; kept--) {
      const text = `${file.slice(0, kept)}…:${zone.line}`;
      if (fits(text)) return text;
    }
    return fits(`…:${zone.line}`) ? `…:${zone.line}` : "";
  }

  // Levels below the first row.
  #depth(node) {
    return node.depth - this.rows[0].depth;
  }

  // Tells which row is the current one, if it is in the document.
  #select() {
    this.body.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", false);
    const row = document.getElementById(this.id + this.current);
    row?.setAttribute("aria-selected", true);
    if (row) this.box.setAttribute("aria-activedescendant", row.id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  // Makes a row the current one, and scrolls it into view.
  focus(at) {
    if (this.rows.length === 0) return;
    this.current = Math.min(Math.max(at, 0), this.rows.length - 1);
    this.#scrollToCurrent(this.#top);
    this.#draw();
    this.#select();
    const node = this.rows[this.current];
    this.#wanted = this.isTree ? pathTo(node) : node.key;
    this.detail.textContent = detailOf(node, this.columns);
    this.onFocus?.(node);
  }

  // As little as it takes, from a scroll position on.
  #scrollToCurrent(from) {
    const top = this.current * ROW;
    const all = this.rows.length * ROW;
    const height = Math.min(mostHeight(), all);
    const to = Math.max(0, Math.min(from, top, all - height), top + ROW - height);
    if (to === this.#top) return;
    this.box.scrollTop = to;
    this.#top = this.box.scrollTop;
  }

  // Opens the row at an index. Returns how many rows that adds.
  expand(at) {
    const node = this.rows[at];
    if (!node || this.open.has(node) || !node.hasRows) return 0;
    this.open.add(node);
    this.#replace(at + 1, 0, node.rows);
    return node.rows.length;
  }

  collapse(at) {
    const node = this.rows[at];
    if (!this.open.has(node)) return;
    let end = at + 1;
    while (end < this.rows.length && this.rows[end].depth > node.depth) this.open.delete(this.rows[end++]);
    this.open.delete(node);
    this.#replace(at + 1, end - at - 1, []);
  }

  // Not by `splice`, whose arguments are limited.
  #replace(from, count, nodes) {
    this.rows = this.rows.slice(0, from).concat(nodes, this.rows.slice(from + count));
  }

  // Opens all that is above a node, and goes there.
  reveal(node) {
    this.#open(node);
    this.layout();
    this.focus(this.rows.indexOf(node));
  }

  #open(node) {
    const present = new Set(this.rows);
    const path = [];
    for (let at = node; at && !present.has(at); at = at.parent) path.push(at.parent);
    for (const above of path.reverse().slice(0, MOST_REVEALED)) {
      const at = this.rows.indexOf(above);
      if (at >= 0) this.expand(at);
    }
  }

  toggle(at) {
    if (this.open.has(this.rows[at])) this.collapse(at);
    else this.expand(at);
    this.layout();
    this.focus(at);
  }

  #click(event) {
    const row = event.target.closest(".row");
    const at = this.rows.indexOf(row?.node);
    if (at < 0) return;
    if (this.isTree && event.target.closest(".name")) this.toggle(at);
    else this.focus(at);
    this.box.focus();
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== this.box) return;
    const page = Math.max(1, Math.floor(mostHeight() / ROW) - 1);
    const node = this.rows[this.current];
    const to = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (!node) return;
    if (to !== undefined) this.focus(this.current + to);
    else if (this.isTree && event.key === "ArrowRight" && !this.open.has(node)) this.toggle(this.current);
    else if (this.isTree && event.key === "ArrowRight") this.focus(this.current + 1);
    else if (this.isTree && event.key === "ArrowLeft" && this.open.has(node)) this.toggle(this.current);
    else if (this.isTree && event.key === "ArrowLeft") this.focus(this.rows.indexOf(node.parent));
    else if (this.isTree && (event.key === "Enter" || event.key === " ")) this.toggle(this.current);
    else return;
    event.preventDefault();
  }
}

// The height of the rows in view, as the style sheet has it, at most.
const mostHeight = () => Math.floor(MOST_OF_WINDOW * innerHeight) - HEAD;

// Everything about a row in words: what does not fit into the columns is here.
function detailOf(node, columns) {
  const place = fullPlaceOf(node.place);
  const numbers = columns.slice(1).map((column) => {
    const number = column.number(node);
    return Number.isNaN(number) ? "" : column.say(number, node);
  });
  return [short(node.name), markOf(node), place, ...numbers].filter((part) => part).join(" · ");
}

// What is said of a row besides its name.
function markOf(node) {
  if (node.isGone) return "only in the other profile";
  if (node.isOwn) return "iprof itself";
  return node.isIdle && node.name !== IDLE_OUTSIDE ? "idle" : "";
}
