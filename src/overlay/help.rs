//! Draws the help, and the hint that there is one.

use super::{FARTHEST_PX, Overlay};
use crate::bindings::Bindings;

impl Overlay {
    /// Draws a page of the help in the rectangle with the top left corner `x`, `y`: keys as they are bound,
    /// the pointer, modes, columns, colors. Returns the number of pages, at least 1: it depends on the size of
    /// the rectangle and of the text, and nothing is cut. Pages are counted from 1; a page beyond the last is the
    /// last.
    ///
    /// Call it after [`draw_gl`](Overlay::draw_gl), so that it lies over the report.
    /// [`Controls::draw_help_gl`](crate::Controls::draw_help_gl) draws the page that the user has turned to.
    ///
    /// If the rectangle is empty or not finite, or has no room for a line of each, nothing is drawn.
    pub fn draw_help_gl(
        &mut self,
        bindings: &Bindings,
        page: usize,
        x: f32,
        y: f32,
        w: f32,
        h: f32,
    ) -> usize {
        let mut pages = 1;
        self.help_text.update(bindings);
        self.draw_help(|overlay| {
            let rect = overlay.help_rect([x, y, w, h])?;
            let Overlay {
                font,
                list,
                help,
                help_text,
                theme,
                ..
            } = overlay;
            pages = help.lay_out(font, list, theme, help_text, page, rect);
            Some(())
        });
        pages
    }

    /// Draws the hint that there is help, `F1 help` with the key that is bound, in the rectangle of the report: in the
    /// lines above its rows where these have room, else at the upper right corner. A click on it is [`Action::NextHelpPage`](crate::Action::NextHelpPage).
    ///
    /// Draws nothing if no key is bound to that action, or if there is no room.
    pub fn draw_help_hint_gl(&mut self, bindings: &Bindings, x: f32, y: f32, w: f32, h: f32) {
        self.help_text.update(bindings);
        self.draw_help(|overlay| {
            let rect = overlay.help_rect([x, y, w, h])?;
            let Overlay {
                font,
                list,
                rows,
                help,
                help_text,
                theme,
                ..
            } = overlay;
            help.lay_out_hint(font, list, theme, help_text.hint(), rect, rows.free());
            Some(())
        });
    }

    fn draw_help(&mut self, lay_out: impl FnOnce(&mut Overlay) -> Option<()>) {
        if cfg!(feature = "enable") {
            crate::scope!(super::DRAW);
            self.paint(|overlay, _| {
                lay_out(overlay);
            });
        }
    }

    /// The rectangle in px: left, top, right and bottom edge.
    fn help_rect(&self, [x, y, w, h]: [f32; 4]) -> Option<[f32; 4]> {
        let [sx, sy] = self.scale;
        let rect = [x * sx, y * sy, (x + w) * sx, (y + h) * sy];
        let is_valid = rect.iter().all(|edge| edge.is_finite()) && w > 0.0 && h > 0.0;
        is_valid.then(|| rect.map(|edge| edge.clamp(-FARTHEST_PX, FARTHEST_PX)))
    }
}
