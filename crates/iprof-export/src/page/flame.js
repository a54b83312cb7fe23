// A tree's flame graph: a box for each call path, with a width exactly proportional to its time.

const ROW_HEIGHT = 19;
const MAX_HEIGHT_SHARE = 0.6; // of the window's height
const MIN_WIDTH = 1; // px; narrower boxes are grouped
const GROUP_WIDTH = 120; // px; width of a group, if its members are that wide
const MIN_TEXT = 24; // px; narrower boxes have no name
const MAX_FRAMES = 1200; // only the widest are drawn, so that keys respond immediately
const MAX_ABOVE = 100; // callers of the zoomed frame
const MAX_LEVELS = 1000; // levels below the zoomed frame

// Hashes a name to a color, so that a zone has the same color on every page.
function hue(name) {
  let hash = 2166136261;
  for (let at = 0; at < Math.min(name.length, 64); at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 16777619);
  }
  return (hash >>> 8) % 360;
}

// A node's children that are too narrow to draw, as one box. Zooming to the box shows them.
class Group {
  isGroup = true;
  entries = 0;
  hier = 0;
  ranked = 0;
  work = 0;

  constructor(parent, children) {
    Object.assign(this, { parent, children });
    for (const { hier, ranked, work } of children) {
      this.hier += hier;
      this.ranked += ranked;
      this.work += work;
    }
    const what = children[0].thread ? "thread" : "zone";
    this.name = `${whole.format(children.length)} ${what}${children.length === 1 ? "" : "s"} narrower than a pixel`;
  }
}

// Groups narrow children into boxes wide enough to see. Wide groups are split, so that zooming to one shows more
// detail.
function groups(node, narrow, scale) {
  const wide = scale * narrow.reduce((sum, { ranked }) => sum + ranked, 0);
  const most = Math.max(GROUP_WIDTH, wide / Math.max(1, Math.floor(wide / GROUP_WIDTH)));
  const made = [];
  let [first, width] = [0, 0];
  narrow.forEach(({ ranked }, at) => {
    width += ranked * scale;
    if (width < most && at + 1 < narrow.length) return;
    if (width >= MIN_WIDTH) made.push(new Group(node, narrow.slice(first, at + 1)));
    [first, width] = [at + 1, 0];
  });
  return made;
}

class Flame {
  #frames = new Map(); // for each node, its box, the node under which it is drawn, depth, left and width
  #wanted = []; // path to the frame last zoomed to
  #chosen = []; // path to the frame that was last current

  // `describe(node)` returns a description of a frame. `onSelect(node)` is called when a frame is zoomed to.
  constructor(box, { id, about, describe, onSelect }) {
    Object.assign(this, { box, id, about, describe, onSelect });
    box.addEventListener("click", (event) => {
      const node = event.target.closest(".frame")?.node;
      if (node) this.zoom(node);
    });
    box.addEventListener("mouseover", (event) => {
      const node = event.target.closest(".frame")?.node;
      if (node) this.about.textContent = event.target.title = this.describe(node);
    });
    box.addEventListener("mouseleave", () => this.#showDescription());
    box.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.root && box.clientWidth !== this.shownWidth && this.draw()).observe(box);
  }

