//! The zones created for spans. Each zone has a number that fits into a span's id and into a layer's table.

use crate::Options;
use crate::tables::{Callsites, Levels};
use iprof::{RunTimeZone, ZoneBuilder};
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::{self, Debug, Write};
use std::ptr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tracing_core::field::Visit;
use tracing_core::span::Attributes;
use tracing_core::{Field, Metadata};

#[derive(Debug)]
pub(crate) struct Zones {
    options: Options,
    /// The zone number of each callsite, or [`BY_VALUE`].
    callsites: Callsites,
    zones: Levels<OnceLock<RunTimeZone>>,
    known: Mutex<KnownZones>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanNumber {
    pub(crate) number: u32,
    /// Whether the zone depends on a field's value.
    #[cfg_attr(not(feature = "tracing-subscriber-0-3"), expect(dead_code))]
    pub(crate) is_by_value: bool,
}

impl SpanNumber {
    fn by_place(number: u32) -> SpanNumber {
        SpanNumber {
            number,
            is_by_value: false,
        }
    }
}

/// Marks a callsite whose zones depend on a field's value.
const BY_VALUE: u32 = u32::MAX;

/// The separator between a span's name and the value.
const SEPARATOR: &str = "::";

#[derive(Debug, Default)]
struct KnownZones {
    /// The number and the first callsite of each zone, keyed by the zone's address.
    numbers: HashMap<usize, (u32, &'static Metadata<'static>)>,
    /// The values seen at each callsite, keyed by the address of the callsite's metadata.
    by_value: HashMap<usize, Values>,
}

/// The numbers of a callsite's zones, by value. Integers and bools are found without formatting.
#[derive(Debug, Default)]
struct Values {
    texts: HashMap<Box<str>, u32>,
    integers: HashMap<i128, u32>,
    bools: [Option<u32>; 2],
}

impl Values {
    fn get(&self, value: Value<'_>) -> Option<u32> {
        match value {
            Value::Text(text) => self.texts.get(text).copied(),
            Value::Integer(number) => self.integers.get(&number).copied(),
            Value::Bool(is) => self.bools[usize::from(is)],
        }
    }

    fn insert(&mut self, value: Value<'_>, number: u32) {
        match value {
            Value::Text(text) => {
                self.texts.insert(text.into(), number);
            }
            Value::Integer(value) => {
                self.integers.insert(value, number);
            }
            Value::Bool(is) => self.bools[usize::from(is)] = Some(number),
        }
    }
}

/// The maximum length of a name in bytes. Longer names are cut.
const LONGEST: usize = 1_000;

impl Zones {
    pub(crate) fn new(options: Options) -> Zones {
        Zones {
            options,
            callsites: Callsites::new(),
            zones: Levels::new(),
            known: Mutex::default(),
        }
    }

    /// Returns the zone number for a new span.
    #[inline]
    pub(crate) fn number_span(&self, attributes: &Attributes<'_>) -> SpanNumber {
        match self.callsites.get(attributes.metadata()) {
            Some(number) if number != BY_VALUE => SpanNumber::by_place(number),
            known => self.number_span_slow(known, attributes),
        }
    }

    #[cold]
    #[inline(never)]
    fn number_span_slow(&self, known: Option<u32>, attributes: &Attributes<'_>) -> SpanNumber {
        let metadata = attributes.metadata();
        let of_callsite = known.unwrap_or_else(|| self.number_new_callsite(metadata));
        if of_callsite != BY_VALUE {
            return SpanNumber::by_place(of_callsite);
        }
        let room = LONGEST.saturating_sub(metadata.name().len() + SEPARATOR.len());
        let of_value = |field: &str| {
            with_value(attributes, field, room, |value| {
                self.number_of_value(metadata, value, room)
            })
        };
        let mut fields = self.options.fields.iter();
        match fields.find_map(|field| of_value(field)) {
            Some(number) => SpanNumber {
                number,
                is_by_value: true,
            },
            None => SpanNumber::by_place(self.number(metadata, metadata.name())),
        }
    }

    /// Assigns a number to a new callsite, for `callsites`.
    fn number_new_callsite(&self, metadata: &'static Metadata<'static>) -> u32 {
        let fields = metadata.fields();
        let mut wanted = self.options.fields.iter();
        let number = if wanted.any(|wanted| fields.field(wanted).is_some()) {
            BY_VALUE
        } else {
            self.number(metadata, metadata.name())
        };
        self.callsites.add(metadata, number)
    }

    /// Returns the zone number for a callsite and a value. The zone's name includes at most `room` bytes of the value.
    fn number_of_value(
        &self,
        metadata: &'static Metadata<'static>,
        value: Value<'_>,
        room: usize,
    ) -> u32 {
        let address = address(metadata);
        let known = self
            .known()
            .by_value
            .get(&address)
            .and_then(|values| values.get(value));
        known.unwrap_or_else(|| {
            let text = match value {
                Value::Text(text) => text,
                Value::Integer(number) => &number.to_string(),
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
            };
            let name = [metadata.name(), SEPARATOR, cut(text, room)].concat();
            let number = self.number(metadata, &name);
            // Don't store names that share the zone `(other names)`, because there may be any number of them.
            let is_it = |zone: RunTimeZone| zone.zone().label() == name;
            if self.get(number).is_some_and(is_it) {
                let mut known = self.known();
                let values = known.by_value.entry(address).or_default();
                values.insert(value, number);
            }
            number
        })
    }

