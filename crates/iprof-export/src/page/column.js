// Tree and table columns, and their units.

const HOTTEST = 0.25; // fraction of all work at and above which a row has full color

// Returns a row's color strength. It depends on the fraction of all work, so the largest of many small rows stays pale.
const heat = (ns, work) => (work > 0 ? Math.max(-1, Math.min(1, ns / work / HOTTEST)) : 0);

// Returns a time column with a unit for times up to `most`.
function timeColumn(key, title, explain, rank, most, number, isSampled) {
  return columnIn(unitFor(most), key, title, explain, rank, number, isSampled);
}

// Returns whether a zone is only counted and has no time.
const isCounted = (node) => node.entries > 0 && isTimeless(node);
const isTimeless = (node) => node.hier === 0 && !node.hierSampled;

const inNs = (ns) => `${whole.format(ns)} ns`;

function columnIn(unit, key, title, explain, rank, timeOf, isSampled = () => false) {
  const number = (node) => (isCounted(node) ? NaN : timeOf(node));
  const text = (ns, node) => marked(inUnit(ns, unit), node && isSampled(node));
  return { key, title: `${title} ${unit.name}`, explain, rank, number, text, exact: inNs, say: saysTime(title, unit, text) };
}

// Returns a value as part of a sentence: `self 2.000 ms`. Clock times have no unit.
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

// Returns two columns for each named value that has a sum in `all`: sums, and times per unit. `unitOf` returns the unit
// for the times.
function valueColumns({ values, frames }, all, timeOf, isSampled, unitOf) {
  return values.flatMap((value, at) => {
    if (!all.some((node) => node.values[at])) return [];
    const [key, unit] = [`value${at}`, value.unit || "unit"];
    const sum = (node) => node.values[at] || NaN;
    const each = (node) => timeOf(node) / sum(node);
    const said = (sum) => `${value.name} ${amount.format(sum)} ${value.unit}`.trim();
    const exact = (sum) => said(sum) + (frames > 1 ? `, ${amount.format(sum / frames)} per frame` : "");
    const time = unitOf(each, at);
    const per = columnIn(time, `per ${key}`, "", `time per ${unit} of ${value.name}`, 4.7 + at / 100, each, isSampled);
    const title = `${time.name}/${unit}`;
    return [
      { key, title: value.name, explain: `amount added to ${value.name}, in ${unit}`, rank: 4.6 + at / 100, number: sum, text: amount.format, exact, say: said },
      { ...per, title, needs: key, exact: false, say: (ns, node) => `${per.text(ns, node)} ${title}` },
    ];
  });
}

// Describes the amounts that a node added to named values.
const valuesOf = ({ profile, values = [] }) =>
  values.map((sum, at) => (sum ? `, ${profile.values[at].name} ${amount.format(sum)} ${profile.values[at].unit}`.trimEnd() : "")).join("");

// Returns whether part of a time is idle, so that only the rest, work, is ranked.
const isWorkRanked = ({ ranked, hier }) => ranked < hier;
const isIdleOnly = (node, ns) => isCounted(node) || (node.isIdle && ns === 0);

// Returns the column of work, for trees that contain idle time. Percentages refer to work.
function workColumn(explain, most) {
  const made = timeColumn("work", "work", `${explain} without idle time`, 2.5, most, (node) => node.ranked, (node) => node.hierSampled);
  return { ...made, number: (node) => (isIdleOnly(node, node.ranked) ? NaN : node.ranked) };
}

// Returns a column with percentages of `all`. `needs` is the key of the column with the times.
const shareColumn = (total, { title, what, all, said, needs }, number) => ({
  key: "share",
  title,
  explain: `${what}, as a share of ${all}`,
  rank: 3,
  needs,
  number: (node) => (isIdleOnly(node, number(node)) ? NaN : number(node)),
  text: (ns) => percent(ns, total),
  say: (ns) => said.replace("%", `${percent(ns, total)} %`),
});

const allOf = (isWork) => (isWork ? "all work" : "all time");

function errorColumn(most, number) {
  const made = timeColumn("error", "± self", "standard error of the self time, where it was sampled", 6, most, number);
  return { ...made, number: (node) => (node.error > 0 ? number(node) : NaN), text: (ns, node) => "±" + made.text(ns, node), say: (ns, node) => made.say(ns, node).replace("± self", "self ±") };
}

// Returns the column of time differences from the baseline, ranked by absolute value. It is blank for zones without
// time in both profiles.
function deltaColumn(title, explain, most) {
  const unit = unitFor(most);
  const number = (node) => (node.delta === 0 && isTimeless(node) ? NaN : node.delta);
  const text = (ns) => difference(ns, unit);
  return { key: "delta", title: `Δ${title} ${unit.name}`, explain, rank: 1.5, number, order: Math.abs, text, exact: inNs, say: saysTime(`Δ${title}`, unit, text) };
}

// Returns the same column for calls. The numbers are integers unless the baseline's counts are scaled.
function callsDeltaColumn(factor) {
  const places = Number.isInteger(factor) ? 0 : 1;
  const text = (count) => sign(count) + fixed[places].format(Math.abs(count));
  return {
    key: "deltaEntries",
    title: "Δcalls",
    explain: "increase in calls over the other profile",
    rank: 4.5,
    number: (node) => (node.entriesDelta === 0 && node.entries === 0 ? NaN : node.entriesDelta),
    order: Math.abs,
    text,
    say: (count) => `Δcalls ${text(count)}`,
  };
}

const nameColumn = (work, number) => ({
  key: "name",
  title: "zone",
  explain: "the zone and where it is defined; the line below has the whole path",
  number: () => 0,
  heat: (node) => (node.isOwn ? 0 : heat(number(node), work)),
});
