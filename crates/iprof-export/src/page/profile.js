// A profile, stored in arrays by node. Nodes are stored thread by thread, parents before children. Profiles are read
// from this page, from a different page, or from the JSON format.

const NO_ZONE = -1; // of a thread's root
const OUTSIDE = 0; // the zone of time outside zones
const IDLE_OUTSIDE = "(outside zones, idle)"; // the name of its idle part
const GPU_KEY = "\ngpu "; // precedes the GPU's name, since a thread may have the same name

class Profile {
  #totals = new Map(); // by threads

  // The data is validated, since any file may be dropped. `like` is a profile whose zones are used instead of the
  // data's own zones, which must be the same.
  constructor(data, name, like) {
    const zones = like?.zones ?? data?.zones;
    if (!Array.isArray(zones) || !Array.isArray(data.threads)) throw new Error("zones or threads are missing");
    this.name = name;
    this.frames = Number(data.frames) || 0;
    this.ns = Number(data.ns) || 0;
    this.zones = like?.zones ?? zones.map(zoneOf);
    const threads = data.threads.map(columns);
    const count = threads.reduce((sum, thread) => sum + thread.parent.length + 1, 0);
    this.parent = new Int32Array(count);
    this.zone = new Int32Array(count).fill(NO_ZONE);
    this.part = new Int32Array(count).fill(NO_ZONE); // a zone, or the idle part of time outside zones
    this.idleOutside = this.zones.length;
    for (const name of ["entries", "self", "selfWork", "hier", "work", "error"]) this[name] = new Float64Array(count);
    for (const name of ["idle", "sampled", "hierSampled", "shown", "outermost"]) this[name] = new Uint8Array(count);
    // For each named value, the amounts in units: added by the node itself, and including everything that it calls.
    this.values = (like?.values ?? (Array.isArray(data.values) ? data.values : [])).map(({ name, unit, steps }) => {
      return { name: String(name), unit: String(unit ?? ""), steps: Number(steps) || 1, self: new Float64Array(count), hier: new Float64Array(count) };
    });
    this.firstChild = new Int32Array(count).fill(-1);
    this.nextSibling = new Int32Array(count).fill(-1);
    const names = occurrences(threads.map(({ name, gpu }) => (gpu ? GPU_KEY : "") + threadName(name.trim())));
    let at = 0;
    this.allThreads = threads.map((thread, index) => {
      const root = at;
      at = this.#add(thread, root);
      const { name, nth, isShared } = names[index];
      const suffix = (isShared ? ` #${nth + 1}` : "") + (thread.ended ? " (ended)" : "");
      const shown = thread.gpu ? name.slice(GPU_KEY.length) : name;
      return { name: shown + suffix, suffix, key: `${name}\n${nth}`, isGpu: thread.gpu, index, root, end: at };
    });
    for (const thread of this.allThreads) this.#sum(thread);
    // The GPU runs in parallel with the other threads, so its times are not added to theirs.
    this.threads = this.allThreads.filter((thread) => !thread.isGpu);
    this.hasGpu = this.threads.length < this.allThreads.length;
    this.isIdleRanked = false;
    this.hasErrors = this.sampled.includes(1);
    this.hasIdle = this.idle.includes(1);
    this.keys = like?.keys ?? keysOf(this.zones); // by part
  }

