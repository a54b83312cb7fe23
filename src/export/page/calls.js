// The call tree, from the top down or inverted, and the callers and callees of the chosen zone.

const HOT_SHARE = 0.05;
const MOST_OPENED = 2000; // rows: a stack may be much deeper

// The columns of a tree with that root; `isInverted` if it begins with callees.
function treeColumns(root, isInverted, baseline) {
  const { profile } = root;
  const hottest = profile.hottest;
  const most = root.hier;
  const explain = isInverted ? "self time of the zone above all, on behalf of this path" : "time in the zone and in all that it calls";
  const columns = [
    { ...nameColumn(isInverted ? root.busy : hottest, (node) => (isInverted ? (node.depth > 0 ? node.busy : 0) : node.selfBusy)), number: () => 0 },
    timeColumn("hier", isInverted ? "on behalf" : "time", explain, 1, most, (node) => node.hier, (node) => node.hierSampled),
    shareColumn(root.busy, "share of the time shown", (node) => node.busy),
  ];
  if (!isInverted) {
    columns.push(timeColumn("self", "self", "time in the zone itself", 2, most, (node) => node.self, (node) => node.sampled));
  }
  columns.push(
    countColumn(isInverted ? "calls of the zone above all, on this path" : "how often the zone was entered on this path"),
    columnIn(profile.unitOfEach, "each", "time/call", "time of a call", 5, (node) => node.each),
  );
  if (profile.hasErrors && !isInverted) columns.push(errorColumn(most, (node) => node.error));
  if (baseline) {
    const delta = (node) => node.hier - (node.base?.hier ?? 0) * baseline.factor;
    columns.splice(1, 0, deltaColumn("delta", "time", "time more than in the other profile", most, delta));
  }
  return columns;
}

// Opens the nodes with at least 5 % of the tree's time, as rows of a grid.
function openHot(grid, root) {
  const isHot = (node) => root.busy > 0 && node.busy >= HOT_SHARE * root.busy;
  const waiting = grid.rows.slice();
  let opened = 0;
  while (waiting.length > 0 && opened < MOST_OPENED) {
    const next = waiting.pop();
    if (!next.children.some(isHot) && next.depth > 0) continue;
    opened += grid.expand(grid.rows.indexOf(next));
    waiting.push(...next.children.filter(isHot));
  }
  grid.layout();
}

class Calls {
  constructor(place, onFocus) {
    this.grid = new Grid(place, { id: "call-", label: "call tree", isTree: true, onFocus: (node) => onFocus(node.zone) });
  }

  show(root, isInverted, baseline) {
    this.root = root;
    this.grid.show([root], treeColumns(root, isInverted, baseline));
    if (isInverted) {
      this.grid.expand(0);
      this.grid.layout();
    } else {
      openHot(this.grid, root);
    }
  }

  openHot() {
    openHot(this.grid, this.root);
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
    this.zone = null;
  }

  show(profile, threads, zone) {
    this.zone = zone;
    const isThere = profile.zones[zone] !== undefined;
    const title = isThere ? profile.nameOf(zone) : "a zone";
    find("#neighbors h2").textContent = `Callers and callees of ${short(title)}`;
    find("#neighbors .hint").hidden = isThere;
    find("#neighbors .pair").hidden = !isThere;
    if (!isThere) return;
    const [callers, callees] = [callersOf(profile, threads, zone), calleesOf(profile, threads, zone)];
    for (const [grid, root, isInverted] of [[this.callers, callers, true], [this.callees, callees, false]]) {
      const columns = treeColumns(root, isInverted).filter((column) => column.key !== "each");
      grid.show([root], columns);
      grid.expand(0);
      grid.layout();
    }
  }
}
