//! The theme of an overlay: the host's, or the one that the user has chosen.

use super::Overlay;
use crate::draw::Theme;

/// The host's theme, and how often the user has changed it: here, and in the default view when that was drawn
/// last.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThemeChoice {
    hosts: Theme,
    turns: u32,
    pub(super) turns_of_view: u32,
}

impl Default for ThemeChoice {
    fn default() -> ThemeChoice {
        ThemeChoice {
            hosts: Theme::DARK,
            turns: 0,
            turns_of_view: 0,
        }
    }
}

impl ThemeChoice {
    /// The theme after these changes: the host's, then the others of this crate, the host's again.
    pub(super) fn current(&self) -> Theme {
        let hosts = &self.hosts;
        let others = || Theme::ALL.into_iter().filter(|theme| theme != hosts);
        let turns = self.turns.wrapping_add(self.turns_of_view) as usize;
        let turns = turns % (1 + others().count());
        let other = turns.checked_sub(1).and_then(|at| others().nth(at));
        other.unwrap_or(self.hosts)
    }
}

impl Overlay {
    /// Sets the colors: [`Theme::DARK`] by default. The user can change them, by
    /// [`Action::NextTheme`](crate::Action::NextTheme), and returns to these.
    ///
    /// ```
    /// use iprof::overlay::Theme;
    ///
    /// let mut overlay = iprof::overlay::Overlay::new();
    /// overlay.set_theme(Theme::LIGHT);
    /// ```
    pub fn set_theme(&mut self, theme: Theme) {
        self.themes = ThemeChoice {
            hosts: theme,
            ..ThemeChoice::default()
        };
    }

    /// Takes over the user's changes of the theme in the default view.
    pub(super) fn follow_theme(&mut self, turns: u32) {
        self.themes.turns_of_view = turns;
        self.theme = self.themes.current();
    }

    /// Changes to the next theme: the host's, then the other ones of dark, light, and for the color-blind. For
    /// reports and graphs of the host's: in the default view, [`Action::NextTheme`](crate::Action::NextTheme)
    /// does so.
    pub fn next_theme(&mut self) {
        self.themes.turns = self.themes.turns.wrapping_add(1);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn themes_take_turns_beginning_with_the_hosts() {
        let mut own = Theme::LIGHT;
        own.text = [1, 2, 3, 255];
        for hosts in [Theme::DARK, Theme::LIGHT, Theme::COLOR_BLIND, own] {
            let count = if hosts == own { 4_u32 } else { 3 };
            let after = |turns: u32| {
                let choice = ThemeChoice {
                    hosts,
                    turns: turns / 2,
                    turns_of_view: turns - turns / 2,
                };
                choice.current()
            };
            let seen: Vec<Theme> = (0..count).map(after).collect();
            assert_eq!(seen[0], hosts);
            assert!(Theme::ALL.iter().all(|theme| seen.contains(theme)));
            assert_eq!(after(count), hosts, "it returns");
        }
    }
}
