//! A table of results that other programs can read: tab-separated values, one result per line.
//!
//! If the file already contains such a table, lines are appended, so several benches or runs can share a file. A file
//! with any other content is left unchanged.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};

const HEADER: &str = "bench\tcase\tvalue\tunit\tbaseline\tratio";

/// A bench's table file, or nothing without `--tsv`.
#[derive(Debug)]
pub(crate) struct Tsv {
    bench: &'static str,
    file: Option<File>,
}

impl Tsv {
    /// Opens the table. Without a path, all lines are dropped.
    ///
    /// # Errors
    ///
    /// Fails if the file can't be read or written, or if it contains anything but such a table.
    pub(crate) fn new(bench: &'static str, path: Option<&str>) -> Result<Tsv> {
        let file = path.map(open).transpose()?;
        Ok(Tsv { bench, file })
    }

    /// Appends a line. `ratio` is the value divided by the value for the case `baseline`.
    pub(crate) fn line(
        &mut self,
        case: &str,
        value: f64,
        unit: &str,
        baseline: &str,
        ratio: f64,
    ) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let bench = self.bench;
        writeln!(
            file,
            "{bench}\t{case}\t{value:.3}\t{unit}\t{baseline}\t{ratio:.4}"
        )
    }
}

fn open(path: &str) -> Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).append(true).create(true).open(path)?;
    let mut first = String::new();
    BufReader::new(&file).read_line(&mut first)?;
    match first.trim_end() {
        HEADER => Ok(file),
        "" if file.metadata()?.len() == 0 => {
            writeln!(file, "{HEADER}")?;
            Ok(file)
        }
        _ => {
            let text = format!(
                "{path} exists and is not a table of benchmark results; choose another file"
            );
            Err(Error::new(ErrorKind::InvalidData, text))
        }
    }
}
