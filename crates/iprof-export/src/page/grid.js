// A table with expandable rows. Only rows in view are in the document. Number columns are as wide as their widest
// number. Columns that don't fit next to more important ones are left out.

const ROW = 22; // px
const HEAD = 25; // px; height of the header and borders
const MAX_WINDOW_SHARE = 0.7; // of the window's height
const EXTRA_ROWS = 4; // rows drawn beyond the view
const MIN_NAME = 220; // px for a name, if there is room
const NAME_AND_PLACE = 320; // px for a name, before averages and errors get a column
const NARROWEST_NAME = 150; // px; minimum width of a name
const MAX_REVEALED = 2000; // levels
const SMALL = 12; // px; font size of the text after names
const INDENT_SHARE = 0.35; // of the name column

class Grid {
  rows = [];
  open = new Set();
  current = 0;
  #wanted; // path or key of the row last selected
  // The scroll position to show. Reading it from the browser would force a layout of the page.
  #top = 0;
  #scrolled = 0; // the browser's scroll position
  #first = 0; // index of the first row in the document
  #drawn = []; // rows in the document
  #selected; // the row marked as current
  #kind = ""; // keys of the shown columns

  // A column has `key`, `title`, `explain`, `rank` (1 is left out last), `needs` (the key of a column that it
  // requires), `number(node)` and `text(number, node)`. If `onSort` is set, headers are buttons that sort.
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
      this.#top = this.#scrolled = this.box.scrollTop;
      this.#draw();
    });
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.body.addEventListener("click", (event) => this.#click(event));
    this.box.addEventListener("focus", () => this.box.matches(":focus-visible") && this.focus(this.current));
    new ResizeObserver(() => (this.box.clientWidth !== this.width ? this.layout() : this.#draw())).observe(this.box);
  }

  // Shows different rows and expands them with `open`. `columns` contains all columns that may be shown. The row last
  // selected stays current if it is present, unless `isOther` indicates that the rows are about something else.
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

  // Returns the index of the row last selected, or -1.
  #find() {
    if (!this.isTree) return this.rows.findIndex(({ key }) => key === this.#wanted);
    const { node, left } = follow(this.rows[0], this.#wanted);
    if (left.length > 0) return -1;
    this.#open(node);
    return this.rows.indexOf(node);
  }

  // Chooses the columns that fit, and their widths. If `isOther` is set, the rows have changed, and the current row is
  // scrolled into view.
  layout(isOther) {
    if (!this.columns) return;
    // The grid's width doesn't depend on its rows.
    if (!isOther || !this.width) this.width = this.box.clientWidth;
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
    const mostForName = Math.max(this.width / 3, NARROWEST_NAME);
    const forName = ({ rank }) => Math.min(rank < 5 ? MIN_NAME : NAME_AND_PLACE, mostForName);
    let left = this.width;
    const fitting = [...widths.keys()].sort((a, b) => a.rank - b.rank);
    const kept = new Set();
    for (const column of fitting) {
      const isAlone = column.needs && ![...kept].some(({ key }) => key === column.needs);
      if (isAlone || (left - widths.get(column) < forName(column) && kept.size > 0)) continue;
      left -= widths.get(column);
      kept.add(column);
    }
    this.shownColumns = [this.columns[0], ...[...widths.keys()].filter((column) => kept.has(column))];
    this.columnWidths = this.shownColumns.slice(1).map((column) => `${widths.get(column)}px`);
    this.nameWidth = left;
    this.indented = Math.min(Math.max(Math.floor((left * INDENT_SHARE) / INDENT), 1), MAX_INDENTED);
    this.box.setAttribute("aria-colcount", this.shownColumns.length);
    this.#drawHead();
    const kind = this.shownColumns.map(({ key }) => key).join();
    if (kind !== this.#kind) {
      this.#kind = kind;
      this.#drawn = [];
      this.body.replaceChildren();
      this.#makeTemplate();
    }
    this.refresh(isOther);
  }

  // Updates the table after `rows` has changed.
  refresh(isOther) {
    this.box.setAttribute("aria-rowcount", this.rows.length + 1);
    this.body.style.height = `${Math.max(1, this.rows.length) * ROW}px`;
    if (isOther) this.#aim(0);
    this.#draw(true);
    this.#scroll();
  }

  #drawHead() {
    const row = element("div", undefined, "row");
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", 1);
    this.shownColumns.forEach((column, at) => {
      const head = element("div");
      if (at > 0) head.style.width = this.columnWidths[at - 1];
      head.setAttribute("role", "columnheader");
      head.dataset.key = column.key;
      head.title = column.explain;
      const isSorted = this.sorted?.key === column.key;
      if (isSorted) head.setAttribute("aria-sort", this.sorted.isAscending ? "ascending" : "descending");
      if (this.onSort) {
        const button = element("button", column.title + (isSorted ? (this.sorted.isAscending ? " ▲" : " ▼") : ""));
        button.type = "button";
        button.addEventListener("click", () => this.onSort(column));
        head.append(button);
      } else {
        head.textContent = column.title;
      }
      row.append(head);
    });
    this.head.replaceChildren(row);
  }

  // Creates the element that all rows are cloned from.
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

  // Draws the rows in view. Rows already in the document are only refilled if `isOther` is set.
  #draw(isOther) {
    if (!this.shownColumns) return;
    const top = this.#top;
    const first = Math.max(0, Math.floor(top / ROW) - EXTRA_ROWS);
    const last = Math.min(this.rows.length, Math.ceil((top + mostHeight()) / ROW) + EXTRA_ROWS);
    const [before, after] = [this.#first, this.#first + this.#drawn.length];
    if (first === before && last === after && !isOther) return;
    // Rows that stay in view keep their elements. If no row does, all elements are reused for other rows.
    const isNear = first < after && before < last;
    const from = isNear ? before : first;
    if (this.#drawn.length === 0) this.body.replaceChildren();
    const drawn = [];
    const [above, below] = [[], []];
    for (let at = first; at < last; at++) {
      let row = at >= from ? this.#drawn[at - from] : null;
      const isKept = row && isNear;
      if (!row) {
        row = new Row(this, this.template.cloneNode(true));
        (at < from ? above : below).push(row.box);
      }
      if (isOther || !isKept) row.show(at);
      drawn.push(row);
    }
    const stay = new Set(drawn);
    for (const row of this.#drawn) if (!stay.has(row)) row.box.remove();
    this.body.prepend(fragment(above));
    this.body.append(fragment(below));
    if (this.rows.length === 0) this.body.replaceChildren(this.#nothing());
    this.body.style.paddingTop = `${first * ROW}px`;
    this.#first = first;
    this.#drawn = drawn;
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

  depthOf(node) {
    return node.depth - this.rows[0].depth;
  }

  // Marks the current row, if it is in the document.
  #select() {
    const row = this.#drawn[this.current - this.#first]?.box;
    if (row !== this.#selected) this.#selected?.setAttribute("aria-selected", false);
    this.#selected = row;
    row?.setAttribute("aria-selected", true);
    if (row) this.box.setAttribute("aria-activedescendant", row.id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  // Makes a row current and scrolls it into view.
  focus(at) {
    if (this.rows.length === 0) return;
    this.current = Math.min(Math.max(at, 0), this.rows.length - 1);
    this.#aim(this.#top);
    this.#draw();
    this.#select();
    this.#scroll();
    const node = this.rows[this.current];
    this.#wanted = this.isTree ? pathTo(node) : node.key;
    this.detail.textContent = detailOf(node, this.columns);
    this.onFocus?.(node);
  }

  // Returns the scroll position nearest to `from` at which the current row is visible.
  #aim(from) {
    const top = this.current * ROW;
    const all = this.rows.length * ROW;
    const height = Math.min(mostHeight(), all);
    this.#top = Math.max(0, Math.min(from, top, all - height), top + ROW - height);
  }

  // Applies the scroll position. Call this after all writes, because it makes the browser lay out the page.
  #scroll() {
    if (this.#top === this.#scrolled) return;
    this.box.scrollTop = this.#top;
    this.#top = this.#scrolled = this.box.scrollTop;
    this.#draw();
  }

  // Expands the row at an index. Returns the number of added rows.
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

  // `splice` can't be used, because its number of arguments is limited.
  #replace(from, count, nodes) {
    this.rows = this.rows.slice(0, from).concat(nodes, this.rows.slice(from + count));
  }

  // Expands all ancestors of a node and makes its row current.
  reveal(node) {
    this.#open(node);
    this.layout();
    this.focus(this.rows.indexOf(node));
  }

  #open(node) {
    const present = new Set(this.rows);
    const path = [];
    for (let at = node; at && !present.has(at); at = at.parent) path.push(at.parent);
    for (const above of path.reverse().slice(0, MAX_REVEALED)) {
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

// Returns the maximum height of the rows in view. The style sheet uses the same value.
const mostHeight = () => Math.floor(MAX_WINDOW_SHARE * innerHeight) - HEAD;

// Describes a row completely, including values whose columns don't fit.
function detailOf(node, columns) {
  const place = fullPlaceOf(node.place);
  const numbers = columns.slice(1).map((column) => {
    const number = column.number(node);
    return Number.isNaN(number) ? "" : column.say(number, node);
  });
  return [short(node.name), markOf(node), place, ...numbers].filter((part) => part).join(" · ");
}
