// The columns of trees and tables, and the units they have.

// Strength of a row's color: 1 for the most self time, falling with the square.
const heat = (ns, most) => (most > 0 ? (Math.min(1, ns / most) ** 2).toFixed(3) : 0);

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

function shareColumn(total, explain, number) {
  return {
    key: "share",
    title: "%",
    explain,
    rank: 3,
    number: (node) => (node.isIdle && number(node) === 0 ? NaN : number(node)),
    text: (ns) => percent(ns, total),
  };
}

function errorColumn(most, number) {
  const made = timeColumn("error", "± self", "standard error of the self time, where it was sampled", 6, most, number);
  return { ...made, number: (node) => (node.error > 0 ? number(node) : NaN), text: (ns, node) => "±" + made.text(ns, node) };
}

// What is more than in the baseline, and less.
function deltaColumn(key, title, explain, most, number) {
  const unit = unitFor(most);
  const text = (ns) => (ns > 0 ? "+" : "") + inUnit(ns, unit);
  return { key, title: `Δ${title} ${unit.name}`, explain, rank: 1.5, number, text, exact: true };
}

const nameColumn = (most, self) => ({
  key: "name",
  title: "zone",
  explain: "the zone, with the place where it is defined",
  heat: (node) => heat(self(node), most),
});
