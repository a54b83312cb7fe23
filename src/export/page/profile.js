// A profile as arrays by node: the nodes of all threads one after another, parents before their children.
// It is read from this page, from another page or from the JSON format.

const NO_ZONE = -1; // of a thread's root
const OUTSIDE = 0; // the zone of time outside zones

class Profile {
  // The data is checked: it may be any dropped file.
  constructor(data, name) {
    if (!Array.isArray(data?.zones) || !Array.isArray(data.threads)) throw new Error("it has no zones and threads");
    this.name = name;
    this.frames = Number(data.frames) || 0;
    this.ns = Number(data.ns) || 0;
    this.zones = data.zones.map((zone) => ({
      name: zone.name === undefined ? "" : String(zone.name),
      file: String(zone.file ?? ""),
      line: Number(zone.line) || 0,
    }));
    const threads = data.threads.map(columns);
    const count = threads.reduce((sum, thread) => sum + thread.parent.length + 1, 0);
    this.parent = new Int32Array(count);
    this.zone = new Int32Array(count).fill(NO_ZONE);
    for (const name of ["entries", "self", "hier", "work", "error"]) this[name] = new Float64Array(count);
    for (const name of ["idle", "sampled", "hierSampled", "shown", "outermost"]) this[name] = new Uint8Array(count);
    this.firstChild = new Int32Array(count).fill(-1);
    this.nextSibling = new Int32Array(count).fill(-1);
    let at = 0;
    this.threads = threads.map((thread, index) => {
      const root = at;
      at = this.#add(thread, root);
      return { name: thread.name, ended: thread.ended, index, root, end: at };
    });
    for (const thread of this.threads) this.#sum(thread);
    this.busy = this.work; // ns that rank: hierarchical time without what was idle, or with it
    this.hasErrors = this.sampled.includes(1);
    this.hasIdle = this.idle.includes(1);
    this.keys = keysOf(this.zones);
  }

  // Copies a thread's nodes to `root` and after; time outside zones becomes the root's last child, so that
  // the root itself stands for the thread. Returns the end.
  #add(thread, root) {
    const count = thread.parent.length;
    for (let from = 0; from < count; from++) {
      const at = root + from;
      const parent = from === 0 ? 0 : thread.parent[from];
      const zone = thread.zone[from];
      if (!(parent >= 0 && (parent < from || from === 0)) || !this.zones[zone]) throw new Error("its tree is broken");
      const to = from === 0 ? root + count : at;
      this.parent[at] = root + parent;
      this.parent[root + count] = root;
      if (from > 0) this.zone[at] = zone;
      this.entries[to] = thread.entries[from];
      this.self[to] = thread.ns[from];
      this.error[to] = thread.error?.[from] ?? 0;
      this.idle[to] = thread.idle?.[from] ? 1 : 0;
      if (!(this.self[to] >= 0 && this.entries[to] >= 0)) throw new Error("its times are broken");
    }
    this.zone[root + count] = OUTSIDE;
    return root + count + 1;
  }

  // Sums up subtrees, links children, and finds each stack's outermost node of a zone.
  #sum({ root, end }) {
    const { parent, hier, work, self, idle, sampled, hierSampled, shown } = this;
    for (let at = end - 1; at >= root; at--) {
      hier[at] += self[at];
      work[at] += idle[at] ? 0 : self[at];
      sampled[at] = this.error[at] > 0 ? 1 : 0;
      hierSampled[at] |= sampled[at];
      shown[at] |= self[at] + this.entries[at] > 0 ? 1 : 0;
      if (at === root) continue;
      const above = parent[at];
      hier[above] += hier[at];
      work[above] += work[at];
      hierSampled[above] |= hierSampled[at];
      shown[above] |= shown[at];
      if (shown[at]) {
        this.nextSibling[at] = this.firstChild[above];
        this.firstChild[above] = at;
      }
    }
    // A thread's total time is exact, and it is a row of its own even if it is empty.
    hierSampled[root] = 0;
    shown[root] = 1;
    const open = new Int32Array(this.zones.length);
    for (let at = this.firstChild[root]; at >= 0; ) {
      if (open[this.zone[at]]++ === 0) this.outermost[at] = 1;
      if (this.firstChild[at] >= 0) {
        at = this.firstChild[at];
        continue;
      }
      open[this.zone[at]]--;
      while (this.nextSibling[at] < 0 && parent[at] !== root) {
        at = parent[at];
        open[this.zone[at]]--;
      }
      at = this.nextSibling[at];
    }
  }

  set isIdleRanked(isRanked) {
    this.busy = isRanked ? this.hier : this.work;
  }

  // Self time as far as it ranks.
  selfBusy(at) {
    return this.idle[at] && this.busy === this.work ? 0 : this.self[at];
  }

  // The totals of all zones on some threads. Recursion counts once in `hier` and `busy`.
  totals(threads) {
    const totals = this.zones.map((_, zone) => ({
      zone, entries: 0, self: 0, hier: 0, work: 0, busy: 0, selfBusy: 0, variance: 0, sampled: false, hierSampled: false,
    }));
    for (const { root, end } of threads) {
      for (let at = root + 1; at < end; at++) {
        const sums = totals[this.zone[at]];
        sums.entries += this.entries[at];
        sums.self += this.self[at];
        sums.selfBusy += this.selfBusy(at);
        sums.variance += this.error[at] ** 2;
        sums.sampled ||= this.sampled[at] > 0;
        if (!this.outermost[at]) continue;
        sums.hier += this.hier[at];
        sums.busy += this.busy[at];
        sums.work += this.work[at];
        sums.hierSampled ||= this.hierSampled[at] > 0;
      }
    }
    return totals;
  }

  // A zone's outermost nodes on some threads: its time once, however deep it calls itself.
  outermostOf(wanted, threads) {
    if (!this.byZone) {
      this.byZone = this.zones.map(() => []);
      for (let at = 0; at < this.parent.length; at++) {
        if (this.outermost[at] && this.shown[at]) this.byZone[this.zone[at]].push(at);
      }
    }
    const isOn = (at) => threads.some(({ root, end }) => root <= at && at < end);
    return this.byZone[wanted].filter(isOn);
  }

  nameOf(zone) {
    return this.zones[zone]?.name.trim() || "(unnamed)";
  }

  place(zone) {
    return this.zones[zone];
  }
}

// One list per field, as in the page; the JSON format has one object per node.
function columns(thread) {
  const named = { name: String(thread?.name ?? ""), ended: Boolean(thread?.ended) };
  const { nodes } = thread ?? {};
  if (Array.isArray(nodes)) {
    const field = (name, otherwise) => nodes.map((node) => node?.[name] ?? otherwise);
    const errors = field("error_ns", 0);
    const read = { parent: field("parent", 0), zone: field("zone", -1), entries: field("entries", 0) };
    return { ...named, ...read, ns: field("self_ns", 0), error: errors, idle: field("idle", false) };
  }
  const { parent, zone, entries, ns, error, idle } = thread ?? {};
  if (![parent, zone, entries, ns].every(Array.isArray) || parent.length < 1) throw new Error("its threads have no nodes");
  // Few nodes are idle: the page lists them.
  const flags = idle && new Set(idle);
  return { ...named, parent, zone, entries, ns, error, idle: flags && parent.map((_, at) => flags.has(at)) };
}

// What a zone is found by in another profile: lines change from build to build.
function keysOf(zones) {
  const seen = new Map();
  return zones.map(({ name, file }) => {
    const key = `${name}\n${file.replaceAll("\\", "/")}`;
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return before > 0 ? `${key}\n${before}` : key;
  });
}
