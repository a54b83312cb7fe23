//! The value of a span's field.
//!
//! Strings, integers and bools are seen as they stand. Anything else can only be seen by formatting it, which a buffer of the thread
//! takes: nothing is allocated in the long run.

use std::cell::Cell;
use std::fmt::{self, Debug, Write};
use tracing_core::Field;
use tracing_core::field::Visit;
use tracing_core::span::Attributes;

thread_local! {
    static BUFFER: Cell<String> = const { Cell::new(String::new()) };
}

/// A value by which a zone is known.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A string, or anything else as text.
    Text(&'a str),
    Integer(i128),
    Bool(bool),
}

/// What `f` makes of the value of the field of that name, of whose text it gets the first `room` bytes; `None` if the span has no
/// value of it.
pub(crate) fn with_value<R>(
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
    /// `None` once there is a result.
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
        // Taken, for `Debug` may create spans.
        let mut text = BUFFER.try_with(Cell::take).unwrap_or_default();
        text.clear();
        let mut out = Cut {
            text: &mut text,
            room: self.room,
        };
        // Fails where it is cut.
        let _ = write!(out, "{value:?}");
        self.result = Some(f(Value::Text(&text)));
        let _ = BUFFER.try_with(|kept| kept.set(text));
    }
}

/// The first whole characters of a text, so many bytes at most.
pub(crate) fn cut(text: &str, room: usize) -> &str {
    let mut end = room.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Writes up to so many bytes.
struct Cut<'a> {
    text: &'a mut String,
    room: usize,
}

impl Write for Cut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let whole = cut(text, self.room - self.text.len());
        self.text.push_str(whole);
        if whole.len() < text.len() {
            // What follows is cut, too.
            self.room = self.text.len();
            return Err(fmt::Error);
        }
        Ok(())
    }
}