    /// Returns the zone number for a span's place in the source, for spans that are older than the layer.
    #[cfg(feature = "tracing-subscriber-0-3")]
    pub(crate) fn number_of_place(&self, metadata: &'static Metadata<'static>) -> u32 {
        match self.callsites.get(metadata) {
            Some(number) if number != BY_VALUE => number,
            _ => self.number(metadata, metadata.name()),
        }
    }

    /// Returns the number of the zone with this name at a span's place in the source.
    fn number(&self, metadata: &'static Metadata<'static>, name: &str) -> u32 {
        let zone = zone(metadata, name);
        let mut known = self.known();
        let next = known.numbers.len() as u32;
        let of_zone = known.numbers.entry(address(zone.zone()));
        let (number, _) = *of_zone.or_insert_with(|| {
            if let Some(place) = self.zones.get_or_make(next) {
                place.get_or_init(|| zone);
            }
            (next, metadata)
        });
        number
    }

    /// Returns the number and callsite of the innermost span whose zone is open on this thread.
    pub(crate) fn current(&self) -> Option<(u32, &'static Metadata<'static>)> {
        RunTimeZone::find_open(|zone| self.known().numbers.get(&address(zone)).copied())
    }

    fn known(&self) -> MutexGuard<'_, KnownZones> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    pub(crate) fn get(&self, number: u32) -> Option<RunTimeZone> {
        self.zones.get(number)?.get().copied()
    }
}

fn address<T>(of: &'static T) -> usize {
    ptr::from_ref(of).addr()
}

fn zone(metadata: &'static Metadata<'static>, name: &str) -> RunTimeZone {
    let builder = ZoneBuilder::new(name);
    let place = (
        metadata.file().unwrap_or_default(),
        metadata.line().unwrap_or_default(),
    );
    let builder = builder.place(place.0, place.1);
    builder
        .module(metadata.module_path().unwrap_or_default())
        .build()
}

thread_local! {
    static BUFFER: Cell<String> = const { Cell::new(String::new()) };
}

/// A field's value, which identifies a zone.
///
/// Strings, integers and bools are used directly. Anything else is formatted into a per-thread buffer, which is reused,
/// so known values allocate nothing.
#[derive(Clone, Copy)]
enum Value<'a> {
    /// A string, or any other value formatted as text.
    Text(&'a str),
    Integer(i128),
    Bool(bool),
}

/// Calls `f` with the field's value, whose text is cut to `room` bytes. Returns `None` if the span has no value for the
/// field.
fn with_value<R>(
    attributes: &Attributes<'_>,
    field: &str,
    room: usize,
    f: impl FnOnce(Value<'_>) -> R,
) -> Option<R> {
    let mut value = Visitor {
        field,
        room,
        f: Some(f),
        result: None,
    };
    attributes.record(&mut value);
    value.result
}

struct Visitor<'a, F, R> {
    field: &'a str,
    room: usize,
    /// The function, or `None` once it was called.
    f: Option<F>,
    result: Option<R>,
}

impl<F: FnOnce(Value<'_>) -> R, R> Visitor<'_, F, R> {
    fn see(&mut self, field: &Field, value: Value<'_>) {
        if let Some(f) = self.take(field) {
            self.result = Some(f(value));
        }
    }

    fn take(&mut self, field: &Field) -> Option<F> {
        if field.name() == self.field {
            self.f.take()
        } else {
            None
        }
    }
}

impl<F: FnOnce(Value<'_>) -> R, R> Visit for Visitor<'_, F, R> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.see(field, Value::Text(cut(value, self.room)));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.see(field, Value::Integer(value.into()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.see(field, Value::Integer(value.into()));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.see(field, Value::Bool(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let Some(f) = self.take(field) else {
            return;
        };
        // Take the buffer, because `Debug` implementations may create spans.
        let mut text = BUFFER.try_with(Cell::take).unwrap_or_default();
        text.clear();
        let mut out = Cut {
            text: &mut text,
            room: self.room,
        };
        // Writing fails if the text is cut.
        let _ = write!(out, "{value:?}");
        self.result = Some(f(Value::Text(&text)));
        let _ = BUFFER.try_with(|kept| kept.set(text));
    }
}

/// Cuts the text to at most `room` bytes, without splitting a character.
fn cut(text: &str, room: usize) -> &str {
    let mut end = room.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A writer that keeps at most `room` bytes.
struct Cut<'a> {
    text: &'a mut String,
    room: usize,
}

impl Write for Cut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let whole = cut(text, self.room - self.text.len());
        self.text.push_str(whole);
        if whole.len() < text.len() {
            // Discard all later text as well.
            self.room = self.text.len();
            return Err(fmt::Error);
        }
        Ok(())
    }
}
