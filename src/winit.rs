//! Keyboard and pointer input from a [winit](https://docs.rs/winit/0.30) window.
//!
//! ```no_run
//! # use winit::event::WindowEvent;
//! # fn event() -> WindowEvent { unimplemented!() }
//! let mut input = iprof::winit::Input::new();
//! // on each event of the window:
//! if !input.window_event(&event()) {
//!     // The event is the program's own.
//! }
//! // each frame:
//! iprof::update(!input.controls.paused);
//! if !input.controls.hidden {
//!     iprof::draw_gl(20.0, 20.0, 560.0, 400.0, input.controls.precision);
//!     iprof::draw_graph_gl(20.0, 460.0, 2.0, 4.0);
//!     iprof::draw_tooltip_gl();
//! }
//! ```
//!
//! [`Bindings`] lists the default keys, which can be changed.
//!
//! On Android, winit must know the kind of the program's activity: a host that enables neither of winit's
//! features `android-native-activity` and `android-game-activity` gets compile errors from winit.

use crate::action::Action;
use crate::average::Average;
use crate::controls::Controls;
use crate::frame_selection::FrameSelection;
use crate::overlay::{Overlay, PointerButton, PointerEvent, with_current};
use crate::process::{View, with_view};
use ::winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use ::winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// Touchpad pixels that count as one line of a wheel: a reasonable guess.
const LINE_PX: f32 = 20.0;

/// Translates window events into actions, and performs them.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The user's settings, which the host applies.
    pub controls: Controls,
    /// The key bindings.
    pub bindings: Bindings,
    modifiers: ModifiersState,
}

impl Input {
    /// Input with the default [`Bindings`].
    #[must_use]
    pub fn new() -> Input {
        Input::default()
    }

    /// Handles a window event: performs its action on the default view, and on the overlay that is current
    /// on this thread. Returns whether the event was used; then the program should ignore it. Of keys only
    /// presses are used; of buttons and the wheel, events over what the overlay drew: see
    /// [`PointerResponse`](crate::gl::PointerResponse).
    ///
    /// The window's upper left corner is assumed to be that of the viewport. While
    /// [`hidden`](Controls::hidden), only the key that shows the overlay again is used.
    pub fn window_event(&mut self, event: &WindowEvent) -> bool {
        let is_typing = || with_view(|view| view.is_typing_filter());
        let (used, action) = with_current(|overlay| self.read(event, Some(overlay), is_typing))
            .unwrap_or_else(|| self.read(event, None, is_typing));
        if let Some(action) = action {
            self.controls.act(action);
        }
        used
    }

    /// As [`window_event`](Input::window_event), for an overlay and a view of the host's.
    pub fn window_event_on(
        &mut self,
        overlay: &mut Overlay,
        view: &mut View,
        event: &WindowEvent,
    ) -> bool {
        let (used, action) = self.read(event, Some(overlay), || view.is_typing_filter());
        if let Some(action) = action {
            self.controls.act_on(view, action);
        }
        used
    }

