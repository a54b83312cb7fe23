//! Writes a snapshot in Callgrind's profile format, version 1: functions, calls, inclusive costs.
//! (<https://valgrind.org/docs/manual/cl-format.html>; KCachegrind, `callgrind_annotate`.)

use super::names::one_line;
use super::names::zone_names;
use super::snapshot_totals::SnapshotTotals;
use crate::snapshot::{Snapshot, SnapshotZone};
use std::io::{self, Write};

/// File of a zone without one; callgrind writes the same for functions of unknown files.
const NO_FILE: &str = "???";

impl Snapshot {
    /// Writes each zone as a function: its self time in whole nanoseconds at the line that defines it, and
    /// its calls, each with the entered zone, the number of entries and the time spent on the caller's
    /// behalf.
    ///
    /// A time is written as two events: `work_ns`, without idle time, that of
    /// [idle zones](crate::SnapshotZone::is_idle) and outside zones where that
    /// [counts as idle](crate::SnapshotThread::is_idle_outside_zones); and `ns`, all of it. Readers rank by the first
    /// event unless asked for another.
    ///
    /// All threads are summed. The GPU works beside them, so its times are not added to theirs: they are events of their
    /// own, `gpu_work_ns` and `gpu_ns`, and its zones functions of their own, whose names end in ` (GPU)`. Zones of
    /// the same name have their source file behind it, with the line if it is
    /// needed to tell them apart, since readers merge functions of the same name. Self times in `ns` sum to the time
    /// of all threads exactly, and those of the GPU to its time.
    ///
    /// Time counts in at most one of a zone's calls, the one of its outermost occurrence on the stack. So
    /// the calls of a function sum to its inclusive time even if it is recursive, which is what readers
    /// show. Where zones call each other in a cycle, the callees of a function may sum to less. A zone that
    /// enters itself directly has a call without cost. A zone that was open all the time was never entered,
    /// but is written as called once, since readers skip calls with a count of 0. Control characters in
    /// names become spaces.
    ///
    /// KCachegrind detects cycles unless "View, Do Cycle Detection" is off: for zones that call each other it adds a
    /// function `<cycle 1>`, whose inclusive time is that of the cycle. The zones have the mark behind their names; their
    /// inclusive times are then what they and callees outside of the cycle take, and calls within it have none.
    /// With the detection off it shows the times in this file, in which each moment counts once.
    ///
    /// # Errors
    ///
    /// Errors of `out`; [`InvalidInput`](io::ErrorKind::InvalidInput), before anything is written, if the
    /// snapshot is not [valid](Snapshot::validate).
    pub fn write_callgrind(&self, out: impl Write) -> io::Result<()> {
        write(self, out)
    }
}

fn write(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let whole = snapshot.in_nanoseconds()?;
    let names = zone_names(&whole);
    let work = whole.without_idle_time();
    let mut parts = vec![Part::of_threads(&whole, &work, &names)];
    parts.extend(Part::of_gpu(&whole, &work, &names));
    let of_parts = |value: fn(&Part) -> String| -> String {
        let values: Vec<String> = parts.iter().map(value).collect();
        values.join(" ")
    };
    let events = of_parts(|part| part.events.map(|(name, _)| name).join(" "));
    let ticks = of_parts(|part| format!("{} {}", part.work.ticks, part.totals.ticks));
    writeln!(out, "# callgrind format")?;
    writeln!(out, "version: 1")?;
    writeln!(out, "creator: iprof {}", env!("CARGO_PKG_VERSION"))?;
    let command = whole.about.command();
    writeln!(out, "cmd: {}", one_line(&command))?;
    writeln!(out, "positions: line")?;
    for (name, title) in parts.iter().flat_map(|part| part.events) {
        writeln!(out, "event: {name} : {title}")?;
    }
    writeln!(out, "events: {events}")?;
    writeln!(out, "summary: {ticks}")?;
    for part in &parts {
        part.write(&mut out)?;
    }
    writeln!(out)?;
    writeln!(out, "totals: {ticks}")?;
    out.flush()
}

/// The functions of the threads, or of the GPU.
struct Part<'a> {
    zones: &'a [SnapshotZone],
    names: &'a [String],
    totals: SnapshotTotals,
    /// The same without idle time, with the same calls.
    work: SnapshotTotals,
    /// Names and titles of the events that its times are: work, and all.
    events: [(&'static str, &'static str); 2],
    /// What precedes a time: those of other events.
    before: &'static str,
    /// The number of its first function.
    first: usize,
    /// What its names end in.
    mark: &'static str,
}

