//! Writes a snapshot as pprof's `profile.proto`, compressed with gzip, for `go tool pprof`, Pyroscope and Parca:
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>.

use super::Fused;
use crate::conversions::in_nanoseconds;
use crate::names::{one_line, zone_names};
use crate::truncate::{OMITTED, StackLimit, depths};
use flate2::Compression;
use flate2::write::GzEncoder;
use iprof_process::{Snapshot, SnapshotNode, SnapshotThread};
use prost::Message;
use std::collections::HashMap;
use std::io::{self, Write};
use std::time::SystemTime;

pub(crate) fn write(snapshot: &Snapshot, out: impl Write) -> io::Result<()> {
    let whole = in_nanoseconds(snapshot)?;
    let mut file = File {
        gzip: GzEncoder::new(Fused::new(out), Compression::default()),
        plain: Vec::with_capacity(BUFFER),
        strings: HashMap::new(),
    };
    file.write(&whole)?;
    file.flush()?;
    file.gzip.finish()?.flush()
}

/// The maximum total number of levels in all stacks. Stacks are truncated if it would be exceeded.
const MAX_LEVELS: u64 = 8 << 20;

/// The id of the only mapping, which marks everything as symbolized. Without a mapping, `go tool pprof` complains that
/// it can't find a binary to symbolize.
const PROGRAM: u64 = 1;

/// The sample type that readers show by default. As in other profilers' profiles, it excludes waiting.
const WORK: &str = "work";

const BUFFER: usize = 64 << 10;

#[derive(Clone, Copy, Debug)]
struct Kinds {
    has_samples: bool,
    has_gpu: bool,
}

impl Kinds {
    /// Returns the names and units. The types for named values come after them.
    fn all(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let times = [
            ("entries", "count"),
            ("self", "nanoseconds"),
            ("wall", "nanoseconds"),
            (WORK, "nanoseconds"),
        ];
        let gpu = [
            ("gpu", "nanoseconds"),
            ("gpu_wall", "nanoseconds"),
            ("gpu_entries", "count"),
        ];
        let sampled = self.has_samples.then_some(("samples", "count"));
        let gpu = gpu.into_iter().filter(move |_| self.has_gpu);
        times.into_iter().chain(sampled).chain(gpu)
    }

    /// Returns a stack's values in the same order.
    fn values(self, node: &SnapshotNode, is_gpu: bool, is_idle: bool) -> impl Iterator<Item = u64> {
        let SnapshotNode {
            entries,
            ticks,
            samples,
            ..
        } = *node;
        let unless = |is_none: bool, value| if is_none { 0 } else { value };
        let work = unless(is_idle, ticks);
        let own = [entries, ticks, ticks, work].map(|value| unless(is_gpu, value));
        let gpu = [work, ticks, entries].map(|value| unless(!is_gpu, value));
        let sampled = self.has_samples.then_some(unless(is_gpu, samples));
        let gpu = gpu.into_iter().filter(move |_| self.has_gpu);
        own.into_iter().chain(sampled).chain(gpu)
    }
}

/// A profile that is written in parts. In protobuf, concatenating encoded messages merges their fields into one
/// message, so each part is encoded as a `Profile` that only contains that part.
struct File<W: Write> {
    gzip: GzEncoder<Fused<W>>,
    /// The encoded data that has not been compressed yet.
    plain: Vec<u8>,
    /// The strings written so far, with their indices.
    strings: HashMap<String, i64>,
}

impl<W: Write> File<W> {
    fn write(&mut self, whole: &Snapshot) -> io::Result<()> {
        // The first string must be empty.
        self.string("")?;
        let mut nodes = whole.threads.iter().flat_map(|thread| &thread.nodes);
        let kinds = Kinds {
            has_samples: nodes.any(|node| node.samples > 0),
            has_gpu: whole.gpu_threads().next().is_some(),
        };
        self.write_head(whole, kinds)?;
        let stack_limit = StackLimit::of(whole, MAX_LEVELS, is_written, |_| 1);
        let omitted = whole.zones.len() as u64 + 1;
        for ((at, zone), name) in whole.zones.iter().enumerate().zip(zone_names(whole)) {
            self.write_zone(at as u64 + 1, &name, &zone.file, i64::from(zone.line))?;
        }
        if stack_limit.max_levels < usize::MAX {
            self.write_zone(omitted, OMITTED, "", 0)?;
        }
        for thread in &whole.threads {
            self.write_stacks(whole, thread, kinds, stack_limit, omitted)?;
        }
        Ok(())
    }

