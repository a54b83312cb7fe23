//! The remembered frames in the HTML page: a bar for each, and the data of the frame behind it.

use super::html::{NoTags, Thread, Zone};
use crate::nanoseconds::in_nanoseconds;
use iprof_process::ValueInfo;
use iprof_process::history::START_UP_NS;
use iprof_process::{FrameSnapshot, Snapshot, SnapshotZone};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

/// Maximum number of nodes of all frames together, some 3 MB: a page is mailed, and has to open at once.
const MAX_NODES: usize = 200_000;

/// A frame for the page's script.
#[derive(Serialize)]
struct Frame<'a> {
    number: u64,
    ns: u64,
    /// Whether the program was starting: such frames are not searched for the longest one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    early: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<&'a str>,
    /// `None` if the page has the frame's length only.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Vec<Thread<'a>>>,
}

/// Writes the frames as one JSON object, one after the other: `frames`, and `zones`, those that `whole` does not
/// have. Zones of frames are numbered as those of `whole`, followed by these.
pub(super) fn write_frames(
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
                // Those to which nothing was added before the whole was taken are left out.
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

/// The numbers of the frames that are written whole: the longest, as far as they fit.
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

/// The zones of the page.
struct Zones {
    /// Zones of the snapshot.
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
