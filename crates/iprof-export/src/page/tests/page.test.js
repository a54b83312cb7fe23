// Tests for the page scripts that don't need a document. Run them with
// `node --test crates/iprof-export/src/page/tests/page.test.js`.

const { test } = require("node:test");
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const folder = path.join(__dirname, "..");
const read = (name) => fs.readFileSync(path.join(folder, name), "utf8");

// Runs scripts in one scope, as the page does. Returns the `exported` definitions.
function load(names, exported) {
  const scripts = names.map(read).join("\n");
  return vm.runInThisContext(`(() => {\n${scripts}\nreturn { ${exported.join(", ")} };\n})()`);
}

const numbers = load(["number.js"], ["time", "shortTime", "clock", "inUnit", "unitFor", "percent", "counted"]);
const page = load(
  ["number.js", "profile.js", "tree.js", "search.js"],
  ["Profile", "ThreadsNode", "InvertedNode", "Search", "callersOf", "calleesOf", "pathTo", "follow"],
);

// Returns data with two threads. On `main`, `run` (10 ns) calls `work` (30 ns), which calls itself (5 ns), and `draw`
// (20 ns). On `other`, `work` takes 7 ns.
const data = () => ({
  frames: 1,
  ns: 100,
  zones: ["(outside zones)", "run", "work", "draw"].map((name) => ({ name, file: "a.rs", line: 1 })),
  threads: [
    { name: "main", parent: [0, 0, 1, 2, 1], zone: [0, 1, 2, 2, 3], entries: [0, 1, 2, 1, 4], ns: [35, 10, 30, 5, 20], idle: [0] },
    { name: "other", parent: [0, 0], zone: [0, 2], entries: [0, 3], ns: [93, 7] },
  ],
});

function profileOf(like) {
  const profile = new page.Profile(like ?? data(), "test");
  profile.isIdleRanked = true;
  return profile;
}

function visit(node, seen) {
  seen(node);
  for (const child of node.children) visit(child, seen);
}

test("every script parses", () => {
  const scripts = fs.readdirSync(folder).filter((name) => name.endsWith(".js"));
  assert.ok(scripts.length > 10);
  for (const name of scripts) new vm.Script(read(name), { filename: name });
});

test("html.rs includes every script exactly once", () => {
  const list = fs.readFileSync(path.join(folder, "../with_crates/html.rs"), "utf8");
  const scripts = fs.readdirSync(folder).filter((name) => name.endsWith(".js"));
  for (const name of scripts) assert.equal(list.split(`include_str!("../page/${name}")`).length, 2, name);
});

test("units fit the times", () => {
  const { time, shortTime } = numbers;
  assert.deepEqual(
    [0, 7, 7.25, 1500, 2.5e6, 3e9, 61e9, 3723.456e9, -1500].map((ns) => time(ns)),
    ["0 ns", "7 ns", "7.3 ns", "1.500 µs", "2.500 ms", "3.000 s", "1:01.000 min", "1:02:03.456 h", "-1.500 µs"],
  );
  assert.deepEqual([20e6, 1.5e3, 0].map((ns) => shortTime(ns)), ["20 ms", "1.5 µs", "0 ns"]);
});

test("nonzero values are not displayed as zero", () => {
  const { inUnit, unitFor } = numbers;
  assert.equal(inUnit(1, unitFor(1e9)), "<0.001");
  assert.equal(inUnit(0, unitFor(1e9)), "0.000");
});

test("counts and percentages are formatted", () => {
  assert.equal(numbers.counted(1, "call"), "1 call");
  assert.equal(numbers.counted(12345, "call"), "12,345 calls");
  assert.equal(numbers.percent(1, 0), "0.00");
  assert.equal(numbers.percent(1, 3), "33.33");
});

test("self times add up to thread times and totals", () => {
  const profile = profileOf();
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  assert.equal(sum(profile.self), 200);
  for (const thread of profile.threads) assert.equal(profile.hier[thread.root], 100);
  assert.equal(sum(profile.totals(profile.threads).self), 200);
});