  // Copies a thread's nodes to positions starting at `root`, and returns the end. Time outside zones becomes the root's
  // last child, so that the root represents the entire thread.
  #add(thread, root) {
    const count = thread.parent.length;
    for (let from = 0; from < count; from++) {
      const at = root + from;
      const parent = from === 0 ? 0 : thread.parent[from];
      const zone = thread.zone[from];
      if (!(parent >= 0 && (parent < from || from === 0)) || !this.zones[zone]) throw new Error("invalid call tree");
      const to = from === 0 ? root + count : at;
      this.parent[at] = root + parent;
      this.parent[root + count] = root;
      if (from > 0) this.zone[at] = zone;
      this.entries[to] = thread.entries[from];
      this.self[to] = thread.ns[from];
      this.error[to] = thread.error?.[from] ?? 0;
      this.idle[to] = thread.idle?.[from] ? 1 : 0;
      if (!(this.self[to] >= 0 && this.entries[to] >= 0)) throw new Error("invalid times or counts");
      if (from > 0) this.part[at] = this.idle[at] && zone === OUTSIDE ? this.idleOutside : zone;
    }
    for (const [node, value, steps] of thread.values) {
      const of = node < count && this.values[value];
      if (of) of.self[node === 0 ? root + count : root + node] += (Number(steps) || 0) / of.steps;
    }
    this.zone[root + count] = OUTSIDE;
    this.part[root + count] = this.idle[root + count] ? this.idleOutside : OUTSIDE;
    return root + count + 1;
  }

  // Sums subtrees, links children, and finds each zone's outermost node on every stack.
  #sum({ root, end }) {
    const { parent, hier, work, self, selfWork, idle, sampled, hierSampled, shown } = this;
    for (let at = end - 1; at >= root; at--) {
      hier[at] += self[at];
      selfWork[at] = idle[at] ? 0 : self[at];
      work[at] += selfWork[at];
      sampled[at] = this.error[at] > 0 ? 1 : 0;
      hierSampled[at] |= sampled[at];
      shown[at] |= self[at] + this.entries[at] > 0 ? 1 : 0;
      for (const value of this.values) {
        value.hier[at] += value.self[at];
        shown[at] |= value.self[at] !== 0;
        if (at !== root) value.hier[parent[at]] += value.hier[at];
      }
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
    // A thread's total is exact, and even an empty thread has a row.
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

  // `ranked` and `selfRanked` are the nanoseconds used for ranking: either all time or only work.
  set isIdleRanked(isRanked) {
    const ranked = isRanked ? this.hier : this.work;
    if (ranked === this.ranked) return;
    this.#totals.clear();
    this.ranked = ranked;
    this.selfRanked = isRanked ? this.self : this.selfWork;
  }

  // Returns the totals for all parts on some threads, as arrays by part. They are only computed once. Recursion counts
  // once in `hier`, `ranked` and `work`.
  totals(threads) {
    const key = threads.map(({ index }) => index).join();
    if (!this.#totals.has(key)) this.#totals.set(key, this.#totalsOf(threads));
    return this.#totals.get(key);
  }

  #totalsOf(threads) {
    const { part, outermost, error } = this;
    const made = { variance: new Float64Array(this.keys.length) };
    const sum = (name, isInner, from = this[name]) => {
      const sums = (made[name] = new Float64Array(this.keys.length));
      for (const { root, end } of threads) {
        for (let at = root + 1; at < end; at++) if (isInner || outermost[at]) sums[part[at]] += from[at];
      }
    };
    for (const name of ["entries", "self", "selfRanked", "selfWork", "sampled"]) sum(name, true);
    for (const name of ["hier", "ranked", "work", "hierSampled"]) sum(name, false);
    this.values.forEach((value, at) => sum(`value${at}`, true, value.self));
    for (const { root, end } of threads) {
      for (let at = root + 1; at < end; at++) made.variance[part[at]] += error[at] ** 2;
    }
    return made;
  }

  // Returns a part's outermost nodes on some threads. They contain its time exactly once, even if its zone is
  // recursive.
  outermostOf(wanted, threads) {
    const { part, outermost, shown } = this;
    const found = [];
    for (const { root, end } of threads) {
      for (let at = root; at < end; at++) if (part[at] === wanted && outermost[at] && shown[at]) found.push(at);
    }
    return found;
  }

  // Counts a part's entries on some threads, and the entries among them that are outermost on their stacks.
  recursionOf(wanted, threads) {
    const found = { calls: 0, outermost: 0, isRecursive: false };
    for (const { root, end } of threads) {
      for (let at = root + 1; at < end; at++) {
        if (this.part[at] !== wanted || !this.shown[at]) continue;
        found.calls += this.entries[at];
        if (this.outermost[at]) found.outermost += this.entries[at];
        else found.isRecursive = true;
      }
    }
    return found;
  }

  zoneOf(part) {
    return part === this.idleOutside ? OUTSIDE : part;
  }

  // Returns a zone's name. Names that several zones share end in a suffix.
  nameOf(zone) {
    return (this.zones[zone]?.name.trim() || "(unnamed)") + this.suffixOf(zone);
  }

  nameOfPart(part) {
    return part === this.idleOutside ? IDLE_OUTSIDE : this.nameOf(this.zoneOf(part));
  }

  suffixOf(zone) {
    return this.zones[zone]?.suffix ?? "";
  }

  threadAt(root) {
    return this.allThreads.find((thread) => thread.root === root);
  }

  placeOf(zone) {
    return this.zones[zone];
  }
}

// Returns a list for each field, as in the page's own data. The JSON format has an object for each node.
function columns(thread) {
  const named = { name: String(thread?.name ?? ""), ended: Boolean(thread?.ended), gpu: Boolean(thread?.gpu) };
  const { nodes } = thread ?? {};
  if (Array.isArray(nodes)) {
    const field = (name, otherwise) => nodes.map((node) => node?.[name] ?? otherwise);
    const errors = field("error_ns", 0);
    const read = { parent: field("parent", 0), zone: field("zone", -1), entries: field("entries", 0) };
    const values = field("steps", []).flatMap((steps, at) => [...steps].map((steps, value) => [at, value, steps]));
    return { ...named, ...read, ns: field("self_ns", 0), error: errors, idle: field("idle", false), values };
  }
  const { parent, zone, entries, ns, error, idle, values = [] } = thread ?? {};
  if (![parent, zone, entries, ns].every(Array.isArray) || parent.length < 1) throw new Error("a thread has no nodes");
  // The page's data lists idle nodes, since there are few.
  const flags = idle && new Set(idle);
  return { ...named, parent, zone, entries, ns, error, values, idle: flags && parent.map((_, at) => flags.has(at)) };
}

const isEntered = (totals, part) => totals.entries[part] + totals.hier[part] > 0;

// Returns a thread's name. A thread without a name is called the same as in the overlay.
const threadName = (name) => (name === "unnamed" ? "thread unnamed" : name || "(unnamed)");

const zoneOf = (zone) => ({
  name: zone.name === undefined ? "" : String(zone.name),
  file: String(zone.file ?? ""),
  line: Number(zone.line) || 0,
  isOwn: Boolean(zone.own), // a zone of iprof itself
  suffix: zone.suffix ? ` (${zone.suffix})` : "", // distinguishes zones with the same name
});

// Returns the keys used to match two profiles' parts. A part is a zone, or the idle part of time outside zones. The
// keys don't contain line numbers, since they change from build to build.
function keysOf(zones) {
  const keys = zones.map(({ name, file }) => `${name}\n${file.replaceAll("\\", "/")}`);
  const found = occurrences(keys).map(({ name, nth }) => (nth > 0 ? `${name}\n${nth}` : name));
  return [...found, `${found[OUTSIDE]}\nidle`];
}

// Returns each name with the number of equal names before it, and whether there are other names equal to it.
function occurrences(names) {
  const seen = new Map();
  const found = names.map((name) => {
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return { name, nth };
  });
  return found.map(({ name, nth }) => ({ name, nth, isShared: seen.get(name) > 1 }));
}
