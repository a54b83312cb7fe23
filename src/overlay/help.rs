//! The help of a frame, and the hint that there is one.

use super::Overlay;
use crate::bindings::Bindings;

impl Overlay {
    /// Adds a page of the help. Returns the number of pages, at least 1.
    pub(crate) fn add_help(&mut self, bindings: &Bindings, page: usize, rect: [f32; 4]) -> usize {
        self.help_text.update(bindings);
        let Some(rect) = self.begin_part().and_then(|_| self.rect_px(rect)) else {
            return 1;
        };
        let Overlay {
            font,
            list,
            help,
            help_text,
            theme,
            ..
        } = self;
        help.lay_out(font, list, theme, help_text, page, rect)
    }

    /// Adds the hint that there is help.
    pub(crate) fn add_help_hint(&mut self, bindings: &Bindings, rect: [f32; 4]) {
        self.help_text.update(bindings);
        let Some(rect) = self.begin_part().and_then(|_| self.rect_px(rect)) else {
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
        } = self;
        help.lay_out_hint(font, list, theme, help_text.hint(), rect, rows.free());
    }
}
