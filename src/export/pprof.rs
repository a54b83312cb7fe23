//! pprof's `profile.proto`, compressed with gzip.
//! (<https://github.com/google/pprof/blob/main/proto/profile.proto>; `go tool pprof`, Pyroscope,
//! Parca.)

use super::name::one_line;
use crate::snapshot::{Snapshot, SnapshotThread};
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use std::collections::HashMap;
use std::io::{self, Write};
use std::time::SystemTime;

impl Snapshot {
    /// Writes a profile of whole stacks: for each its entries, its self time in whole nanoseconds,
    /// and, if anything was sampled, how often the sampler found it.
    ///
    /// Zones are functions with the file and line that define them; two zones of one name are two
    /// functions. The thread's name is the label `thread` of its stacks. The outermost function is
    /// `_global`, and what it has itself was recorded in no zone. The sample types are `entries`,
    /// `self` and `samples`; `self` is shown unless another one is asked for. Times of a thread sum
    /// to its time to the nanosecond. How unsure sampled times are is not in the format. Stacks
    /// that were not entered and took no time are left out.
    ///
    /// A sample has the whole stack, so what is written grows with nodes times their depth.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_pprof(&self, out: impl Write) -> io::Result<()> {
        let profile = Maker::default().profile(&self.in_nanoseconds());
        let mut gzip = GzEncoder::new(out, Compression::default());
        gzip.write_all(&profile.encode_to_vec())?;
        gzip.finish()?.flush()
    }
}

/// The one mapping. Without any, `go tool pprof` complains that it finds no program to look for names
/// in; this one says that there are none to look for.
const PROGRAM: u64 = 1;

/// A profile that is being made.
#[derive(Default)]
struct Maker {
    profile: Profile,
    strings: HashMap<String, i64>,
}

impl Maker {
    fn profile(mut self, whole: &Snapshot) -> Profile {
        // The first one has to be empty.
        self.string("");
        let threads = || whole.threads.iter().flat_map(|thread| &thread.nodes);
        let has_samples = threads().any(|node| node.samples > 0);
        let types = [("entries", "count"), ("self", "nanoseconds")];
        let sampled = has_samples.then_some(("samples", "count"));
        for (kind, unit) in types.into_iter().chain(sampled) {
            let kind = self.value_type(kind, unit);
            self.profile.sample_type.push(kind);
        }
        self.profile.default_sample_type = self.string("self");
        self.profile.period_type = Some(self.value_type("self", "nanoseconds"));
        self.profile.period = 1;
        let since = |taken: SystemTime| taken.duration_since(SystemTime::UNIX_EPOCH).ok();
        if let Some(end) = whole.about.taken.and_then(since) {
            let begin = (end.as_nanos() as u64).saturating_sub(whole.ticks);
            self.profile.time_nanos = begin as i64;
        }
        self.profile.duration_nanos = whole.ticks as i64;
        for line in [whole.about.command(), whole.about.machine.clone()] {
            if !line.is_empty() {
                let comment = self.string(&line);
                self.profile.comment.push(comment);
            }
        }
        let filename = self.string(&whole.about.program);
        self.profile.mapping.push(Mapping {
            id: PROGRAM,
            filename,
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
            has_inline_frames: true,
        });
        for (at, zone) in whole.zones.iter().enumerate() {
            let id = at as u64 + 1;
            let line = i64::from(zone.line);
            let function = Function {
                id,
                // Readers print names in lines.
                name: self.string(&one_line(&zone.name)),
                // If it were the same, `go tool pprof` would take the name for one of C++, and what is
                // between < and > away.
                system_name: 0,
                filename: self.string(&zone.file),
                start_line: line,
            };
            self.profile.function.push(function);
            self.profile.location.push(Location {
                id,
                mapping_id: PROGRAM,
                line: vec![Line {
                    function_id: id,
                    line,
                }],
            });
        }
        for thread in &whole.threads {
            self.add(thread, has_samples);
        }
        self.profile
    }

    fn add(&mut self, thread: &SnapshotThread, has_samples: bool) {
        let label = Label {
            key: self.string("thread"),
            str: self.string(&thread.name),
        };
        for (at, node) in thread.nodes.iter().enumerate() {
            if (node.entries, node.ticks, node.samples) == (0, 0, 0) {
                continue;
            }
            let mut sample = Sample {
                location_id: vec![u64::from(node.zone) + 1],
                value: vec![node.entries as i64, node.ticks as i64],
                label: vec![label],
            };
            if has_samples {
                sample.value.push(node.samples as i64);
            }
            // The innermost comes first.
            let (mut below, mut node) = (at, node);
            while below != SnapshotThread::ROOT {
                below = node.parent as usize;
                node = &thread.nodes[below];
                sample.location_id.push(u64::from(node.zone) + 1);
            }
            self.profile.sample.push(sample);
        }
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType {
            kind: self.string(kind),
            unit: self.string(unit),
        }
    }

    /// The number of a string.
    fn string(&mut self, string: &str) -> i64 {
        if let Some(known) = self.strings.get(string) {
            return *known;
        }
        let table = &mut self.profile.string_table;
        let number = table.len() as i64;
        table.push(string.to_owned());
        self.strings.insert(string.to_owned(), number);
        number
    }
}

// The messages of `profile.proto`, with those of their fields that are written here.

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
    /// Nanoseconds since 1970.
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::export::samples::{any_snapshot, stacks};
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
        fn stacks_are_read_as_they_were(snapshot in any_snapshot()) {
            let mut file = Vec::new();
            snapshot.write_pprof(&mut file).unwrap();
            let profile = read(&file);
            let mut expected = stacks(&snapshot);
            expected.retain(|(_, node)| node.ticks > 0 || node.entries > 0);
            prop_assert_eq!(profile.sample.len(), expected.len());
            // Nobody has to look for names.
            prop_assert!(profile.mapping.len() == 1 && profile.mapping[0].has_functions);
            let of_program = |location: &Location| location.mapping_id == PROGRAM;
            prop_assert!(profile.location.iter().all(of_program));
            for (sample, (stack, node)) in profile.sample.iter().zip(expected) {
                let zones = sample.location_id.iter().rev().map(|id| *id as u32 - 1);
                prop_assert_eq!(zones.collect::<Vec<_>>(), stack);
                prop_assert_eq!(&sample.value, &[node.entries as i64, node.ticks as i64]);
            }
        }
    }
}
