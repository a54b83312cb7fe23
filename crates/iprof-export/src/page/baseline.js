// The profile that this one is compared with: another page of iprof or a profile in its JSON format, dropped on
// the page or chosen.

const MOST_BYTES = 512 * 1024 * 1024;

// The data of a page, or JSON as it is.
function dataOf(text) {
  const begin = 'type="application/json" id="data">';
  const at = text.indexOf(begin);
  if (at < 0) return JSON.parse(text);
  const from = at + begin.length;
  // In the data no name has a `<`: it is escaped.
  return JSON.parse(text.slice(from, text.indexOf("<", from)));
}

// Reads a file; an error says what is wrong with it.
async function readProfile(file) {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 512 MiB`);
  try {
    return new Profile(dataOf(await file.text()), file.name);
  } catch (error) {
    throw new Error(`${file.name} is not an iprof HTML page or JSON profile: ${error.message}`);
  }
}

class Baseline {
  #known = new Map(); // what was made of the other profile: frames are compared with it one after another

  constructor(profile, own) {
    this.profile = profile;
    this.isIdleRanked = own.busy === own.hier;
    this.compare(own);
  }

  set isIdleRanked(isRanked) {
    this.profile.isIdleRanked = isRanked;
    this.#known.clear();
  }

  // What it is compared with from now on.
  compare(own) {
    const { profile } = this;
    this.own = own;
    // Profiles of different lengths are compared per frame, if both have frames.
    const perFrame = own.frames > 0 && profile.frames > 0;
    this.factor = perFrame ? own.frames / profile.frames : 1;
    this.perFrame = perFrame;
  }

  // Chooses the threads that have the same names as those shown; of several of one name, those at the same places.
  choose(threads, all) {
    const keys = new Set(threads.map((thread) => thread.key));
    const chosen = all ? this.profile.threads : this.profile.allThreads.filter((thread) => keys.has(thread.key));
    this.scope = { profile: this.profile, threads: chosen };
    this.chosen = chosen.map((thread) => thread.index).join();
    this.totals = this.profile.totals(chosen);
  }

  // What `make` makes of the chosen threads, the first time.
  once(name, make) {
    const key = `${name} ${this.chosen}`;
    if (!this.#known.has(key)) this.#known.set(key, make());
    return this.#known.get(key);
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

  // The part that the other profile has for one of this one's; none if it does not have the zone.
  partOf(part) {
    const { keys } = this.own;
    if (keys !== this.ownKeys) {
      const others = new Map(this.profile.keys.map((key, part) => [key, part]));
      this.parts = keys.map((key) => others.get(key));
      this.ownKeys = keys;
    }
    return this.parts[part];
  }

  // Whether the other profile has entered one of this one's parts.
  hasEntered(part) {
    const other = this.partOf(part);
    return other !== undefined && isEntered(this.totals, other);
  }
}
