// The columns of trees and tables, and the units they have.

const HOTTEST = 0.25; // share of all work: rows with more have the full color

// Strength of a row's color by its share of all work: a small share is never colored for being the largest one.
const heat = (ns, work) => (work > 0 ? Math.max(-1, Math.min(1, ns / work / HOTTEST)) : 0);

// A column of times in the unit that suits `most`.
function timeColumn(key, title, explain, rank, most, number, isSampled) {
  return columnIn(unitFor(most), key, title, explain, rank, number, isSampled);
}

// Whether a zone is only counted: then it has no times.
const isCounted = (node) => node.entries > 0 && node.hier === 0 && !node.hierSampled;

// A column of times in a unit.
function columnIn(unit, key, title, explain, rank, timeOf, isSampled = () => false) {
  const number = (node) => (isCounted(node) ? NaN : timeOf(node));
  const text = (ns, node) => marked(inUnit(ns, unit), node && isSampled(node));
  return { key, title: `${title} ${unit.name}`, explain, rank, number, text, exact: true, say: saysTime(title, unit, text) };
}

// A number of a column in words: `self 2.000 ms`. On a clock it has no unit.
const saysTime = (title, unit, text) => (ns, node) => `${title} ${text(ns, node)}${unit.name.includes(":") ? "" : ` ${unit.name}`}`;

const countColumn = (explain) => ({
  key: "entries",
  title: "calls",
  explain,
  rank: 4,
  number: (node) => (node.entries > 0 ? node.entries : NaN),
  text: (number) => whole.format(number),
  say: (number) => counted(number, "call"),
});

// Whether only work ranks, because some time is idle.
const isWorkRanked = (profile) => profile.hasIdle && profile.busy === profile.work;

// Percentages of what ranks. Where only work does, the title of a time says so: the time beside it has what was idle,
// too. `of` is the zone that all is a share of, if not of everything shown.
function shareColumn(profile, total, title, what, number, of) {
  const isWork = isWorkRanked(profile);
  const all = of ?? (isWork ? "all work of the threads shown" : "all time of the threads shown");
  const titles = { "time %": "work %", "% of zone": "% of its work" };
  const shown = (isWork && titles[title]) || title;
  return {
    key: "share",
    title: shown,
    explain: `${isWork && titles[title] ? `${what} without what was idle` : what}, as a share of ${all}`,
    rank: 3,
    number: (node) => (isCounted(node) || (node.isIdle && number(node) === 0) ? NaN : number(node)),
    text: (ns) => percent(ns, total),
    say: (ns) => (shown.startsWith("%") ? `${percent(ns, total)} ${shown}` : `${shown.slice(0, -1)}${percent(ns, total)} %`),
  };
}

function errorColumn(most, number) {
  const made = timeColumn("error", "± self", "standard error of the self time, where it was sampled", 6, most, number);
  return { ...made, number: (node) => (node.error > 0 ? number(node) : NaN), text: (ns, node) => "±" + made.text(ns, node), say: (ns, node) => made.say(ns, node).replace("± self", "self ±") };
}

// What is more than in the baseline, and less. Both rank by how much.
function deltaColumn(key, title, explain, most, number) {
  const unit = unitFor(most);
  const text = (ns) => (ns > 0 ? "+" : "") + inUnit(ns, unit);
  return { key, title: `Δ${title} ${unit.name}`, explain, rank: 1.5, number, order: Math.abs, text, exact: true, say: saysTime(`Δ${title}`, unit, text) };
}

const nameColumn = (work, number) => ({
  key: "name",
  title: "zone",
  explain: "the zone and where it is defined",
  number: () => 0,
  heat: (node) => (node.isOwn ? 0 : heat(number(node), work)),
});
