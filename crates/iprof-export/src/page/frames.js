// The graph of remembered frames. The rest of the page shows the selected frame, or everything.

const MAX_HEIGHT_IN_MEDIANS = 4; // longer bars are cut off, so that a single pause doesn't flatten all other bars
const PAGE_STEP = 10; // frames
const MAX_LINES = 4; // of the time axis
const MAX_LENGTHS = 30; // labels above bars
const LENGTHS_GAP = 6; // px between labels

// Rounds up to 1, 2 or 5 times a power of ten.
function roundUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= number);
}

class Frames {
  // `onChoose` is called with the index of a frame, or with -1 for everything.
  constructor(place, frames, onChoose) {
    Object.assign(this, { place, frames, onChoose, chosen: -1 });
    this.box = place.querySelector(".bars");
    this.output = place.querySelector("output");
    place.hidden = frames.length === 0;
    if (frames.length === 0) return;
    const sorted = frames.map((frame) => frame.ns).sort((a, b) => a - b);
    // As in the program's own reports, ignore start-up frames unless there are no others.
    const later = frames.some((frame) => !frame.early) ? frames.filter((frame) => !frame.early) : frames;
    this.longest = frames.indexOf(later.reduce((longest, frame) => (frame.ns > longest.ns ? frame : longest)));
    this.top = Math.max(1, Math.min(sorted.at(-1), MAX_HEIGHT_IN_MEDIANS * sorted[sorted.length >> 1]));
    this.box.setAttribute("aria-valuemax", frames.length);
    this.#draw();
    this.#drawAxes();
    this.lengths = place.querySelector(".lengths");
    new ResizeObserver(() => this.box.clientWidth !== this.width && this.#drawLengths()).observe(this.box);
    this.#drawLengths();
    this.box.addEventListener("click", (event) => this.choose(this.#at(event)));
    this.box.addEventListener("pointermove", (event) => this.#showDescription(this.#at(event)));
    this.box.addEventListener("pointerleave", () => this.#showDescription(this.chosen));
    this.box.addEventListener("keydown", (event) => this.#key(event));
    place.querySelector("#all").addEventListener("click", () => this.choose(-1));
    place.querySelector("#longest").addEventListener("click", () => this.choose(this.longest));
    this.#showDescription(-1);
    this.#value();
  }

  // Draws all bars as one path, and the bars that are cut off as a second path.
  #draw() {
    const paths = { bar: "", cut: "" };
    this.frames.forEach((frame, at) => {
      const height = Math.min(1, frame.ns / this.top);
      paths[frame.ns > this.top ? "cut" : "bar"] += `M${at} 1h.9v${-height.toFixed(4)}h-.9z`;
    });
    this.box.firstElementChild.setAttribute("viewBox", `0 0 ${this.frames.length} 1`);
    for (const [name, path] of Object.entries(paths)) this.box.querySelector("." + name).setAttribute("d", path);
    this.mark = this.box.querySelector(".chosen");
    this.mark.style.width = `${100 / this.frames.length}%`;
    const cut = this.frames.filter((frame) => frame.ns > this.top).length;
    const bars = `${whole.format(cut)} ${cut === 1 ? "bar is" : "bars are"}`;
    const lengths = cut === 1 ? "with its length above it" : "with their lengths above them where there is room";
    this.place.querySelector("#cut").textContent = cut > 0 ? `${bars} cut off at ${time(this.top)} (red), ${lengths}.` : "";
  }

  // Labels cut-off bars with their lengths. If several cut-off bars are close together, only labels the longest.
  #drawLengths() {
    this.width = this.box.clientWidth;
    const { font } = getComputedStyle(this.lengths);
    const cut = this.frames.map(({ ns }, at) => ({ ns, at })).filter(({ ns }) => ns > this.top);
    const placed = [];
    for (const { ns, at } of cut.sort((a, b) => b.ns - a.ns)) {
      const text = shortTime(ns, fourDigits);
      const wide = Math.ceil(widthOf(text, font)) + 1;
      const center = (100 * (at + 0.5)) / this.frames.length;
      const left = Math.min(Math.max(0, (center / 100) * this.width - wide / 2), this.width - wide);
      const isFree = placed.every((other) => left + wide + LENGTHS_GAP <= other.left || other.left + other.wide + LENGTHS_GAP <= left);
      if (isFree) placed.push({ left, center, wide, text });
      if (placed.length >= MAX_LENGTHS) break;
    }
    placed.sort((a, b) => a.left - b.left);
    const labels = placed.map(({ center, wide, text }) => {
      const label = element("span", text);
      // Relative positions keep the label at its bar when the width changes.
      label.style.cssText = `left:clamp(0px, calc(${center}% - ${wide / 2}px), calc(100% - ${wide}px));width:${wide}px`;
      return label;
    });
    this.lengths.replaceChildren(...labels);
    this.lengths.hidden = labels.length === 0;
    this.placed = placed;
    this.#raiseMark();
  }

  // Moves the selected bar's arrow above a label that it would cover.
  #raiseMark() {
    const at = ((this.chosen + 0.5) / this.frames.length) * this.width;
    const isOver = ({ left, wide }) => left - LENGTHS_GAP < at && at < left + wide + LENGTHS_GAP;
    this.mark.classList.toggle("raised", this.placed.some(isOver));
  }

  // Draws round times on the left and frame numbers at the bottom.
  #drawAxes() {
    const axis = this.place.querySelector(".axis");
    const step = roundUp(this.top / MAX_LINES);
    for (let ns = 0; ns <= this.top; ns += step) {
      const label = element("span", ns > 0 ? shortTime(ns) : "0");
      const line = element("div", undefined, "line");
      for (const part of [label, line]) part.style.bottom = `${(100 * ns) / this.top}%`;
      axis.append(label);
      if (ns > 0) this.box.prepend(line);
    }
    const numbers = [this.frames[0], this.frames.at(-1)].map(({ number }) => element("span", `frame ${whole.format(number)}`));
    this.place.querySelector(".numbers").append(...numbers.slice(0, this.frames.length));
  }

  #at(event) {
    const { left, width } = this.box.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * this.frames.length);
    return Math.min(Math.max(at, 0), this.frames.length - 1);
  }

