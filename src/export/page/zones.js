// The table of zones, each with its totals on the chosen threads. Time outside zones has two rows where some of
// it is idle.

class ZoneRow {
  depth = 0;
  delta = 0; // self time that is more than in the baseline
  entriesDelta = 0; // the same of its calls
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
    const isTime = key === "self" || key === "delta" || key === "each";
    return isTime && this.selfBusy + this.before === 0 && (this.self > 0 || this.delta !== 0);
  }
}

const NOTHING = { entries: 0, self: 0, hier: 0, work: 0, busy: 0, selfWork: 0, selfBusy: 0, variance: 0 };
const inOrder = new Intl.Collator();

class Zones {
  #sort = { key: "self", rising: false };
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
    const before = baseline?.totals;
    const isShown = ({ part, entries, hier }) => entries + hier > 0 || before?.has(profile.keys[part]);
    this.all = profile.totals(threads).filter(isShown).map((sums) => new ZoneRow(profile, sums));
    // A chosen order stays, until it is about differences.
    if (baseline !== this.baseline) this.#sort = { key: baseline ? "delta" : "self", rising: false };
    this.baseline = baseline;
    if (baseline) this.#compare(baseline);
    const most = (field) => this.all.reduce((most, row) => Math.max(most, row[field] || 0), 0);
    const sum = (times) => threads.reduce((sum, { root }) => sum + times[root], 0);
    const hot = (row) => (baseline ? (row.isLate("delta") ? 0 : row.delta) : row.selfWork);
    const least = this.all.reduce((least, row) => (row.each > 0 ? Math.min(least, row.each) : least), Infinity);
    const time = most("hier");
    const total = sum(profile.busy);
    const all = allOf(total < sum(profile.hier));
    const share = { title: "self %", what: "self time", all: `${all} of the threads shown`, said: `self % of ${all}`, beside: "self" };
    this.columns = [
      nameColumn(sum(profile.work), hot),
      timeColumn("self", "self", "time in the zone itself, on all its stacks", 1, time, (row) => row.self, (row) => row.sampled),
      shareColumn(total, share, (row) => row.selfBusy),
      timeColumn("hier", "time", "time in the zone and everything it calls; recursion counts once", 2, time, (row) => row.hier, (row) => row.hierSampled),
      countColumn("how often the zone was entered"),
      columnIn(unitForEach(least, most("each")), "each", "self/call", "self time per call", 5, (row) => row.each, (row) => row.sampled),
    ];
    if (profile.hasErrors) this.columns.push(errorColumn(time, (row) => row.error));
    if (baseline) {
      this.columns.splice(1, 0, deltaColumn("self", "increase in self time over the other profile", time));
      this.columns.splice(5, 0, callsDeltaColumn(baseline.factor));
    }
    this.list();
  }

  // Differences to the baseline; zones that only the baseline has are rows, too.
  #compare({ totals, factor, profile }) {
    const own = new Set();
    for (const row of this.all) {
      own.add(row.key);
      const sums = totals.get(row.key);
      row.delta = row.self - (sums?.self ?? 0) * factor;
      row.entriesDelta = row.entries - (sums?.entries ?? 0) * factor;
      row.before = sums?.selfBusy ?? 0;
    }
    for (const [key, sums] of totals) {
      if (own.has(key)) continue;
      const gone = new ZoneRow(profile, { ...NOTHING, part: sums.part });
      gone.delta = -sums.self * factor;
      gone.entriesDelta = -sums.entries * factor;
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
    const isByName = key === "name";
    // What is compared is made once a row.
    const found = this.all.filter((row) => !search.isOn || search.matches(row.name));
    const ranked = found.map((row) => ({ row, isLate: row.isLate(key), by: isByName ? row.name : order(column.number(row)) || 0 }));
    const rank = isByName ? (a, b) => inOrder.compare(a.by, b.by) : (a, b) => a.by - b.by;
    ranked.sort((a, b) => a.isLate - b.isLate || (rising ? rank(a, b) : rank(b, a)));
    const shown = ranked.map(({ row }) => row);
    this.grid.sorted = { key, rising };
    this.grid.show(shown, this.columns);
    const all = counted(this.all.length, "zone");
    this.output.textContent = search.isOn ? `${whole.format(shown.length)} of ${all}` : all;
  }
}
