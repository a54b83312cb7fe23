//! Decides what a pressed key does: an action, text for the filter, or nothing.

use super::Controls;
use crate::input::bindings::{KeyName, Modifiers};
use iprof_report::Action;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum KeyResponse {
    /// The key is not used, so the program can handle it.
    Unused,
    /// The key types text, which goes into the filter.
    Text,
    Action(Action),
}

/// The state that a key's effect depends on, apart from bindings and settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyState {
    pub(crate) is_typing: bool,
    pub(crate) is_flame_zoomed: bool,
}

impl Controls {
    /// Returns what a pressed key does, given its name and, if known, its position.
    pub(crate) fn press(
        &mut self,
        key: &KeyName,
        code: Option<&KeyName>,
        modifiers: Modifiers,
        state: KeyState,
    ) -> KeyResponse {
        let KeyState {
            is_typing,
            is_flame_zoomed,
        } = state;
        self.skips_text = false;
        let is_shown = !self.hidden;
        if is_typing && is_shown && !modifiers.is_shortcut() {
            let edits = [
                ("Enter", Action::EndFilter),
                ("Escape", Action::ClearFilter),
                ("Backspace", Action::EraseFilter),
            ];
            if let Some((_, action)) = edits.into_iter().find(|(name, _)| key.is(name)) {
                return KeyResponse::Action(action);
            }
            if key.is_text() {
                return KeyResponse::Text;
            }
        }
        let closes = is_shown && self.help_page > 0 && key.is("Escape");
        let unzooms = is_shown && self.flame && is_flame_zoomed && key.is("Escape");
        let action = match self.bindings.find_key(key, code, modifiers) {
            None if unzooms && !closes && modifiers == Modifiers::NONE => Some(Action::UnzoomFlame),
            None if closes && modifiers == Modifiers::NONE => Some(Action::CloseHelp),
            found => found,
        };
        let shows = |action: &Action| matches!(action, Action::ToggleHidden | Action::NextHelpPage);
        let Some(action) = action.filter(|action| is_shown || shows(action)) else {
            return KeyResponse::Unused;
        };
        self.skips_text = action == Action::EditFilter;
        KeyResponse::Action(action)
    }
}
