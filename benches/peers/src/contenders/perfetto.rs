//! perfetto-recorder: each thread has a list of events, which can be written as a trace later.

use crate::contender::{BARE, Contender};
use crate::entry_counts::{self, Counts};
use perfetto_recorder::{ThreadTraceData, TraceBuilder};
use std::cell::{Cell, RefCell};

pub(crate) const PERFETTO: Contender = Contender {
    name: "perfetto-recorder",
    package: Some("perfetto-recorder"),
    set: "enable, fastant; start(); it has no frames: a frame's events are taken and kept for the trace, which is not written",
    start: || perfetto_recorder::start().expect("tracing should be compiled in"),
    frame: || {
        let frame = ThreadTraceData::take_current_thread();
        KEPT.with_borrow_mut(|kept| kept.push(frame));
    },
    mark: || MARK.set(KEPT.with_borrow(Vec::len)),
    counts: Some(counts),
    work: &WORK,
    ..BARE
};

thread_local! {
    static KEPT: RefCell<Vec<ThreadTraceData>> = const { RefCell::new(Vec::new()) };
    static MARK: Cell<usize> = const { Cell::new(0) };
}

// Field numbers in Perfetto's trace format.
const PACKET: u64 = 1;
const TRACK_EVENT: u64 = 11;
const INTERNED: u64 = 12;
const TYPE: u64 = 9;
const NAME: u64 = 10;
const EVENT_NAMES: u64 = 2;
const SLICE_BEGIN: u64 = 1;

fn counts() -> Counts {
    let mut counts = Counts::new();
    KEPT.with_borrow(|kept| {
        for frame in &kept[MARK.get()..] {
            count(frame, &mut counts);
        }
    });
    counts
}

/// Counts the slices that begin in the trace, as if the trace were written to a file.
fn count(frame: &ThreadTraceData, counts: &mut Counts) {
    let mut builder = TraceBuilder::new().expect("tracing should have been started");
    let trace = builder.process_thread_data(frame).encode_to_vec();
    let mut names = Vec::new();
    for packet in messages(&trace, PACKET) {
        for interned in messages(packet, INTERNED) {
            for name in messages(interned, EVENT_NAMES) {
                let text = messages(name, 2)
                    .next()
                    .expect("the event should have a name");
                names.push(String::from_utf8_lossy(text).into_owned());
            }
        }
        for event in messages(packet, TRACK_EVENT) {
            if number(event, TYPE) == Some(SLICE_BEGIN) {
                let name = number(event, NAME).expect("the event should have a name") as usize;
                entry_counts::add(counts, &names[name - 1], 1);
            }
        }
    }
}

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn varint(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.bytes(1)[0];
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }

    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Field<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let key = self.varint();
        let field = match key & 7 {
            0 => Field::Number(self.varint()),
            1 => Field::Bytes(self.bytes(8)),
            2 => {
                let length = self.varint() as usize;
                Field::Bytes(self.bytes(length))
            }
            _ => Field::Bytes(self.bytes(4)),
        };
        Some((key >> 3, field))
    }
}

fn messages(message: &[u8], wanted: u64) -> impl Iterator<Item = &[u8]> {
    Fields(message).filter_map(move |(number, field)| match field {
        Field::Bytes(bytes) if number == wanted => Some(bytes),
        _ => None,
    })
}

fn number(message: &[u8], wanted: u64) -> Option<u64> {
    Fields(message).find_map(|(number, field)| match field {
        Field::Number(value) if number == wanted => Some(value),
        _ => None,
    })
}

macro_rules! enter {
    ($name:ident) => {
        ::perfetto_recorder::scope!(stringify!($name));
    };
}
work!(zone, counter);