test("recursion counts once", () => {
  const profile = profileOf();
  const totals = profile.totals(profile.threads);
  assert.equal(totals.hier[2], 30 + 5 + 7);
  assert.equal(totals.self[2], 30 + 5 + 7);
  assert.equal(totals.entries[2], 2 + 1 + 3);
  assert.equal(totals.hier[1], 65);
  assert.deepEqual({ ...profile.recursionOf(2, profile.threads) }, { calls: 6, outermost: 5, isRecursive: true });
});

test("call tree nodes are the sum of self time and children", () => {
  const root = new page.ThreadsNode(profileOf());
  assert.equal(root.hier, 200);
  visit(root, (node) => {
    if (node.children.length === 0) assert.equal(node.hier, node.self, node.name);
    else assert.equal(node.hier, node.self + node.children.reduce((sum, { hier }) => sum + hier, 0), node.name);
  });
});

test("inverted tree nodes are the sum of their callers", () => {
  const profile = profileOf();
  const root = new page.InvertedNode({ profile, threads: profile.threads, isByThread: true });
  let checked = 0;
  visit(root, (node) => {
    if (node === root || node.children.length === 0) return;
    checked++;
    assert.equal(node.hier, node.children.reduce((sum, { hier }) => sum + hier, 0), node.name);
  });
  assert.ok(checked > 3);
  assert.equal(root.children.reduce((sum, { hier }) => sum + hier, 0), 200);
});

test("a zone's callers and callees add up to its time", () => {
  const profile = profileOf();
  const scope = { profile, threads: profile.threads, isByThread: true };
  assert.equal(page.callersOf(scope, 2).hier, 42);
  assert.deepEqual(page.callersOf(scope, 2).children.map(({ name, hier }) => `${name} ${hier}`), ["run 35", "(outside zones) on other 7"]);
  assert.deepEqual(page.calleesOf(scope, 1).children.map(({ name, hier }) => `${name} ${hier}`), ["work 35", "draw 20"]);
});

test("idle time ranks last", () => {
  const profile = profileOf();
  profile.isIdleRanked = false;
  const [main] = new page.ThreadsNode(profile).children;
  assert.deepEqual(main.children.map(({ name }) => name), ["run", "(outside zones, idle)"]);
  assert.equal(main.work, 65);
});

test("the search counts each moment once", () => {
  const profile = profileOf();
  const search = new page.Search();
  search.setQuery(profile, " WORK ");
  assert.equal(search.time({ profile, threads: profile.threads }).hier, 42);
  search.setQuery(profile, "run");
  assert.equal(search.time({ profile, threads: profile.threads }).hier, 65);
  search.setQuery(profile, "nothing");
  assert.equal(search.time({ profile, threads: profile.threads }).hier, 0);
});

test("a path leads to the same node in a different tree", () => {
  const [root, other] = [profileOf(), profileOf()].map((profile) => new page.ThreadsNode(profile));
  visit(root, (node) => {
    const { node: found, left } = page.follow(other, page.pathTo(node));
    assert.equal(left.length, 0, node.name);
    assert.equal(found.name, node.name);
    assert.equal(found.hier, node.hier);
  });
});

test("JSON profiles are read like the page's own data", () => {
  const json = data();
  json.threads = json.threads.map(({ name, parent, zone, entries, ns, idle = [] }) => ({
    name,
    nodes: parent.map((_, at) => ({
      parent: parent[at], zone: zone[at], entries: entries[at], self_ns: ns[at], idle: idle.includes(at),
    })),
  }));
  assert.deepEqual([...profileOf(json).hier], [...profileOf().hier]);
  assert.deepEqual([...profileOf(json).idle], [...profileOf().idle]);
});

test("files that are not profiles are rejected", () => {
  const broken = (change) => {
    const it = data();
    change(it);
    return () => new page.Profile(it, "broken");
  };
  const says = (text) => (error) => error.message === text;
  assert.throws(() => new page.Profile(null, "none"), says("zones or threads are missing"));
  assert.throws(broken((it) => delete it.threads[0].ns), says("a thread has no nodes"));
  assert.throws(broken((it) => (it.threads[0].parent[1] = 3)), says("invalid call tree"));
  assert.throws(broken((it) => (it.threads[0].zone[1] = 9)), says("invalid call tree"));
  assert.throws(broken((it) => (it.threads[0].ns[1] = -1)), says("invalid times or counts"));
});
