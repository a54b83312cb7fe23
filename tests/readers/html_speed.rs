//! A large page answers at once.

use crate::browser::visit_in_real_time;
use crate::program::Folder;
use crate::recorded::{names, random};

/// What the page may take, in milliseconds, on a machine that has nothing else to do: to open, and to answer.
const OPEN_MS: f64 = 1_000.0;
const ANSWER_MS: f64 = 50.0;
/// The machines of tests have much else to do.
const BUSY: f64 = 5.0;

/// Times every kind of key, the best of three, until the page is laid out anew.
const SCRIPT: &str = r##"
document.body.offsetHeight;
const found = { open: performance.now(), keys: {} };
const timed = (name, act) => {
  let best = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now();
    act(turn);
    document.body.offsetHeight;
    best = Math.min(best, performance.now() - start);
  }
  found.keys[name] = best;
};
for (const name of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "PageDown", "End", "PageUp", "Home", "Enter"]) {
  timed("tree " + name, () => key("#tree .grid", name));
}
for (const name of ["ArrowDown", "PageDown", "End", "Home"]) timed("zones " + name, () => key("#zones .grid", name));
for (const name of ["ArrowDown", "ArrowRight", "ArrowDown", "Enter", "ArrowLeft", "-", "Escape"]) {
  timed("flame " + name, () => key("#flame .graph", name));
}
for (const wanted of ["z", "zo", "zone_12", "zone_1234", ""]) timed("search " + wanted, () => search(wanted));
search("zone_1");
timed("search Enter", () => key("#search", "Enter"));
search("");
for (const column of ["name", "entries", "self"]) timed("sort " + column, () => click(`#zones [data-key=${column}] button`));
found.frames = frames().length;
found.zones = own.zones.length;
found.stacks = own.parent.length;
// As choosing from a list is, which is no key.
const start = performance.now();
choose("#shape", "inverted");
document.body.offsetHeight;
found.inverted = performance.now() - start;
return found;
"##;

#[test]
fn five_thousand_zones_and_fifty_thousand_stacks_open_and_answer_at_once() {
    let snapshot = random(&names(5_000), 50_000);
    let Some(found) = visit_in_real_time(SCRIPT, &snapshot, &Folder::new("html-speed")) else {
        return;
    };
    println!("{found}");
    assert!(found["stacks"].as_u64().unwrap() > 49_000, "{found}");
    let open = found["open"].as_f64().unwrap();
    assert!(open < BUSY * OPEN_MS, "the page opened in {open} ms");
    for (key, ms) in found["keys"].as_object().unwrap() {
        let ms = ms.as_f64().unwrap();
        assert!(ms < BUSY * ANSWER_MS, "{key}: {ms} ms");
    }
}
