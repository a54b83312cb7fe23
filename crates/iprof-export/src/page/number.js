// Formats numbers for people. A time column has one unit, determined by its largest time.

const whole = new Intl.NumberFormat("en");
const fixed = [0, 1, 2, 3, 4, 5, 6].map(
  (places) => new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places }),
);
const twoDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
const fourDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

const MINUTE = 60e9;
const HOUR = 60 * MINUTE;

function unitFor(most) {
  if (most < 1e4) return { name: "ns", ns: 1, places: Number.isInteger(most) ? 0 : 1 };
  if (most < 1e7) return { name: "µs", ns: 1e3, places: 3 };
  if (most < 1e10) return { name: "ms", ns: 1e6, places: 3 };
  if (most < 10 * MINUTE) return { name: "s", ns: 1e9, places: 6 };
  return most < HOUR ? { name: "min:s", ns: 1e9, places: 3 } : { name: "h:min:s", ns: 1e9, places: 3 };
}

// Returns the unit for averages between `least` and `most`. Averages vary far more than times.
function unitForEach(least, most) {
  if (most < 1e4) return { name: "ns", ns: 1, places: 1 };
  return most < 1e7 || least >= 1e7 ? unitFor(most) : unitFor(1e6);
}

// Formats minutes and seconds, with hours if necessary: 1:02:03.456.
function clock(ns, places, hasHours) {
  const total = Math.round(ns / 1e9 * 10 ** places);
  const seconds = (total % (60 * 10 ** places)) / 10 ** places;
  const minutes = Math.floor(total / (60 * 10 ** places));
  const tail = seconds.toFixed(places).padStart(places > 0 ? places + 3 : 2, "0");
  if (!hasHours) return `${minutes}:${tail}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${tail}`;
}

// Formats a time in a unit, without the unit's name.
function rounded(ns, unit) {
  if (unit.name.includes(":")) return clock(ns, unit.places, unit.name === "h:min:s");
  return fixed[unit.places].format(ns / unit.ns);
}

// Formats a time in a unit, but shows tiny values as `<0.001` instead of 0, except for clock times.
function inUnit(ns, unit) {
  const least = 10 ** -unit.places * unit.ns;
  const isTiny = ns > 0 && ns < 0.5 * least && !unit.name.includes(":");
  return isTiny ? "<" + rounded(least, unit) : rounded(ns, unit);
}

function unitOfAll(averages) {
  const some = averages.filter((ns) => ns > 0);
  return unitForEach(some.reduce((a, b) => Math.min(a, b), Infinity), some.reduce((a, b) => Math.max(a, b), 0));
}

const amount = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });

const sign = (number) => (number > 0 ? "+" : number < 0 ? "-" : "");
// Formats a time difference. Differences keep their sign even when rounded to 0.
const difference = (ns, unit) => sign(ns) + rounded(Math.abs(ns), unit);

function time(ns) {
  if (ns < 0) return "-" + time(-ns);
  if (ns >= MINUTE) return clock(ns, 3, ns >= HOUR) + (ns >= HOUR ? " h" : " min");
  if (ns >= 1e9) return (ns / 1e9).toFixed(3) + " s";
  if (ns >= 1e6) return (ns / 1e6).toFixed(3) + " ms";
  if (ns >= 1e3) return (ns / 1e3).toFixed(3) + " µs";
  return (Number.isInteger(ns) ? ns : ns.toFixed(1)) + " ns";
}

// Formats a time with few digits, for axes: 20 ms.
function shortTime(ns, format = twoDigits) {
  if (ns >= MINUTE) return clock(ns, 0, ns >= HOUR) + (ns >= HOUR ? " h" : " min");
  const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const [name, of] = units.find(([, of]) => ns >= of) ?? units.at(-1);
  return `${format.format(ns / of)} ${name}`;
}

// Formats a count: `1 call`, `2 calls`.
const counted = (count, noun) => `${whole.format(count)} ${noun}${count === 1 ? "" : "s"}`;
const percent = (part, all) => (all > 0 ? (100 * part) / all : 0).toFixed(2);
const marked = (text, isSampled) => (isSampled ? "~" + text : text);
