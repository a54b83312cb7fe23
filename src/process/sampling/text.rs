//! Writes a sampling profile as text: a tree of zones with their percentages of the samples.

use crate::process::SampledProfile;
use iprof_process::text_parts::{Indent, counted};
use std::io::{self, Write};

impl SampledProfile {
    /// Writes the profile as text: the number of threads and samples, then one line per row. A line has the
    /// row's percentage of all samples and its name, indented by two spaces per level, up to 48 levels.
    /// Deeper rows have their level in parentheses before the name.
    ///
    /// # Errors
    ///
    /// Errors of `out`.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let (threads, samples) = (self.threads, self.samples);
        let (threads, samples) = (
            counted(threads as u64, "thread"),
            counted(samples, "sample"),
        );
        writeln!(out, "iprof profile ({threads}, {samples})")?;
        for row in &self.rows {
            let name = row.name.replace(char::is_control, " ");
            let percent = self.percent(row.samples);
            let Indent { spaces, level } = Indent::of(row.depth);
            writeln!(out, "{spaces}{percent:.2}% {level}{name}")?;
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::process::{SampledProfile, SampledRow};

    fn text(profile: &SampledProfile) -> String {
        let mut text = Vec::new();
        profile.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_profile_is_written_as_a_tree_of_percentages() {
        let row = |name: &str, depth, samples, is_self| SampledRow {
            name: name.into(),
            depth,
            samples,
            is_self,
        };
        let profile = SampledProfile {
            threads: 2,
            samples: 300,
            rows: vec![
                row("work", 0, 200, false),
                row("self", 1, 150, true),
                row("a\nb \u{1f600}", 1, 50, false),
                row("(outside zones)", 0, 100, true),
            ],
        };
        let wanted = "iprof profile (2 threads, 300 samples)\n\
            66.67% work\n  50.00% self\n  16.67% a b \u{1f600}\n\
            33.33% (outside zones)\n";
        assert_eq!(text(&profile), wanted);
        let nothing = "iprof profile (0 threads, 0 samples)\n";
        assert_eq!(text(&SampledProfile::default()), nothing);
    }
}
