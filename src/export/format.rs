//! Which format a file has, by its name.

use crate::snapshot::Snapshot;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// A writer of src/export.
type Writer = fn(&Snapshot, &mut dyn Write) -> io::Result<()>;

/// A format that files are written in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// What the names of its files end in.
    ending: &'static str,
    /// Without which feature there is no writer; empty if there always is one.
    feature: &'static str,
    /// None where that feature is off.
    writer: Option<Writer>,
}

/// A format whose writer is there if the feature is on.
macro_rules! format_if {
    ($feature:literal, $ending:literal, $writer:expr) => {
        Format {
            ending: $ending,
            feature: $feature,
            #[cfg(feature = $feature)]
            writer: Some($writer),
            #[cfg(not(feature = $feature))]
            writer: None,
        }
    };
}

/// An ending that has another one in it comes first.
const FORMATS: [Format; 11] = [
    Format::built_in(".txt", |snapshot, out| snapshot.write_tree(out)),
    Format::built_in(".folded", |snapshot, out| snapshot.write_folded(out)),
    Format::built_in(".callgrind", |snapshot, out| snapshot.write_callgrind(out)),
    Format::built_in(".gprof", |snapshot, out| snapshot.write_gprof(out)),
    format_if!("html", ".html", |snapshot, out| snapshot.write_html(out)),
    format_if!("pprof", ".pb.gz", |snapshot, out| snapshot.write_pprof(out)),
    format_if!("pprof", ".pprof", |snapshot, out| snapshot.write_pprof(out)),
    format_if!("json", ".speedscope.json", |snapshot, out| snapshot
        .write_speedscope(out)),
    format_if!("json", ".trace.json", |snapshot, out| {
        let all = crate::snapshot::FrameSnapshot {
            number: 1,
            recorded: snapshot.clone(),
            ..Default::default()
        };
        super::write_trace_events([all], out)
    }),
    format_if!("json", ".json", |snapshot, out| snapshot.write_json(out)),
    format_if!("csv", ".csv", |snapshot, out| snapshot.write_csv(out)),
];

/// What callgrind calls its files, with the number of the process behind it: KCachegrind offers
/// such names.
const CALLGRIND_BEGIN: &str = "callgrind.out";
const CALLGRIND: Format = FORMATS[2];

impl Format {
    const fn built_in(ending: &'static str, writer: Writer) -> Format {
        Format {
            ending,
            feature: "",
            writer: Some(writer),
        }
    }

    /// That of a file of that name, and the length of the name without the ending that says so.
    pub(crate) fn of(name: &str) -> Result<(Format, usize), NoFormat> {
        let lower = name.to_ascii_lowercase();
        let by_ending = FORMATS.iter().find(|format| lower.ends_with(format.ending));
        let (format, stem) = match by_ending {
            Some(format) => (*format, name.len() - format.ending.len()),
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

    /// Writes a snapshot in this format.
    pub(crate) fn write(self, snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
        let writer = self.writer.ok_or(io::ErrorKind::Unsupported)?;
        writer(snapshot, out)
    }
}

fn is_callgrinds(lower: &str) -> bool {
    let rest = lower.strip_prefix(CALLGRIND_BEGIN);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The last part of a path; what is not Unicode in it has no part in an ending.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A name that says no format, or one that this build is without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoFormat {
    /// The feature that is missing.
    pub(crate) feature: Option<&'static str>,
}

impl fmt::Display for NoFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.feature {
            Some(feature) => write!(f, "that format needs iprof's feature `{feature}`")?,
            None => f.write_str("the name says no format")?,
        }
        f.write_str("; this build writes ")?;
        let built = FORMATS.iter().filter(|format| format.writer.is_some());
        for format in built {
            write!(f, "{}, ", format.ending)?;
        }
        write!(f, "{CALLGRIND_BEGIN}.*")
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, Format, NoFormat};

    #[test]
    fn the_longest_ending_says_the_format_and_what_is_left_is_the_stem() {
        for (name, ending, stem) in [
            ("a.txt", ".txt", 1),
            ("A.TXT", ".txt", 1),
            (".folded", ".folded", 0),
            ("a.html.callgrind", ".callgrind", 6),
            ("callgrind.out", ".callgrind", 13),
            ("callgrind.out.123", ".callgrind", 17),
            ("callgrind.out.txt", ".txt", 13),
            ("a.pb.gz", ".pb.gz", 1),
            ("a.json", ".json", 1),
            ("a.speedscope.json", ".speedscope.json", 1),
            ("a.trace.json", ".trace.json", 1),
        ] {
            let known = FORMATS.iter().find(|format| format.ending == ending);
            match (known.unwrap().writer, Format::of(name)) {
                (Some(_), Ok((format, length))) => {
                    assert_eq!((format.ending, length), (ending, stem), "{name}");
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
    fn what_is_said_of_a_name_without_a_format_lists_what_there_is() {
        let text = NoFormat { feature: None }.to_string();
        for format in FORMATS {
            let is_listed = text.contains(&format!("{},", format.ending));
            assert_eq!(is_listed, format.writer.is_some(), "{text}");
        }
        let text = NoFormat {
            feature: Some("html"),
        };
        assert!(text.to_string().contains("feature `html`"), "{text}");
    }
}
