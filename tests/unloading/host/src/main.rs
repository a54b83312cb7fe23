//! Loads libraries with zones, calls and unloads them, and creates every kind of report. The arguments are the paths of
//! two libraries whose zones have the same addresses but different names.

use profiler::Threads;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_void};

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

const NOW: c_int = 2;
/// The flag that opens a library only if it is already loaded.
const NO_LOAD: c_int = 4;
const DEPTH: u32 = 5;

/// Loads a library, calls it on this thread and on a second one, and closes it. Returns the address of one of the
/// library's zones.
fn run(path: &str) -> usize {
    let c_path = CString::new(path).unwrap();
    unsafe {
        let library = dlopen(c_path.as_ptr(), NOW);
        assert!(!library.is_null(), "{path} cannot be loaded");
        let work = dlsym(library, c"work".as_ptr());
        assert!(!work.is_null());
        let work: extern "C" fn(u32) -> usize = std::mem::transmute(work);
        let address = work(DEPTH);
        let thread = std::thread::Builder::new().name("worker".into());
        let there = thread.spawn(move || work(DEPTH)).unwrap().join().unwrap();
        assert_eq!(there, address);
        assert_eq!(dlclose(library), 0);
        assert!(
            dlopen(c_path.as_ptr(), NOW | NO_LOAD).is_null(),
            "the library should be closed"
        );
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(!maps.contains(path), "the library is still mapped");
        address
    }
}

/// Returns the number of entries of each zone, summed over all threads, by name. Also calls all other functions that
/// return recorded data.
fn recorded() -> BTreeMap<String, u64> {
    profiler::update(true);
    let mut entries = BTreeMap::new();
    let snapshot = profiler::snapshot();
    for node in snapshot.threads.iter().flat_map(|thread| &thread.nodes) {
        let zone = &snapshot.zones[node.zone as usize];
        let own = zone.file.ends_with("lib.rs") && zone.file.contains("plugin") && zone.line > 0;
        assert!(own || !zone.name.starts_with("plugin"), "{zone:?}");
        *entries.entry(zone.name.to_string()).or_default() += node.entries;
    }
    let mut view = profiler::View::default();
    view.set_threads(Threads::All);
    let report = view.report(&profiler::profiler());
    for warning in ["shared (", "left_open ("] {
        let names_it = |line: &String| line.contains(warning);
        assert!(
            report.warnings.iter().any(names_it),
            "{:?}",
            report.warnings
        );
    }
    assert!(!format!("{:?}", view.graph(&profiler::profiler())).is_empty());
    let mut text = Vec::new();
    profiler::write_report(&mut text).unwrap();
    assert!(String::from_utf8(text).unwrap().contains("plugin"));
    entries
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [one, other] = &paths[..] else {
        panic!("expected two libraries as arguments");
    };
    let calls = u64::from(2 * (DEPTH + 1));
    let place = run(one);
    let first = recorded();
    for name in [
        "plugin one",
        "named_after_me",
        "shared",
        "things",
        "pair",
        "left_open",
    ] {
        assert_eq!(first[name], calls, "{name}: {first:?}");
    }
    // The new zones must be distinguished from earlier zones at the same addresses.
    assert_eq!(
        run(other),
        place,
        "both libraries should be loaded at the same address"
    );
    let second = recorded();
    assert_eq!((second["plugin one"], second["plugin two"]), (calls, calls));
    assert_eq!(second["shared"], 2 * calls);
    // Zones are recognized no matter how many times their libraries are loaded.
    let zones = |_| profiler::snapshot().zones.len();
    let before = zones(());
    for _ in 0..50 {
        assert_eq!((run(one), run(other)), (place, place));
        recorded();
    }
    let last = recorded();
    assert_eq!(
        (last["plugin one"], last["plugin two"]),
        (51 * calls, 51 * calls)
    );
    assert_eq!(
        zones(()),
        before,
        "loading a library again should not create new zones"
    );
    println!("{last:?}");
}
