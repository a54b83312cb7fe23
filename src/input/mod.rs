//! The settings that no view holds: pause, visibility of the overlay and of the help, decimal places, key bindings; and
//! the keys, the text and the pointer that change them and the default view.
//!
//! The way of a key: [`view_controls`] gets its name, [`key_press`] says what it does, and the action goes to
//! [`settings`], and then to the view.

pub(crate) mod bindings;
mod drawing;
pub(crate) mod key_press;
mod settings;
mod view_controls;
#[cfg(feature = "web-sys-0-3")]
pub mod web;
#[cfg(feature = "winit-0-30")]
pub mod winit;

#[cfg(feature = "gl")]
use crate::gl::with_current;
use crate::overlay::{PointerEvent, TouchPhase};
use iprof_report::Action;

pub use bindings::{Bindings, Chord, Modifiers};
pub use view_controls::ViewControls;

/// Initial number of decimal places of times.
const PRECISION: u32 = 2;

/// Handles keys, text and the pointer, performs every [`Action`], and holds the user's settings that no view
/// holds: whether profiling is paused and the overlay hidden, which page of the help and which graph is shown, how many
/// decimal places times have, and the key bindings.
///
/// Any window library can drive it, by the names of its keys:
///
/// ```
/// use iprof::{Controls, Modifiers};
///
/// let mut controls = Controls::new();
/// # let (name, shift, text) = ("Tab", false, "x");
/// // on a pressed key, and on text input:
/// let used = controls.key(name, Modifiers { shift, ..Modifiers::NONE });
/// let used = controls.text(text) || used;
/// if !used {
///     // The key is the program's own.
/// }
/// // each frame:
/// iprof::update(!controls.paused);
/// if !controls.hidden {
///     # #[cfg(feature = "gl")]
///     iprof::draw_gl(20.0, 20.0, 560.0, 400.0, controls.precision);
/// }
/// ```
///
/// [`key`](Controls::key) has the names. Gamepads, menus and buttons perform actions:
///
/// ```
/// use iprof::{Action, Controls};
///
/// # enum Button { Up, Down, Left, Right, South, East, Start }
/// fn gamepad(controls: &mut Controls, button: Button) {
///     controls.act(match button {
///         Button::Up => Action::MoveCursor(-1),
///         Button::Down => Action::MoveCursor(1),
///         Button::Left => Action::MoveFrame(-1),
///         Button::Right => Action::MoveFrame(1),
///         Button::South => Action::Select,
///         Button::East => Action::GoBack,
///         Button::Start => Action::NextHelpPage,
///     });
/// }
/// # let mut controls = Controls::new();
/// # gamepad(&mut controls, Button::Start);
/// # assert_eq!(controls.help_page, 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Controls {
    /// Whether frames are discarded: pass `!paused` to [`update`](crate::update).
    pub paused: bool,
    /// Whether the overlay is hidden.
    pub hidden: bool,
    /// Decimal places of times, 1 to 4, for [`draw_gl`](crate::draw_gl).
    pub precision: u32,
    /// The page of the help that is shown, from 1; 0 while no help is shown.
    pub help_page: usize,
    /// Whether the flame graph is drawn in place of the graph.
    pub flame: bool,
    /// The key bindings.
    pub bindings: Bindings,
    /// The number of pages of the help when it was drawn last.
    help_pages: usize,
    /// Whether the help was shown: then no hint is needed.
    has_seen_help: bool,
    /// Whether the next text is the character of the key that began typing the filter.
    skips_text: bool,
    /// Number of marked frames.
    marks: u32,
    /// Index of the chosen memory limit, and of the chosen number of frames.
    history_memory: usize,
    longest_frames: usize,
    /// Whether the timing mode that was chosen last was refused.
    has_no_sampler: bool,
}

impl Default for Controls {
    fn default() -> Controls {
        Controls::new()
    }
}

