//! Names for a snapshot's zones and threads, as shown by exporters. Names fit on one line and are never blank. Zone
//! names are unique, since readers merge equal names.

use iprof_process::text_parts::distinct_places;
use iprof_process::{Snapshot, SnapshotZone, UNNAMED};
use std::borrow::Cow;
use std::collections::HashMap;

/// Returns each zone's name on [one line](one_line). Names shared by several zones are followed by [enough of the
/// source location](distinct_places) to distinguish them: `update (physics.rs)`.
pub(super) fn zone_names(snapshot: &Snapshot) -> Vec<String> {
    let places = places_of_shared_names(snapshot.zones.iter());
    let names = snapshot.zones.iter().map(|zone| one_line(&zone.name));
    let named = names.zip(places).map(|(name, place)| match place {
        None => name.into_owned(),
        Some(place) => format!("{name} ({place})"),
    });
    named.collect()
}

/// Returns the part of each zone's source location that distinguishes it from other zones with the same name. `None` if
/// the name is unique.
pub(super) fn places_of_shared_names<'a>(
    zones: impl Iterator<Item = &'a SnapshotZone> + Clone,
) -> Vec<Option<String>> {
    let mut by_name: HashMap<Cow<'_, str>, Vec<(usize, &SnapshotZone)>> = HashMap::new();
    for (at, zone) in zones.clone().enumerate() {
        let same = by_name.entry(one_line(&zone.name)).or_default();
        same.push((at, zone));
    }
    let mut places = vec![None; zones.count()];
    for same in by_name.into_values().filter(|same| same.len() > 1) {
        let files: Vec<_> = same.iter().map(|(_, zone)| one_line(&zone.file)).collect();
        let lines = same.iter().map(|(_, zone)| zone.line);
        let locations: Vec<(&str, u32)> = files.iter().map(|file| &**file).zip(lines).collect();
        for ((zone, _), place) in same.into_iter().zip(distinct_places(&locations)) {
            places[zone] = Some(place);
        }
    }
    places
}

/// Returns each thread's name on [one line](one_line). Threads with the same name are numbered: `worker #2`. A thread
/// with the same name as the GPU becomes `GPU (thread)`.
pub(super) fn distinct_thread_names(snapshot: &Snapshot) -> Vec<String> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    let names = thread_names(snapshot);
    for name in &names {
        counts.entry(name.to_string()).or_default().0 += 1;
    }
    let mut number = |name: Cow<'_, str>| match counts.get_mut(&*name) {
        Some((2.., before)) => {
            *before += 1;
            format!("{name} #{before}")
        }
        _ => name.into_owned(),
    };
    names.into_iter().map(&mut number).collect()
}

/// Returns each thread's name on one line. Threads may share a name, but no thread shares the GPU's name.
pub(super) fn thread_names(snapshot: &Snapshot) -> Vec<Cow<'_, str>> {
    let gpus: Vec<_> = snapshot
        .gpu_threads()
        .map(|gpu| one_line(&gpu.name))
        .collect();
    let names = snapshot.threads.iter().map(|thread| {
        let name = one_line(&thread.name);
        match !thread.is_gpu && gpus.contains(&name) {
            true => Cow::Owned(format!("{name} (thread)")),
            false => name,
        }
    });
    names.collect()
}

/// Returns a name on one line: line breaks and other control characters become spaces, and the ends are trimmed. A
/// blank name becomes `(unnamed)`.
pub(crate) fn one_line(name: &str) -> Cow<'_, str> {
    // Some readers break lines at U+2028 and U+2029, which are not control characters.
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let name = name.trim_matches(|c: char| c.is_whitespace() || breaks(c));
    if name.is_empty() {
        return Cow::Borrowed(UNNAMED);
    }
    match name.contains(breaks) {
        true => Cow::Owned(name.replace(breaks, " ")),
        false => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iprof_process::SnapshotZone;

    fn names(zones: &[(&str, &str, u32)]) -> Vec<String> {
        let mut snapshot = Snapshot::default();
        let zones = zones.iter();
        snapshot.zones = zones
            .map(|(name, file, line)| SnapshotZone::new(name, file, *line))
            .collect();
        zone_names(&snapshot)
    }

    #[test]
    fn zones_with_the_same_name_have_distinct_names() {
        assert_eq!(
            names(&[("a", "a.rs", 1), ("b", "a.rs", 1)]),
            ["a", "b"],
            "unique names must not change"
        );
        assert_eq!(
            names(&[("a", "src/x.rs", 1), ("b", "", 2), (" a\n", "src/y.rs", 1)]),
            ["a (x.rs)", "b", "a (y.rs)"]
        );
        assert_eq!(
            names(&[("a", "src/x.rs", 1), ("a", "src/x.rs", 7)]),
            ["a (x.rs:1)", "a (x.rs:7)"]
        );
        assert_eq!(
            names(&[("", "p/x.rs", 1), ("", "q\\x.rs", 1)]),
            ["(unnamed) (p/x.rs)", "(unnamed) (q\\x.rs)"]
        );
        assert_eq!(
            names(&[("a", "x.rs", 1), ("a", "x.rs", 1), ("a", "y.rs", 1)]),
            ["a (x.rs:1 #1)", "a (x.rs:1 #2)", "a (y.rs:1 #3)"]
        );
    }
}

#[cfg(test)]
mod thread_names_tests {
    use super::*;
    use iprof_process::SnapshotThread;

    #[test]
    fn threads_with_the_same_name_are_numbered() {
        let mut snapshot = Snapshot::default();
        for name in ["main", "worker", "GPU", " worker\n", "GPU", "", "GPU"] {
            snapshot.threads.push(SnapshotThread::new(name));
        }
        snapshot.threads[2].is_gpu = true;
        assert_eq!(
            distinct_thread_names(&snapshot),
            [
                "main",
                "worker #1",
                "GPU",
                "worker #2",
                "GPU (thread) #1",
                "(unnamed)",
                "GPU (thread) #2",
            ]
        );
        snapshot.threads[2].is_gpu = false;
        assert_eq!(thread_names(&snapshot)[2..5], ["GPU", "worker", "GPU"]);
    }
}

#[cfg(test)]
mod name_tests {
    use super::one_line;

    #[test]
    fn names_are_one_line_and_never_blank() {
        assert_eq!(one_line("a \"b\" 🦀"), "a \"b\" 🦀");
        assert_eq!(one_line("a\nb\r\nc\td\u{2028}e"), "a b  c d e");
        // Readers may drop trailing blanks, or mistake them for part of the next field.
        assert_eq!(one_line("  a b \u{1}\t"), "a b");
        assert_eq!(one_line(""), "(unnamed)");
        assert_eq!(one_line(" \n"), "(unnamed)");
    }
}
