//! Tests of the rooms: which module of the crate may use which, read from its imports.
//!
//! Long because the table has each room once, with its neighbors.

use super::{code, room, sources};
use std::collections::BTreeMap;

/// Rooms of the crate and the rooms they may use. `lib.rs` may use all; `macros.rs` uses none by
/// name, its output calls what `lib.rs` has under `__private`.
const MAY_USE: &[(&str, &[&str])] = &[
    ("sync", &[]),
    ("variant_name", &[]),
    ("zone", &["sync"]),
    ("decimal", &[]),
    // Sorting, once for all.
    ("order", &[]),
    ("bits", &[]),
    ("value_info", &[]),
    ("zone_budget", &[]),
    ("named_value", &["zone"]),
    (
        "report",
        &["decimal", "value_info", "variant_name", "zone_budget"],
    ),
    ("average", &["variant_name"]),
    ("frame_set", &["decimal"]),
    ("session_part", &[]),
    ("frame_selection", &["frame_set", "session_part"]),
    ("action", &["average", "flame", "frame_selection", "report"]),
    (
        "bindings",
        &["action", "average", "flame", "frame_selection"],
    ),
    ("graph", &["order", "value_info", "variant_name"]),
    ("flame", &["graph"]),
    ("threads", &[]),
    ("timing", &[]),
    ("about", &["sync"]),
    ("sampled_profile", &[]),
    ("subtree", &["order"]),
    ("short_places", &[]),
    ("stall", &[]),
    ("cost_difference", &[]),
    ("budget_check", &["cost_difference", "snapshot"]),
    ("snapshot", &["about", "subtree", "value_info", "zone"]),
    ("clock", &["sync"]),
    ("gather", &["clock", "sync", "zone"]),
    // What hosts hold of it: an open zone, a scope of recording.
    ("allocator", &["gather", "sync", "zone"]),
    ("open_zone", &["gather", "zone"]),
    ("thread_recording", &["gather"]),
    // Reads the current nodes of threads, and does not know what its samples are for.
    ("sample", &["gather", "clock", "sync"]),
    (
        "process",
        &[
            // Texts: what `dump` and `write_report` write.
            "export",
            // The numbers in titles.
            "decimal",
            "bits",
            "gather",
            "order",
            "sample",
            "about",
            "action",
            "average",
            "cost_difference",
            "frame_selection",
            "frame_set",
            "report",
            "flame",
            "graph",
            "short_places",
            "sampled_profile",
            "session_part",
            "snapshot",
            "stall",
            "subtree",
            "threads",
            "timing",
            "value_info",
            "zone_budget",
            "clock",
            "sync",
            "zone",
            "if_enabled",
        ],
    ),
    ("help", &["action", "bindings", "frame_selection", "report"]),
    (
        "layout",
        &[
            "decimal",
            "order",
            "report",
            "flame",
            "graph",
            "help",
            "short_places",
            // Its moments in text.
            "session_part",
            "value_info",
            "zone",
        ],
    ),
    (
        "export",
        &[
            "order",
            "report",
            "graph",
            "short_places",
            "sampled_profile",
            "snapshot",
            "subtree",
            "value_info",
            // What is written of a row's budget.
            "zone_budget",
            "if_enabled",
        ],
    ),
    // Speaks GL, and returns GPU times as plain data; or is given them.
    (
        "gpu",
        &["gather", "clock", "open_zone", "sync", "zone", "if_enabled"],
    ),
    // Reports of the profiler, laid out, for any renderer.
    (
        "overlay",
        &[
            "process",
            "layout",
            // When the pointer clicks: two clicks may be a double click.
            "clock",
            "first_zone",
            "action",
            "bindings",
            "frame_selection",
            "help",
            "report",
            "flame",
            "graph",
            // That a click on a bucket shows.
            "session_part",
            "if_enabled",
        ],
    ),
    // The same, drawn with OpenGL.
    (
        "gl",
        &[
            "bits",
            "process",
            "layout",
            "overlay",
            "first_zone",
            "gpu",
            // GPU zones of the current overlay.
            "open_zone",
            "run_time_zone",
            "zone",
            "bindings",
            "report",
            "flame",
            "graph",
            "if_enabled",
        ],
    ),
    (
        "controls",
        &["gl", "overlay", "process", "action", "bindings", "timing"],
    ),
    ("web", &["gl", "overlay", "controls", "process", "bindings"]),
    (
        "winit",
        &["gl", "overlay", "controls", "process", "action", "bindings"],
    ),
    // Reports and profiles for clients.
    ("http", &["process", "export", "about", "snapshot"]),
    // Control from outside: starts, ends and writes what the rooms above provide.
    (
        "environment",
        &["process", "export", "gather", "http", "snapshot", "sync"],
    ),
    // The constructors of zones, which the macros call: a zone brings along what starts the environment.
    ("first_zone", &["environment", "zone"]),
    // `update`, whose zone may be the program's first one.
    ("frame_end", &["first_zone", "gather", "process"]),
    (
        "zone_builder",
        &["first_zone", "if_enabled", "run_time_zone", "zone"],
    ),
    ("zone_named", &["run_time_zone", "zone_builder"]),
    (
        "run_time_zone",
        &["gather", "if_enabled", "open_zone", "zone"],
    ),
    (
        "run_time_value",
        &["first_zone", "gather", "if_enabled", "named_value", "zone"],
    ),
    ("in_zone", &["open_zone", "run_time_zone", "zone"]),
    ("if_enabled", &[]),
    ("macros", &[]),
    ("unsupported_builds", &[]),
    ("guide", &[]),
];

