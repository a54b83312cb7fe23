//! Turns keys, text and pointer events into actions, and holds the settings that are not part of a view: pause, overlay
//! and help visibility, decimal places, and key bindings.
//!
//! [`view_controls`] receives a key's name, [`key_press`] decides what the key does, and the action goes to
//! [`settings`] and then to the view.

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

/// The initial number of decimal places for times.
const PRECISION: u32 = 2;

/// Handles keys, text and the pointer, and performs every [`Action`].
///
/// `Controls` holds the user settings that are not part of a view: whether profiling is paused, whether the overlay is
/// hidden, which help page and which graph is shown, the number of decimal places for times, and the key bindings.
///
/// Any window library can be connected by passing key names:
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
/// See [`key`](Controls::key) for the names. Gamepads, menus and buttons can perform actions directly:
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
    /// Whether frames are discarded. Pass `!paused` to [`update`](crate::update).
    pub paused: bool,
    /// Whether the overlay is hidden.
    pub hidden: bool,
    /// The number of decimal places for times, 1 to 4. Pass it to [`draw_gl`](crate::draw_gl).
    pub precision: u32,
    /// The help page that is shown, counted from 1, or 0 if the help is closed.
    pub help_page: usize,
    /// Whether the flame graph is drawn instead of the graph.
    pub flame: bool,
    /// The key bindings.
    pub bindings: Bindings,
    /// The number of help pages when the help was last drawn.
    help_pages: usize,
    /// Whether the help has been shown. If so, the hint is no longer drawn.
    has_seen_help: bool,
    /// Whether the next text event comes from the key that started filter input. If so, its text must not go into the
    /// filter.
    skips_text: bool,
    marks: u32,
    /// The index of the selected memory limit.
    history_memory: usize,
    /// The index of the selected number of longest frames.
    longest_frames: usize,
    /// Whether the last selected timing mode was refused because there is no sampler.
    has_no_sampler: bool,
}

impl Default for Controls {
    fn default() -> Controls {
        Controls::new()
    }
}

impl Controls {
    /// Returns the initial settings: not paused, visible, help closed, two decimal places, default bindings.
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

    /// Handles a key press: performs its action on the default view. Returns whether the key was used; if so, the
    /// program should ignore the press. Unknown keys are not used. Pass key repeats as well, but not releases.
    ///
    /// `key` is a name from the web's `KeyboardEvent.key` or winit: the character that the key types, such as `s`, `+`
    /// or `ü`, or a name such as `F1`, `ArrowUp`, `PageDown`, `Enter` or `Space`. If you only have key positions, pass
    /// names from `KeyboardEvent.code`, such as `KeyS`, `Digit1` or `BracketLeft`. These positions are interpreted in
    /// the US layout. Case, spaces and `_` are ignored. The names that SDL, GLFW, egui and miniquad use for these keys
    /// also work: `Up`, `Return`, `Page Up`, `Kp1`, `LeftBracket`. For an enum from a different library,
    /// `format!("{key:?}")` usually works.
    ///
    /// | library | key | text |
    /// |---|---|---|
    /// | web | `controls.key(&event.key(), modifiers)` | the same event's `key`, if it is one character |
    /// | SDL | `controls.key(&keycode.name(), modifiers)` | `Event::TextInput` |
    /// | GLFW, miniquad | `controls.key(&format!("{key:?}"), modifiers)` | the character callback |
    /// | macroquad | `controls.key(&format!("{key:?}"), modifiers)` | `get_char_pressed` |
    /// | egui | `controls.key(key.name(), modifiers)` | `egui::Event::Text` |
    ///
    /// During filter input, keys that type text are used, and [`text`](Controls::text) adds their text to the filter.
    /// Enter ends the input, Escape clears the filter, and Backspace deletes a character. While the overlay is
    /// [`hidden`](Controls::hidden), only the keys that show the overlay or the help are used. Escape closes the help
    /// and resets a flame graph's zoom.
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

    /// Handles text input: appends it to the default view's filter during filter input. Returns whether the text was
    /// used. Control characters are ignored.
    ///
    /// If a key press comes with text, pass the text after the press. Text from the key that starts filter input, `/`
    /// by default, is not added.
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

    /// Handles a pointer event over the current overlay: performs its action on the default view. Returns whether the
    /// event was used; see [`PointerResponse`](crate::overlay::PointerResponse).
    ///
    /// While the overlay is [`hidden`](Controls::hidden), only events that end a press are used. If your program does
    /// not draw with OpenGL, pass the overlay with [`with_overlay`](Controls::with_overlay).
    ///
    /// Unlike [`pointer`](crate::pointer()), this method also applies clicks on the title or the help to these
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

    /// Handles a touch event, like [`pointer`](Controls::pointer) for a finger. See
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

    /// Returns whether the overlay receives a pointer event. A hidden overlay receives only events that end a press.
    pub(crate) fn sees(&self, event: PointerEvent) -> bool {
        let ends = matches!(event, PointerEvent::Released(_) | PointerEvent::LeftWindow);
        ends || !self.hidden
    }

    /// Returns the touch phase to pass to the overlay, if any. If the overlay is hidden, the end of a touch becomes a
    /// cancellation, and other phases are not passed.
    pub(crate) fn touch_phase(&self, phase: TouchPhase) -> Option<TouchPhase> {
        let ends = matches!(phase, TouchPhase::Ended | TouchPhase::Cancelled);
        match self.hidden {
            false => Some(phase),
            true => ends.then_some(TouchPhase::Cancelled),
        }
    }

    /// Performs an action, which changes these settings, the default view, or the program's timing.
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
    fn keys_and_text_control_a_view() {
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
            "text should be unused outside filter input"
        );
        // On the web, a single event carries both key and text.
        for name in ["/", "\u{dc}", "b", "-", "Space", "s"] {
            assert!(key(&mut controls, &mut view, &mut overlay, name));
            let text = if name == "Space" { " " } else { name };
            assert!(controls.on(&mut view, &mut overlay).text(text));
        }
        assert_eq!(view.filter, "\u{dc}b- s");
        // SDL can send a text event with several characters and no key press.
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
            "a key that types no text should keep its action"
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
    fn filter_works_without_text_for_start_key() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        controls.on(&mut view, &mut overlay).key("/", PLAIN);
        controls.on(&mut view, &mut overlay).key("KeyA", PLAIN);
        controls.on(&mut view, &mut overlay).text("a");
        assert_eq!(view.filter, "a");
    }

    #[test]
    fn hidden_overlay_uses_only_keys_that_show_it() {
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
    fn help_key_cycles_through_pages() {
        let (mut controls, mut view) = (Controls::new(), View::default());
        let mut overlay = Overlay::new();
        controls.help_pages = 2;
        for page in [1, 2, 0, 1] {
            assert!(controls.on(&mut view, &mut overlay).key("F1", PLAIN));
            assert_eq!(controls.help_page, page);
        }
        assert!(controls.on(&mut view, &mut overlay).key("Escape", PLAIN));
        assert_eq!(controls.help_page, 0);
        // The host can set any page number, even one beyond the last page.
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
        // Each setting wraps around after its last value.
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
    fn next_key_clamps_invalid_precision() {
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
    fn typed_characters_edit_the_filter() {
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