    fn write_head(&mut self, whole: &Snapshot, kinds: Kinds) -> io::Result<()> {
        let mut head = Profile::default();
        for (kind, unit) in kinds.all() {
            head.sample_type.push(self.value_type(kind, unit)?);
        }
        for value in &whole.values {
            let unit = match value.steps {
                1 => value.unit.to_string(),
                steps => format!("{}/{steps}", value.unit),
            };
            head.sample_type.push(self.value_type(&value.name, &unit)?);
        }
        head.default_sample_type = self.string(WORK)?;
        head.period_type = Some(self.value_type("wall", "nanoseconds")?);
        head.period = 1;
        let since = |taken: SystemTime| taken.duration_since(SystemTime::UNIX_EPOCH).ok();
        if let Some(end) = whole.about.taken.and_then(since) {
            let begin = (end.as_nanos() as u64).saturating_sub(whole.ticks);
            head.time_nanos = begin as i64;
        }
        head.duration_nanos = whole.ticks as i64;
        for line in [whole.about.command(), whole.about.machine.clone()] {
            if !line.is_empty() {
                head.comment.push(self.string(&line)?);
            }
        }
        head.mapping.push(Mapping {
            id: PROGRAM,
            filename: self.string(&mapped(&whole.about.program))?,
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
            has_inline_frames: true,
        });
        self.put(&head)
    }

    fn write_zone(&mut self, id: u64, name: &str, file: &str, line: i64) -> io::Result<()> {
        let function = Function {
            id,
            name: self.string(name)?,
            // If the system name equaled the name, `go tool pprof` would demangle the name as C++ and remove text in
            // angle brackets.
            system_name: 0,
            filename: self.string(file)?,
            start_line: line,
        };
        let location = Location {
            id,
            mapping_id: PROGRAM,
            line: vec![Line {
                function_id: id,
                line,
            }],
        };
        self.put(&Profile {
            function: vec![function],
            location: vec![location],
            ..Profile::default()
        })
    }