/// Rooms of `process`, each with those that it may use. What stands beside them uses all, and is used by
/// none of them.
const PROCESS_ROOMS: &[(&str, &[&str])] = &[
    ("zone_key", &[]),
    ("delta", &[]),
    ("moving_average", &[]),
    ("untimed", &["delta", "moving_average"]),
    ("frame_budget", &[]),
    (
        "frame",
        &[
            "zone_key",
            "delta",
            "moving_average",
            "untimed",
            "frame_budget",
        ],
    ),
    ("view", &["zone_key", "frame"]),
    (
        "query",
        &[
            "zone_key",
            "delta",
            "moving_average",
            "untimed",
            "frame",
            "frame_budget",
            "view",
        ],
    ),
];

/// Types that the crate has at its root, and the rooms they live in.
const AT_THE_ROOT: &[(&str, &str)] = &[("Zone", "zone")];

/// The room of the constructors that the macros call, and the macros that call none: the crate's own
/// `zone!` enter zones that exist.
const MACROS_CALL: &str = "first_zone";

const MACROS_WITHOUT_A_ZONE: &[&str] = &["zone"];

/// The room of a file of `process`: the first part of its path below that.
fn room_of_process(file: &str) -> &str {
    let below = file.strip_prefix("src/process/").unwrap();
    below.split('/').next().unwrap().trim_end_matches(".rs")
}

/// Rooms named by `crate::…` in a line.
fn rooms_used(line: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for part in line.split("crate::").skip(1) {
        let names: Vec<&str> = match part.strip_prefix('{') {
            Some(list) => list.split([',', '}']).map(str::trim).collect(),
            None => vec![part],
        };
        for name in names {
            let end = name
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(name.len());
            let name = (&name[..end], name[end..].starts_with('!'));
            let room = match name {
                ("", _) => continue,
                (name, true) if MACROS_WITHOUT_A_ZONE.contains(&name) => continue,
                (_, true) => MACROS_CALL,
                (name, false) => AT_THE_ROOT
                    .iter()
                    .find(|(at_root, _)| *at_root == name)
                    .map_or(name, |(_, room)| room),
            };
            rooms.push(room.to_owned());
        }
    }
    rooms
}

/// A public function of a type whose `impl` block is in another room than the type.
struct ForeignFunction {
    of: String,
    /// The rooms that define a type of that name.
    homes: Vec<String>,
    name: String,
    is_method: bool,
    /// The room of the `impl` block.
    room: String,
}

impl ForeignFunction {
    /// The first line of a file that calls it. A file that neither names the type nor is in one of its rooms
    /// has no value of it; in others a method of another type of the same name counts, too: rename one of them.
    fn call<'a>(&self, text: &'a str, room: &str) -> Option<&'a str> {
        let path = format!("{}::{}", self.of, self.name);
        let method = format!(".{}(", self.name);
        let may_have_one = self.homes.iter().any(|home| home == room)
            || code(text).any(|line| has_word(line, &self.of));
        code(text)
            .filter(|line| !line.contains("$crate"))
            .find(|line| {
                has_word(line, &path) || self.is_method && may_have_one && line.contains(&method)
            })
    }
}

/// Whether a path or a name is in a line, and not as a part of a longer name.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part)
    })
}

