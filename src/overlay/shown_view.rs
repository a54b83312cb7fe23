//! Which view a drawing shows: the default view, with the host's changes of its theme, or one of the host's.

use super::Layout;
use crate::process::View;
use crate::process::default_view::with_default_view;
use crate::process::shown::Shown;

impl Layout {
    /// Begins a part that shows the default view, which is locked while `lay_out` runs.
    pub(super) fn begin_default_part(
        &mut self,
        lay_out: impl FnOnce(&mut Layout, &mut Shown, &mut View),
    ) {
        if self.begin_part().is_some() {
            with_default_view(|default| {
                let (view, shown) = default.parts();
                self.follow_theme(view.theme_turns);
                lay_out(self, shown, view);
            });
        }
    }

    /// Begins a part that shows a view of the host's.
    pub(super) fn begin_view_part(&mut self, lay_out: impl FnOnce(&mut Layout, &mut Shown)) {
        if self.begin_part().is_some() {
            let mut shown = std::mem::take(&mut self.shown);
            lay_out(self, &mut shown);
            self.shown = shown;
        }
    }
}
