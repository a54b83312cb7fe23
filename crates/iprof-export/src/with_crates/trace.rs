//! Writes frames on a timeline in Chrome's trace event format, for Perfetto, speedscope and `chrome://tracing`:
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.

use super::Fused;
use crate::conversions::in_nanoseconds;
use crate::names::{one_line, zone_names};
use crate::truncate::{OMITTED, depths};
use flate2::Compression;
use flate2::write::GzEncoder;
use iprof_process::subtree::{Children, Step};
use iprof_process::{FrameSnapshot, Snapshot, SnapshotThread};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::sync::Arc;

const PROCESS: u32 = 1;
/// The thread id used for the frames' track. The ids of threads follow. Perfetto uses 0 for the process itself.
const FRAMES: u32 = 1;
/// The maximum number of nested bars on a track. In Perfetto, deeper bars would overlap.
const MAX_LEVELS: u32 = 512;

/// Writes the frames on a timeline. If there are no frames, writes the entire snapshot as one frame.
pub(crate) fn write_timeline(
    snapshot: &Snapshot,
    frames: impl IntoIterator<Item = FrameSnapshot>,
    out: impl Write,
) -> io::Result<()> {
    let mut frames = frames.into_iter().peekable();
    let is_none = frames.peek().is_none();
    let all = is_none.then(|| FrameSnapshot {
        number: 1,
        begin_ns: 0,
        recorded: snapshot.clone(),
        marks: Vec::new(),
    });
    write(all.into_iter().chain(frames), out)
}

/// Writes the same timeline, compressed with gzip.
pub(crate) fn write_compressed(
    snapshot: &Snapshot,
    frames: impl IntoIterator<Item = FrameSnapshot>,
    out: impl Write,
) -> io::Result<()> {
    // JSON is written in many small pieces. The buffer avoids calling the encoder for each of them.
    let mut out = BufWriter::new(GzEncoder::new(Fused::new(out), Compression::default()));
    write_timeline(snapshot, frames, &mut out)?;
    let gzip = out.into_inner().map_err(IntoInnerError::into_error)?;
    gzip.finish()?.flush()
}

fn write(frames: impl IntoIterator<Item = FrameSnapshot>, mut out: impl Write) -> io::Result<()> {
    let mut json = serde_json::Serializer::new(&mut out);
    let mut events = json.serialize_seq(None)?;
    let mut frames = frames.into_iter().peekable();
    let program = frames.peek().map(|frame| frame.recorded.about.name());
    let program = program.filter(|name| !name.is_empty()).unwrap_or("iprof");
    let process = one_line(program).into_owned();
    events.serialize_element(&Event::named("process_name", FRAMES, &process))?;
    events.serialize_element(&Event::named("thread_name", FRAMES, "frames"))?;
    let mut tracks: BTreeMap<u32, Track> = BTreeMap::new();
    let mut end = 0;
    for frame in frames {
        let whole = in_nanoseconds(&frame.recorded)?;
        let names = zone_names(&whole);
        let name = title(&frame);
        let begin = end.max(frame.begin_ns);
        end = begin.saturating_add(whole.ticks);
        events.serialize_element(&Event::begin(&name, "frame", FRAMES, begin, None))?;
        events.serialize_element(&Event::end(&name, FRAMES, end))?;
        for (at, thread) in whole.threads.iter().enumerate() {
            let id = FRAMES + 1 + at as u32;
            let track = tracks.entry(id).or_default();
            if track.name.as_ref() != Some(&thread.name) {
                track.name = Some(thread.name.clone());
                let name = one_line(&thread.name);
                events.serialize_element(&Event::named("thread_name", id, &name))?;
            }
            for event in bars(&names, thread, id, begin, track.end) {
                track.end = event.ts;
                events.serialize_element(&event)?;
            }
        }
    }
    events.end()?;
    out.flush()
}