/// The functions of `impl` blocks that are in another room than their type. `room_of` is the room of a file.
fn foreign_functions<'a>(
    sources: &'a BTreeMap<String, String>,
    room_of: impl Fn(&'a str) -> &'a str,
) -> Vec<ForeignFunction> {
    let name_at = |text: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        text[..text.find(|c| !is_part(c)).unwrap_or(text.len())].to_owned()
    };
    let mut homes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (file, text) in sources {
        for line in code(text) {
            let mut words = line.split(' ');
            if words.any(|word| ["struct", "enum", "union"].contains(&word)) {
                let name = name_at(words.next().unwrap_or_default());
                homes.entry(name).or_default().push(room_of(file));
            }
        }
    }
    let mut found = Vec::new();
    for (file, text) in sources {
        let mut of = None;
        for line in code(text) {
            if let Some(header) = line.strip_prefix("impl") {
                let is_of_trait = header.contains(" for ");
                // After the generic parameters.
                let of_type = header
                    .strip_prefix('<')
                    .and_then(|rest| rest.split_once("> "));
                let name = name_at(of_type.map_or(header, |(_, of_type)| of_type).trim());
                let is_foreign = homes
                    .get(&name)
                    .is_some_and(|homes| !homes.contains(&room_of(file)));
                of = (is_foreign && !is_of_trait).then_some(name);
            }
            let function = line.split_once("fn ").filter(|_| line.starts_with("pub"));
            if let (Some(of), Some((_, function))) = (&of, function) {
                let (_, arguments) = function.split_once('(').unwrap_or_default();
                found.push(ForeignFunction {
                    of: of.clone(),
                    homes: homes[of].iter().map(|home| (*home).to_owned()).collect(),
                    name: name_at(function),
                    // The arguments may be in the next line.
                    is_method: arguments.is_empty() || arguments.contains("self"),
                    room: room_of(file).to_owned(),
                });
            }
        }
    }
    found
}

#[test]
fn no_room_uses_itself_by_way_of_others() {
    for rooms in [MAY_USE, PROCESS_ROOMS] {
        let mut open: Vec<_> = rooms.iter().collect();
        // Takes away what uses nothing that is still there.
        while !open.is_empty() {
            let names: Vec<&str> = open.iter().map(|(name, _)| *name).collect();
            open.retain(|(_, uses)| uses.iter().any(|used| names.contains(used)));
            assert!(open.len() < names.len(), "a cycle of some of {names:?}");
        }
    }
}

#[test]
fn methods_of_another_rooms_types_are_used_only_where_their_room_may_be() {
    let mut sources = sources();
    sources.retain(|file, _| !["lib", "fuzz"].contains(&room(file)) && !file.contains("tests"));
    let found = foreign_functions(&sources, room);
    assert!(found.len() > 1, "only {} were found", found.len());
    check_calls(&found, &sources, room, MAY_USE);
}

#[test]
fn methods_from_beside_the_rooms_of_process_are_used_by_none_of_them() {
    let mut sources = sources();
    sources.retain(|file, _| file.starts_with("src/process/") && !file.contains("tests"));
    let found = foreign_functions(&sources, room_of_process);
    assert!(found.len() > 5, "only {} were found", found.len());
    check_calls(&found, &sources, room_of_process, PROCESS_ROOMS);
}

/// Rooms that `rooms` does not list may use all.
fn check_calls(
    functions: &[ForeignFunction],
    sources: &BTreeMap<String, String>,
    room_of: impl Fn(&str) -> &str,
    rooms: &[(&str, &[&str])],
) {
    for function in functions {
        let ForeignFunction { of, name, room, .. } = function;
        for (file, text) in sources {
            let here = room_of(file);
            let is_known = rooms.iter().find(|(room, _)| *room == here);
            if here == room || is_known.is_none_or(|(_, uses)| uses.contains(&&**room)) {
                continue;
            }
            if let Some(line) = function.call(text, here) {
                panic!("{file} calls {of}::{name} of {room}: {line}");
            }
        }
    }
}

#[test]
fn rooms_use_only_what_they_may() {
    let mut arrows = 0;
    for (file, text) in sources() {
        let room = room(&file);
        // The fuzzer's targets are tests, which may use all.
        if room == "lib" || room == "fuzz" || file.contains("/tests/") {
            continue;
        }
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(name, _)| *name == room)
            .unwrap_or_else(|| {
                panic!("{file} is in a room that this test does not know");
            });
        for line in code(&text).filter(|line| !line.contains("$crate")) {
            for used in rooms_used(line) {
                arrows += 1;
                let fine = used == room || allowed.contains(&used.as_str());
                assert!(fine, "{file} uses {used}: {line}");
            }
        }
    }
    assert!(
        arrows > 40,
        "only {arrows} arrows were found: the test does not see them"
    );
}

#[test]
fn rooms_of_process_use_only_what_they_may() {
    let mut arrows = 0;
    for (file, text) in sources() {
        if !file.starts_with("src/process/") {
            continue;
        }
        let name = room_of_process(&file);
        let Some((room, allowed)) = PROCESS_ROOMS.iter().find(|(room, _)| *room == name) else {
            continue;
        };
        if file.contains("tests") {
            continue;
        }
        let text: Vec<&str> = code(&text).collect();
        for part in text.join(" ").split("crate::process::").skip(1) {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let names: Vec<&str> = match part.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap().split(',').collect(),
                None => vec![part],
            };
            for used in names {
                let used = used.trim();
                let used = &used[..used.find(|c| !is_part(c)).unwrap_or(used.len())];
                arrows += 1;
                let fine = used == *room || used == "NONE" || allowed.contains(&used);
                assert!(fine, "{file} uses process::{used}");
            }
        }
    }
    assert!(arrows > 40, "only {arrows} arrows were found");
}
