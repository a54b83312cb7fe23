// Trees built from a profile's nodes, lazily as they are expanded: calls from the top down, on one thread or several,
// and callers from the bottom up.

// Sorts work before idle time, and larger times before smaller ones.
const byTime = (a, b) => b.ranked - a.ranked || b.hier - a.hier || b.entries - a.entries;

class TreeNode {
  self = 0;
  hier = 0;
  ranked = 0; // the part of `hier` that is ranked
  selfWork = 0; // the part of `self` that is not idle
  work = 0; // the part of `hier` that is not idle
  entries = 0;
  variance = 0;
  sampled = false;
  hierSampled = false;
  values = []; // sums of named values, including everything called, like `hier`
  #children;
  #byKey;
  #rows;
  #base;

  constructor(profile, parent, part) {
    this.profile = profile;
    this.parent = parent;
    this.part = part;
    this.zone = profile.zoneOf(part);
    this.depth = parent ? parent.depth + 1 : 0;
    this.factor = parent?.factor; // scales the baseline's times; undefined without a baseline
  }

  get name() {
    return this.profile.nameOfPart(this.part);
  }

  // Returns the end of the name, which is never cut off.
  get suffix() {
    return this.profile.suffixOf(this.zone);
  }

  get place() {
    return this.profile.placeOf(this.zone);
  }

  get error() {
    return Math.sqrt(this.variance);
  }

  get isIdle() {
    return this.hier > 0 && this.work === 0;
  }

  get isOwn() {
    return this.profile.zones[this.zone]?.isOwn ?? false;
  }

  // Threads, time outside zones, and zones that stayed open have no entries.
  get each() {
    return this.entries > 0 ? this.hier / this.entries : NaN;
  }

  get key() {
    return this.profile.keys[this.part] ?? this.name;
  }