    /// Whether an event is used, and its action.
    fn read(
        &mut self,
        event: &WindowEvent,
        overlay: Option<&mut Overlay>,
        is_typing: impl FnOnce() -> bool,
    ) -> (bool, Option<Action>) {
        match event {
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                (false, None)
            }
            // The window system synthesizes presses of keys that were down before the window had the focus.
            WindowEvent::KeyboardInput {
                event,
                is_synthetic: false,
                ..
            } if event.state == ElementState::Pressed => {
                let action = self.key(&event.logical_key, event.physical_key, is_typing());
                (action.is_some(), action)
            }
            WindowEvent::Focused(false) => {
                // Releases outside of the window are not reported.
                if let Some(overlay) = overlay {
                    for button in [
                        PointerButton::Primary,
                        PointerButton::Secondary,
                        PointerButton::Other,
                    ] {
                        overlay.pointer_in_px(PointerEvent::Released(button));
                    }
                }
                (false, None)
            }
            _ => match (pointer_event(event, self.modifiers), overlay) {
                (Some(event), Some(overlay)) => {
                    let ends =
                        matches!(event, PointerEvent::Released(_) | PointerEvent::LeftWindow);
                    if self.controls.hidden && !ends {
                        return (false, None);
                    }
                    let response = overlay.pointer_in_px(event);
                    (response.consumed, response.action)
                }
                _ => (false, None),
            },
        }
    }

    /// The action of a pressed key.
    fn key(&self, logical: &Key, physical: PhysicalKey, is_typing: bool) -> Option<Action> {
        let shortcut = ModifiersState::CONTROL | ModifiersState::ALT | ModifiersState::SUPER;
        let typed = match is_typing && !self.modifiers.intersects(shortcut) {
            true => typed(logical),
            false => None,
        };
        let bound = || self.bindings.find(logical, physical, self.modifiers);
        let action = typed.or_else(bound)?;
        let is_meant = !self.controls.hidden || action == Action::ToggleHidden;
        is_meant.then_some(action)
    }
}

/// The pointer event of a window event, if it is one.
fn pointer_event(event: &WindowEvent, modifiers: ModifiersState) -> Option<PointerEvent> {
    let name = |button: &MouseButton| match button {
        MouseButton::Left => PointerButton::Primary,
        MouseButton::Right => PointerButton::Secondary,
        _ => PointerButton::Other,
    };
    Some(match event {
        WindowEvent::CursorMoved { position, .. } => PointerEvent::Moved {
            x: position.x as f32,
            y: position.y as f32,
        },
        WindowEvent::CursorLeft { .. } => PointerEvent::LeftWindow,
        WindowEvent::MouseInput { state, button, .. } => match state {
            ElementState::Pressed => PointerEvent::Pressed(name(button)),
            ElementState::Released => PointerEvent::Released(name(button)),
        },
        WindowEvent::MouseWheel { delta, .. } => {
            let [across, up] = match delta {
                MouseScrollDelta::LineDelta(x, y) => [*x, *y],
                MouseScrollDelta::PixelDelta(px) => {
                    [px.x as f32, px.y as f32].map(|px| px / LINE_PX)
                }
            };
            PointerEvent::Wheel {
                // Some systems report horizontal scrolling while the shift key is down.
                lines: if up == 0.0 { across } else { up },
                zoom: modifiers.shift_key(),
            }
        }
        _ => return None,
    })
}

/// The action of a key while a filter is typed; `None` if it has its usual action.
fn typed(key: &Key) -> Option<Action> {
    Some(match key {
        Key::Named(NamedKey::Enter) => Action::EndFilter,
        Key::Named(NamedKey::Escape) => Action::ClearFilter,
        Key::Named(NamedKey::Backspace) => Action::EraseFilter,
        Key::Named(NamedKey::Space) => Action::TypeFilter(' '),
        Key::Character(text) => Action::TypeFilter(text.chars().next()?),
        _ => return None,
    })
}

/// A key, by its character or name or by its position, with modifiers.
///
/// ```
/// use iprof::winit::Chord;
/// use winit::keyboard::{KeyCode, ModifiersState, NamedKey};
///
/// let by_character = Chord::from("s");
/// let by_position = Chord::from(KeyCode::KeyS);
/// let with_control = Chord::from(NamedKey::F5).with(ModifiersState::CONTROL);
/// # assert_ne!(by_character, by_position);
/// # assert_ne!(with_control, Chord::from(NamedKey::F5));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chord {
    key: BoundKey,
    modifiers: ModifiersState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum BoundKey {
    /// Characters in lower case.
    Logical(Key),
    Physical(KeyCode),
}

impl Chord {
    /// The same key with these modifiers, and no others. For a character the shift key may be omitted: `s`
    /// also matches `S`, unless that has a binding of its own.
    #[must_use]
    pub fn with(self, modifiers: ModifiersState) -> Chord {
        Chord { modifiers, ..self }
    }

