//! Writes a snapshot in version 1 of Callgrind's profile format, for KCachegrind and `callgrind_annotate`:
//! <https://valgrind.org/docs/manual/cl-format.html>.

use super::conversions::{in_nanoseconds, without_idle_time};
use super::names::{one_line, zone_names};
use super::totals::SnapshotTotals;
use iprof_process::{Snapshot, SnapshotZone};
use std::io::{self, Write};

/// The file name for zones without a file. Callgrind uses the same name for functions in unknown files.
const NO_FILE: &str = "???";

pub(super) fn write(snapshot: &Snapshot, mut out: impl Write) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    let names = zone_names(&whole);
    let work = without_idle_time(&whole);
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

/// The functions of all threads, or of the GPU.
struct Part<'a> {
    zones: &'a [SnapshotZone],
    names: &'a [String],
    totals: SnapshotTotals,
    /// The totals without idle time. They contain the same calls as `totals`.
    work: SnapshotTotals,
    /// The names and titles of the two events: work, and all time.
    events: [(&'static str, &'static str); 2],
    /// The values for the other events, which precede each time.
    other_events: &'static str,
    first_number: usize,
    name_suffix: &'static str,
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
            other_events: "",
            first_number: 1,
            name_suffix: "",
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
            other_events: "0 0 ",
            first_number: 1 + names.len(),
            name_suffix: " (GPU)",
            ..Part::of_threads(whole, work, names)
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let other_events = self.other_events;
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
            writeln!(
                out,
                "{} {other_events}{work} {}",
                zone.line, sums.self_ticks
            )?;
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
                writeln!(
                    out,
                    "{} {other_events}{work} {}",
                    zone.line, sums.hier_ticks
                )?;
            }
        }
        Ok(())
    }

    /// Returns a function's name, preceded by its number in parentheses. Without the number, readers would misparse
    /// names that begin with a number in parentheses.
    fn function(&self, zone: usize) -> String {
        format!(
            "({}) {}{}",
            self.first_number + zone,
            self.names[zone],
            self.name_suffix
        )
    }
}

fn file(zone: &SnapshotZone) -> String {
    match &*zone.file {
        "" => NO_FILE.to_owned(),
        file => one_line(file).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::write;
    use iprof_process::{Snapshot, SnapshotThread, SnapshotZone};

    #[test]
    fn functions_have_self_time_and_calls() {
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
        write(&snapshot, &mut out).unwrap();
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
        write(&snapshot, &mut out).unwrap();
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
    fn gpu_times_have_separate_events_and_functions() {
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
        write(&snapshot, &mut out).unwrap();
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
