//! Writes a snapshot as a self-contained HTML page with call trees, a table of zones and a flame graph.

use super::json::Value;
use crate::conversions::in_nanoseconds;
use crate::names::{one_line, places_of_shared_names};
use crate::text_table::recorded;
use html_escape::encode_text;
use iprof_process::history::START_UP_NS;
use iprof_process::{FrameSnapshot, Snapshot, SnapshotThread, SnapshotZone, ValueInfo};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

const PAGE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
/// The scripts, in dependency order.
const SCRIPTS: [&str; 15] = [
    include_str!("../page/element.js"),
    include_str!("../page/number.js"),
    include_str!("../page/profile.js"),
    include_str!("../page/tree.js"),
    include_str!("../page/search.js"),
    include_str!("../page/column.js"),
    include_str!("../page/row.js"),
    include_str!("../page/grid.js"),
    include_str!("../page/flame.js"),
    include_str!("../page/zones.js"),
    include_str!("../page/calls.js"),
    include_str!("../page/baseline.js"),
    include_str!("../page/frames.js"),
    include_str!("../page/theme.js"),
    include_str!("../page/page.js"),
];

/// Writes the page. `frames` is iterated twice.
pub(crate) fn write(
    snapshot: &Snapshot,
    frames: impl IntoIterator<Item = FrameSnapshot> + Clone,
    mut out: impl Write,
) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        out.write_all(before.as_bytes())?;
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match name {
            "title" => write!(out, "{}", encode_text(&title(&whole)))?,
            "about" => write_about(&whole, &mut out)?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "frames" => write_frames(&whole, frames.clone(), &mut out)?,
            "script" => out.write_all(SCRIPTS.concat().as_bytes())?,
            _ => serde_json::to_writer(NoTags(&mut out), &Data::of(&whole))?,
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())?;
    out.flush()
}

fn title(whole: &Snapshot) -> String {
    match whole.about.name() {
        "" => "iprof".to_owned(),
        name => format!("{} - iprof", one_line(name)),
    }
}

fn write_about(whole: &Snapshot, out: &mut impl Write) -> io::Result<()> {
    let about = &whole.about;
    let entries = [
        ("program", about.program.clone()),
        ("arguments", about.arguments.join(" ")),
        ("date", about.date()),
        ("machine", about.machine.clone()),
        ("recorded", recorded(whole)),
    ];
    for (name, value) in entries {
        if !value.is_empty() {
            writeln!(out, "<dt>{name}</dt><dd>{}</dd>", encode_text(&value))?;
        }
    }
    Ok(())
}

/// Escapes every `<` in JSON. An unescaped `<` could end the script element that contains the JSON, or begin a comment.
/// In JSON, `<` only occurs in strings, where the escape sequence is equivalent.
struct NoTags<W>(W);

impl<W: Write> Write for NoTags<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (at, part) in bytes.split(|byte| *byte == b'<').enumerate() {
            if at > 0 {
                self.0.write_all(b"\\u003c")?;
            }
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[derive(Serialize)]
struct Data<'a> {
    frames: u64,
    ns: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Value<'a>>,
    zones: Vec<Zone<'a>>,
    threads: Vec<Thread<'a>>,
}

#[derive(Serialize)]
struct Zone<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    own: bool,
    /// The part of the location that distinguishes this zone from others with the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
}

/// A thread, with a list for each field instead of an object for each node, which takes a fifth of the space.
#[derive(Serialize)]
struct Thread<'a> {
    name: &'a str,
    ended: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gpu: bool,
    parent: Vec<u32>,
    zone: Vec<u32>,
    entries: Vec<u64>,
    ns: Vec<u64>,
    /// The nodes whose self time is idle. `None` if there are no such nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<Vec<u32>>,
    /// The standard errors. `None` if all times are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Vec<f64>>,
    /// The sums of named values, as tuples of node, value number and steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<(u32, u32, i64)>,
}

