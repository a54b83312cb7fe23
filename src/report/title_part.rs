//! The parts of a report's title that say what is shown, for clicks on them.

/// A part of a title line that names one choice of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TitlePart {
    /// The title line, from 0.
    pub line: usize,
    /// Where the part begins and ends in the line, in bytes.
    pub start: usize,
    /// The end, which is no part of it.
    pub end: usize,
    /// The choice that it names.
    pub choice: TitleChoice,
}

/// A choice of the view that a title names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TitleChoice {
    /// The [mode](super::ReportMode).
    Mode,
    /// The threads.
    Threads,
    /// The live view, or that it is paused.
    Live,
    /// The remembered frames that are shown.
    Frames,
    /// The average of the live view.
    Average,
    /// The timing mode.
    Timing,
    /// The filter.
    Filter,
}

#[cfg(feature = "_overlay")]
impl TitleChoice {
    /// What a click on it does.
    pub(crate) fn description(self) -> &'static str {
        match self {
            TitleChoice::Mode => "click: next mode",
            TitleChoice::Threads => "click: next threads",
            TitleChoice::Live => "click: pause or continue recording",
            TitleChoice::Frames => "click: back to the live view",
            TitleChoice::Average => "click: next average",
            TitleChoice::Timing => "click: next timing mode",
            TitleChoice::Filter => "click: type another filter",
        }
    }
}
