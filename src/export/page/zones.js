// The table of zones, each with its totals on the chosen threads.

class ZoneRow {
  constructor(profile, sums) {
    Object.assign(this, sums);
    this.profile = profile;
    this.error = Math.sqrt(sums.variance);
    this.each = sums.entries > 0 ? sums.self / sums.entries : NaN;
    this.key = profile.keys[sums.zone];
    this.children = [];
    this.depth = 0;
  }

  get name() {
    return this.profile.nameOf(this.zone);
  }

  get place() {
    return this.profile.place(this.zone);
  }

  get isIdle() {
    return this.self > 0 && this.work === 0;
  }
}

class Zones {
  #sort = { key: "self", rising: false };

  constructor(place, onFocus) {
    this.grid = new Grid(place, {
      id: "zone-",
      label: "zones",
      onFocus: (row) => onFocus(row.zone),
      onSort: (column) => this.sort(column.key),
    });
    this.output = find("#zones output");
  }

  show(profile, threads, baseline) {
    const rows = profile.totals(threads).map((sums) => new ZoneRow(profile, sums));
    this.all = rows.filter((row) => row.entries + row.hier > 0);
    this.baseline = baseline;
    if (baseline) this.#compare(rows, baseline);
    const most = (field) => this.all.reduce((most, row) => Math.max(most, row[field] || 0), 0);
    const total = threads.reduce((sum, { root }) => sum + profile.busy[root], 0);
    const least = this.all.reduce((least, row) => (row.each > 0 ? Math.min(least, row.each) : least), Infinity);
    const time = most("hier");
    this.columns = [
      { ...nameColumn(most("selfBusy"), (row) => row.selfBusy), number: () => 0 },
      timeColumn("self", "self", "time in the zone itself, on all its stacks", 1, time, (row) => row.self, (row) => row.sampled),
      shareColumn(total, "share of self time", (row) => row.selfBusy),
      timeColumn("hier", "time", "time in the zone and in all that it calls; recursion counts once", 2, time, (row) => row.hier, (row) => row.hierSampled),
      countColumn("how often the zone was entered"),
      columnIn(unitForEach(least, most("each")), "each", "self/call", "self time of a call", 5, (row) => row.each),
    ];
    if (profile.hasErrors) this.columns.push(errorColumn(most("error"), (row) => row.error));
    if (baseline) {
      const delta = deltaColumn("delta", "self", "self time more than in the other profile", time, (row) => row.delta);
      this.columns.splice(1, 0, delta);
    }
    this.#sort = { key: baseline ? "delta" : "self", rising: false };
    this.list();
  }

  // Differences to the baseline; zones that only the baseline has are rows, too.
  #compare(rows, { totals, factor, profile }) {
    const before = new Map(totals.map((sums) => [profile.keys[sums.zone], sums]));
    for (const row of rows) {
      const sums = before.get(row.key);
      row.delta = row.self - (sums?.self ?? 0) * factor;
      before.delete(row.key);
    }
    this.all = rows.filter((row) => row.entries + row.hier > 0 || row.delta !== 0);
    for (const sums of before.values()) {
      if (sums.entries + sums.hier === 0) continue;
      const gone = new ZoneRow(profile, { ...sums, entries: 0, self: 0, hier: 0, work: 0, busy: 0, selfBusy: 0, variance: 0 });
      gone.delta = -sums.self * factor;
      gone.isGone = true;
      this.all.push(gone);
    }
  }

  sort(key) {
    const rising = this.#sort.key === key ? !this.#sort.rising : key === "name";
    this.#sort = { key, rising };
    this.list();
  }

  // The rows that the search leaves, in order; idle ones last, where they would rank by time.
  list() {
    const { key, rising } = this.#sort;
    const column = this.columns.find((column) => column.key === key) ?? this.columns[1];
    const number = (row) => (Number.isNaN(column.number(row)) ? 0 : column.number(row));
    const rank = key === "name" ? (a, b) => a.name.localeCompare(b.name) : (a, b) => number(a) - number(b);
    const late = (row) => (key === "self" || key === "hier") && row.selfBusy + row.busy === 0 && row.hier > 0;
    const shown = this.all.filter((row) => !search.isOn || search.matches(row.name));
    shown.sort((a, b) => late(a) - late(b) || (rising ? rank(a, b) : rank(b, a)));
    this.grid.sorted = { key, rising };
    this.grid.show(shown, this.columns);
    this.output.textContent = `${whole.format(shown.length)} of ${whole.format(this.all.length)} zones`;
  }
}