impl<'a> Part<'a> {
    fn of_threads(whole: &'a Snapshot, work: &Snapshot, names: &'a [String]) -> Part<'a> {
        Part {
            zones: &whole.zones,
            names,
            totals: SnapshotTotals::of(whole, whole.cpu_threads()),
            work: SnapshotTotals::of(work, work.cpu_threads()),
            events: [
                ("work_ns", "Time without idle [ns]"),
                ("ns", "All time [ns]"),
            ],
            before: "",
            first: 1,
            mark: "",
        }
    }

    fn of_gpu(whole: &'a Snapshot, work: &Snapshot, names: &'a [String]) -> Option<Part<'a>> {
        whole.gpu_threads().next()?;
        Some(Part {
            totals: SnapshotTotals::of(whole, whole.gpu_threads()),
            work: SnapshotTotals::of(work, work.gpu_threads()),
            events: [
                ("gpu_work_ns", "GPU time without idle [ns]"),
                ("gpu_ns", "All GPU time [ns]"),
            ],
            before: "0 0 ",
            first: 1 + names.len(),
            mark: " (GPU)",
            ..Part::of_threads(whole, work, names)
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let before = self.before;
        for (at, zone) in self.zones.iter().enumerate() {
            let calls = self.totals.calls_by(at as u32);
            let sums = self.totals.zones[at].sums;
            if sums == Default::default() && calls.is_empty() {
                continue;
            }
            writeln!(out)?;
            writeln!(out, "fl={}", file(zone))?;
            writeln!(out, "fn={}", self.function(at))?;
            let work = self.work.zones[at].sums.self_ticks;
            writeln!(out, "{} {before}{work} {}", zone.line, sums.self_ticks)?;
            let calls = calls.iter().zip(self.work.calls_by(at as u32));
            for (((_, callee), sums), (_, work)) in calls {
                if sums.entries == 0 && sums.hier_ticks == 0 {
                    continue;
                }
                let to = &self.zones[*callee as usize];
                writeln!(out, "cfi={}", file(to))?;
                writeln!(out, "cfn={}", self.function(*callee as usize))?;
                writeln!(out, "calls={} {}", sums.entries.max(1), to.line)?;
                let work = work.hier_ticks;
                writeln!(out, "{} {before}{work} {}", zone.line, sums.hier_ticks)?;
            }
        }
        Ok(())
    }

    /// A name after a number in parentheses, so that readers do not take a name that begins with a
    /// parenthesized number for such a number.
    fn function(&self, zone: usize) -> String {
        format!("({}) {}{}", self.first + zone, self.names[zone], self.mark)
    }
}

fn file(zone: &SnapshotZone) -> String {
    match &*zone.file {
        "" => NO_FILE.to_owned(),
        file => one_line(file).into_owned(),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::{Snapshot, SnapshotThread, SnapshotZone};

    #[test]
    fn a_function_has_its_self_time_and_its_calls() {
        let mut snapshot = Snapshot::default();
        let visit = snapshot.intern_zone(SnapshotZone::new("visit\n(1)", "tree.rs", 7));
        let mut thread = SnapshotThread::new("main");
        let outer = thread.child(0, visit);
        let inner = thread.child(outer, visit);
        for (node, ticks, entries) in [(0, 5, 0), (outer, 20, 2), (inner, 30, 3)] {
            thread.nodes[node].ticks = ticks;
            thread.nodes[node].entries = entries;
        }
        snapshot.threads.push(thread);
        snapshot.intern_zone(SnapshotZone::new("never", "tree.rs", 9));
        let mut out = Vec::new();
        snapshot.write_callgrind(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(head.ends_with(
            "positions: line\n\
             event: work_ns : Time without idle [ns]\nevent: ns : All time [ns]\n\
             events: work_ns ns\nsummary: 55 55"
        ));
        assert_eq!(
            body,
            "fl=???\nfn=(1) (outside zones)\n0 5 5\n\
             cfi=tree.rs\ncfn=(2) visit (1)\ncalls=2 7\n0 50 50\n\n\
             fl=tree.rs\nfn=(2) visit (1)\n7 50 50\n\
             cfi=tree.rs\ncfn=(2) visit (1)\ncalls=3 7\n7 0 0\n\n\
             totals: 55 55\n"
        );
    }

    #[test]
    fn idle_time_is_in_the_second_event_only() {
        let mut snapshot = Snapshot::default();
        let frame = snapshot.intern_zone(SnapshotZone::new("frame", "a.rs", 1));
        let mut idle = SnapshotZone::new("wait", "a.rs", 2);
        idle.is_idle = true;
        let wait = snapshot.intern_zone(idle);
        let mut thread = SnapshotThread::new("main");
        let frame = thread.child(0, frame);
        let wait = thread.child(frame, wait);
        thread.fill(&[(frame, 6, 1), (wait, 10, 1)]);
        snapshot.threads.push(thread);
        let mut out = Vec::new();
        snapshot.write_callgrind(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (_, body) = text.split_once("\n\n").unwrap();
        assert_eq!(
            body,
            "fl=???\nfn=(1) (outside zones)\n0 0 0\n\
             cfi=a.rs\ncfn=(2) frame\ncalls=1 1\n0 6 16\n\n\
             fl=a.rs\nfn=(2) frame\n1 6 6\n\
             cfi=a.rs\ncfn=(3) wait\ncalls=1 2\n1 0 10\n\n\
             fl=a.rs\nfn=(3) wait\n2 0 10\n\n\
             totals: 6 16\n"
        );
    }

    #[test]
    fn gpu_times_are_events_and_functions_of_their_own() {
        let mut snapshot = Snapshot::default();
        let draw = snapshot.intern_zone(SnapshotZone::new("draw", "a.rs", 7));
        for (name, ticks) in [("main", 20), ("GPU", 300)] {
            let mut thread = SnapshotThread::new(name);
            thread.is_gpu = name == "GPU";
            thread.is_idle_outside_zones = thread.is_gpu;
            let node = thread.child(0, draw);
            thread.fill(&[(0, 5, 0), (node, ticks, 2)]);
            snapshot.threads.push(thread);
        }
        let mut out = Vec::new();
        snapshot.write_callgrind(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(head.ends_with("events: work_ns ns gpu_work_ns gpu_ns\nsummary: 25 25 300 305"));
        assert_eq!(
            body,
            "fl=???\nfn=(1) (outside zones)\n0 5 5\n\
             cfi=a.rs\ncfn=(2) draw\ncalls=2 7\n0 20 20\n\n\
             fl=a.rs\nfn=(2) draw\n7 20 20\n\n\
             fl=???\nfn=(3) (outside zones) (GPU)\n0 0 0 0 5\n\
             cfi=a.rs\ncfn=(4) draw (GPU)\ncalls=2 7\n0 0 0 300 300\n\n\
             fl=a.rs\nfn=(4) draw (GPU)\n7 0 0 300 300\n\n\
             totals: 25 25 300 305\n"
        );
    }
}