#[derive(Default)]
struct Track {
    /// The name last written for the thread.
    name: Option<Arc<str>>,
    end: u64,
}

/// Returns a frame's title: `frame 7: level loaded`.
fn title(frame: &FrameSnapshot) -> String {
    let number = format!("frame {}", frame.number);
    match frame.marks.is_empty() {
        true => number,
        false => format!("{number}: {}", frame.marks.join(", ")),
    }
}

/// Returns the begin and end events for a thread's stacks in a frame. Single events with a duration wouldn't work:
/// readers would add up rounded microseconds, so bars that should end at the same time would end at different times.
///
/// If the thread's previous frame ends at `track_end`, after this frame begins, the delay is subtracted from the time
/// outside zones, so that a late track catches up.
fn bars<'a>(
    names: &'a [String],
    thread: &'a SnapshotThread,
    id: u32,
    begin: u64,
    track_end: u64,
) -> Vec<Event<'a>> {
    let mut hier = thread.subtree_ticks();
    let delay = track_end.saturating_sub(begin);
    if let Some(root) = thread.nodes.first() {
        hier[SnapshotThread::ROOT] -= delay.min(root.ticks);
    }
    // A host may build frames with arbitrary times, so sums saturate.
    let begin = begin.saturating_add(delay);
    // For each node, the times at which its bar begins and at which its next child's bar will begin.
    let mut begins = vec![begin; thread.nodes.len()];
    let mut next = begins.clone();
    let depths = depths(thread);
    let mut bars = Vec::new();
    Children::by(&hier, thread.parents()).walk(|step| {
        let (Step::Enter(at) | Step::Leave(at)) = step;
        let node = &thread.nodes[at];
        if hier[at] == 0 || depths[at] + 1 >= MAX_LEVELS {
            return;
        }
        let name = &names[node.zone as usize];
        if let Step::Leave(_) = step {
            bars.push(Event::end(name, id, begins[at].saturating_add(hier[at])));
            return;
        }
        if at != SnapshotThread::ROOT {
            let parent = node.parent as usize;
            begins[at] = next[parent];
            next[at] = begins[at];
            next[parent] = next[parent].saturating_add(hier[at]);
        }
        let args = Args::Of {
            entries: node.entries,
            self_ns: node.ticks,
            error_ns: (node.error > 0.0).then(|| node.error.ceil()),
            samples: node.samples,
        };
        bars.push(Event::begin(name, "zone", id, begins[at], Some(args)));
        // Subtraction saturates, because the root may have been shortened above.
        let below = hier[at].saturating_sub(node.ticks);
        if depths[at] + 2 == MAX_LEVELS && below > 0 {
            let args = Args::Omitted { omitted_ns: below };
            let end = begins[at].saturating_add(below);
            bars.push(Event::begin(OMITTED, "zone", id, begins[at], Some(args)));
            bars.push(Event::end(OMITTED, id, end));
        }
    });
    bars
}

#[derive(Serialize)]
struct Event<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    /// The event's type: `B` begins a bar, `E` ends it, `M` (metadata) names a process or thread.
    ph: char,
    pid: u32,
    tid: u32,
    #[serde(serialize_with = "as_microseconds")]
    ts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Args<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Args<'a> {
    Of {
        entries: u64,
        self_ns: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_ns: Option<f64>,
        samples: u64,
    },
    Omitted {
        omitted_ns: u64,
    },
    Called {
        name: &'a str,
    },
}

impl<'a> Event<'a> {
    fn begin(
        name: &'a str,
        cat: &'static str,
        tid: u32,
        ns: u64,
        args: Option<Args<'a>>,
    ) -> Event<'a> {
        Event {
            name,
            cat: Some(cat),
            ph: 'B',
            pid: PROCESS,
            tid,
            ts: ns,
            args,
        }
    }

    fn end(name: &'a str, tid: u32, ns: u64) -> Event<'a> {
        Event {
            name,
            cat: None,
            ph: 'E',
            pid: PROCESS,
            tid,
            ts: ns,
            args: None,
        }
    }

    fn named(what: &'a str, tid: u32, name: &'a str) -> Event<'a> {
        Event {
            name: what,
            cat: None,
            ph: 'M',
            pid: PROCESS,
            tid,
            ts: 0,
            args: Some(Args::Called { name }),
        }
    }
}

