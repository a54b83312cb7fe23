// Connects the page's parts: what is chosen above is shown by all of them.

const data = JSON.parse(find("#data").textContent);
const everything = new Profile(data, "this page");
const frameData = JSON.parse(find("#frame-data").textContent);
// What is shown: everything, or a frame.
let own = everything;

// Largest values, for units and colors.
function prepare(profile) {
  const totals = profile.totals(profile.threads);
  const counted = totals.map(({ entries, hier }) => (entries > 0 ? hier / entries : 0));
  const least = counted.reduce((least, each) => (each > 0 ? Math.min(least, each) : least), Infinity);
  profile.unitOfEach = unitForEach(least, counted.reduce((most, each) => Math.max(most, each), 0));
  profile.hottest = 0;
  for (let at = 0; at < profile.self.length; at++) {
    profile.hottest = Math.max(profile.hottest, profile.zone[at] === NO_ZONE ? 0 : profile.selfBusy(at));
  }
}

const threadSelect = find("#thread");
const shapeSelect = find("#shape");
const searchInput = find("#search");
let baseline = null;
let threads = own.threads;
let tree = null;

// Says everything about a node.
function describe(node) {
  const share = percent(node.busy, tree.busy);
  const calls = node.entries > 0 ? `, ${whole.format(node.entries)} calls` : "";
  const self = node instanceof CallNode ? `, self ${marked(time(node.self), node.sampled)}` : "";
  const error = node instanceof CallNode && node.error > 0 ? ` ± ${time(node.error)}` : "";
  const place = fullPlaceOf(node.place);
  const idle = node.isIdle ? ", idle" : `, ${share} %`;
  return `${short(node.name)}: ${marked(time(node.hier), node.hierSampled)}${idle}${self}${error}${calls}${place ? ", " + place : ""}`;
}

function chooseZone(zone) {
  if (zone === neighbors.zone || !own.zones[zone]) return;
  neighbors.show(own, threads, zone);
}

const flame = new Flame(find("#flame .graph"), {
  id: "frame-",
  about: find("#flame output"),
  describe,
  onSelect: (node) => chooseZone(node.zone),
});
const calls = new Calls(find("#tree .table"), chooseZone);
const neighbors = new Neighbors();
const zones = new Zones(find("#zones .table"), chooseZone);

// The tree of a profile that is chosen.
function rootOf(profile, threads, isAll) {
  if (shapeSelect.value === "inverted") return new InvertedNode(profile, threads);
  if (threadSelect.value === "merged") {
    const merged = new CallNode(profile, null, NO_ZONE, threads.map((thread) => thread.root));
    Object.defineProperty(merged, "name", { value: "all threads merged" });
    return merged;
  }
  if (isAll) return new ThreadsNode(profile);
  return new CallNode(profile, null, NO_ZONE, threads.map((thread) => thread.root), threads[0]);
}

// Shows what is chosen, anew.
function showAll() {
  const isAll = !own.threads[threadSelect.value];
  threads = isAll ? own.threads : [own.threads[threadSelect.value]];
  prepare(own);
  tree = rootOf(own, threads, isAll);
  if (baseline) {
    baseline.choose(threads, isAll);
    tree.base = rootOf(baseline.profile, baseline.threads, isAll);
  }
  neighbors.show(own, threads, neighbors.zone);
  calls.show(tree, shapeSelect.value === "inverted", baseline);
  zones.show(own, threads, baseline);
  flame.show(tree);
  showFound();
}

// Shows a frame alone, or everything.
function chooseFrame(at) {
  const frame = frameData.frames[at];
  const zones = [...data.zones, ...frameData.zones];
  own = frame?.threads ? new Profile({ ...frame, frames: 1, zones }, `frame ${frame.number}`) : everything;
  own.isIdleRanked = find("#idle").checked;
  if (baseline) baseline = new Baseline(baseline.profile, own);
  search.look(own, searchInput.value);
  listThreads();
  showAll();
}

// The threads of what is shown; the chosen one stays.
function listThreads() {
  const chosen = threadSelect.value;
  for (const option of threadSelect.querySelectorAll("[data-thread]")) option.remove();
  for (const thread of own.threads) {
    const option = element("option", `${short(thread.name)} (${time(own.hier[thread.root])})`);
    option.value = thread.index;
    option.dataset.thread = "";
    threadSelect.append(option);
  }
  threadSelect.value = own.threads[chosen] || chosen === "merged" ? chosen : "all";
  find("#idle").closest("label").hidden = !own.hasIdle;
  find("#tilde").hidden = !own.hasErrors;
}

function showFound() {
  const found = search.time(own, threads);
  const all = threads.reduce((sum, { root }) => sum + own.hier[root], 0);
  find("#found").textContent = search.isOn ? `on the stack for ${time(found)}, ${percent(found, all)} %` : "";
}

function lookFor(wanted) {
  search.look(own, wanted);
  showFound();
  flame.mark();
  calls.grid.refresh();
  zones.list();
}

// Goes to the next row of the tree that the search finds.
function goToFound(step) {
  if (!search.isOn) return;
  const { grid } = calls;
  const found = search.next(tree, grid.rows[grid.current], step);
  if (found) grid.reveal(found);
}

searchInput.addEventListener("input", () => lookFor(searchInput.value));
searchInput.addEventListener("keydown", (event) => {
  if (event.key === "Enter") goToFound(event.shiftKey ? -1 : 1);
  if (event.key !== "Escape") return;
  searchInput.value = "";
  lookFor("");
});
find("#next").addEventListener("click", () => goToFound(1));
find("#previous").addEventListener("click", () => goToFound(-1));
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.target.closest("input, select")) return;
  event.preventDefault();
  searchInput.focus();
});

threadSelect.addEventListener("change", showAll);
shapeSelect.addEventListener("change", showAll);
find("#idle").addEventListener("change", (event) => {
  own.isIdleRanked = event.target.checked;
  showAll();
});
find("#whole").addEventListener("click", () => flame.zoom(tree));
find("#hot").addEventListener("click", () => calls.openHot());
find("#close").addEventListener("click", () => calls.close());

// Compares with a file; says so, or what is wrong with it.
async function compareWith(file) {
  const status = find("#status");
  try {
    baseline = file ? new Baseline(await readProfile(file), own) : null;
    status.textContent = baseline?.describe() ?? "";
    status.className = "";
    find("#alone").hidden = !baseline;
    showAll();
  } catch (error) {
    status.textContent = error.message;
    status.className = "error";
  }
}

const fileInput = find("#other");
find("#compare").addEventListener("click", () => fileInput.click());
find("#alone").addEventListener("click", () => compareWith(null));
fileInput.addEventListener("change", () => {
  if (fileInput.files[0]) compareWith(fileInput.files[0]);
  fileInput.value = "";
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) compareWith(file);
});

new Frames(find("#frames"), frameData.frames, chooseFrame);
listThreads();
showAll();
