//! Parses a bench's command-line options.

pub(crate) fn value_of(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

/// Returns the number of runs from `--runs N`, or `usual` without that option.
///
/// # Panics
///
/// Panics if `N` is not a number above 0.
pub(crate) fn runs(usual: usize) -> usize {
    value_of("--runs").map_or(usual, |text| {
        let runs = text.parse().ok().filter(|&runs| runs > 0);
        runs.expect("--runs needs a number above 0")
    })
}