  get children() {
    return (this.#children ??= this.makeChildren().sort(byTime));
  }

  get byKey() {
    return (this.#byKey ??= new Map(this.children.map((node) => [node.key, node])));
  }

  // Returns the rows below this one in a table. With a baseline, they include rows that only the baseline has, and the
  // rows that differ most come first.
  get rows() {
    if (this.factor === undefined) return this.children;
    return (this.#rows ??= this.compared().sort(byDifference));
  }

  get hasRows() {
    return this.hasChildren || (this.factor !== undefined && this.rows.length > 0);
  }

  compared() {
    const gone = [...(this.base?.byKey ?? [])].filter(([key]) => !this.byKey.has(key));
    return this.children.concat(gone.map(([, node]) => new GoneNode(node, this)));
  }

  compareWith(base, factor) {
    this.#base = base;
    this.factor = factor;
  }

  // Returns the same node in the baseline's tree, or null.
  get base() {
    if (this.#base === undefined) this.#base = this.parent?.base?.byKey.get(this.key) ?? null;
    return this.#base;
  }

  get delta() {
    return this.hier - (this.base?.hier ?? 0) * this.factor;
  }

  get workDelta() {
    return this.work - (this.base?.work ?? 0) * this.factor;
  }

  get entriesDelta() {
    return this.entries - (this.base?.entries ?? 0) * this.factor;
  }

  // Returns whether the node only has idle time, in both profiles. Such nodes rank last.
  get ranksLast() {
    const before = this.base;
    return this.ranked + (before?.ranked ?? 0) === 0 && this.hier + (before?.hier ?? 0) > 0;
  }
}

// Returns the path from a tree's root to a node. The path can be used to find the node in a different tree. It only
// includes the root if that is a thread's root, and never includes groups of narrow nodes.
function pathTo(node) {
  const path = [];
  for (let at = node.isGroup ? node.parent : node; at.parent || at.thread; at = at.parent) {
    path.push({ key: at.key, name: at.name, isThread: Boolean(at.thread) });
    if (!at.parent) break;
  }
  return path.reverse();
}

// Follows a path in a tree as far as possible. Returns the last node found and the remaining steps. Trees without
// threads ignore the path's thread. In a tree of threads, a path without a thread follows the first thread in which the
// largest part of the path exists.
function follow(root, path) {
  const thread = path.find(({ isThread }) => isThread);
  const steps = path.filter(({ isThread }) => !isThread);
  let starts = [root];
  if (root.hasThreads && thread) starts = root.byKey.has(thread.key) ? [root.byKey.get(thread.key)] : [];
  else if (root.hasThreads && steps.length > 0) starts = root.children;
  let best = { node: root, left: starts.length > 0 ? steps : path };
  for (const start of starts) {
    let node = start;
    let taken = 0;
    while (taken < steps.length && node.byKey.has(steps[taken].key)) node = node.byKey.get(steps[taken++].key);
    if (taken > steps.length - best.left.length || starts.length === 1) best = { node, left: steps.slice(taken) };
  }
  return best;
}

const byDifference = (a, b) => a.ranksLast - b.ranksLast || Math.abs(b.delta) - Math.abs(a.delta) || byTime(a, b);

// A node that only exists in the baseline.
class GoneNode extends TreeNode {
  isGone = true;

  constructor(base, parent) {
    super(base.profile, parent, base.part);
    this.compareWith(base, parent.factor);
    this.thread = base.thread;
  }

  get name() {
    return this.base.name;
  }

  get suffix() {
    return this.base.suffix;
  }

  get isIdle() {
    return this.base.isIdle;
  }

  get hasChildren() {
    return this.base.hasChildren;
  }

  makeChildren() {
    return [];
  }
}

// A call path, on one thread or several. Its children are its callees.
class CallNode extends TreeNode {
  constructor(profile, parent, part, nodes, thread) {
    super(profile, parent, part);
    this.nodes = nodes;
    this.thread = thread;
    for (const at of nodes) {
      this.self += profile.self[at];
      this.hier += profile.hier[at];
      this.ranked += profile.ranked[at];
      this.work += profile.work[at];
      this.selfWork += profile.selfWork[at];
      this.entries += profile.entries[at];
      this.variance += profile.error[at] ** 2;
      this.sampled ||= profile.sampled[at] > 0;
      this.hierSampled ||= profile.hierSampled[at] > 0;
    }
    this.values = profile.values.map(({ hier }) => sumAt(hier, nodes));
  }

  get name() {
    return this.thread?.name ?? super.name;
  }

  get suffix() {
    return this.thread?.suffix ?? super.suffix;
  }

  get key() {
    return this.thread?.key ?? super.key;
  }

  get hasChildren() {
    return this.nodes.some((at) => this.profile.firstChild[at] >= 0);
  }

  makeChildren() {
    const byPart = new Map();
    const { firstChild, nextSibling, part } = this.profile;
    for (const node of this.nodes) {
      for (let at = firstChild[node]; at >= 0; at = nextSibling[at]) add(byPart, part[at], at);
    }
    return [...byPart].map(([part, nodes]) => new CallNode(this.profile, this, part, nodes));
  }
}

const sumAt = (numbers, places) => places.reduce((sum, at) => sum + numbers[at], 0);

function add(lists, key, at) {
  const list = lists.get(key);
  if (list) list.push(at);
  else lists.set(key, [at]);
}

class ThreadsNode extends TreeNode {
  hasThreads = true;

  constructor(profile) {
    super(profile, null, NO_ZONE);
    sumThreads(this, profile.threads);
  }

  get name() {
    return "all threads";
  }

  get hasChildren() {
    return this.children.length > 0;
  }

  // Threads are listed in the order in which they were recorded, not by time.
  get children() {
    return (this.ordered ??= this.profile.threads.map(
      (thread) => new CallNode(this.profile, this, NO_ZONE, [thread.root], thread),
    ));
  }

  get rows() {
    return this.factor === undefined ? this.children : (this.comparedRows ??= this.compared());
  }
}

class MergedNode extends CallNode {
  get name() {
    return "all threads merged";
  }
}

function sumThreads(node, threads) {
  for (const { root } of threads) {
    node.hier += node.profile.hier[root];
    node.ranked += node.profile.ranked[root];
    node.work += node.profile.work[root];
  }
  const roots = threads.map(({ root }) => root);
  node.values = node.profile.values.map(({ hier }) => sumAt(hier, roots));
}

// A caller. Its children are its own callers. For each stack `leaves[i]`, `at[i]` is the ancestor reached so far: a
// node of this part, or the root of a thread if the stack's outermost zone was entered from outside zones.
class CallerNode extends TreeNode {
  constructor(profile, parent, part, leaves, at, weights, thread) {
    super(profile, parent, part);
    Object.assign(this, { leaves, at, weights, from: thread });
    for (const leaf of leaves) {
      this.hier += weights.hier[leaf];
      this.ranked += weights.ranked[leaf];
      this.work += weights.work[leaf];
      this.entries += profile.entries[leaf];
      this.variance += weights.hasErrors ? profile.error[leaf] ** 2 : 0;
      this.hierSampled ||= weights.sampled[leaf] > 0;
    }
    this.values = weights.values.map((value) => sumAt(value, leaves));
    this.sampled = this.hierSampled;
    this.self = this.hier;
    this.selfWork = this.work;
  }

  get name() {
    return this.from ? super.name + this.suffix : super.name;
  }

  get suffix() {
    return this.from ? ` on ${this.from.name}` : super.suffix;
  }

  get key() {
    return this.isOutside ? `outside zones\n${this.from?.key}` : super.key;
  }

  // Returns whether the node represents a thread's root.
  get isOutside() {
    return this.profile.zone[this.at[0]] === NO_ZONE;
  }

  get hasChildren() {
    return !this.isOutside && (this.zone !== OUTSIDE || this.weights.isByThread);
  }

  makeChildren() {
    if (!this.hasChildren) return [];
    const byCaller = new Map();
    const { parent, part } = this.profile;
    for (let i = 0; i < this.leaves.length; i++) {
      const above = parent[this.at[i]];
      // Unless threads are merged, each root has a different negative number.
      const isRoot = part[above] === NO_ZONE;
      const caller = !isRoot ? part[above] : this.weights.isByThread ? -1 - above : NO_ZONE;
      let found = byCaller.get(caller);
      if (!found) byCaller.set(caller, (found = { leaves: [], at: [] }));
      found.leaves.push(this.leaves[i]);
      found.at.push(above);
    }
    return [...byCaller].map(([caller, { leaves, at }]) => {
      const thread = caller < 0 && this.weights.isByThread ? this.profile.threadAt(at[0]) : undefined;
      return new CallerNode(this.profile, this, Math.max(caller, OUTSIDE), leaves, at, this.weights, thread);
    });
  }
}

// The inverted tree: all zones by self time, each with its callers below.
class InvertedNode extends TreeNode {
  isInverted = true;
  hasChildren = true;

  constructor(scope) {
    super(scope.profile, null, NO_ZONE);
    this.scope = scope;
    sumThreads(this, scope.threads);
  }

  get name() {
    return this.scope.threads.length === 1 ? this.scope.threads[0].name : "all threads";
  }

  makeChildren() {
    const { profile } = this;
    const weights = {
      hier: profile.self,
      ranked: profile.selfRanked,
      work: profile.selfWork,
      sampled: profile.sampled,
      values: profile.values.map(({ self }) => self),
      hasErrors: true,
      isByThread: this.scope.isByThread,
    };
    const byPart = new Map();
    for (const { root, end } of this.scope.threads) {
      for (let at = root + 1; at < end; at++) {
        if (profile.self[at] + profile.entries[at] > 0) add(byPart, profile.part[at], at);
      }
    }
    return [...byPart].map(([part, nodes]) => new CallerNode(profile, this, part, nodes, nodes, weights));
  }
}

// A part's callees, and its callers with the time on each caller's behalf.
const calleesOf = ({ profile, threads }, part) =>
  new CallNode(profile, null, part, profile.outermostOf(part, threads));

function callersOf({ profile, threads, isByThread }, part) {
  const nodes = profile.outermostOf(part, threads);
  const { hier, ranked, work, hierSampled: sampled } = profile;
  return new CallerNode(profile, null, part, nodes, nodes, { hier, ranked, work, sampled, isByThread, values: profile.values.map(({ hier }) => hier) });
}