  // Shows a different tree, zoomed to the same call path as far as it exists in the tree. The path is remembered for
  // the next tree that contains all of it.
  show(root) {
    // A path of callers can't be followed in a tree of calls, or the reverse.
    if (root.isInverted !== this.root?.isInverted) this.#wanted = this.#chosen = [];
    const found = follow(root, this.#wanted);
    const current = follow(root, this.#chosen);
    this.root = root;
    this.zoomed = found.node;
    this.absent = found.left.at(-1)?.name;
    this.current = current.left.length > 0 ? found.node : current.node;
    this.draw(this.width);
  }

  zoom(node) {
    this.zoomed = node;
    this.current = node;
    this.absent = undefined;
    this.#wanted = this.#chosen = pathTo(node);
    this.draw();
    this.onSelect?.(node);
  }

  // Makes a node the current one, if it is drawn.
  choose(node) {
    if (!this.#frames.has(node)) return;
    this.#focus(node);
    this.#chosen = pathTo(node);
  }

  // Lays out the boxes: the zoomed frame's callers at full width, then its callees.
  #plan() {
    const above = [];
    for (let at = this.zoomed.parent; at && above.length < MAX_ABOVE; at = at.parent) above.push(at);
    const planned = above.reverse().map((node, depth) => ({ node, under: node.parent, depth, left: 0, wide: this.shownWidth, isAbove: true }));
    const scale = this.zoomed.ranked > 0 ? this.shownWidth / this.zoomed.ranked : 0;
    // When there are too many boxes, keep the widest.
    let level = [{ node: this.zoomed, under: this.zoomed.parent, depth: above.length, left: 0, wide: this.shownWidth }];
    this.leftOut = false;
    for (let deep = 0; level.length > 0; deep++) {
      if (planned.length + level.length > MAX_FRAMES + above.length) {
        level.sort((a, b) => b.wide - a.wide).length = Math.max(0, MAX_FRAMES + above.length - planned.length);
        this.leftOut = true;
      }
      planned.push(...level);
      const next = [];
      for (const { node, depth, left } of deep < MAX_LEVELS ? level : []) {
        let from = left;
        const place = (child) => {
          const wide = child.ranked * scale;
          next.push({ node: child, under: node, depth: depth + 1, left: from, wide });
          from += wide;
        };
        if (node.isGroup && node !== this.zoomed) continue;
        const narrow = [];
        for (const child of node.children) {
          if (child.ranked * scale >= MIN_WIDTH) place(child);
          else if (child.ranked > 0) narrow.push(child);
        }
        for (const group of groups(node, narrow, scale)) place(group);
      }
      level = next;
    }
    return planned;
  }

  // `width` is the width without a scroll bar. If it is known, nothing has to be measured.
  draw(width) {
    // Measuring is fast without boxes. Add the scroll bar before creating boxes, since it reduces their width.
    this.box.replaceChildren();
    let planned = [];
    for (const isTall of [false, true]) {
      this.box.classList.toggle("tall", isTall);
      const clientWidth = (!isTall && width) || this.box.clientWidth;
      if (!isTall) this.width = clientWidth;
      if (!isTall || clientWidth !== this.shownWidth) {
        this.shownWidth = clientWidth;
        planned = this.#plan();
      }
      const levels = planned.reduce((most, { depth }) => Math.max(most, depth), 0) + 1;
      this.box.style.height = `${levels * ROW_HEIGHT + 2}px`;
      if (levels * ROW_HEIGHT + 2 <= Math.floor(MAX_HEIGHT_SHARE * innerHeight)) break;
    }
    // A string is the fastest way to create this many boxes. It only contains numbers and fixed text, no names. Each
    // box's negative margin moves it back to the top of its level, which is faster than absolute positions.
    let boxes = "";
    let bottom = 0;
    planned.forEach(({ node, depth, left, wide, isAbove }, at) => {
      const is = (word, condition) => (condition ? " " + word : "");
      const kinds = is("above", isAbove) + is("narrow", wide < MIN_TEXT) + is("idle", node.isIdle) + is("own", node.isOwn) + is("group", node.isGroup);
      const style = `margin:${depth * ROW_HEIGHT - bottom}px 0 0 ${left}px;width:${wide}px;--hue:${hue(node.name)}`;
      bottom = (depth + 1) * ROW_HEIGHT;
      boxes += `<div role="treeitem" aria-selected="false" aria-level="${depth + 1}" id="${this.id}${at}" class="frame${kinds}" style="${style}"></div>`;
    });
    this.box.innerHTML = boxes;
    this.#frames.clear();
    let box = this.box.firstChild;
    for (const frame of planned) {
      const { node, wide } = frame;
      const { name } = node;
      frame.box = box;
      box.node = node;
      box.setAttribute("aria-label", short(name));
      if (wide >= MIN_TEXT) box.textContent = name.slice(0, 300);
      this.#frames.set(node, frame);
      box = box.nextSibling;
    }
    if (search.isOn) this.mark();
    this.#focus(this.#frames.has(this.current) ? this.current : this.zoomed);
  }

  // Highlights the search results.
  mark() {
    this.box.classList.toggle("searched", search.isOn);
    for (const [node, { box }] of this.#frames) box.classList.toggle("found", search.has(node));
  }

  #focus(node) {
    const frame = this.#frames.get(node);
    if (!frame) return;
    this.#frames.get(this.current)?.box.setAttribute("aria-selected", false);
    this.current = node;
    frame.box.setAttribute("aria-selected", true);
    frame.box.setAttribute("aria-label", this.describe(node));
    this.box.setAttribute("aria-activedescendant", frame.box.id);
    this.#showDescription();
    if (!this.box.classList.contains("tall")) return;
    const top = frame.depth * ROW_HEIGHT;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const bottom = top + ROW_HEIGHT - this.box.clientHeight;
    if (bottom > this.box.scrollTop) this.box.scrollTop = bottom;
  }

  #showDescription() {
    const absent = this.absent ? `; ${short(this.absent)} does not occur in the frames and threads shown` : "";
    const leftOut = this.leftOut ? `; the ${whole.format(MAX_FRAMES)} widest frames are drawn` : "";
    this.about.textContent = this.describe(this.current) + absent + leftOut;
  }

  // Returns the frame to the left or right of the current frame on the same level.
  #neighbor(step) {
    const { depth, left } = this.#frames.get(this.current);
    const level = [...this.#frames.values()].filter((frame) => frame.depth === depth);
    level.sort((a, b) => a.left - b.left);
    return level[level.findIndex((frame) => frame.left === left) + step]?.node;
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.#frames.has(this.current)) return;
    const at = this.current;
    const moves = {
      ArrowDown: () => this.#focus([...this.#frames.values()].find(({ under }) => under === at)?.node),
      ArrowUp: () => this.#focus(this.#frames.get(at).under),
      ArrowLeft: () => this.#focus(this.#neighbor(-1)),
      ArrowRight: () => this.#focus(this.#neighbor(1)),
      Home: () => this.#focus(this.zoomed),
      Enter: () => this.zoom(at),
      "+": () => this.zoom(at),
      "-": () => this.zoom(this.zoomed.parent ?? this.root),
      Backspace: () => this.zoom(this.zoomed.parent ?? this.root),
      Escape: () => this.zoom(this.root),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
    this.#chosen = pathTo(this.current);
  }
}
