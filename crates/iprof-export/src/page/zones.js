// The table of zones, with their totals on the selected threads. Time outside zones has two rows if only part of it is
// idle.

class ZoneRow {
  depth = 0;
  delta = 0; // increase in self time since the baseline
  entriesDelta = 0; // increase in calls
  before = 0; // the baseline's self time, as far as it is ranked

  // `sums` contains the totals for all parts. It has none for a zone that only exists in the baseline.
  constructor(profile, part, sums) {
    this.profile = profile;
    this.part = part;
    this.zone = profile.zoneOf(part);
    this.key = profile.keys[part];
    this.isGone = !sums;
    this.entries = sums ? sums.entries[part] : 0;
    this.self = sums ? sums.self[part] : 0;
    this.selfWork = sums ? sums.selfWork[part] : 0;
    this.selfRanked = sums ? sums.selfRanked[part] : 0;
    this.hier = sums ? sums.hier[part] : 0;
    this.ranked = sums ? sums.ranked[part] : 0;
    this.error = sums ? Math.sqrt(sums.variance[part]) : 0;
    this.sampled = sums?.sampled[part] > 0;
    this.hierSampled = sums?.hierSampled[part] > 0;
    this.values = profile.values.map((_, at) => sums?.[`value${at}`][part] ?? 0);
    this.each = this.entries > 0 ? this.self / this.entries : NaN;
  }

  get name() {
    return this.profile.nameOfPart(this.part);
  }

  get suffix() {
    return this.profile.suffixOf(this.zone);
  }

  get place() {
    return this.profile.placeOf(this.zone);
  }

  get isIdle() {
    return this.isGone ? this.ranksLast("delta") : this.self > 0 && this.selfWork === 0;
  }

  get isOwn() {
    return this.profile.zones[this.zone].isOwn;
  }

  // Returns whether the row only has idle time in a column. Such rows rank last.
  ranksLast(key) {
    if (key === "hier") return this.hier > 0 && this.ranked === 0;
    const isTime = key === "self" || key === "delta" || key === "each";
    return isTime && this.selfRanked + this.before === 0 && (this.self > 0 || this.delta !== 0);
  }
}

const inOrder = new Intl.Collator();

class Zones {
  #sort = { key: "self", isAscending: false };
  baseline = null;

  constructor(place, onFocus) {
    this.grid = new Grid(place, {
      id: "zone-",
      label: "zones",
      onFocus,
      onSort: (column) => this.sort(column.key),
    });
    this.output = find("#zones output");
  }

  show({ profile, threads }, baseline) {
    const sums = profile.totals(threads);
    this.all = [];
    profile.keys.forEach((_, part) => {
      if (isEntered(sums, part) || baseline?.hasEntered(part)) this.all.push(new ZoneRow(profile, part, sums));
    });
    // Keep the selected order until a baseline is set or removed.
    if (baseline !== this.baseline) this.#sort = { key: baseline ? "delta" : "self", isAscending: false };
    this.baseline = baseline;
    if (baseline) this.#compare(baseline);
    const most = (field) => this.all.reduce((most, row) => Math.max(most, row[field] || 0), 0);
    const sum = (times) => threads.reduce((sum, { root }) => sum + times[root], 0);
    const hot = (row) => (baseline ? (row.ranksLast("delta") ? 0 : row.delta) : row.selfWork);
    const time = most("hier");
    const total = sum(profile.ranked);
    const all = allOf(total < sum(profile.hier));
    const share = { title: "self %", what: "self time", all: `${all} of the threads shown`, said: `self % of ${all}`, needs: "self" };
    this.columns = [
      nameColumn(sum(profile.work), hot),
      timeColumn("self", "self", "time in the zone itself, on all its stacks", 1, time, (row) => row.self, (row) => row.sampled),
      shareColumn(total, share, (row) => row.selfRanked),
      timeColumn("hier", "time", "time in the zone and everything it calls; recursion counts once", 2, time, (row) => row.hier, (row) => row.hierSampled),
      countColumn("how often the zone was entered"),
      columnIn(unitOfAll(this.all.map((row) => row.each)), "each", "self/call", "self time per call", 5, (row) => row.each, (row) => row.sampled),
    ];
    const unitOf = (each) => unitOfAll(this.all.map(each));
    this.columns.push(...valueColumns(profile, this.all, (row) => row.self, (row) => row.sampled, unitOf));
    if (profile.hasErrors) this.columns.push(errorColumn(time, (row) => row.error));
    if (baseline) {
      this.columns.splice(1, 0, deltaColumn("self", "increase in self time over the other profile", time));
      this.columns.splice(5, 0, callsDeltaColumn(baseline.factor));
    }
    this.list();
  }

  // Computes differences from the baseline, and adds rows for zones that only exist in the baseline.
  #compare(baseline) {
    const { totals, factor, profile } = baseline;
    const isOwn = new Uint8Array(profile.keys.length);
    const differ = (row, part) => {
      isOwn[part] = 1;
      row.delta = row.self - totals.self[part] * factor;
      row.entriesDelta = row.entries - totals.entries[part] * factor;
      row.before = totals.selfRanked[part];
    };
    for (const row of this.all) {
      const part = baseline.partOf(row.part);
      if (part !== undefined) differ(row, part);
      else [row.delta, row.entriesDelta] = [row.self, row.entries];
    }
    profile.keys.forEach((_, part) => {
      if (isOwn[part] || !isEntered(totals, part)) return;
      const gone = new ZoneRow(profile, part);
      differ(gone, part);
      this.all.push(gone);
    });
  }

  // Makes a part's row current, unless the search hides it.
  goTo(part) {
    const at = this.grid.rows.findIndex((row) => row.part === part);
    if (at >= 0) this.grid.focus(at);
  }

  sort(key) {
    const isAscending = this.#sort.key === key ? !this.#sort.isAscending : key === "name";
    this.#sort = { key, isAscending };
    this.list();
  }

  // Shows the search results, sorted. In time columns, idle rows come last.
  list() {
    const { key, isAscending } = this.#sort;
    const column = this.columns.find((column) => column.key === key) ?? this.columns[1];
    const order = column.order ?? ((number) => number);
    const isByName = key === "name";
    // Compute each row's sort key only once.
    const found = this.all.filter((row) => !search.isOn || search.matches(row.name));
    const keyed = found.map((row) => ({ row, ranksLast: row.ranksLast(key), by: isByName ? row.name : order(column.number(row)) || 0 }));
    const rank = isByName ? (a, b) => inOrder.compare(a.by, b.by) : (a, b) => a.by - b.by;
    keyed.sort((a, b) => a.ranksLast - b.ranksLast || (isAscending ? rank(a, b) : rank(b, a)));
    const shown = keyed.map(({ row }) => row);
    this.grid.sorted = { key, isAscending };
    this.grid.show(shown, this.columns);
    const all = counted(this.all.length, "zone");
    this.output.textContent = search.isOn ? `${whole.format(shown.length)} of ${all}` : all;
  }
}
