//! Which view a frame shows: the default view, with the host's changes of its theme, or one of the host's.

use super::Overlay;
use crate::process::program::{self, LockedProgram};
use crate::process::shown::Shown;

impl Overlay {
    /// Begins a part that shows the default view, which is locked until it is drawn.
    pub(super) fn begin_default_part(&mut self) -> Option<LockedProgram> {
        self.begin_part()?;
        let mut program = program::lock();
        self.follow_theme(program.parts().2.theme_turns);
        Some(program)
    }

    /// Begins a part that shows a view of the host's. What it has on the screen is to be given back.
    pub(super) fn begin_view_part(&mut self) -> Option<(LockedProgram, Shown)> {
        self.begin_part()?;
        Some((program::lock(), std::mem::take(&mut self.shown)))
    }
}
