//! Results as a file: bench, case, value, unit, baseline and ratio.

use std::fs::File;
use std::io::Write;

#[derive(Debug)]
pub(crate) struct Tsv {
    bench: &'static str,
    file: Option<File>,
}

impl Tsv {
    pub(crate) fn new(bench: &'static str, path: Option<&str>) -> std::io::Result<Tsv> {
        let file = path.map(File::create).transpose()?;
        Ok(Tsv { bench, file })
    }

    pub(crate) fn line(
        &mut self,
        case: &str,
        value: f64,
        unit: &str,
        baseline: &str,
        ratio: f64,
    ) -> std::io::Result<()> {
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