impl<'a> Data<'a> {
    fn of(whole: &'a Snapshot) -> Data<'a> {
        Data {
            frames: whole.frames,
            ns: whole.ticks,
            values: Value::all(whole),
            zones: Zone::all(whole.zones.iter()),
            threads: whole
                .threads
                .iter()
                .map(|thread| Thread::of(whole, thread))
                .collect(),
        }
    }
}

impl<'a> Zone<'a> {
    fn all(zones: impl Iterator<Item = &'a SnapshotZone> + Clone) -> Vec<Zone<'a>> {
        let suffixes = places_of_shared_names(zones.clone());
        let named = zones.zip(suffixes).map(|(zone, suffix)| Zone {
            name: &zone.name,
            file: &zone.file,
            line: zone.line,
            own: zone.is_own,
            suffix,
        });
        named.collect()
    }
}

impl<'a> Thread<'a> {
    fn of(whole: &Snapshot, thread: &'a SnapshotThread) -> Thread<'a> {
        let nodes = || thread.nodes.iter();
        let idle = (0..thread.nodes.len()).filter(|node| whole.is_idle(thread, *node));
        let idle: Vec<u32> = idle.map(|node| node as u32).collect();
        let is_sampled = nodes().any(|node| node.error > 0.0);
        Thread {
            name: &thread.name,
            ended: thread.has_ended,
            gpu: thread.is_gpu,
            parent: nodes().map(|node| node.parent).collect(),
            zone: nodes().map(|node| node.zone).collect(),
            entries: nodes().map(|node| node.entries).collect(),
            ns: nodes().map(|node| node.ticks).collect(),
            idle: (!idle.is_empty()).then_some(idle),
            error: is_sampled.then(|| nodes().map(|node| node.error.ceil()).collect()),
            values: thread
                .values
                .iter()
                .map(|sum| (sum.node, sum.value, sum.steps))
                .collect(),
        }
    }
}

/// The maximum total number of nodes in all frames, about 3 MB. Pages should open quickly and fit in an email.
const MAX_NODES: usize = 200_000;

/// A remembered frame, for a bar in the graph and for the data shown when the frame is selected.
#[derive(Serialize)]
struct Frame<'a> {
    number: u64,
    ns: u64,
    /// Whether the program was starting up. Start-up frames are ignored when looking for the longest frame.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    early: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<&'a str>,
    /// The threads' data. `None` if the page only contains the frame's length.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Vec<Thread<'a>>>,
}

/// Writes a JSON object with two fields: `frames`, and `zones`, which lists the zones that are in frames but not in
/// `whole`. In frames, zone numbers first count the zones in `whole`, then the zones in this list.
fn write_frames(
    whole: &Snapshot,
    frames: impl IntoIterator<Item = FrameSnapshot> + Clone,
    out: &mut impl Write,
) -> io::Result<()> {
    let detailed = choose(frames.clone());
    let mut zones = Zones::of(whole);
    out.write_all(b"{\"frames\":[")?;
    let mut separator: &[u8] = b"";
    for frame in frames {
        let recorded = in_nanoseconds(&frame.recorded)?;
        let numbers: Vec<u32> = recorded
            .zones
            .iter()
            .map(|zone| zones.number(zone))
            .collect();
        let of_whole = |value: &ValueInfo| whole.values.iter().position(|known| known == value);
        let values: Vec<Option<usize>> = recorded.values.iter().map(of_whole).collect();
        let threads = detailed.contains(&frame.number).then(|| {
            let threads = recorded.threads.iter();
            let threads = threads.map(|thread| Thread::of(&recorded, thread));
            let renumbered = threads.map(|mut thread| {
                for zone in &mut thread.zone {
                    *zone = numbers[*zone as usize];
                }
                // Leave out values that aren't in `whole`. Nothing had been added to them when `whole` was taken.
                thread.values.retain_mut(|(_, value, _)| {
                    let known = values[*value as usize];
                    *value = known.unwrap_or_default() as u32;
                    known.is_some()
                });
                thread
            });
            renumbered.collect()
        });
        out.write_all(separator)?;
        separator = b",";
        let frame = Frame {
            number: frame.number,
            ns: recorded.ticks,
            early: frame.begin_ns < START_UP_NS,
            marks: frame.marks.iter().map(|mark| &**mark).collect(),
            threads,
        };
        serde_json::to_writer(NoTags(&mut *out), &frame)?;
    }
    out.write_all(b"],\"zones\":")?;
    let all = Zone::all(whole.zones.iter().chain(&zones.new));
    serde_json::to_writer(NoTags(&mut *out), &all[zones.known..])?;
    out.write_all(b"}")
}

/// Returns the numbers of the frames to write with their nodes: as many of the longest frames as fit.
fn choose(frames: impl IntoIterator<Item = FrameSnapshot>) -> HashSet<u64> {
    let size = |frame: FrameSnapshot| {
        let threads = frame.recorded.threads.iter();
        let nodes: usize = threads.map(|thread| thread.nodes.len()).sum();
        (Reverse(frame.recorded.ticks), frame.number, nodes)
    };
    let mut sizes: Vec<_> = frames.into_iter().map(size).collect();
    sizes.sort_unstable();
    let mut left = MAX_NODES;
    let mut chosen = HashSet::new();
    for (_, number, nodes) in sizes {
        if let Some(rest) = left.checked_sub(nodes) {
            left = rest;
            chosen.insert(number);
        }
    }
    chosen
}

struct Zones {
    /// The number of zones in the snapshot.
    known: usize,
    numbers: HashMap<(Arc<str>, Arc<str>, u32), u32>,
    new: Vec<SnapshotZone>,
}

impl Zones {
    fn of(whole: &Snapshot) -> Zones {
        let zones = (0..).zip(&whole.zones);
        Zones {
            known: whole.zones.len(),
            numbers: zones.map(|(at, zone)| (key(zone), at)).collect(),
            new: Vec::new(),
        }
    }

    fn number(&mut self, zone: &SnapshotZone) -> u32 {
        let next = (self.known + self.new.len()) as u32;
        *self.numbers.entry(key(zone)).or_insert_with(|| {
            self.new.push(zone.clone());
            next
        })
    }
}

fn key(zone: &SnapshotZone) -> (Arc<str>, Arc<str>, u32) {
    (zone.name.clone(), zone.file.clone(), zone.line)
}

#[cfg(test)]
mod tests {
    use super::write;
    use iprof_process::{Snapshot, SnapshotThread, SnapshotZone};

    #[test]
    fn names_never_become_markup() {
        let evil = "</script><script>alert(1)</script><!--";
        let mut snapshot = Snapshot::default();
        snapshot.about.program = format!("/bin/{evil}");
        snapshot.about.arguments = vec![evil.into(), "{{data}}".into()];
        snapshot.about.machine = evil.into();
        snapshot.intern_zone(SnapshotZone::new(evil, evil, 1));
        snapshot.threads.push(SnapshotThread::new(evil));
        let mut out = Vec::new();
        write(&snapshot, None, &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert_eq!(page.matches("<script").count(), 3);
        assert_eq!(page.matches("</script").count(), 3);
        assert!(!page.contains("<!--"));
        assert_eq!(page.matches("{{data}}").count(), 1);
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["zones"][1]["name"], evil);
        assert_eq!(data["threads"][0]["name"], evil);
    }

    #[test]
    fn page_has_no_external_resources() {
        let mut out = Vec::new();
        write(&Snapshot::default(), None, &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        for word in ["http://", "https://", "//cdn", "src=", "@import", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