    fn of(key: BoundKey) -> Chord {
        Chord {
            key,
            modifiers: ModifiersState::empty(),
        }
    }
}

/// The key with this character in the current layout: a letter, a digit or a sign.
impl From<&str> for Chord {
    fn from(text: &str) -> Chord {
        let text = text.to_lowercase().into();
        Chord::of(BoundKey::Logical(Key::Character(text)))
    }
}

impl From<NamedKey> for Chord {
    fn from(key: NamedKey) -> Chord {
        Chord::of(BoundKey::Logical(Key::Named(key)))
    }
}

/// The key at that position, whatever the layout.
impl From<KeyCode> for Chord {
    fn from(key: KeyCode) -> Chord {
        Chord::of(BoundKey::Physical(key))
    }
}

/// Key bindings. The default keys are:
///
/// | keys | action |
/// |---|---|
/// | Up, Down, Page Up, Page Down | move the cursor |
/// | Left, Right, Home | previous frame, next frame, newest frame |
/// | Shift with Left, Right, Page Up, Page Down | extend or shrink the range of frames by 1 or 10 |
/// | Enter, Backspace | select the zone under the cursor, go to its most expensive caller |
/// | `+` or `=`, `-` | expand the row in place, collapse it |
/// | `,` `.` | back and forward through the selected zones |
/// | Tab | self time, hierarchical time, call graph, descendants, call tree |
/// | `s` `d`, `x` | previous spike, next spike; longest frame |
/// | `k`, `j` `l` | mark the frame; previous mark, next mark |
/// | `b`, Shift with `b` | diff against the average, or off; diff against the selected frame |
/// | `o`, `q` | sort by the next column; reverse the order |
/// | `h`, `u` | fold small rows; zone groups |
/// | `/` | type a filter, until Enter; Escape clears it |
/// | `c` `v`, `a` `e` | graph: zoom, scroll |
/// | `g` | graph as bars or as lines |
/// | `1` `2` `3` | average: none, 0.8 s, 2.5 s |
/// | `r` | spread or flatten recursion |
/// | `t` | all threads, a thread group, one thread |
/// | `f`, `y` | memory budget of the history, number of longest frames that are kept |
/// | `m`, `n` | timing exact, automatic, sampled, off; net times |
/// | `[` `]` | decimal places of times |
/// | Space, `p` | pause; hide or show |
///
/// ```
/// use iprof::Action;
/// use iprof::winit::{Bindings, Chord};
/// use winit::keyboard::{KeyCode, ModifiersState, NamedKey};
///
/// let mut bindings = Bindings::default();
/// bindings.unbind("p");
/// bindings.bind(NamedKey::F9, Action::ToggleHidden);
/// bindings.bind(Chord::from(KeyCode::KeyF).with(ModifiersState::CONTROL), Action::EditFilter);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bindings {
    all: Vec<(Chord, Action)>,
}

