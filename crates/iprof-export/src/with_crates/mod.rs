//! Formats whose writers require other crates. Without the feature `export`, this module is replaced by
//! `without_crates.rs`.

mod csv;
mod cycles;
mod gprof;
mod html;
mod json;
mod pprof;
mod report_table;
mod speedscope;
mod trace;

pub(super) use csv::write as write_csv;
pub(super) use gprof::write as write_gprof;
pub(super) use html::write as write_html;
pub(super) use json::write as write_json;
pub(super) use pprof::write as write_pprof;
pub(super) use report_table::{write_csv as write_csv_report, write_json as write_json_report};
pub(super) use speedscope::write as write_speedscope;
pub(super) use trace::{write_compressed as write_compressed_trace, write_timeline as write_trace};

use std::io::{self, Write};

/// The feature that these formats require, if it is disabled.
pub(super) const MISSING_FEATURE: Option<&str> = None;

/// A writer that keeps failing after its first error or panic. Buffered writers write again when they are dropped, even
/// while a panic unwinds. A second panic would then abort the program.
#[derive(Debug)]
struct Fused<W> {
    out: W,
    has_failed: bool,
}

impl<W: Write> Fused<W> {
    fn new(out: W) -> Fused<W> {
        let has_failed = false;
        Fused { out, has_failed }
    }

    fn attempt<R>(&mut self, f: impl FnOnce(&mut W) -> io::Result<R>) -> io::Result<R> {
        if self.has_failed {
            return Err(io::Error::other("an earlier write failed"));
        }
        // The flag stays set if `f` panics.
        self.has_failed = true;
        let result = f(&mut self.out);
        let fails = |error: &io::Error| error.kind() != io::ErrorKind::Interrupted;
        self.has_failed = result.as_ref().is_err_and(fails);
        result
    }
}

impl<W: Write> Write for Fused<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that returns the given answers one by one, and counts the calls.
    struct Answers(Vec<io::Result<usize>>, u32);

    impl Write for Answers {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            self.0.remove(0)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn writer_retries_interruptions_but_not_failures() {
        let error = |kind: io::ErrorKind| Err(kind.into());
        let kinds = [io::ErrorKind::Interrupted, io::ErrorKind::StorageFull];
        let answers = Vec::from([Ok(1), error(kinds[0]), Ok(2), error(kinds[1]), Ok(3)]);
        let mut out = Fused::new(Answers(answers, 0));
        let mut kind = || out.write(b"text").map_err(|error| error.kind());
        assert_eq!([kind(), kind(), kind()], [Ok(1), Err(kinds[0]), Ok(2)]);
        assert_eq!([kind(), kind()], [Err(kinds[1]), Err(io::ErrorKind::Other)]);
        assert!(out.flush().is_err());
        assert_eq!(out.out.1, 4);
    }
}
