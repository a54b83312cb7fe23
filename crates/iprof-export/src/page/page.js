// Connects the page's parts, which all show the data selected at the top.

const data = JSON.parse(find("#data").textContent);
const frameData = JSON.parse(find("#frame-data").textContent);
const everything = new Profile({ ...data, zones: [...data.zones, ...frameData.zones] }, "this page");
// The profile that is shown: everything, or one frame.
let own = everything;

// Returns the unit for times per call, or per unit of a value. The unit suits the largest time of any zone, unless
// smaller times would become 0.
function unitOfEach(profile, countOf) {
  const [counts, hier] = [0, 1].map(() => new Float64Array(profile.keys.length));
  profile.part.forEach((part, at) => {
    if (part < 0) return;
    counts[part] += countOf(at);
    if (profile.outermost[at]) hier[part] += profile.hier[at];
  });
  return unitOfAll(hier.map((ns, part) => (counts[part] > 0 ? ns / counts[part] : 0)));
}

const threadSelect = find("#thread");
const shapeSelect = find("#shape");
const searchInput = find("#search");
let chosenThread = "all"; // or "merged", or a thread's key, which contains a line break
let baseline = null;
let scope = { profile: own, threads: own.threads, isByThread: false };
let tree = null;

// Describes a time's work and its percentage of the tree.
function shareIn({ hier, ranked }) {
  const isWork = isWorkRanked(tree);
  const work = ranked < hier ? `${time(ranked)} of it work, ` : "";
  return `${work}${percent(ranked, tree.ranked)} %${isWork ? " of all work" : ""}`;
}

function describe(node) {
  const calls = node.entries > 0 ? `, ${counted(node.entries, "call")}` : "";
  const self = node instanceof CallNode && node.zone !== NO_ZONE ? `, self ${marked(time(node.self), node.sampled)}` : "";
  const error = node instanceof CallNode && node.error > 0 ? ` ± ${time(node.error)}` : "";
  const place = fullPlaceOf(node.place);
  const rank = node.isIdle ? "idle" : shareIn(node);
  const times = `${marked(time(node.hier), node.hierSampled)}, ${rank}${self}${error}`;
  return `${short(node.name)}: ${isCounted(node) ? "only counted" : times}${calls}${valuesOf(node)}${place ? ", " + place : ""}`;
}

function chooseZone({ profile, part }) {
  if (profile === own && part >= 0 && part !== neighbors.part) neighbors.show(scope, part, baseline);
}

// Makes a tree row's zone current in the table, and its call path current in the flame graph.
function chooseRow(node) {
  chooseZone(node);
  if (node.profile === own && node.part >= 0) zones.goTo(node.part);
  flame.choose(node);
}

// Makes a flame graph frame's row current in the tree and the table.
function chooseFlame(node) {
  if (!node.isGroup) calls.grid.reveal(node);
}

const flame = new Flame(find("#flame .graph"), {
  id: "frame-",
  about: find("#flame output"),
  describe,
  onSelect: chooseFlame,
});
const calls = new Calls(find("#tree .table"), chooseRow);
const neighbors = new Neighbors();
const zones = new Zones(find("#zones .table"), chooseZone);

function rootOf(scope, isAll) {
  const { profile, threads } = scope;
  const roots = threads.map((thread) => thread.root);
  if (shapeSelect.value === "inverted") return new InvertedNode(scope);
  if (threadSelect.value === "merged") return new MergedNode(profile, null, NO_ZONE, roots);
  return isAll ? new ThreadsNode(profile) : new CallNode(profile, null, NO_ZONE, roots, threads[0]);
}

const isAllThreads = () => !own.allThreads[threadSelect.value];

function showTree() {
  const isAll = isAllThreads();
  tree = rootOf(scope, isAll);
  if (baseline) {
    const kind = `${shapeSelect.value} ${threadSelect.value} ${scope.isByThread}`;
    const root = baseline.cached(kind, () => rootOf({ ...scope, ...baseline.scope }, isAll));
    tree.compareWith(root, baseline.factor);
  }
  calls.show(tree, shapeSelect.value === "inverted", baseline);
  flame.show(tree);
}

