//! Which view a drawing shows: the default view, with the host's changes of its theme, or one of the host's.

use super::Layout;
use crate::process::default_view::{self, LockedView};
use crate::process::shown::Shown;

impl Layout {
    /// Begins a part that shows the default view, which is locked until it is drawn.
    pub(super) fn begin_default_part(&mut self) -> Option<LockedView> {
        self.begin_part()?;
        let mut default = default_view::lock();
        self.follow_theme(default.parts().0.theme_turns);
        Some(default)
    }

    /// Begins a part that shows a view of the host's. What it has on the screen is to be given back.
    pub(super) fn begin_view_part(&mut self) -> Option<Shown> {
        self.begin_part()?;
        Some(std::mem::take(&mut self.shown))
    }
}
