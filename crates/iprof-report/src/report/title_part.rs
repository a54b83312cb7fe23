//! The clickable parts of a report's title lines.

use std::sync::Arc;

/// A clickable part of a title line: its position, and which setting of the view it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct TitlePart {
    /// The title line, from 0.
    pub line: usize,
    /// The start of the part in the line, in bytes.
    pub start: usize,
    /// The end of the part, exclusive, in bytes.
    pub end: usize,
    /// The setting that it shows.
    pub choice: TitleChoice,
}

/// A setting of the view that a title line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl TitleChoice {
    /// The effect of a click, for the tooltip.
    #[doc(hidden)]
    pub fn description(self) -> &'static str {
        match self {
            TitleChoice::Mode => "click: next mode",
            TitleChoice::Threads => "click: show other threads: all, a group, one",
            TitleChoice::Live => "click: pause or continue recording",
            TitleChoice::Frames => "click: back to the live view",
            TitleChoice::Average => "click: next average",
            TitleChoice::Timing => "click: next timing mode",
            TitleChoice::Filter => "click: type another filter",
        }
    }

    /// What it says, where that is not plain, in lines.
    #[doc(hidden)]
    pub fn explanation(self) -> &'static [&'static str] {
        match self {
            TitleChoice::Threads => {
                &["the GPU is not counted: it has a report of its own, the last one"]
            }
            TitleChoice::Timing => &[
                "how times are measured, and what iprof itself costs",
                "overhead, measured: recording's part of the threads' time",
                "update: that of ending a frame; overlay: that of drawing",
                "sampled: call stacks that are counted, but not timed",
                "missed: frames that took longer than the frame budget",
            ],
            _ => &[],
        }
    }
}

/// Which [named value](macro.value.html) a view's reports have columns of: the first, one by its name, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShownValue {
    /// The value that the program added to first; those of [`Allocator`](struct.Allocator.html) come last.
    #[default]
    First,
    /// The first value of that name; none as long as nothing was added to it.
    Named(Arc<str>),
    /// None.
    None,
}
