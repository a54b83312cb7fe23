// The call tree, from the top down or inverted, and the callers and callees of the chosen zone.

const HOT_SHARE = 0.05;
const MOST_OPENED = 2000; // rows: a stack may be much deeper

const HIER = {
  title: "time",
  explain: "time in the zone and everything it calls",
  share: "time %",
  shareOf: "time in the zone and everything it calls",
};
const INVERTED = {
  title: "self",
  explain: "self time of the topmost zone on behalf of this path",
  share: "self %",
  shareOf: "self time of the topmost zone on behalf of this path",
  isInverted: true,
};
const OF_ZONE = { share: "% of zone", ofZone: "that of the chosen zone" };
const CALLERS = {
  title: "time",
  explain: "time of the topmost zone on behalf of this path",
  shareOf: "time of the topmost zone on behalf of this path",
  isInverted: true,
  ...OF_ZONE,
};
const CALLEES = { ...HIER, ...OF_ZONE };

// The columns of a tree with that root; `isInverted` if it begins with callees. Colors are shares of `work`.
function treeColumns(root, { title, explain, share, shareOf, ofZone, isInverted, baseline, work = root.work }) {
  const { profile } = root;
  const most = root.hier;
  const hot = (node) => (baseline ? node.workDelta : isInverted && !node.parent ? 0 : node.selfWork);
  const columns = [
    nameColumn(work, hot),
    timeColumn("hier", title, explain, 1, most, (node) => node.hier, (node) => node.hierSampled),
    shareColumn(profile, root.busy, share, shareOf, (node) => node.busy, ofZone),
  ];
  if (!isInverted) {
    // A thread is no zone.
    const own = (node) => (node.zone === NO_ZONE ? NaN : node.self);
    columns.push(timeColumn("self", "self", "time in the zone itself", 2, most, own, (node) => node.sampled));
  }
  columns.push(
    countColumn(isInverted ? "calls of the topmost zone on this path" : "how often the zone was entered on this path"),
    columnIn(profile.unitOfEach, "each", `${title}/call`, `${title} per call`, 5, (node) => node.each, (node) => node.hierSampled),
  );
  if (profile.hasErrors && !isInverted) columns.push(errorColumn(most, (node) => node.error));
  if (baseline) {
    columns.splice(1, 0, deltaColumn("delta", title, "increase over the other profile", most, (node) => node.delta));
  }
  return columns;
}

// Opens the nodes with at least 5 % of the tree's time, or of its difference to the baseline, as rows of a grid.
function openHot(grid, root) {
  const difference = (node) => (node.factor === undefined ? 0 : Math.abs(node.workDelta));
  const isHot = (node) => root.busy > 0 && Math.max(node.busy, difference(node)) >= HOT_SHARE * root.busy;
  const waiting = grid.rows.slice();
  let opened = 0;
  while (waiting.length > 0 && opened < MOST_OPENED) {
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
    this.root = root;
    const columns = treeColumns(root, { ...(isInverted ? INVERTED : HIER), baseline });
    this.grid.show([root], columns, (grid) => (isInverted ? grid.expand(0) : openHot(grid, root)));
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

// Callers and callees of one zone, side by side where there is room: the time of each row is that of the zone
// on the row's behalf, or what the zone spends there.
class Neighbors {
  constructor() {
    const grid = (place, id, label) => new Grid(find(place), { id, label, isTree: true });
    this.callers = grid("#callers", "caller-", "callers");
    this.callees = grid("#callees", "callee-", "callees");
    this.part = NO_ZONE;
  }

  show(scope, part) {
    this.part = part;
    const { profile } = scope;
    const isThere = profile.keys[part] !== undefined;
    const title = isThere ? profile.nameOf(profile.zoneOf(part)) : "a zone";
    find("#neighbors h2").textContent = `Callers and callees of ${short(title)}`;
    find("#neighbors .hint").hidden = isThere;
    find("#neighbors .pair").hidden = !isThere;
    if (!isThere) return;
    const work = scope.threads.reduce((sum, { root }) => sum + profile.work[root], 0);
    const sides = [[this.callers, callersOf(scope, part), CALLERS], [this.callees, calleesOf(scope, part), CALLEES]];
    for (const [grid, root, kind] of sides) {
      grid.show([root], treeColumns(root, { ...kind, work }).filter((column) => column.key !== "each"), (grid) => grid.expand(0));
    }
  }
}