  describe(at) {
    const frame = this.frames[at];
    if (!frame) return `everything recorded; ${counted(this.frames.length, "frame")}`;
    const marks = frame.marks?.length ? `: ${frame.marks.map(short).join(", ")}` : "";
    const missing = frame.threads ? "" : "; its zones did not fit into the page, which shows everything recorded";
    // If there are taller bars, explain why this one counts as the longest.
    const isFirst = at === this.longest && this.frames.some(({ ns }) => ns > frame.ns);
    const longest = isFirst ? ", the longest but for the program's first second" : "";
    return `frame ${whole.format(frame.number)}${marks}, ${time(frame.ns)}${longest}${missing}`;
  }

  #showDescription(at) {
    this.output.textContent = this.describe(at);
  }

  #value() {
    this.box.setAttribute("aria-valuenow", this.chosen + 1);
    this.box.setAttribute("aria-valuetext", this.describe(this.chosen));
  }

  choose(at) {
    this.chosen = Math.min(Math.max(at, -1), this.frames.length - 1);
    this.mark.hidden = this.chosen < 0;
    this.mark.style.left = `${(100 * this.chosen) / this.frames.length}%`;
    this.#raiseMark();
    this.#showDescription(this.chosen);
    this.#value();
    this.onChoose(this.chosen);
  }

  #key(event) {
    const last = this.frames.length - 1;
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: PAGE_STEP, PageDown: -PAGE_STEP };
    const goals = { Home: 0, End: last, Escape: -1 };
    const step = steps[event.key];
    const goal = goals[event.key] ?? (step && (this.chosen < 0 ? last : Math.max(0, this.chosen + step)));
    if (goal === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.choose(goal);
  }
}
