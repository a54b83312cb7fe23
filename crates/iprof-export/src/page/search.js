// The search finds zones by name in the flame graph, the tree and the table.

class Search {
  #zones = new Set();
  query = "";

  get isOn() {
    return this.query !== "";
  }

  // Searches the names of a profile's zones.
  setQuery(profile, query) {
    this.query = query.trim().toLowerCase();
    this.#zones = new Set();
    if (!this.isOn) return;
    profile.zones.forEach((_, zone) => this.matches(profile.nameOf(zone)) && this.#zones.add(zone));
  }

  matches(name) {
    return name.toLowerCase().includes(this.query);
  }

  has(node) {
    return this.isOn && (node.isGroup || node.isGone ? this.#isIn(node) : this.#zones.has(node.zone));
  }

  // Groups contain several nodes. The baseline's nodes are matched by name, since its zones have different numbers.
  #isIn(node) {
    return node.isGone ? this.matches(node.name) : node.children.some((child) => this.has(child));
  }

  // Returns the time on some threads during which any of the zones found was on the stack. Each moment counts once.
  time({ profile, threads }) {
    const sums = { hier: 0, ranked: 0 };
    if (!this.isOn) return sums;
    const { parent, zone, self, selfRanked } = profile;
    const isBelow = new Uint8Array(parent.length);
    for (const { root, end } of threads) {
      for (let at = root + 1; at < end; at++) {
        if (isBelow[parent[at]] || this.#zones.has(zone[at])) {
          isBelow[at] = 1;
          sums.hier += self[at];
          sums.ranked += selfRanked[at];
        }
      }
    }
    return sums;
  }

  // Returns the next matching node after `current`, in the order that the rows would have if all were expanded. Doesn't
  // expand any rows. The search wraps around.
  next(root, current, step) {
    const found = [];
    let after = 0;
    const waiting = [root];
    for (let visited = 0; waiting.length > 0 && visited < MAX_VISITED; visited++) {
      const node = waiting.pop();
      if (node === current) after = found.length + (step > 0 && this.has(node) ? 1 : 0);
      if (this.has(node)) found.push(node);
      const { rows } = node;
      for (let at = rows.length - 1; at >= 0; at--) waiting.push(rows[at]);
    }
    const at = step > 0 ? after : after - 1;
    return found[(at + found.length) % found.length];
  }
}

const MAX_VISITED = 100_000; // rows; inverted trees may have many more
const search = new Search();
