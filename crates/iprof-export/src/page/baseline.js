// The profile to compare with: a second iprof page or a JSON profile, dropped on the page or selected.

const MAX_BYTES = 512 * 1024 * 1024;

// Returns a page's data, or parses the text as JSON.
function dataOf(text) {
  const begin = 'type="application/json" id="data">';
  const at = text.indexOf(begin);
  if (at < 0) return JSON.parse(text);
  const from = at + begin.length;
  // The data ends at the next `<`, since every `<` in it is escaped.
  return JSON.parse(text.slice(from, text.indexOf("<", from)));
}

// Reads a profile from a file. Errors describe what is wrong with the file.
async function readProfile(file) {
  if (file.size > MAX_BYTES) throw new Error(`${file.name} is larger than 512 MiB`);
  try {
    return new Profile(dataOf(await file.text()), file.name);
  } catch (error) {
    throw new Error(`${file.name} is not an iprof HTML page or JSON profile: ${error.message}`);
  }
}

class Baseline {
  #cache = new Map(); // trees of the other profile, kept because many frames may be compared with it in turn

  constructor(profile, own) {
    this.profile = profile;
    this.isIdleRanked = own.ranked === own.hier;
    this.compare(own);
  }

  set isIdleRanked(isRanked) {
    this.profile.isIdleRanked = isRanked;
    this.#cache.clear();
  }

  compare(own) {
    const { profile } = this;
    this.own = own;
    // Compare per frame if both profiles have frames, since the profiles may differ in length.
    const perFrame = own.frames > 0 && profile.frames > 0;
    this.factor = perFrame ? own.frames / profile.frames : 1;
    this.perFrame = perFrame;
  }

  // Selects the threads with the same names as the threads shown. Threads that share a name are matched by position.
  choose(threads, all) {
    const keys = new Set(threads.map((thread) => thread.key));
    const chosen = all ? this.profile.threads : this.profile.allThreads.filter((thread) => keys.has(thread.key));
    this.scope = { profile: this.profile, threads: chosen };
    this.chosen = chosen.map((thread) => thread.index).join();
    this.totals = this.profile.totals(chosen);
  }

  // Returns the stored result for the selected threads. Calls `make` on first use.
  cached(name, make) {
    const key = `${name} ${this.chosen}`;
    if (!this.#cache.has(key)) this.#cache.set(key, make());
    return this.#cache.get(key);
  }

  describe() {
    const { own, profile } = this;
    const what = own.isFrame ? own.name : "this profile";
    let rule = "";
    if (this.perFrame && this.factor !== 1) {
      const frames = counted(profile.frames, "frame");
      rule = own.isFrame ? `, the mean of its ${frames}` : `, its times and counts scaled from ${frames} to ${whole.format(own.frames)}`;
    }
    return `compared with ${profile.name}${rule}: Δ is ${what} minus the other`;
  }

  // Returns the other profile's part for one of this profile's parts, or undefined if it doesn't have the zone.
  partOf(part) {
    const { keys } = this.own;
    if (keys !== this.ownKeys) {
      const others = new Map(this.profile.keys.map((key, part) => [key, part]));
      this.parts = keys.map((key) => others.get(key));
      this.ownKeys = keys;
    }
    return this.parts[part];
  }

  // Returns whether the other profile has entries or time for one of this profile's parts.
  hasEntered(part) {
    const other = this.partOf(part);
    return other !== undefined && isEntered(this.totals, other);
  }
}
