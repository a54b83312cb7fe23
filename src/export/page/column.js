// The columns of trees and tables, and the units they have.

const HOTTEST = 0.25; // share of all work: rows with more have the full color

// Strength of a row's color by its share of all work: a small share is never colored for being the largest one.
const heat = (ns, work) => (work > 0 ? Math.max(-1, Math.min(1, ns / work / HOTTEST)) : 0);

// A column of times in the unit that suits `most`.
function timeColumn(key, title, explain, rank, most, number, isSampled) {
  return columnIn(unitFor(most), key, title, explain, rank, number, isSampled);
}

// A column of times in a unit.
function columnIn(unit, key, title, explain, rank, number, isSampled = () => false) {
  const text = (ns, node) => marked(inUnit(ns, unit), node && isSampled(node));
  return { key, title: `${title} ${unit.name}`, explain, rank, number, text, exact: true };
}

const countColumn = (explain) => ({
  key: "entries",
  title: "calls",
  explain,
  rank: 4,
  number: (node) => (node.entries > 0 ? node.entries : NaN),
  text: (number) => whole.format(number),
});

// Percentages of what ranks: of all time, or of work where some time is idle. Each title has one meaning: `self %` and
// `time %` are shares of everything shown, `% of zone` of the zone that is chosen.
function shareColumn(profile, total, title, explain, number) {
  const isWork = profile.hasIdle && profile.busy === profile.work;
  return {
    key: "share",
    title,
    explain: isWork ? `${explain}; idle time is in neither` : explain,
    rank: 3,
    number: (node) => (node.isIdle && number(node) === 0 ? NaN : number(node)),
    text: (ns) => percent(ns, total),
  };
}

function errorColumn(most, number) {
  const made = timeColumn("error", "± self", "standard error of the self time, where it was sampled", 6, most, number);
  return { ...made, number: (node) => (node.error > 0 ? number(node) : NaN), text: (ns, node) => "±" + made.text(ns, node) };
}

// What is more than in the baseline, and less. Both rank by how much.
function deltaColumn(key, title, explain, most, number) {
  const unit = unitFor(most);
  const text = (ns) => (ns > 0 ? "+" : "") + inUnit(ns, unit);
  return { key, title: `Δ${title} ${unit.name}`, explain, rank: 1.5, number, order: Math.abs, text, exact: true };
}

const nameColumn = (work, number) => ({
  key: "name",
  title: "zone",
  explain: "the zone and where it is defined",
  number: () => 0,
  heat: (node) => heat(number(node), work),
});
