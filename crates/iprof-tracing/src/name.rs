//! The value of a span's field, as text.

use std::fmt::{self, Debug, Write};
use tracing_core::Field;
use tracing_core::field::Visit;
use tracing_core::span::Attributes;

/// More of a name is cut.
const LONGEST: usize = 1_000;

/// Appends the value of the field of that name; returns whether it has one.
pub(crate) fn append_value(text: &mut String, attributes: &Attributes<'_>, field: &str) -> bool {
    let mut value = Value {
        field,
        text,
        is_found: false,
    };
    attributes.record(&mut value);
    value.is_found
}

struct Value<'a> {
    field: &'a str,
    text: &'a mut String,
    is_found: bool,
}

impl Visit for Value<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == self.field && !self.is_found {
            self.is_found = true;
            // Fails where it is cut.
            let _ = write!(Cut(self.text), "{value:?}");
        }
    }
}

/// Writes up to [`LONGEST`] bytes.
struct Cut<'a>(&'a mut String);

impl Write for Cut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = LONGEST.saturating_sub(self.0.len());
        let whole = (0..=room.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at));
        let whole = &text[..whole.unwrap_or(0)];
        self.0.push_str(whole);
        if whole.len() < text.len() {
            return Err(fmt::Error);
        }
        Ok(())
    }
}
