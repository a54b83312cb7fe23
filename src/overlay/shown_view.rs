//! Which view a part shows: the default view, with the user's changes of its theme, or one of the host's.

use super::Overlay;
use crate::process::program;
use crate::process::shown::Shown;
use iprof_process::Profiler;
use iprof_report::View;

impl Overlay {
    /// Begins a part that shows a view of the host's or the default view, and adds it by `lay_out`. The program is locked
    /// meanwhile.
    pub(super) fn with_shown(
        &mut self,
        view: Option<&View>,
        lay_out: impl FnOnce(&mut Overlay, &Profiler, &mut Shown, &View),
    ) {
        if self.begin_part().is_none() {
            return;
        }
        let mut program = program::lock();
        if let Some(view) = view {
            let mut shown = std::mem::take(&mut self.shown);
            lay_out(self, program.profiler(), &mut shown, view);
            self.shown = shown;
        } else {
            let (profiler, view, shown) = program.parts();
            self.follow_theme(shown.theme_turns);
            lay_out(self, profiler, shown, view);
        }
    }
}
