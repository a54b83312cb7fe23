//! The default view as a person sees it: numbers that stay long enough to be read, and controls
//! that act on what is on the screen.

use super::view::View;
use super::with_process;
#[cfg(feature = "gl")]
use crate::graph::Graph;
use crate::report::Report;
use crate::sync::{Mutex, lock};
use std::time::{Duration, Instant};

/// Between two changes of the numbers, unless told otherwise.
const REFRESH: Duration = Duration::from_millis(100);

static DISPLAY: Mutex<Option<Display>> = Mutex::new(None);

/// A view, and what of it is shown at present.
#[derive(Debug)]
pub(crate) struct Display {
    view: View,
    shown: Report,
    shown_at: Option<Instant>,
    refresh: Duration,
    #[cfg(feature = "gl")]
    graph: Graph,
}

impl Display {
    fn new() -> Display {
        Display {
            view: View::new(),
            shown: Report::default(),
            shown_at: None,
            refresh: REFRESH,
            #[cfg(feature = "gl")]
            graph: Graph::default(),
        }
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// The report on the screen: built anew if it is older than the refresh time.
    pub(crate) fn report(&mut self) -> &Report {
        if self.shown_at.is_none_or(|at| at.elapsed() >= self.refresh) {
            self.shown = with_process(|process| process.report(&self.view, Some(&self.shown)));
            self.shown_at = Some(Instant::now());
        }
        &self.shown
    }

    /// The graph on the screen: of this very frame.
    #[cfg(feature = "gl")]
    pub(crate) fn graph(&mut self) -> &Graph {
        with_process(|process| process.update_graph(&self.view, &mut self.graph));
        &self.graph
    }

    /// Changes the view by what is on the screen, and shows the change at once.
    pub(crate) fn control(&mut self, change: impl FnOnce(&mut View, &Report)) {
        self.report();
        change(&mut self.view, &self.shown);
        self.shown_at = None;
    }

    pub(crate) fn set_refresh(&mut self, refresh: Duration) {
        self.refresh = refresh;
        self.shown_at = None;
    }
}

/// Calls `f` with the program's default view.
///
/// The display is locked before the measurements, here and everywhere.
pub(crate) fn with_display<R>(f: impl FnOnce(&mut Display) -> R) -> R {
    f(lock(&DISPLAY).get_or_insert_with(Display::new))
}
