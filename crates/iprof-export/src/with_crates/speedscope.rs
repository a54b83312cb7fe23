//! Writes a snapshot in speedscope's file format, as JSON with events that open and close frames:
//! <https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources>.

use crate::conversions::in_nanoseconds;
use crate::names::{distinct_thread_names, zone_names};
use crate::truncate::{OMITTED, depths};
use iprof_process::subtree::{Children, Step};
use iprof_process::{Snapshot, SnapshotThread};
use serde::Serialize;
use std::io::{self, Write};

/// The maximum number of open frames. speedscope recurses over them and fails at a few thousand.
const MAX_LEVELS: u32 = 2_000;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

pub(crate) fn write(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    serde_json::to_writer(&mut out, &File::of(&whole, &zone_names(&whole)))?;
    out.flush()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: String,
    active_profile_index: usize,
    shared: Shared<'a>,
    profiles: Vec<Profile>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "is_none")]
    line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    /// The event's type: `O` opens a frame, `C` closes it.
    #[serde(rename = "type")]
    kind: char,
    at: u64,
    frame: u32,
}

impl<'a> File<'a> {
    fn of(whole: &'a Snapshot, names: &'a [String]) -> File<'a> {
        let frames = whole.zones.iter().zip(names).map(|(zone, name)| Frame {
            name,
            file: &zone.file,
            line: zone.line,
        });
        let omitted = Frame {
            name: OMITTED,
            file: "",
            line: 0,
        };
        let omitted_at = whole.zones.len() as u32;
        let mut profiles = Vec::new();
        for (thread, name) in whole.threads.iter().zip(distinct_thread_names(whole)) {
            profiles.push(Profile::of(
                thread,
                omitted_at,
                &name,
                "nanoseconds",
                |node| thread.nodes[node].ticks,
            ));
            let name = format!("{name}: entries");
            profiles.push(Profile::of(thread, omitted_at, &name, "none", |node| {
                thread.nodes[node].entries
            }));
        }
        if profiles.is_empty() {
            // Readers reject a file without profiles.
            let nothing = SnapshotThread::new("nothing");
            profiles.push(Profile::of(&nothing, 0, "nothing", "nanoseconds", |_| 0));
        }
        File {
            schema: SCHEMA,
            exporter: concat!("iprof ", env!("CARGO_PKG_VERSION")),
            name: whole.about.command(),
            active_profile_index: 0,
            shared: Shared {
                frames: frames.chain([omitted]).collect(),
            },
            profiles,
        }
    }
}

impl Profile {
    /// Builds a profile in which each node has the value `own`. `omitted` is the frame for omitted levels.
    fn of(
        thread: &SnapshotThread,
        omitted: u32,
        name: &str,
        unit: &'static str,
        own: impl Fn(usize) -> u64,
    ) -> Profile {
        let mut sums: Vec<u64> = (0..thread.nodes.len()).map(&own).collect();
        for (at, node) in thread.nodes.iter().enumerate().skip(1).rev() {
            sums[node.parent as usize] += sums[at];
        }
        let depths = depths(thread);
        let mut events = Vec::new();
        let mut at = 0;
        Children::by(&sums, thread.parents()).walk(|step| {
            let (kind, node) = match step {
                Step::Enter(node) => ('O', node),
                Step::Leave(node) => {
                    at += own(node);
                    ('C', node)
                }
            };
            if sums[node] == 0 || depths[node] + 1 >= MAX_LEVELS {
                return;
            }
            let frame = thread.nodes[node].zone;
            events.push(Event { kind, at, frame });
            let below = sums[node] - own(node);
            if kind == 'O' && depths[node] + 2 == MAX_LEVELS && below > 0 {
                for (kind, at) in [('O', at), ('C', at + below)] {
                    let frame = omitted;
                    events.push(Event { kind, at, frame });
                }
            }
        });
        Profile {
            kind: "evented",
            name: name.to_owned(),
            unit,
            start_value: 0,
            end_value: at,
            events,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_none(line: &u32) -> bool {
    *line == 0
}

#[cfg(test)]
mod tests {
    use super::write;
    use iprof_process::{Snapshot, SnapshotThread, SnapshotZone};
    use serde_json::{Value, json};

    fn read(snapshot: &Snapshot) -> Value {
        let mut out = Vec::new();
        write(snapshot, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn frames_are_sorted_by_descending_time() {
        let mut snapshot = Snapshot::default();
        let a = snapshot.intern_zone(SnapshotZone::new("a", "a.rs", 1));
        let b = snapshot.intern_zone(SnapshotZone::new("b", "", 0));
        let mut thread = SnapshotThread::new("main");
        let small = thread.child(0, a);
        let large = thread.child(0, b);
        thread.child(large, b);
        for (at, ticks, entries) in [(0, 5, 0), (small, 10, 3), (large, 20, 1)] {
            thread.nodes[at].ticks = ticks;
            thread.nodes[at].entries = entries;
        }
        snapshot.threads.push(thread);
        let file = read(&snapshot);
        assert_eq!(
            file["shared"]["frames"],
            json!([
                {"name": "(outside zones)"},
                {"name": "a", "file": "a.rs", "line": 1},
                {"name": "b"},
                {"name": "(levels omitted)"},
            ])
        );
        let events = |at: usize| {
            let events = file["profiles"][at]["events"].as_array().unwrap().iter();
            let short = |event: &Value| {
                format!("{}{} {}", event["type"], event["frame"], event["at"]).replace('"', "")
            };
            events.map(short).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(events(0), "O0 0, O2 0, C2 20, O1 20, C1 30, C0 35");
        assert_eq!(events(1), "O0 0, O1 0, C1 3, O2 3, C2 4, C0 4");
        assert_eq!(file["profiles"][0]["endValue"], 35);
    }

    #[test]
    fn empty_snapshots_have_one_empty_profile() {
        let file = read(&Snapshot::default());
        assert_eq!(file["profiles"].as_array().unwrap().len(), 1);
        assert_eq!(file["profiles"][0]["endValue"], 0);
    }
}
