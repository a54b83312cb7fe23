//! Finds the exporter for a file name by its extension, or the error if no exporter of this build
//! writes that format.

use crate::snapshot::{FrameSnapshot, Snapshot};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
#[cfg(feature = "json")]
use {
    flate2::Compression,
    flate2::write::GzEncoder,
    std::io::{BufWriter, IntoInnerError},
};

/// An exporter of src/export.
#[derive(Clone, Copy, Debug)]
enum Writer {
    /// Of sums.
    Sums(fn(&Snapshot, &mut dyn Write) -> io::Result<()>),
    /// Of sums and frames: the HTML page.
    #[cfg(feature = "html")]
    Page,
    /// Of a timeline.
    #[cfg_attr(not(feature = "json"), allow(dead_code))] // No other format has one.
    Frames(fn(&mut dyn Iterator<Item = FrameSnapshot>, &mut dyn Write) -> io::Result<()>),
}

/// A file format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// The extension of its files.
    extension: &'static str,
    /// The crate feature that it needs; empty if it is always available.
    feature: &'static str,
    /// `None` if that feature is disabled.
    writer: Option<Writer>,
}

/// A format that is available if the feature is enabled.
macro_rules! format_if {
    ($feature:literal, $extension:literal, $kind:ident, $writer:expr) => {
        Format {
            extension: $extension,
            feature: $feature,
            #[cfg(feature = $feature)]
            writer: Some(Writer::$kind($writer)),
            #[cfg(not(feature = $feature))]
            writer: None,
        }
    };
}

/// An extension comes before those that it ends in.
const FORMATS: [Format; 13] = [
    Format::built_in(".cycles.txt", |whole, out| whole.write_tree_in_cycles(out)),
    Format::built_in(".txt", |whole, out| whole.write_tree(out)),
    Format::built_in(".folded", |whole, out| whole.write_folded(out)),
    CALLGRIND,
    Format::built_in(".gprof", |whole, out| whole.write_gprof(out)),
    Format {
        extension: ".html",
        feature: "html",
        #[cfg(feature = "html")]
        writer: Some(Writer::Page),
        #[cfg(not(feature = "html"))]
        writer: None,
    },
    format_if!("pprof", ".pb.gz", Sums, |whole, out| whole.write_pprof(out)),
    format_if!("pprof", ".pprof", Sums, |whole, out| whole.write_pprof(out)),
    format_if!("json", ".speedscope.json", Sums, |whole, out| whole
        .write_speedscope(out)),
    format_if!("json", ".trace.json", Frames, |frames, out| {
        super::write_trace_events(frames, out)
    }),
    format_if!("json", ".trace.json.gz", Frames, |frames, out| {
        // Compression costs a call for each piece, and JSON has many small ones.
        let gzip = GzEncoder::new(out, Compression::default());
        let mut out = BufWriter::new(gzip);
        super::write_trace_events(frames, &mut out)?;
        let gzip = out.into_inner().map_err(IntoInnerError::into_error)?;
        gzip.finish()?.flush()
    }),
    format_if!("json", ".json", Sums, |whole, out| whole.write_json(out)),
    format_if!("csv", ".csv", Sums, |whole, out| whole.write_csv(out)),
];

/// Callgrind's own file names, followed by the process id: KCachegrind's file dialog offers these.
const CALLGRIND_PREFIX: &str = "callgrind.out";
const CALLGRIND: Format = Format::built_in(".callgrind", |whole, out| whole.write_callgrind(out));

impl Format {
    const fn built_in(
        extension: &'static str,
        writer: fn(&Snapshot, &mut dyn Write) -> io::Result<()>,
    ) -> Format {
        Format {
            extension,
            feature: "",
            writer: Some(Writer::Sums(writer)),
        }
    }

    /// The format of a file name, and the length of the name without the extension.
    pub(crate) fn of(name: &str) -> Result<(Format, usize), NoFormat> {
        let lower = name.to_ascii_lowercase();
        let by_extension = FORMATS
            .iter()
            .find(|format| lower.ends_with(format.extension));
        let (format, stem) = match by_extension {
            Some(format) => (*format, name.len() - format.extension.len()),
            None if is_callgrinds(&lower) => (CALLGRIND, name.len()),
            None => return Err(NoFormat { feature: None }),
        };
        match format.writer {
            Some(_) => Ok((format, stem)),
            None => Err(NoFormat {
                feature: Some(format.feature),
            }),
        }
    }