/// Writes nanoseconds as microseconds. A double holds microseconds with three decimal places exactly for a century.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn as_microseconds<S: Serializer>(ns: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(*ns as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::write;
    use iprof_process::{FrameSnapshot, Snapshot, SnapshotThread, SnapshotZone};
    use serde_json::{Value, json};

    fn frame(number: u64, begin_ns: u64, marks: &[&str]) -> FrameSnapshot {
        let mut frame = FrameSnapshot {
            number,
            begin_ns,
            recorded: recorded(),
            marks: Vec::new(),
        };
        frame.marks = marks.iter().map(|mark| (*mark).into()).collect();
        frame
    }

    fn recorded() -> Snapshot {
        let mut snapshot = Snapshot::default();
        snapshot.ns_per_tick = 2.0;
        snapshot.ticks = 2_000;
        let a = snapshot.intern_zone(SnapshotZone::new("a", "a.rs", 1));
        let b = snapshot.intern_zone(SnapshotZone::new("b", "a.rs", 2));
        let mut thread = SnapshotThread::new("main");
        let small = thread.child(0, a);
        let large = thread.child(0, b);
        let below = thread.child(large, a);
        thread.fill(&[
            (0, 500, 0),
            (small, 300, 3),
            (large, 400, 1),
            (below, 800, 9),
        ]);
        snapshot.threads.push(thread);
        snapshot
    }

    #[test]
    fn frames_do_not_overlap_and_bars_nest() {
        let mut out = Vec::new();
        // The second frame begins before the first one ends, since the clocks differ. The third one begins after a gap.
        let mut frames = [frame(7, 0, &[]), frame(8, 3_999, &["a", "b"])];
        frames[0].recorded.about.program = "/home/me/my game".into();
        let frames = frames.into_iter().chain([frame(11, 9_000, &[])]);
        write(frames, &mut out).unwrap();
        let events: Vec<Value> = serde_json::from_slice(&out).unwrap();
        let mut bars: Vec<Value> = Vec::new();
        let mut open: [Vec<usize>; 3] = Default::default();
        for event in &events {
            let open = &mut open[event["tid"].as_u64().unwrap() as usize];
            let at = |event: &Value| event["ts"].as_f64().unwrap();
            if event["ph"] == "B" {
                open.push(bars.len());
                bars.push(json!([event["name"], event["tid"], event["ts"], null]));
            } else if event["ph"] == "E" {
                let bar = &mut bars[open.pop().expect("each end event follows its begin event")];
                assert_eq!(bar[0], event["name"]);
                bar[3] = json!((at(event) * 1e3 - bar[2].as_f64().unwrap() * 1e3).round() / 1e3);
            }
        }
        assert!(open.iter().all(Vec::is_empty), "bars without an end event");
        let expected = json!([
            ["frame 7", 1, 0.0, 4.0],
            ["(outside zones)", 2, 0.0, 4.0],
            ["b", 2, 0.0, 2.4],
            ["a", 2, 0.0, 1.6],
            ["a", 2, 2.4, 0.6],
            ["frame 8: a, b", 1, 4.0, 4.0],
            ["(outside zones)", 2, 4.0, 4.0],
            ["b", 2, 4.0, 2.4],
            ["a", 2, 4.0, 1.6],
            ["a", 2, 6.4, 0.6],
            ["frame 11", 1, 9.0, 4.0],
            ["(outside zones)", 2, 9.0, 4.0],
            ["b", 2, 9.0, 2.4],
            ["a", 2, 9.0, 1.6],
            ["a", 2, 11.4, 0.6],
        ]);
        assert_eq!(json!(bars), expected);
        let names = events.iter().filter(|event| event["ph"] == "M");
        let names: Vec<&Value> = names.map(|event| &event["args"]["name"]).collect();
        assert_eq!(names, ["my game", "frames", "main"]);
    }

    /// The GPU may still be busy with one frame when the next one begins.
    #[test]
    fn overlapping_frames_are_delayed_and_catch_up() {
        let busy = |number: u64, ticks: u64, busy: u64| {
            let mut frame = frame(number, 1_000 * number, &[]);
            frame.recorded.ticks = 500;
            let mut thread = SnapshotThread::new("GPU");
            let node = thread.child(0, 1);
            thread.fill(&[(0, ticks - busy, 0), (node, busy, 1)]);
            frame.recorded.threads = vec![thread];
            frame
        };
        // Frames take 1 µs. The GPU is busy for 1.5 µs in the first frame, and for 0.7 µs in each later frame.
        let frames = [
            busy(0, 750, 750),
            busy(1, 500, 350),
            busy(2, 500, 350),
            busy(3, 500, 350),
        ];
        let mut out = Vec::new();
        write(frames, &mut out).unwrap();
        let events: Vec<Value> = serde_json::from_slice(&out).unwrap();
        let of_gpu = events.iter().filter(|event| event["tid"] == 2);
        let found = of_gpu.filter(|event| event["ph"] != "M");
        let found: Vec<Value> = found
            .map(|event| json!([event["ph"], event["name"], event["ts"]]))
            .collect();
        let bars = |begin: f64, busy: f64, end: f64| {
            [
                json!(["B", "(outside zones)", begin]),
                json!(["B", "a", begin]),
                json!(["E", "a", busy]),
                json!(["E", "(outside zones)", end]),
            ]
        };
        let expected = [
            bars(0.0, 1.5, 1.5),
            bars(1.5, 2.2, 2.2),
            bars(2.2, 2.9, 3.0),
            bars(3.0, 3.7, 4.0),
        ];
        assert_eq!(found, expected.concat());
    }

    #[test]
    fn bars_beyond_the_maximum_depth_are_merged() {
        let mut deep = frame(1, 0, &[]);
        let mut thread = SnapshotThread::new(" ");
        for level in 0..600 {
            let node = thread.child(level, 1);
            thread.nodes[node].ticks = 1;
        }
        deep.recorded.threads = vec![thread];
        let mut out = Vec::new();
        write([deep], &mut out).unwrap();
        let events: Vec<Value> = serde_json::from_slice(&out).unwrap();
        assert_eq!(events[4]["args"]["name"], "(unnamed)");
        let of_thread = events
            .iter()
            .filter(|event| event["tid"] == 2 && event["ph"] == "B");
        let bars: Vec<&Value> = of_thread.collect();
        // The bars are `(outside zones)`, 510 of the 600 levels, with two nanoseconds each, and the omitted levels.
        assert_eq!(bars.len(), 512);
        assert_eq!(bars[510]["name"], "a");
        assert_eq!(bars[511]["name"], "(levels omitted)");
        assert_eq!(bars[511]["args"]["omitted_ns"], 180);
        let ends = events
            .iter()
            .filter(|event| event["tid"] == 2 && event["ph"] == "E");
        let ends: Vec<f64> = ends.map(|event| event["ts"].as_f64().unwrap()).collect();
        assert_eq!((ends.len(), ends[0], ends[511]), (512, 0.18, 1.2));
    }

    #[test]
    fn timeline_without_frames_has_no_bars() {
        let mut out = Vec::new();
        write([], &mut out).unwrap();
        let events: Vec<Value> = serde_json::from_slice(&out).unwrap();
        assert_eq!(events.len(), 2);
        assert_eq!(events[0]["args"]["name"], "iprof");
    }
}