impl Default for Bindings {
    fn default() -> Bindings {
        let named = [
            (NamedKey::ArrowUp, Action::MoveCursor(-1)),
            (NamedKey::ArrowDown, Action::MoveCursor(1)),
            (NamedKey::PageUp, Action::MoveCursor(-10)),
            (NamedKey::PageDown, Action::MoveCursor(10)),
            (NamedKey::ArrowLeft, Action::MoveFrame(-1)),
            (NamedKey::ArrowRight, Action::MoveFrame(1)),
            (NamedKey::Home, Action::SetFrames(FrameSelection::Live)),
            (NamedKey::Enter, Action::Select),
            (NamedKey::Backspace, Action::SelectParent),
            (NamedKey::Tab, Action::NextReportMode),
            (NamedKey::Space, Action::TogglePause),
        ];
        let shifted = [
            (NamedKey::ArrowLeft, Action::ExtendRange(-1)),
            (NamedKey::ArrowRight, Action::ExtendRange(1)),
            (NamedKey::PageUp, Action::ExtendRange(-10)),
            (NamedKey::PageDown, Action::ExtendRange(10)),
        ];
        let characters = [
            ("1", Action::SetAverage(Average::Newest)),
            ("2", Action::SetAverage(Average::Fast)),
            ("3", Action::SetAverage(Average::Slow)),
            ("r", Action::NextRecursion),
            ("t", Action::NextThreads),
            ("g", Action::NextGraphStyle),
            ("m", Action::NextTiming),
            ("n", Action::ToggleNetTimes),
            ("+", Action::Expand),
            // For layouts where `+` needs the shift key.
            ("=", Action::Expand),
            ("-", Action::Collapse),
            (",", Action::GoBack),
            (".", Action::GoForward),
            ("s", Action::PreviousSpike),
            ("d", Action::NextSpike),
            ("x", Action::SetFrames(FrameSelection::Longest)),
            ("b", Action::NextBaseline),
            ("f", Action::NextHistoryBudget),
            ("y", Action::NextLongestFrames),
            ("o", Action::NextSort),
            ("q", Action::ReverseSort),
            ("h", Action::NextMinShare),
            ("u", Action::ToggleGrouping),
            ("/", Action::EditFilter),
            ("k", Action::Mark),
            ("j", Action::PreviousMark),
            ("l", Action::NextMark),
            ("c", Action::ZoomGraph(0.5)),
            ("v", Action::ZoomGraph(2.0)),
            ("a", Action::ScrollGraph(-50)),
            ("e", Action::ScrollGraph(50)),
            ("[", Action::LessPrecision),
            ("]", Action::MorePrecision),
            ("p", Action::ToggleHidden),
        ];
        let mut bindings = Bindings::none();
        for (key, action) in named {
            bindings.bind(key, action);
        }
        for (key, action) in shifted {
            bindings.bind(Chord::from(key).with(ModifiersState::SHIFT), action);
        }
        for (key, action) in characters {
            bindings.bind(key, action);
        }
        let shift_b = Chord::from("b").with(ModifiersState::SHIFT);
        bindings.bind(shift_b, Action::SetBaselineToShownFrame);
        bindings
    }
}

impl Bindings {
    /// Without any bindings.
    #[must_use]
    pub fn none() -> Bindings {
        Bindings { all: Vec::new() }
    }

    /// Binds the key to the action, replacing its previous one.
    pub fn bind(&mut self, chord: impl Into<Chord>, action: Action) {
        let chord = chord.into();
        self.unbind(chord.clone());
        self.all.push((chord, action));
    }

    /// Removes the key's binding.
    pub fn unbind(&mut self, chord: impl Into<Chord>) {
        let chord = chord.into();
        self.all.retain(|(bound, _)| *bound != chord);
    }

    /// All bindings, in the order in which they were made.
    pub fn iter(&self) -> impl Iterator<Item = (&Chord, &Action)> {
        self.all.iter().map(|(chord, action)| (chord, action))
    }

