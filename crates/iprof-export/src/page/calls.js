// The call tree, top-down or inverted, and the callers and callees of the selected zone.

const HOT_SHARE = 0.05;
const MAX_OPENED = 2000; // rows; a stack may be much deeper

const HIER = { title: "time", explain: "time in the zone and everything it calls" };
const INVERTED = { title: "self", explain: "self time of the topmost zone on behalf of this path", isInverted: true };
const CALLERS = { title: "time", explain: "time of the topmost zone on behalf of this path", isInverted: true, isOfZone: true };
const CALLEES = { ...HIER, isOfZone: true };
const CHOOSE = "Choose a zone: click it in the flame graph, the tree or the table.";

// Describes the base of a tree's percentages: the zone's time, or all time shown.
function shareOf(root, { title, explain, isOfZone }) {
  const isWork = isWorkRanked(root);
  const what = isWork ? `${explain} without idle time` : explain;
  const needs = isWork ? "work" : "hier";
  if (isOfZone) {
    const zone = isWork ? "% of its work" : "% of zone";
    return { title: zone, what, all: "the chosen zone's time", said: zone, needs };
  }
  const all = allOf(isWork);
  return { title: isWork ? "work %" : `${title} %`, what, all: `${all} of the threads shown`, said: `% of ${all}`, needs };
}

// Returns the columns of a tree with this root. `isInverted` trees start with callees. Colors show percentages of
// `work`.
function treeColumns(root, kind) {
  const { title, explain, isInverted, baseline, work = root.work } = kind;
  const { profile } = root;
  const most = root.hier;
  const hot = (node) => (baseline ? node.workDelta : isInverted && !node.parent ? 0 : node.selfWork);
  const columns = [
    nameColumn(work, hot),
    timeColumn("hier", title, explain, 1, most, (node) => node.hier, (node) => node.hierSampled),
  ];
  if (isWorkRanked(root)) columns.push(workColumn(explain, most));
  columns.push(shareColumn(root.ranked, shareOf(root, kind), (node) => node.ranked));
  if (!isInverted) {
    // Threads have no self time.
    const own = (node) => (node.zone === NO_ZONE ? NaN : node.self);
    const rank = kind.isOfZone ? 3.5 : 2;
    columns.push(timeColumn("self", "self", "time in the zone itself", rank, most, own, (node) => node.sampled));
  }
  columns.push(
    countColumn(isInverted ? "calls of the topmost zone on this path" : "how often the zone was entered on this path"),
    columnIn(profile.unitOfEach, "each", `${title}/call`, `${title} per call`, 5, (node) => node.each, (node) => node.hierSampled),
  );
  const unitOf = (_, at) => profile.values[at].unitOfEach;
  columns.push(...valueColumns(profile, [root], (node) => node.hier, (node) => node.hierSampled, unitOf));
  if (profile.hasErrors && !isInverted) columns.push(errorColumn(most, (node) => node.error));
  if (baseline) {
    columns.splice(1, 0, deltaColumn(title, "increase over the other profile", most));
    columns.splice(columns.findIndex(({ key }) => key === "entries"), 0, callsDeltaColumn(baseline.factor));
  }
  // Zones that are only counted have no times.
  const isCounter = isCounted(root) && !root.delta;
  return isCounter ? columns.filter(({ key }) => ["name", "entries", "deltaEntries"].includes(key)) : columns;
}

// Expands the rows of nodes that have at least 5 % of the tree's time, or differ from the baseline by that much.
function openHot(grid, root) {
  const change = (node) => (node.factor === undefined ? 0 : Math.abs(node.workDelta));
  const isHot = (node) => root.ranked > 0 && Math.max(node.ranked, change(node)) >= HOT_SHARE * root.ranked;
  const waiting = grid.rows.slice();
  let opened = 0;
  while (waiting.length > 0 && opened < MAX_OPENED) {
    const next = waiting.pop();
    if (!next.rows.some(isHot) && next.depth > 0) continue;
    opened += grid.expand(grid.rows.indexOf(next));
    waiting.push(...next.rows.filter(isHot));
  }
}

class Calls {
  constructor(place, onFocus) {
    this.grid = new Grid(place, { id: "call-", label: "call tree", isTree: true, onFocus });
  }

  show(root, isInverted, baseline) {
    const isOther = this.root?.isInverted !== root.isInverted;
    this.root = root;
    const columns = treeColumns(root, { ...(isInverted ? INVERTED : HIER), baseline });
    this.grid.show([root], columns, { open: (grid) => (isInverted ? grid.expand(0) : openHot(grid, root)), isOther });
  }

  openHot() {
    openHot(this.grid, this.root);
    this.grid.layout();
  }

  close() {
    this.grid.collapse(0);
    this.grid.focus(0);
    this.grid.layout();
  }
}

// A zone's callers and callees, side by side if there is room. A caller's row shows the zone's time on the caller's
// behalf, and a callee's row shows the time that the zone spends there.
class Neighbors {
  constructor() {
    const grid = (place, id, label) => new Grid(find(place), { id, label, isTree: true });
    this.callers = grid("#callers", "caller-", "callers");
    this.callees = grid("#callees", "callee-", "callees");
    this.part = NO_ZONE;
  }

  show(scope, part, baseline) {
    const isOther = part !== this.part;
    this.part = part;
    const { profile, threads } = scope;
    const isChosen = profile.keys[part] !== undefined;
    const isThere = isChosen && profile.outermostOf(part, threads).length > 0;
    const name = isChosen ? profile.nameOfPart(part) : "a zone";
    find("#neighbors h2").textContent = `Callers and callees of ${short(name)}`;
    find("#neighbors .hint").textContent = isChosen ? `${short(name)} does not occur in the frames and threads shown.` : CHOOSE;
    find("#neighbors .hint").hidden = isThere;
    find("#neighbors .pair").hidden = !isThere;
    this.#showRecursion(scope, part, isThere, name);
    if (!isThere) return;
    const work = threads.reduce((sum, { root }) => sum + profile.work[root], 0);
    const before = baseline?.partOf(part);
    for (const [grid, make, kind] of [[this.callers, callersOf, CALLERS], [this.callees, calleesOf, CALLEES]]) {
      const root = make(scope, part);
      if (baseline) root.compareWith(before === undefined ? null : make({ ...scope, ...baseline.scope }, before), baseline.factor);
      const columns = treeColumns(root, { ...kind, work, baseline }).filter((column) => column.key !== "each");
      grid.show([root], columns, { open: (grid) => grid.expand(0), isOther });
    }
  }

  // Describes which of a recursive zone's calls the rows count.
  #showRecursion({ profile, threads }, part, isThere, name) {
    const note = find("#neighbors .recursive");
    const { calls, outermost, isRecursive } = isThere ? profile.recursionOf(part, threads) : {};
    note.hidden = !isRecursive;
    note.textContent = isRecursive
      ? `${short(name)} is recursive: its callers and its own row only show its outermost calls, ${whole.format(outermost)} of ${whole.format(calls)}, and their self time. The other calls are listed among its callees.`
      : "";
  }
}