function showAll() {
  const isAll = isAllThreads();
  const threads = isAll ? own.threads : [own.allThreads[threadSelect.value]];
  scope = { profile: own, threads, isByThread: threads.length > 1 && threadSelect.value !== "merged" };
  own.unitOfEach ??= unitOfEach(own, (at) => own.entries[at]);
  for (const value of own.values) value.unitOfEach ??= unitOfEach(own, (at) => (own.outermost[at] ? value.hier[at] : 0));
  baseline?.choose(threads, isAll);
  neighbors.show(scope, neighbors.part, baseline);
  zones.show(scope, baseline);
  showTree();
  showFound();
}

function chooseFrame(at) {
  const frame = frameData.frames[at];
  own = frame?.threads ? new Profile({ ...frame, frames: 1 }, `frame ${whole.format(frame.number)}`, everything) : everything;
  own.isFrame = own !== everything;
  own.isIdleRanked = find("#idle").checked;
  baseline?.compare(own);
  showBaselineStatus();
  search.setQuery(own, searchInput.value);
  listThreads();
  showAll();
}

// Lists the profile's threads. The selected thread is remembered while profiles without it are shown.
function listThreads() {
  for (const option of threadSelect.querySelectorAll("[data-thread]")) option.remove();
  for (const thread of own.allThreads) {
    const option = element("option", `${short(thread.name)} (${time(own.hier[thread.root])})`);
    option.value = thread.index;
    option.dataset.thread = "";
    threadSelect.append(option);
  }
  const without = own.hasGpu ? " without the GPU" : "";
  threadSelect.options[0].textContent = `all threads${without}`;
  threadSelect.options[1].textContent = `all threads${without}, merged`;
  const chosen = own.allThreads.find(({ key }) => key === chosenThread)?.index;
  threadSelect.value = chosen ?? (chosenThread === "merged" ? "merged" : "all");
  find("#idle").closest("label").hidden = !own.hasIdle;
  find("#tilde").hidden = !own.hasErrors;
}

function showFound() {
  const found = search.time(scope);
  find("#found").textContent = search.isOn ? `on the stack for ${time(found.hier)}, ${shareIn(found)}` : "";
}

function searchFor(query) {
  search.setQuery(own, query);
  showFound();
  flame.mark();
  calls.grid.refresh();
  zones.list();
}

// Makes the next search result current.
function goToFound(step) {
  if (!search.isOn) return;
  const { grid } = calls;
  const found = search.next(tree, grid.rows[grid.current], step);
  if (found) grid.reveal(found);
}

searchInput.addEventListener("input", () => searchFor(searchInput.value));
searchInput.addEventListener("keydown", (event) => {
  if (event.key === "Enter") goToFound(event.shiftKey ? -1 : 1);
  if (event.key !== "Escape") return;
  searchInput.value = "";
  searchFor("");
});
find("#next").addEventListener("click", () => goToFound(1));
find("#previous").addEventListener("click", () => goToFound(-1));
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.target.closest("input, select")) return;
  event.preventDefault();
  searchInput.focus();
});

threadSelect.addEventListener("change", () => {
  chosenThread = own.allThreads[threadSelect.value]?.key ?? threadSelect.value;
  showAll();
});
shapeSelect.addEventListener("change", showTree);
find("#idle").addEventListener("change", (event) => {
  own.isIdleRanked = event.target.checked;
  if (baseline) baseline.isIdleRanked = event.target.checked;
  showAll();
});
find("#whole").addEventListener("click", () => flame.zoom(tree));
find("#hot").addEventListener("click", () => calls.openHot());
find("#close").addEventListener("click", () => calls.close());

function showBaselineStatus() {
  find("#status").textContent = baseline?.describe() ?? "";
  find("#status").className = "";
}

async function compareWith(file) {
  const status = find("#status");
  try {
    baseline = file ? new Baseline(await readProfile(file), own) : null;
    showBaselineStatus();
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
