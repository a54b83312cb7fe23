//! The help of a frame, and the hint that there is one.

use super::{DRAW, Frame, Overlay};
use crate::input::bindings::Bindings;

impl Frame<'_> {
    /// Adds a page of the help in the rectangle: keys as they are bound, the pointer, modes, columns, colors. Returns
    /// the number of pages, at least 1: it depends on the size of the rectangle and of the text, and nothing is cut.
    /// Pages are counted from 1; a page beyond the last is the last.
    ///
    /// [`Controls::draw_help`](crate::Controls::draw_help) adds the page that the user has turned to.
    ///
    /// If the rectangle is empty or not finite, or has no room for a line of each, nothing is drawn.
    pub fn draw_help(
        &mut self,
        bindings: &Bindings,
        page: usize,
        x: f32,
        y: f32,
        w: f32,
        h: f32,
    ) -> usize {
        crate::zone!(&DRAW);
        let Some(rect) = self.overlay.begin_help(bindings, [x, y, w, h]) else {
            return 1;
        };
        let Overlay {
            font,
            list,
            help,
            help_text,
            theme,
            ..
        } = &mut *self.overlay;
        help.lay_out(font, list, theme, help_text, page, rect)
    }

    /// Adds the hint that there is help, `F1 help` with the key that is bound, in the rectangle of the report: in the
    /// lines above its rows where these have room, else at the upper right corner. A click on it is
    /// [`Action::NextHelpPage`](crate::Action::NextHelpPage).
    ///
    /// Draws nothing if no key is bound to that action, or if there is no room.
    pub fn draw_help_hint(&mut self, bindings: &Bindings, x: f32, y: f32, w: f32, h: f32) {
        crate::zone!(&DRAW);
        let Some(rect) = self.overlay.begin_help(bindings, [x, y, w, h]) else {
            return;
        };
        let Overlay {
            font,
            list,
            rows,
            help,
            help_text,
            theme,
            ..
        } = &mut *self.overlay;
        help.lay_out_hint(font, list, theme, help_text.hint(), rect, rows.free());
    }
}

impl Overlay {
    /// Brings the text of the help up to date. Returns the rectangle in px, unless nothing is drawn there.
    fn begin_help(&mut self, bindings: &Bindings, rect: [f32; 4]) -> Option<[f32; 4]> {
        self.help_text.update(bindings);
        self.begin_part()?;
        self.rect_px(rect)
    }
}