    fn write_stacks(
        &mut self,
        whole: &Snapshot,
        thread: &SnapshotThread,
        kinds: Kinds,
        stack_limit: StackLimit,
        omitted: u64,
    ) -> io::Result<()> {
        let label = Label {
            key: self.string("thread")?,
            str: self.string(&unquoted(&thread.name))?,
        };
        let idle = Label {
            key: self.string("idle")?,
            str: self.string("true")?,
        };
        let location = |node: usize| u64::from(thread.nodes[node].zone) + 1;
        let depths = depths(thread);
        // For each node, the innermost of the outermost levels that are kept on its stack.
        let mut outer: Vec<u32> = Vec::with_capacity(thread.nodes.len());
        let mut part = Profile {
            sample: vec![Sample::default()],
            ..Profile::default()
        };
        let count = whole.values.len();
        let steps = thread.steps_by_node(count);
        for (at, node) in thread.nodes.iter().enumerate() {
            let steps = &steps[at * count..(at + 1) * count];
            let depth = depths[at] as usize;
            let is_omitted = depth >= stack_limit.max_levels - 2;
            outer.push(match is_omitted {
                true => outer[node.parent as usize],
                false => at as u32,
            });
            if !is_written(node) && steps.iter().all(|steps| *steps == 0) {
                continue;
            }
            let sample = &mut part.sample[0];
            sample.label.clear();
            sample.label.push(label);
            let is_idle = whole.is_idle(thread, at);
            if is_idle {
                sample.label.push(idle);
            }
            sample.value.clear();
            let values = kinds.values(node, thread.is_gpu, is_idle);
            sample.value.extend(values.map(|value| value as i64));
            sample.value.extend(steps);
            // The innermost level comes first.
            sample.location_id.clear();
            let mut next = at;
            if stack_limit.outermost(depth).is_some() {
                sample.location_id.extend([location(at), omitted]);
                next = outer[at] as usize;
            }
            loop {
                sample.location_id.push(location(next));
                if next == SnapshotThread::ROOT {
                    break;
                }
                next = thread.nodes[next].parent as usize;
            }
            self.put(&part)?;
        }
        Ok(())
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> io::Result<ValueType> {
        Ok(ValueType {
            kind: self.string(kind)?,
            unit: self.string(unit)?,
        })
    }

    /// Returns the index of a string. Writes the string if it is new.
    fn string(&mut self, string: &str) -> io::Result<i64> {
        if let Some(known) = self.strings.get(string) {
            return Ok(*known);
        }
        let number = self.strings.len() as i64;
        self.strings.insert(string.to_owned(), number);
        self.put(&Profile {
            string_table: vec![string.to_owned()],
            ..Profile::default()
        })?;
        Ok(number)
    }

    fn put(&mut self, part: &Profile) -> io::Result<()> {
        if self.plain.len() + part.encoded_len() > BUFFER {
            self.flush()?;
        }
        // Encoding only fails for lack of space, and a `Vec` grows as needed.
        part.encode(&mut self.plain).map_err(io::Error::other)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.gzip.write_all(&self.plain)?;
        self.plain.clear();
        Ok(())
    }
}

/// Returns the only mapping's name: the program's name, which must not be a file path. Given a file,
/// `go tool pprof -weblist` would try to disassemble the locations' addresses, which don't exist, and crash.
fn mapped(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    match name.is_empty() {
        true => String::new(),
        false => format!("{} (zones)", unquoted(name)),
    }
}

/// Returns a name that is safe as a label value or as the mapping's name. `go tool pprof` doesn't escape them: line
/// breaks would break the output of `-tags`, and quotes would break the output of `-dot`.
fn unquoted(name: &str) -> String {
    one_line(name).replace('"', "'").replace('\\', "/")
}

fn is_written(node: &SnapshotNode) -> bool {
    (node.entries, node.ticks, node.samples) != (0, 0, 0)
}

// The messages of `profile.proto`, with only the fields that are written here.

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    /// The time in nanoseconds since 1970.
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    str: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Mapping {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "5")]
    filename: i64,
    #[prost(bool, tag = "7")]
    has_functions: bool,
    #[prost(bool, tag = "8")]
    has_filenames: bool,
    #[prost(bool, tag = "9")]
    has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    mapping_id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
    #[prost(int64, tag = "5")]
    start_line: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_snapshots::{any_snapshot, stacks};
    use proptest::prelude::*;
    use std::io::Read;

    fn read(file: &[u8]) -> Profile {
        let mut plain = Vec::new();
        let mut gzip = flate2::read::GzDecoder::new(file);
        gzip.read_to_end(&mut plain).unwrap();
        Profile::decode(&plain[..]).unwrap()
    }

    proptest! {
        #[test]
        fn stacks_are_read_back_unchanged(snapshot in any_snapshot()) {
            let mut file = Vec::new();
            write(&snapshot, &mut file).unwrap();
            let profile = read(&file);
            let mut expected = stacks(snapshot.threads.iter());
            expected.retain(|(_, node)| node.ticks > 0 || node.entries > 0);
            prop_assert_eq!(profile.sample.len(), expected.len());
            // Everything is marked as symbolized.
            prop_assert!(profile.mapping.len() == 1 && profile.mapping[0].has_functions);
            let of_program = |location: &Location| location.mapping_id == PROGRAM;
            prop_assert!(profile.location.iter().all(of_program));
            let is_idle = |thread: &SnapshotThread, at| match at {
                0 => thread.is_idle_outside_zones,
                _ => snapshot.zones[thread.nodes[at].zone as usize].is_idle,
            };
            let of_thread = snapshot.threads.iter().flat_map(|thread| {
                let written = (0..thread.nodes.len()).filter(|at| is_written(&thread.nodes[*at]));
                written.map(move |at| (is_idle(thread, at), thread))
            });
            let has_gpu = snapshot.threads.iter().any(|thread| thread.is_gpu);
            let samples = profile.sample.iter().zip(of_thread);
            for ((sample, (is_idle, thread)), (stack, node)) in samples.zip(expected) {
                let zones = sample.location_id.iter().rev().map(|id| *id as u32 - 1);
                prop_assert_eq!(zones.collect::<Vec<_>>(), stack);
                let text = |at: i64| &*profile.string_table[at as usize];
                let labels = sample.label.iter().map(|label| (text(label.key), text(label.str)));
                let mut wanted = vec![("thread", &*thread.name)];
                wanted.extend(is_idle.then_some(("idle", "true")));
                prop_assert_eq!(labels.collect::<Vec<_>>(), wanted);
                let (entries, ticks) = (node.entries as i64, node.ticks as i64);
                let work = if is_idle { 0 } else { ticks };
                let wanted = match (has_gpu, thread.is_gpu) {
                    (false, _) => vec![entries, ticks, ticks, work],
                    (true, false) => vec![entries, ticks, ticks, work, 0, 0, 0],
                    (true, true) => vec![0, 0, 0, 0, work, ticks, entries],
                };
                prop_assert_eq!(&sample.value, &wanted);
            }
        }
    }

    #[test]
    fn named_values_are_sample_types() {
        let mut snapshot = Snapshot::default();
        snapshot.values = vec![
            iprof_process::ValueInfo {
                name: "bodies".into(),
                unit: "body".into(),
                steps: 1,
            },
            iprof_process::ValueInfo {
                name: "energy".into(),
                unit: "J".into(),
                steps: 1_000,
            },
        ];
        let zone = snapshot.intern_zone(iprof_process::SnapshotZone::new("solve", "", 0));
        let mut thread = SnapshotThread::new("main");
        let node = thread.child(0, zone) as u32;
        thread.values = vec![
            iprof_process::SnapshotValue {
                node,
                value: 1,
                steps: 250,
            },
            iprof_process::SnapshotValue {
                node,
                value: 0,
                steps: -3,
            },
        ];
        snapshot.threads.push(thread);
        let mut file = Vec::new();
        write(&snapshot, &mut file).unwrap();
        let profile = read(&file);
        let text = |at: i64| &*profile.string_table[at as usize];
        let types = profile
            .sample_type
            .iter()
            .map(|of| (text(of.kind), text(of.unit)));
        let types: Vec<(&str, &str)> = types.collect();
        assert_eq!(types[4..], [("bodies", "body"), ("energy", "J/1000")]);
        assert_eq!(profile.sample.len(), 1);
        assert_eq!(profile.sample[0].value, [0, 0, 0, 0, -3, 250]);
    }

    /// The stacks of a linear call tree with 4,000 levels have eight million levels in total. Deeper trees are
    /// truncated.
    #[test]
    fn truncated_stacks_keep_both_ends_and_their_time() {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        for at in 0..20_000u32 {
            snapshot
                .zones
                .push(iprof_process::SnapshotZone::new(&format!("z{at}"), "", 0));
            let mut node = SnapshotNode {
                parent: at,
                zone: at + 1,
                ..SnapshotNode::default()
            };
            node.ticks = 1;
            thread.nodes.push(node);
        }
        snapshot.threads.push(thread);
        let mut file = Vec::new();
        write(&snapshot, &mut file).unwrap();
        let profile = read(&file);
        let omitted = profile.location.last().unwrap().id;
        let name = profile.function.last().unwrap().name;
        assert_eq!(profile.string_table[name as usize], OMITTED);
        let longest = profile.sample.iter().map(|sample| sample.location_id.len());
        let longest = longest.max().unwrap() as u64;
        assert!((64..1_000).contains(&longest), "{longest}");
        assert_eq!(profile.sample.len(), 20_000);
        for (at, sample) in (1..).zip(&profile.sample) {
            let innermost = at + 1;
            assert_eq!(sample.value, [0, 1, 1, 1]);
            // The root is location 1, and its callees follow.
            let mut stack: Vec<u64> = match innermost <= longest {
                true => (1..=innermost).collect(),
                false => (1..=longest - 2).chain([omitted, innermost]).collect(),
            };
            stack.reverse();
            assert_eq!(sample.location_id, stack);
        }
    }
}