impl Controls {
    /// The initial settings: recording, shown, without help, two decimal places, the default bindings.
    #[must_use]
    pub fn new() -> Controls {
        Controls {
            paused: false,
            hidden: false,
            precision: PRECISION,
            help_page: 0,
            flame: false,
            bindings: Bindings::default(),
            help_pages: 1,
            has_seen_help: false,
            skips_text: false,
            marks: 0,
            history_memory: 0,
            longest_frames: 0,
            has_no_sampler: false,
        }
    }

    /// Handles a pressed key: performs its action on the default view. Returns whether the key was used;
    /// then the program should ignore it. An unknown key is not used. Pass repeated presses, too, and no
    /// releases.
    ///
    /// The name is that of the web's `KeyboardEvent.key` and of winit: the character that the key writes,
    /// such as `s`, `+` or `ü`, or a name such as `F1`, `ArrowUp`, `PageDown`, `Enter`, `Space`. A host that
    /// knows only positions passes `KeyboardEvent.code`: `KeyS`, `Digit1`, `BracketLeft`; they count as in the
    /// layout of the United States. Case, blanks and `_` do not matter, and the names that SDL, GLFW, egui and
    /// miniquad have for the same keys are known as well: `Up`, `Return`, `Page Up`, `Kp1`, `LeftBracket`. So
    /// `format!("{key:?}")` of a library's enumeration usually works.
    ///
    /// | library | key | text |
    /// |---|---|---|
    /// | web | `controls.key(&event.key(), modifiers)` | the same event's `key`, if it is one character |
    /// | SDL | `controls.key(&keycode.name(), modifiers)` | `Event::TextInput` |
    /// | GLFW, miniquad | `controls.key(&format!("{key:?}"), modifiers)` | the character callback |
    /// | macroquad | `controls.key(&format!("{key:?}"), modifiers)` | `get_char_pressed` |
    /// | egui | `controls.key(key.name(), modifiers)` | `egui::Event::Text` |
    ///
    /// While a filter is typed, keys that write text are used, and [`text`](Controls::text) types; Enter ends
    /// it, Escape clears it, Backspace erases. While [`hidden`](Controls::hidden), only the keys that show the
    /// overlay or the help are used. Escape closes the help, and shows all of a zoomed flame graph.
    ///
    /// ```
    /// use iprof::{Controls, Modifiers, ReportMode};
    ///
    /// let mut controls = Controls::new();
    /// assert!(controls.key("Tab", Modifiers::NONE));
    /// # if !iprof::is_recording() { return }
    /// assert_eq!(iprof::with_view(|view| view.report_mode), ReportMode::HierarchicalTime);
    /// assert!(!controls.key("Tab", Modifiers::ALT), "it is not bound");
    /// ```
    pub fn key(&mut self, key: &str, modifiers: Modifiers) -> bool {
        self.on_default_view().key(key, modifiers)
    }

    /// Handles text input: appends it to the default view's filter while that is typed. Returns whether the
    /// text was used. Control characters are ignored.
    ///
    /// Pass the text of a key press after the press itself: the character of the key that begins typing,
    /// `/` by default, is not typed.
    ///
    /// ```
    /// use iprof::{Controls, Modifiers};
    ///
    /// let mut controls = Controls::new();
    /// for character in ["/", "p", "h", "y"] {
    ///     controls.key(character, Modifiers::NONE);
    ///     controls.text(character);
    /// }
    /// # if !iprof::is_recording() { return }
    /// assert_eq!(iprof::with_view(|view| view.filter.clone()), "phy");
    /// ```
    pub fn text(&mut self, text: &str) -> bool {
        self.on_default_view().text(text)
    }

    /// Handles an event of the pointer over what the current overlay drew: performs its action on the default
    /// view. Returns whether the event was used; see [`PointerResponse`](crate::overlay::PointerResponse). While
    /// [`hidden`](Controls::hidden), no event is used but those that end what was begun. A program that does not draw
    /// with OpenGL names its overlay: [`with_overlay`](Controls::with_overlay).
    ///
    /// Unlike [`pointer`](crate::pointer()), it also performs what a click on the title or the help does to these
    /// settings.
    #[cfg(feature = "gl")]
    pub fn pointer(&mut self, event: PointerEvent) -> bool {
        if !self.sees(event) {
            return false;
        }
        let response = with_current(|overlay, _| overlay.pointer(event)).unwrap_or_default();
        if let Some(action) = response.action {
            self.act(action);
        }
        response.consumed
    }

