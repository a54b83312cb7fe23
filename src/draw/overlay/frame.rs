//! A frame of the overlay, to which the host adds the parts that it wants.

use super::report::Listed;
use super::{DRAW, Overlay};
use crate::program;
use crate::program::shown::Shown;
use iprof_process::Profiler;
use iprof_report::View;

/// A frame of the overlay, which [`Overlay::begin`] begins: add parts, from the lowest to the uppermost.
///
/// Rectangles are left, top, width and height in pixels of the target, or in the unit of
/// [`Overlay::set_scale`] or [`Overlay::set_screen`].
#[derive(Debug)]
#[must_use = "add parts, then draw the overlay's `draw_data`"]
pub struct Frame<'a> {
    pub(super) overlay: &'a mut Overlay,
}

impl Frame<'_> {
    /// Sets the height of text of the parts that are added from now on, in this frame and in later ones: see
    /// [`Overlay::set_text_size`].
    pub fn set_text_size(&mut self, size: f32) {
        self.overlay.set_text_size(size);
    }

    /// Adds the tooltip of the row or frame under the pointer, in a box beside the pointer that lies
    /// within the target. For a row it shows the zone's name, where it is defined, and all values with four
    /// decimal places; for a frame its length, its marks, and the zone under the pointer.
    ///
    /// Add it last, so that the box lies over all else. If there is no [pointer](Overlay::pointer) over what was drawn,
    /// this draws nothing and costs nothing.
    pub fn draw_tooltip(&mut self) {
        if !self.overlay.has_tooltip() {
            return;
        }
        crate::zone!(&DRAW);
        let (Some(point), Some(size)) = (self.overlay.pointer.hover(), self.overlay.begin_part())
        else {
            return;
        };
        let Overlay {
            font,
            list,
            tooltip,
            theme,
            ..
        } = &mut *self.overlay;
        tooltip.lay_out(font, list, theme, point, size);
        // What is not drawn in the next frame has no tooltip.
        tooltip.clear();
    }
}

/// A view and what it has on the screen, of the running program under its lock, while parts are drawn.
pub(crate) struct Screen<'a> {
    pub(crate) overlay: &'a mut Overlay,
    pub(super) profiler: &'a Profiler,
    pub(super) view: &'a View,
    pub(super) shown: &'a mut Shown,
    pub(super) listed: Listed,
}

impl Frame<'_> {
    /// Calls `draw` with a view of the host's, or with the default view. The lock is taken once, however many parts it draws.
    pub(crate) fn with_screen(&mut self, view: Option<&View>, draw: impl FnOnce(&mut Screen<'_>)) {
        let overlay = &mut *self.overlay;
        let mut program = program::lock();
        if let Some(view) = view {
            let mut shown = std::mem::take(&mut overlay.shown);
            draw(&mut Screen {
                overlay,
                profiler: program.profiler(),
                view,
                shown: &mut shown,
                listed: Listed::View,
            });
            overlay.shown = shown;
        } else {
            let (profiler, view, shown) = program.parts();
            overlay.follow_theme(shown.theme_turns);
            draw(&mut Screen {
                overlay,
                profiler,
                view,
                shown,
                listed: Listed::DefaultView,
            });
        }
    }
}
