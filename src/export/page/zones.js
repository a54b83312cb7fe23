// The table of zones, each with its totals on the chosen threads. Time outside zones has two rows where some of
// it is idle.

class ZoneRow {
  depth = 0;
  delta = 0; // self time that is more than in the baseline
  before = 0; // the baseline's self time that ranks

  constructor(profile, sums) {
    Object.assign(this, sums);
    this.profile = profile;
    this.zone = profile.zoneOf(sums.part);
    this.error = Math.sqrt(sums.variance);
    this.each = sums.entries > 0 ? sums.self / sums.entries : NaN;
    this.key = profile.keys[sums.part];
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
    return this.isGone ? this.isLate("delta") : this.self > 0 && this.selfWork === 0;
  }

  get isOwn() {
    return this.profile.zones[this.zone].isOwn;
  }

  // Whether it ranks behind all that is not idle, in the order of a column.
  isLate(key) {
    if (key === "hier") return this.hier > 0 && this.busy === 0;
    const isTime = key === "self" || key === "delta";
    return isTime && this.selfBusy + this.before === 0 && (this.self > 0 || this.delta !== 0);
  }
}

const NOTHING = { entries: 0, self: 0, hier: 0, work: 0, busy: 0, selfWork: 0, selfBusy: 0, variance: 0 };
const inOrder = new Intl.Collator();

class Zones {
  #sort = { key: "self", rising: false };

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
    const rows = profile.totals(threads).map((sums) => new ZoneRow(profile, sums));
    this.all = rows.filter((row) => row.entries + row.hier > 0);
    this.baseline = baseline;
    if (baseline) this.#compare(rows, baseline);
    const most = (field) => this.all.reduce((most, row) => Math.max(most, row[field] || 0), 0);
    const sum = (times) => threads.reduce((sum, { root }) => sum + times[root], 0);
    const hot = (row) => (baseline ? (row.isLate("delta") ? 0 : row.delta) : row.selfWork);
    const least = this.all.reduce((least, row) => (row.each > 0 ? Math.min(least, row.each) : least), Infinity);
    const time = most("hier");
    this.columns = [
      nameColumn(sum(profile.work), hot),
      timeColumn("self", "self", "time in the zone itself, on all its stacks", 1, time, (row) => row.self, (row) => row.sampled),
      shareColumn(profile, sum(profile.busy), "self %", "self time", (row) => row.selfBusy),
      timeColumn("hier", "time", "time in the zone and everything it calls; recursion counts once", 2, time, (row) => row.hier, (row) => row.hierSampled),
      countColumn("how often the zone was entered"),
      columnIn(unitForEach(least, most("each")), "each", "self/call", "self time per call", 5, (row) => row.each, (row) => row.sampled),
    ];
    if (profile.hasErrors) this.columns.push(errorColumn(most("error"), (row) => row.error));
    if (baseline) {
      const delta = deltaColumn("delta", "self", "increase in self time over the other profile", time, (row) => row.delta);
      this.columns.splice(1, 0, delta);
    }
    this.#sort = { key: baseline ? "delta" : "self", rising: false };
    this.list();
  }

  // Differences to the baseline; zones that only the baseline has are rows, too.
  #compare(rows, { totals, factor, profile }) {
    const before = new Map(totals.map((sums) => [profile.keys[sums.part], sums]));
    for (const row of rows) {
      const sums = before.get(row.key);
      row.delta = row.self - (sums?.self ?? 0) * factor;
      row.before = sums?.selfBusy ?? 0;
      before.delete(row.key);
    }
    this.all = rows.filter((row) => row.entries + row.hier > 0 || row.delta !== 0);
    for (const sums of before.values()) {
      if (sums.entries + sums.hier === 0) continue;
      const gone = new ZoneRow(profile, { ...NOTHING, part: sums.part });
      gone.delta = -sums.self * factor;
      gone.before = sums.selfBusy;
      gone.isGone = true;
      this.all.push(gone);
    }
  }

  // Makes a part's row the current one, unless the search leaves it out.
  goTo(part) {
    const at = this.grid.rows.findIndex((row) => row.part === part);
    if (at >= 0) this.grid.focus(at);
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
    const order = column.order ?? ((number) => number);
    const number = (row) => order(column.number(row)) || 0;
    const rank = key === "name" ? (a, b) => inOrder.compare(a.name, b.name) : (a, b) => number(a) - number(b);
    const late = (row) => row.isLate(key);
    const shown = this.all.filter((row) => !search.isOn || search.matches(row.name));
    shown.sort((a, b) => late(a) - late(b) || (rising ? rank(a, b) : rank(b, a)));
    this.grid.sorted = { key, rising };
    this.grid.show(shown, this.columns);
    const all = counted(this.all.length, "zone");
    this.output.textContent = search.isOn ? `${whole.format(shown.length)} of ${all}` : all;
  }
}