    /// Handles an event of a finger, as [`pointer`](Controls::pointer) does those of a mouse: see
    /// [`Overlay::touch`](crate::overlay::Overlay::touch).
    #[cfg(feature = "gl")]
    pub fn touch(&mut self, finger: u64, phase: TouchPhase, x: f32, y: f32) -> bool {
        let Some(phase) = self.touch_phase(phase) else {
            return false;
        };
        let response = with_current(|overlay, _| overlay.touch(finger, phase, x, y));
        let response = response.unwrap_or_default();
        if let Some(action) = response.action {
            self.act(action);
        }
        response.consumed
    }

    /// Whether an event of the pointer is for the overlay: while that is hidden, only events that end a press
    /// are.
    pub(crate) fn sees(&self, event: PointerEvent) -> bool {
        let ends = matches!(event, PointerEvent::Released(_) | PointerEvent::LeftWindow);
        ends || !self.hidden
    }

    /// The phase of a touch for the overlay: while that is hidden, a touch that began before is cancelled, and no
    /// other event is for it.
    pub(crate) fn touch_phase(&self, phase: TouchPhase) -> Option<TouchPhase> {
        let ends = matches!(phase, TouchPhase::Ended | TouchPhase::Cancelled);
        match self.hidden {
            false => Some(phase),
            true => ends.then_some(TouchPhase::Cancelled),
        }
    }

    /// Performs an action: on these settings, the default view, or the program's timing.
    pub fn act(&mut self, action: Action) {
        self.on_default_view().act(action);
    }
}

#[cfg(all(test, not(loom), feature = "overlay"))]
mod tests {
    use super::*;
    use crate::overlay::Overlay;
    use iprof_report::ReportMode;
    use iprof_report::View;

    const PLAIN: Modifiers = Modifiers::NONE;