    /// The extension of its files.
    #[cfg(feature = "http")]
    pub(crate) fn extension(self) -> &'static str {
        self.extension
    }

    /// Writes a snapshot in this format. The page shows `frames`, too. A timeline is that of `frames`; without
    /// any, the snapshot is its one frame.
    pub(crate) fn write(
        self,
        snapshot: &Snapshot,
        frames: impl IntoIterator<Item = FrameSnapshot> + Clone,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self.writer.ok_or(io::ErrorKind::Unsupported)? {
            Writer::Sums(write) => write(snapshot, out),
            #[cfg(feature = "html")]
            Writer::Page => snapshot.write_html_with_frames(frames, out),
            Writer::Frames(write) => {
                let mut frames = frames.into_iter().peekable();
                let is_none = frames.peek().is_none();
                let all = is_none.then(|| FrameSnapshot::new(1, 0, snapshot.clone()));
                write(&mut all.into_iter().chain(frames), out)
            }
        }
    }
}

fn is_callgrinds(lower: &str) -> bool {
    let rest = lower.strip_prefix(CALLGRIND_PREFIX);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The last component of a path. Parts that are not Unicode are replaced; no extension contains any.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A file name with an unknown extension, or with that of a format that needs a disabled feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoFormat {
    /// The disabled feature.
    pub(crate) feature: Option<&'static str>,
}

impl fmt::Display for NoFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.feature {
            Some(feature) => write!(f, "this format needs the iprof feature `{feature}`")?,
            None => f.write_str("unrecognized file extension")?,
        }
        f.write_str("; this build writes ")?;
        let built = FORMATS.iter().filter(|format| format.writer.is_some());
        for format in built {
            write!(f, "{}, ", format.extension)?;
        }
        write!(f, "{CALLGRIND_PREFIX}.*")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{FORMATS, Format, NoFormat};

    #[test]
    fn the_longest_extension_selects_the_format() {
        for (name, extension, stem) in [
            ("a.txt", ".txt", 1),
            ("A.TXT", ".txt", 1),
            ("a.cycles.txt", ".cycles.txt", 1),
            (".folded", ".folded", 0),
            ("a.html.callgrind", ".callgrind", 6),
            ("callgrind.out", ".callgrind", 13),
            ("callgrind.out.123", ".callgrind", 17),
            ("callgrind.out.txt", ".txt", 13),
            ("a.pb.gz", ".pb.gz", 1),
            ("a.json", ".json", 1),
            ("a.speedscope.json", ".speedscope.json", 1),
            ("a.trace.json", ".trace.json", 1),
            ("a.trace.json.gz", ".trace.json.gz", 1),
        ] {
            let known = FORMATS.iter().find(|format| format.extension == extension);
            match (known.unwrap().writer, Format::of(name)) {
                (Some(_), Ok((format, length))) => {
                    assert_eq!((format.extension, length), (extension, stem), "{name}");
                }
                (None, Err(NoFormat { feature })) => {
                    assert_eq!(feature, Some(known.unwrap().feature), "{name}");
                }
                (writer, found) => panic!("{name}: {writer:?}, {found:?}"),
            }
        }
        for name in ["", "a", "txt", "a.gz", "callgrind.output", "a.txt.bak"] {
            assert_eq!(Format::of(name).unwrap_err().feature, None, "{name}");
        }
    }

    #[test]
    fn the_error_for_an_unknown_extension_lists_the_available_formats() {
        let text = NoFormat { feature: None }.to_string();
        for format in FORMATS {
            let is_listed = text.contains(&format!("{},", format.extension));
            assert_eq!(is_listed, format.writer.is_some(), "{text}");
        }
        let text = NoFormat {
            feature: Some("html"),
        };
        assert!(text.to_string().contains("feature `html`"), "{text}");
    }
}