    /// The action of a key, by its character or name and its position.
    #[must_use]
    pub fn find(
        &self,
        logical: &Key,
        physical: PhysicalKey,
        modifiers: ModifiersState,
    ) -> Option<Action> {
        let small = match logical {
            Key::Character(text) => Key::Character(text.to_lowercase().into()),
            other => other.clone(),
        };
        let with = |modifiers: ModifiersState, key: &dyn Fn(&BoundKey) -> bool| {
            let is_it =
                |(chord, _): &&(Chord, Action)| chord.modifiers == modifiers && key(&chord.key);
            self.all
                .iter()
                .find(is_it)
                .map(|(_, action)| action.clone())
        };
        let says = |key: &BoundKey| *key == BoundKey::Logical(small.clone());
        let is_there = |key: &BoundKey| match key {
            BoundKey::Physical(code) => physical == PhysicalKey::Code(*code),
            BoundKey::Logical(_) => false,
        };
        let unshifted = modifiers.difference(ModifiersState::SHIFT);
        let is_character = matches!(logical, Key::Character(_));
        with(modifiers, &is_there)
            .or_else(|| with(modifiers, &says))
            .or_else(|| with(unshifted, &says).filter(|_| is_character))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::winit::dpi::PhysicalPosition;
    use ::winit::event::{DeviceId, Modifiers, TouchPhase};
    use ::winit::keyboard::NativeKeyCode;

    const NOWHERE: PhysicalKey = PhysicalKey::Unidentified(NativeKeyCode::Unidentified);
    const NO_MODIFIERS: ModifiersState = ModifiersState::empty();

    fn character(text: &str) -> Key {
        Key::Character(text.into())
    }

    fn find(bindings: &Bindings, key: Key, modifiers: ModifiersState) -> Option<Action> {
        bindings.find(&key, NOWHERE, modifiers)
    }

    #[test]
    fn default_keys_have_the_documented_actions() {
        let bindings = Bindings::default();
        let plain = |key| find(&bindings, key, NO_MODIFIERS);
        assert_eq!(plain(character("s")), Some(Action::PreviousSpike));
        assert_eq!(plain(character("+")), Some(Action::Expand));
        assert_eq!(
            plain(Key::Named(NamedKey::ArrowLeft)),
            Some(Action::MoveFrame(-1))
        );
        assert_eq!(plain(character("z")), None);
        assert_eq!(plain(Key::Named(NamedKey::Escape)), None);
        let shifted = |key| find(&bindings, key, ModifiersState::SHIFT);
        assert_eq!(shifted(character("S")), Some(Action::PreviousSpike));
        assert_eq!(shifted(character("+")), Some(Action::Expand));
        assert_eq!(plain(character("b")), Some(Action::NextBaseline));
        assert_eq!(
            shifted(character("B")),
            Some(Action::SetBaselineToShownFrame)
        );
        assert_eq!(
            shifted(Key::Named(NamedKey::ArrowLeft)),
            Some(Action::ExtendRange(-1))
        );
        assert_eq!(shifted(Key::Named(NamedKey::Home)), None);
        let with_control = find(&bindings, character("s"), ModifiersState::CONTROL);
        assert_eq!(with_control, None, "it is the program's own");
    }

    /// Keys of opposite directions have opposite actions.
    #[test]
    fn keys_of_opposite_directions_have_opposite_actions() {
        let bindings = Bindings::default();
        let named = |key| (Key::Named(key), NO_MODIFIERS);
        let shifted = |key| (Key::Named(key), ModifiersState::SHIFT);
        let says = |text| (character(text), NO_MODIFIERS);
        use Action::*;
        for (back, forth, wanted) in [
            (
                named(NamedKey::ArrowUp),
                named(NamedKey::ArrowDown),
                [MoveCursor(-1), MoveCursor(1)],
            ),
            (
                named(NamedKey::PageUp),
                named(NamedKey::PageDown),
                [MoveCursor(-10), MoveCursor(10)],
            ),
            (
                named(NamedKey::ArrowLeft),
                named(NamedKey::ArrowRight),
                [MoveFrame(-1), MoveFrame(1)],
            ),
            (
                shifted(NamedKey::ArrowLeft),
                shifted(NamedKey::ArrowRight),
                [ExtendRange(-1), ExtendRange(1)],
            ),
            (
                shifted(NamedKey::PageUp),
                shifted(NamedKey::PageDown),
                [ExtendRange(-10), ExtendRange(10)],
            ),
            (
                named(NamedKey::Backspace),
                named(NamedKey::Enter),
                [SelectParent, Select],
            ),
            (says("-"), says("+"), [Collapse, Expand]),
            (says("-"), says("="), [Collapse, Expand]),
            (says(","), says("."), [GoBack, GoForward]),
            (says("s"), says("d"), [PreviousSpike, NextSpike]),
            (says("j"), says("l"), [PreviousMark, NextMark]),
            (says("c"), says("v"), [ZoomGraph(0.5), ZoomGraph(2.0)]),
            (says("a"), says("e"), [ScrollGraph(-50), ScrollGraph(50)]),
            (says("["), says("]"), [LessPrecision, MorePrecision]),
        ] {
            let got = [back, forth].map(|(key, modifiers)| find(&bindings, key, modifiers));
            assert_eq!(got, wanted.map(Some));
        }
    }

    #[test]
    fn default_keys_are_distinct() {
        let bindings = Bindings::default();
        let all: Vec<_> = bindings.iter().collect();
        for (at, (chord, action)) in all.iter().enumerate() {
            assert!(
                all[..at].iter().all(|(other, _)| other != chord),
                "{action:?}"
            );
        }
        assert_eq!(all.len(), 50);
    }

    #[test]
    fn the_table_in_the_documentation_has_all_keys() {
        let table = include_str!("winit.rs").split_once("/// | keys | action |\n/// |---|---|\n");
        let rows = table.expect("the table is in this file").1.lines();
        let rows = rows.map_while(|row| row.strip_prefix("/// | "));
        let keys: Vec<&str> = rows.filter_map(|row| row.split(" |").next()).collect();
        assert!(keys.len() > 10, "{keys:?}");
        for (chord, action) in Bindings::default().iter() {
            let name = match &chord.key {
                BoundKey::Logical(Key::Character(text)) => format!("`{text}`"),
                BoundKey::Logical(Key::Named(named)) => {
                    let name = format!("{named:?}").replace("Arrow", "");
                    name.replace("Page", "Page ")
                }
                other => panic!("{other:?} is bound"),
            };
            let is_shifted = chord.modifiers == ModifiersState::SHIFT;
            let is_there = |keys: &&str| {
                // A row has keys with the shift key, without it, or first without and then with it.
                let (plain, shifted) = keys.split_once("Shift with").unwrap_or((keys, ""));
                [plain, shifted][usize::from(is_shifted)].contains(&name)
            };
            assert!(keys.iter().any(is_there), "{name}: {action:?}");
        }
    }

    #[test]
    fn keys_are_bound_by_character_and_by_position() {
        let mut bindings = Bindings::default();
        bindings.bind("S", Action::Mark);
        assert_eq!(
            find(&bindings, character("s"), NO_MODIFIERS),
            Some(Action::Mark)
        );
        bindings.bind(Chord::from("s").with(ModifiersState::SHIFT), Action::Select);
        assert_eq!(
            find(&bindings, character("S"), ModifiersState::SHIFT),
            Some(Action::Select)
        );
        assert_eq!(
            find(&bindings, character("s"), NO_MODIFIERS),
            Some(Action::Mark)
        );
        bindings.unbind("s");
        assert_eq!(find(&bindings, character("s"), NO_MODIFIERS), None);
        // The key with `a` on one layout and `q` on another.
        bindings.bind(KeyCode::KeyQ, Action::SetFrames(FrameSelection::Longest));
        let at = |code| {
            let place = PhysicalKey::Code(code);
            bindings.find(&character("a"), place, NO_MODIFIERS)
        };
        assert_eq!(
            at(KeyCode::KeyQ),
            Some(Action::SetFrames(FrameSelection::Longest))
        );
        assert_eq!(at(KeyCode::KeyA), Some(Action::ScrollGraph(-50)));
        assert_eq!(Bindings::none().iter().count(), 0);
    }

    #[test]
    fn characters_go_into_the_filter_and_other_keys_keep_their_actions() {
        let mut input = Input::new();
        assert_eq!(
            input.key(&character("/"), NOWHERE, false),
            Some(Action::EditFilter)
        );
        let key = |input: &Input, key: Key| input.key(&key, NOWHERE, true);
        let named = Key::Named;
        for (pressed, wanted) in [
            (character("/"), Action::TypeFilter('/')),
            (character("S"), Action::TypeFilter('S')),
            (named(NamedKey::Space), Action::TypeFilter(' ')),
            (named(NamedKey::Backspace), Action::EraseFilter),
            (named(NamedKey::Enter), Action::EndFilter),
            (named(NamedKey::Escape), Action::ClearFilter),
            (named(NamedKey::ArrowUp), Action::MoveCursor(-1)),
        ] {
            assert_eq!(key(&input, pressed), Some(wanted));
        }
        input.modifiers = ModifiersState::CONTROL;
        assert_eq!(
            key(&input, character("c")),
            None,
            "a shortcut of the program's"
        );
    }

    #[test]
    fn a_hidden_overlay_uses_only_the_key_that_shows_it() {
        let mut input = Input::new();
        input.controls.hidden = true;
        let key = |text: &str| input.key(&character(text), NOWHERE, false);
        assert_eq!((key("s"), key("p")), (None, Some(Action::ToggleHidden)));
    }

    fn wheel(delta: MouseScrollDelta) -> WindowEvent {
        WindowEvent::MouseWheel {
            device_id: DeviceId::dummy(),
            delta,
            phase: TouchPhase::Moved,
        }
    }

    #[test]
    fn window_events_become_pointer_events() {
        let device_id = DeviceId::dummy();
        let moved = WindowEvent::CursorMoved {
            device_id,
            position: PhysicalPosition::new(12.5, 7.0),
        };
        let told = |event: &WindowEvent| pointer_event(event, NO_MODIFIERS);
        assert_eq!(told(&moved), Some(PointerEvent::Moved { x: 12.5, y: 7.0 }));
        let left = WindowEvent::CursorLeft { device_id };
        assert_eq!(told(&left), Some(PointerEvent::LeftWindow));
        for (button, wanted) in [
            (MouseButton::Left, PointerButton::Primary),
            (MouseButton::Right, PointerButton::Secondary),
            (MouseButton::Middle, PointerButton::Other),
            (MouseButton::Back, PointerButton::Other),
        ] {
            let event = |state| WindowEvent::MouseInput {
                device_id,
                state,
                button,
            };
            let pressed = told(&event(ElementState::Pressed));
            assert_eq!(pressed, Some(PointerEvent::Pressed(wanted)));
            let released = told(&event(ElementState::Released));
            assert_eq!(released, Some(PointerEvent::Released(wanted)));
        }
        let turned = |delta| match told(&wheel(delta)) {
            Some(PointerEvent::Wheel { lines, zoom: false }) => lines,
            other => panic!("{other:?}"),
        };
        assert_eq!(turned(MouseScrollDelta::LineDelta(0.0, -1.0)), -1.0);
        assert_eq!(turned(MouseScrollDelta::LineDelta(2.0, 0.0)), 2.0);
        let px = PhysicalPosition::new(0.0, 30.0);
        assert_eq!(turned(MouseScrollDelta::PixelDelta(px)), 1.5);
        let zoom = pointer_event(
            &wheel(MouseScrollDelta::LineDelta(0.0, 1.0)),
            ModifiersState::SHIFT,
        );
        let wanted = PointerEvent::Wheel {
            lines: 1.0,
            zoom: true,
        };
        assert_eq!(zoom, Some(wanted));
        assert_eq!(told(&WindowEvent::CloseRequested), None);
    }

    #[test]
    fn without_an_overlay_pointer_events_are_not_used() {
        let mut input = Input::new();
        let shift = Modifiers::from(ModifiersState::SHIFT);
        assert!(!input.window_event(&WindowEvent::ModifiersChanged(shift)));
        assert_eq!(input.modifiers, ModifiersState::SHIFT);
        let event = wheel(MouseScrollDelta::LineDelta(0.0, 1.0));
        assert!(!input.window_event(&event));
        assert!(!input.window_event(&WindowEvent::Focused(false)));
    }
}