    #[test]
    fn keys_and_text_drive_a_view() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        fn key(
            controls: &mut Controls,
            view: &mut View,
            overlay: &mut Overlay,
            name: &str,
        ) -> bool {
            controls.on(view, overlay).key(name, PLAIN)
        }
        assert!(key(&mut controls, &mut view, &mut overlay, "Tab"));
        assert_eq!(view.report_mode, ReportMode::HierarchicalTime);
        for unknown in ["", "w", "Hyper", "\u{10ffff}", "Unidentified"] {
            assert!(
                !key(&mut controls, &mut view, &mut overlay, unknown),
                "{unknown:?}"
            );
        }
        assert!(
            !controls.on(&mut view, &mut overlay).text("a"),
            "no filter is typed"
        );
        // As the web has it: one event for both.
        for name in ["/", "\u{dc}", "b", "-", "Space", "s"] {
            assert!(key(&mut controls, &mut view, &mut overlay, name));
            let text = if name == "Space" { " " } else { name };
            assert!(controls.on(&mut view, &mut overlay).text(text));
        }
        assert_eq!(view.filter, "\u{dc}b- s");
        // As SDL has it: text that no key wrote, of several characters.
        assert!(
            controls
                .on(&mut view, &mut overlay)
                .text("\u{3b1}\u{3b2}\n")
        );
        assert!(key(&mut controls, &mut view, &mut overlay, "Backspace"));
        assert_eq!(view.filter, "\u{dc}b- s\u{3b1}");
        assert!(
            !controls
                .on(&mut view, &mut overlay)
                .key("c", Modifiers::CONTROL)
        );
        assert!(
            key(&mut controls, &mut view, &mut overlay, "ArrowUp"),
            "it writes nothing"
        );
        assert!(key(&mut controls, &mut view, &mut overlay, "Return"));
        assert!(!overlay.is_typing_filter());
        assert!(key(&mut controls, &mut view, &mut overlay, "/"));
        assert!(key(&mut controls, &mut view, &mut overlay, "Escape"));
        assert_eq!(
            (view.filter.as_str(), overlay.is_typing_filter()),
            ("", false)
        );
        assert!(!key(&mut controls, &mut view, &mut overlay, "Escape"));
    }

    #[test]
    fn hosts_without_the_text_of_the_first_key_type_the_second() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        controls.on(&mut view, &mut overlay).key("/", PLAIN);
        controls.on(&mut view, &mut overlay).key("KeyA", PLAIN);
        controls.on(&mut view, &mut overlay).text("a");
        assert_eq!(view.filter, "a");
    }

    #[test]
    fn a_hidden_overlay_uses_only_the_keys_that_show_it() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        controls.hidden = true;
        overlay.act(&mut view, Action::EditFilter);
        for key in ["s", "Enter", "a", "Escape"] {
            assert!(
                !controls.on(&mut view, &mut overlay).key(key, PLAIN),
                "{key}"
            );
        }
        assert!(!controls.on(&mut view, &mut overlay).text("a"));
        overlay.act(&mut view, Action::EndFilter);
        assert!(controls.on(&mut view, &mut overlay).key("p", PLAIN));
        assert!(!controls.hidden);
        controls.hidden = true;
        controls.help_page = 2;
        assert!(controls.on(&mut view, &mut overlay).key("F1", PLAIN));
        assert_eq!((controls.hidden, controls.help_page), (false, 1));
    }

    #[test]
    fn the_help_turns_its_pages_and_closes() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        controls.help_pages = 2;
        for page in [1, 2, 0, 1] {
            assert!(controls.on(&mut view, &mut overlay).key("F1", PLAIN));
            assert_eq!(controls.help_page, page);
        }
        assert!(controls.on(&mut view, &mut overlay).key("Escape", PLAIN));
        assert_eq!(controls.help_page, 0);
        // The host may have set any page.
        controls.help_page = usize::MAX;
        assert!(controls.on(&mut view, &mut overlay).key("F1", PLAIN));
        assert_eq!(controls.help_page, 0);
    }

    #[test]
    fn actions_change_the_settings() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        let mut act = |action| {
            controls.on(&mut view, &mut overlay).act(action);
            controls.clone()
        };
        assert!(act(Action::TogglePause).paused);
        assert!(!act(Action::TogglePause).paused);
        assert!(act(Action::ToggleHidden).hidden);
        for precision in [3, 4, 4] {
            assert_eq!(act(Action::MorePrecision).precision, precision);
        }
        for precision in [3, 2, 1, 1] {
            assert_eq!(act(Action::LessPrecision).precision, precision);
        }
        // After as many steps as there are choices, the first is chosen again.
        for (action, times) in [
            (Action::NextHistoryMemory, 4),
            (Action::NextLongestFrames, 3),
        ] {
            let before = act(Action::EndFilter);
            for time in 1..=times {
                assert_eq!(act(action.clone()) == before, time == times);
            }
        }
    }

    #[test]
    fn an_invalid_precision_is_clamped_by_the_next_key() {
        for odd in [0, 5, u32::MAX] {
            for action in [Action::LessPrecision, Action::MorePrecision] {
                let mut controls = Controls::new();
                controls.precision = odd;
                controls
                    .on(&mut View::default(), &mut Overlay::new())
                    .act(action.clone());
                let wanted = if odd == 0 { 1 } else { 4 };
                assert_eq!(controls.precision, wanted, "{action:?} from {odd}");
            }
        }
    }

    #[test]
    fn typed_characters_go_into_the_views_filter() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        for character in "übung".chars() {
            controls
                .on(&mut view, &mut overlay)
                .act(Action::TypeFilter(character));
        }
        controls
            .on(&mut view, &mut overlay)
            .act(Action::EraseFilter);
        assert_eq!(view.filter, "übun");
        controls
            .on(&mut view, &mut overlay)
            .act(Action::ClearFilter);
        assert_eq!(view.filter, "");
    }
}
