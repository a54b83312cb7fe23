//! A table of results for other programs: tab-separated values, a line per result.
//!
//! A file that contains such a table already is appended to, so that several benches, or several runs of one, can
//! share it. Any other file is left unchanged.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};

const HEADER: &str = "bench\tcase\tvalue\tunit\tbaseline\tratio";

/// The table file of a bench; none without `--tsv`.
#[derive(Debug)]
pub(crate) struct Tsv {
    bench: &'static str,
    file: Option<File>,
}

impl Tsv {
    /// With no path, lines go nowhere.
    ///
    /// # Errors
    ///
    /// If the file cannot be read and written, or holds something else than such a table.
    pub(crate) fn new(bench: &'static str, path: Option<&str>) -> Result<Tsv> {
        let file = path.map(open).transpose()?;
        Ok(Tsv { bench, file })
    }

    /// `ratio` is the value over that of the case `baseline`.
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
            let text = format!("{path} is there already and is no table of a bench's results");
            Err(Error::new(ErrorKind::InvalidData, text))
        }
    }
}
