// Trees over a profile's nodes, made as far as they are opened: calls from the top down, of one thread or
// merged, and callers from the bottom up.

// Work comes first, then what was idle; the largest of each first.
const byTime = (a, b) => b.busy - a.busy || b.hier - a.hier || b.entries - a.entries;

class TreeNode {
  self = 0;
  hier = 0;
  busy = 0; // what of `hier` ranks
  selfBusy = 0;
  work = 0; // what of `hier` was not idle
  entries = 0;
  variance = 0;
  sampled = false;
  hierSampled = false;
  #children;
  #base;

  constructor(profile, parent, zone) {
    this.profile = profile;
    this.parent = parent;
    this.zone = zone;
    this.depth = parent ? parent.depth + 1 : 0;
  }

  get name() {
    return this.profile.nameOf(this.zone);
  }

  get place() {
    return this.profile.place(this.zone);
  }

  get error() {
    return Math.sqrt(this.variance);
  }

  get isIdle() {
    return this.hier > 0 && this.work === 0;
  }

  // Rows without entries are threads, time outside zones, and zones that stayed open.
  get each() {
    return this.entries > 0 ? this.hier / this.entries : NaN;
  }

  get key() {
    return this.profile.keys[this.zone] ?? this.name;
  }

  get children() {
    return (this.#children ??= this.makeChildren().sort(byTime));
  }

  // The same node of the baseline's tree; nothing if the baseline has none.
  get base() {
    if (this.#base === undefined) this.#base = this.parent?.base?.children.find((node) => node.key === this.key) ?? null;
    return this.#base;
  }

  set base(node) {
    this.#base = node;
  }
}

// Calls from the top down: the nodes of one call path, of one thread or of several.
class CallNode extends TreeNode {
  constructor(profile, parent, zone, nodes, thread) {
    super(profile, parent, zone);
    this.nodes = nodes;
    this.thread = thread;
    for (const at of nodes) {
      this.self += profile.self[at];
      this.hier += profile.hier[at];
      this.busy += profile.busy[at];
      this.work += profile.work[at];
      this.selfBusy += profile.selfBusy(at);
      this.entries += profile.entries[at];
      this.variance += profile.error[at] ** 2;
      this.sampled ||= profile.sampled[at] > 0;
      this.hierSampled ||= profile.hierSampled[at] > 0;
    }
  }

  get name() {
    if (!this.thread) return super.name;
    return this.thread.name + (this.thread.ended ? " (ended)" : "");
  }

  get key() {
    return this.thread ? this.thread.name : super.key;
  }

  makeChildren() {
    const byZone = new Map();
    const { firstChild, nextSibling, zone } = this.profile;
    for (const node of this.nodes) {
      for (let at = firstChild[node]; at >= 0; at = nextSibling[at]) {
        const found = byZone.get(zone[at]);
        if (found) found.push(at);
        else byZone.set(zone[at], [at]);
      }
    }
    return [...byZone].map(([zone, nodes]) => new CallNode(this.profile, this, zone, nodes));
  }
}

// All threads, each with its tree.
class ThreadsNode extends TreeNode {
  constructor(profile) {
    super(profile, null, NO_ZONE);
    for (const { root } of profile.threads) {
      this.hier += profile.hier[root];
      this.busy += profile.busy[root];
      this.work += profile.work[root];
    }
  }

  get name() {
    return "all threads";
  }

  // In the order in which they were recorded, not by time.
  get children() {
    return (this.ordered ??= this.profile.threads.map(
      (thread) => new CallNode(this.profile, this, NO_ZONE, [thread.root], thread),
    ));
  }
}

// Callers from the bottom up. Stack `leaves[i]` has arrived at its ancestor `at[i]`, which is of this zone.
class CallerNode extends TreeNode {
  constructor(profile, parent, zone, leaves, at, weights) {
    super(profile, parent, zone);
    Object.assign(this, { leaves, at, weights });
    for (const leaf of leaves) {
      this.hier += weights.hier[leaf];
      this.busy += weights.busy(leaf);
      this.work += weights.work(leaf);
      this.entries += profile.entries[leaf];
      this.variance += weights.error ? profile.error[leaf] ** 2 : 0;
      this.hierSampled ||= weights.sampled[leaf] > 0;
    }
    this.sampled = this.hierSampled;
    this.self = this.hier;
    this.selfBusy = this.busy;
  }

  makeChildren() {
    const byZone = new Map();
    const { parent, zone } = this.profile;
    for (let i = 0; i < this.leaves.length; i++) {
      const above = parent[this.at[i]];
      if (zone[above] === NO_ZONE) continue;
      let found = byZone.get(zone[above]);
      if (!found) byZone.set(zone[above], (found = { leaves: [], at: [] }));
      found.leaves.push(this.leaves[i]);
      found.at.push(above);
    }
    const made = ([zone, { leaves, at }]) => new CallerNode(this.profile, this, zone, leaves, at, this.weights);
    return [...byZone].map(made);
  }
}

// The inverted tree: all zones by self time, and below each its callers.
class InvertedNode extends TreeNode {
  constructor(profile, threads) {
    super(profile, null, NO_ZONE);
    this.threads = threads;
    for (const { root } of threads) {
      this.hier += profile.hier[root];
      this.busy += profile.busy[root];
      this.work += profile.work[root];
    }
  }

  get name() {
    return this.threads.length === 1 ? this.threads[0].name : "all threads";
  }

  makeChildren() {
    const { profile } = this;
    const weights = {
      hier: profile.self,
      busy: (leaf) => profile.selfBusy(leaf),
      work: (leaf) => (profile.idle[leaf] ? 0 : profile.self[leaf]),
      sampled: profile.sampled,
      error: true,
    };
    const byZone = new Map();
    for (const { root, end } of this.threads) {
      for (let at = root + 1; at < end; at++) {
        if (profile.self[at] + profile.entries[at] === 0) continue;
        const found = byZone.get(profile.zone[at]);
        if (found) found.push(at);
        else byZone.set(profile.zone[at], [at]);
      }
    }
    return [...byZone].map(([zone, nodes]) => new CallerNode(profile, this, zone, nodes, nodes, weights));
  }
}

// What a zone calls, and what calls it, with the time on each caller's behalf.
const calleesOf = (profile, threads, zone) =>
  new CallNode(profile, null, zone, profile.outermostOf(zone, threads));

function callersOf(profile, threads, zone) {
  const nodes = profile.outermostOf(zone, threads);
  const { hier, hierSampled: sampled } = profile;
  const weights = { hier, busy: (leaf) => profile.busy[leaf], work: (leaf) => profile.work[leaf], sampled };
  return new CallerNode(profile, null, zone, nodes, nodes, weights);
}
