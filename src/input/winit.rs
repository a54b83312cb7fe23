//! Keyboard and pointer input from a [winit](https://docs.rs/winit/0.30) window.
//!
//! ```no_run
//! # use winit::event::WindowEvent;
//! # fn event() -> WindowEvent { unimplemented!() }
//! use iprof::{overlay::Overlay, winit::Input};
//!
//! let (mut input, mut overlay) = (Input::new(), Overlay::new());
//! // on each event of the window:
//! if !input.window_event_with(&mut overlay, &event()) {
//!     // The event is the program's own.
//! }
//! // each frame:
//! # let (width, height) = (1280.0, 720.0);
//! iprof::update(!input.controls.paused);
//! let mut frame = overlay.begin([width, height]);
//! input.controls.draw(&mut frame, 20.0, 20.0, width - 40.0, height - 40.0); // F1 shows the keys
//! ```
//!
//! With OpenGL, use the thread's current overlay with just two calls: `input.window_event(&event)` and
//! `input.controls.draw_gl(20.0, 20.0, width - 40.0, height - 40.0)`.
//!
//! [`Bindings`](crate::Bindings) lists the default keys, which can be changed.
//!
//! On Android, winit does not compile unless the program enables winit's `android-native-activity` or
//! `android-game-activity` feature.

#[cfg(feature = "gl")]
use crate::gl::current::InUse;
use crate::input::bindings::{Chord, KeyName, Modifiers};
use crate::input::{Controls, ViewControls};
use crate::overlay::{Overlay, PointerButton, PointerEvent, TouchPhase};
use ::winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use ::winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};
use iprof_report::View;

/// The number of touchpad pixels that count as one wheel line. This is a reasonable guess.
const LINE_PX: f32 = 20.0;

/// Translates window events into actions and performs them.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The user's settings, which the host has to apply, and the key bindings.
    pub controls: Controls,
    modifiers: ModifiersState,
}

impl Input {
    /// Creates an `Input` with the default [`Bindings`](crate::Bindings).
    #[must_use]
    pub fn new() -> Input {
        Input::default()
    }

    /// Handles a window event: performs its action on the default view and on this thread's current overlay.
    ///
    /// Returns whether the event was used; if so, the program should ignore it. Key presses are used, but not releases.
    /// Mouse button and wheel events are used over everything that the overlay drew: see
    /// [`PointerResponse`](crate::overlay::PointerResponse).
    ///
    /// The viewport is assumed to start in the window's upper left corner. While the overlay is
    /// [`hidden`](Controls::hidden), only the keys that show the overlay or the help are used.
    #[cfg(feature = "gl")]
    pub fn window_event(&mut self, event: &WindowEvent) -> bool {
        let mut in_use = InUse::take();
        let overlay = in_use.as_mut().and_then(InUse::overlay);
        self.perform(event, overlay, None)
    }

    /// Works like [`window_event`](Input::window_event), with the default view and the given overlay.
    ///
    /// ```no_run
    /// # fn event() -> winit::event::WindowEvent { unimplemented!() }
    /// let (mut input, mut overlay) = (iprof::winit::Input::new(), iprof::overlay::Overlay::new());
    /// // on each event of the window:
    /// if !input.window_event_with(&mut overlay, &event()) {
    ///     // The event is the program's own.
    /// }
    /// ```
    pub fn window_event_with(&mut self, overlay: &mut Overlay, event: &WindowEvent) -> bool {
        self.perform(event, Some(overlay), None)
    }

    /// Works like [`window_event`](Input::window_event), with the given overlay and view.
    pub fn window_event_on(
        &mut self,
        overlay: &mut Overlay,
        view: &mut View,
        event: &WindowEvent,
    ) -> bool {
        self.perform(event, Some(overlay), Some(view))
    }

    fn perform(
        &mut self,
        event: &WindowEvent,
        overlay: Option<&mut Overlay>,
        view: Option<&mut View>,
    ) -> bool {
        let modifiers = self.modifiers;
        let mut controls = ViewControls {
            controls: &mut self.controls,
            view,
            overlay,
        };
        match event {
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                false
            }
            // Synthetic presses report keys that were already down when the window gained focus.
            WindowEvent::KeyboardInput {
                event,
                is_synthetic: false,
                ..
            } if event.state == ElementState::Pressed => {
                let text = event.text.as_deref();
                PressedKey::of(&event.logical_key, event.physical_key, text).is_some_and(|key| {
                    controls.key_at(&key.name, key.code.as_ref(), modifiers.into(), key.text)
                })
            }
            WindowEvent::Focused(false) => {
                // Releases outside the window are not reported, so all buttons are released here.
                if let Some(overlay) = controls.overlay {
                    for button in [
                        PointerButton::Primary,
                        PointerButton::Secondary,
                        PointerButton::Other,
                    ] {
                        overlay.pointer_in_px(PointerEvent::Released(button));
                    }
                }
                false
            }
            WindowEvent::Touch(touch) => {
                let phase = match touch.phase {
                    ::winit::event::TouchPhase::Started => TouchPhase::Started,
                    ::winit::event::TouchPhase::Moved => TouchPhase::Moved,
                    ::winit::event::TouchPhase::Ended => TouchPhase::Ended,
                    ::winit::event::TouchPhase::Cancelled => TouchPhase::Cancelled,
                };
                let at = touch.location;
                let at = [at.x as f32, at.y as f32];
                controls.touch_by(phase, |overlay, phase| {
                    overlay.touch_in_px(touch.id, phase, at)
                })
            }
            _ => pointer_event(event, modifiers).is_some_and(|event| {
                controls.pointer_by(event, |overlay| overlay.pointer_in_px(event))
            }),
        }
    }
}

/// A pressed key in the form that [`ViewControls::key_at`] expects.
#[derive(Debug)]
struct PressedKey<'a> {
    name: KeyName,
    code: Option<KeyName>,
    text: &'a str,
}

impl<'a> PressedKey<'a> {
    /// Returns `None` for a key that does nothing. `text` is the text that the key types, if winit reports it.
    fn of(logical: &'a Key, physical: PhysicalKey, text: Option<&'a str>) -> Option<Self> {
        let (name, written) = match logical {
            Key::Character(text) => {
                let first = text.chars().next().unwrap_or_default();
                (KeyName::of_character(first), &**text)
            }
            Key::Named(NamedKey::Space) => (KeyName::parse("Space"), " "),
            Key::Named(named) => (named_key(*named), ""),
            Key::Dead(_) | Key::Unidentified(_) => return None,
        };
        Some(PressedKey {
            name,
            code: match physical {
                PhysicalKey::Code(code) => Some(key_code(code)),
                PhysicalKey::Unidentified(_) => None,
            },
            text: text.unwrap_or(written),
        })
    }
}

/// Converts a named key. winit uses the web's key names.
fn named_key(key: NamedKey) -> KeyName {
    KeyName::parse(&format!("{key:?}"))
}

fn key_code(code: KeyCode) -> KeyName {
    KeyName::parse(&format!("{code:?}"))
}

impl From<NamedKey> for Chord {
    fn from(key: NamedKey) -> Chord {
        Chord::from(&*format!("{key:?}"))
    }
}

/// Returns the key at this position, whatever the layout.
impl From<KeyCode> for Chord {
    fn from(key: KeyCode) -> Chord {
        Chord::from(&*format!("{key:?}"))
    }
}

impl From<ModifiersState> for Modifiers {
    fn from(state: ModifiersState) -> Modifiers {
        Modifiers {
            shift: state.shift_key(),
            control: state.control_key(),
            alt: state.alt_key(),
            meta: state.super_key(),
        }
    }
}

/// Converts a window event to a pointer event, if it is one.
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
                // Some systems scroll horizontally while shift is down.
                lines: if up == 0.0 { across } else { up },
                zoom: modifiers.shift_key(),
            }
        }
        _ => return None,
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::input::bindings::Bindings;
    use crate::input::key_press::{KeyResponse, KeyState};
    use ::winit::dpi::PhysicalPosition;
    use ::winit::event::DeviceId;
    use ::winit::keyboard::{NativeKey, NativeKeyCode};
    use iprof_report::Action;

    const NOWHERE: PhysicalKey = PhysicalKey::Unidentified(NativeKeyCode::Unidentified);
    const NO_MODIFIERS: ModifiersState = ModifiersState::empty();

    fn character(text: &str) -> Key {
        Key::Character(text.into())
    }

    /// The named keys that bindings may use, plus a few more.
    const NAMED: [NamedKey; 26] = [
        NamedKey::ArrowUp,
        NamedKey::ArrowDown,
        NamedKey::ArrowLeft,
        NamedKey::ArrowRight,
        NamedKey::PageUp,
        NamedKey::PageDown,
        NamedKey::Home,
        NamedKey::End,
        NamedKey::Insert,
        NamedKey::Delete,
        NamedKey::Backspace,
        NamedKey::Tab,
        NamedKey::Enter,
        NamedKey::Escape,
        NamedKey::Space,
        NamedKey::F1,
        NamedKey::F2,
        NamedKey::F10,
        NamedKey::F11,
        NamedKey::F12,
        NamedKey::F24,
        NamedKey::F35,
        NamedKey::ContextMenu,
        NamedKey::PrintScreen,
        NamedKey::MediaPlayPause,
        NamedKey::BrowserBack,
    ];

    fn press(
        input: &mut Input,
        key: &Key,
        place: PhysicalKey,
        text: Option<&str>,
        is_typing: bool,
    ) -> (KeyResponse, String) {
        let key = PressedKey::of(key, place, text).unwrap();
        let modifiers = input.modifiers.into();
        let state = KeyState {
            is_typing,
            is_flame_zoomed: false,
        };
        let response = input
            .controls
            .press(&key.name, key.code.as_ref(), modifiers, state);
        (response, key.text.to_owned())
    }

    /// A winit key has the same action whether it is passed directly or by name.
    #[test]
    fn every_binding_is_reachable_from_winit() {
        let bindings = Bindings::default();
        for (chord, action) in bindings.iter() {
            let is_it = |key: &Key| {
                let plain = match key {
                    Key::Named(named) => Chord::from(*named),
                    Key::Character(text) => Chord::from(&**text),
                    _ => unreachable!(),
                };
                let modifiers = [Modifiers::NONE, Modifiers::SHIFT];
                modifiers
                    .into_iter()
                    .any(|modifiers| plain.clone().with(modifiers) == *chord)
            };
            let named = NAMED.map(Key::Named).into_iter();
            let characters = (' '..='~').map(|text| character(&text.to_string()));
            let key = named.chain(characters).find(is_it);
            let key = key.unwrap_or_else(|| panic!("winit has no key for {chord}"));
            let is_shifted = chord.to_string().starts_with("Shift+");
            let state = match is_shifted {
                true => ModifiersState::SHIFT,
                false => NO_MODIFIERS,
            };
            let mut input = Input::new();
            input.modifiers = state;
            let (by_winit, _) = press(&mut input, &key, NOWHERE, None, false);
            assert_eq!(by_winit, KeyResponse::Action(action.clone()), "{key:?}");
            let name = match &key {
                Key::Named(named) => format!("{named:?}"),
                Key::Character(text) => text.to_string(),
                _ => unreachable!(),
            };
            let by_name = bindings.find(&name, None, state.into());
            assert_eq!(by_name.as_ref(), Some(action), "{name}");
        }
    }

    #[test]
    fn winit_key_names_match_the_web() {
        for named in NAMED {
            let name = format!("{named:?}");
            assert_eq!(named_key(named), KeyName::Named(name.clone()), "{name}");
        }
        for (code, name) in [
            (KeyCode::KeyS, "KeyS"),
            (KeyCode::Digit0, "Digit0"),
            (KeyCode::Numpad7, "Numpad7"),
            (KeyCode::NumpadAdd, "NumpadAdd"),
            (KeyCode::BracketLeft, "BracketLeft"),
            (KeyCode::Backquote, "Backquote"),
        ] {
            assert_eq!(key_code(code), KeyName::Position(name.into()));
            assert_eq!(Chord::from(code), Chord::from(name));
        }
        let all = ModifiersState::all().into();
        let each = [
            Modifiers::SHIFT,
            Modifiers::CONTROL,
            Modifiers::ALT,
            Modifiers::META,
        ];
        assert_eq!(each.into_iter().fold(Modifiers::NONE, |a, b| a | b), all);
        assert_eq!(Modifiers::from(ModifiersState::SUPER), Modifiers::META);
    }

    #[test]
    fn keys_are_bound_by_position() {
        let mut input = Input::new();
        let bindings = &mut input.controls.bindings;
        bindings.bind(KeyCode::KeyQ, Action::EditFilter);
        bindings.bind(NamedKey::F9, Action::Mark);
        // A key that types `a` in one layout and `q` in a different one.
        let mut press = |key, place| press(&mut input, &key, place, None, false).0;
        let mut at = |code| press(character("a"), PhysicalKey::Code(code));
        assert_eq!(at(KeyCode::KeyQ), KeyResponse::Action(Action::EditFilter));
        let scrolls = KeyResponse::Action(Action::ScrollGraph(-50));
        assert_eq!(at(KeyCode::KeyA), scrolls);
        let marks = press(Key::Named(NamedKey::F9), NOWHERE);
        assert_eq!(marks, KeyResponse::Action(Action::Mark));
    }

    #[test]
    fn only_text_keys_go_into_the_filter() {
        let mut input = Input::new();
        let mut press =
            |key: Key, text, is_typing| press(&mut input, &key, NOWHERE, text, is_typing);
        let (begins, _) = press(character("/"), Some("/"), false);
        assert_eq!(begins, KeyResponse::Action(Action::EditFilter));
        let named = Key::Named;
        for (pressed, text, wanted) in [
            (character("/"), None, "/"),
            (character("S"), Some("S"), "S"),
            // A character composed from two keys.
            (character("e"), Some("\u{e9}"), "\u{e9}"),
            (named(NamedKey::Space), None, " "),
        ] {
            let wanted = (KeyResponse::Text, wanted.to_owned());
            assert_eq!(press(pressed, text, true), wanted);
        }
        for (pressed, wanted) in [
            (NamedKey::Backspace, Action::EraseFilter),
            (NamedKey::Enter, Action::EndFilter),
            (NamedKey::Escape, Action::ClearFilter),
            (NamedKey::ArrowUp, Action::MoveCursor(-1)),
        ] {
            let (does, _) = press(named(pressed), None, true);
            assert_eq!(does, KeyResponse::Action(wanted));
        }
        input.modifiers = ModifiersState::CONTROL;
        let (shortcut, _) = self::press(&mut input, &character("c"), NOWHERE, None, true);
        assert_eq!(
            shortcut,
            KeyResponse::Unused,
            "Ctrl+C should be left to the program"
        );
    }

    #[test]
    fn keys_without_a_name_do_nothing() {
        for key in [
            Key::Dead(Some('^')),
            Key::Unidentified(NativeKey::Unidentified),
        ] {
            let place = PhysicalKey::Code(KeyCode::Tab);
            assert!(PressedKey::of(&key, place, None).is_none(), "{key:?}");
        }
    }

    fn wheel(delta: MouseScrollDelta) -> WindowEvent {
        WindowEvent::MouseWheel {
            device_id: DeviceId::dummy(),
            delta,
            phase: ::winit::event::TouchPhase::Moved,
        }
    }

    #[test]
    fn window_events_become_pointer_events() {
        let device_id = DeviceId::dummy();
        let moved = WindowEvent::CursorMoved {
            device_id,
            position: PhysicalPosition::new(12.5, 7.0),
        };
        let converted = |event: &WindowEvent| pointer_event(event, NO_MODIFIERS);
        assert_eq!(
            converted(&moved),
            Some(PointerEvent::Moved { x: 12.5, y: 7.0 })
        );
        let left = WindowEvent::CursorLeft { device_id };
        assert_eq!(converted(&left), Some(PointerEvent::LeftWindow));
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
            let pressed = converted(&event(ElementState::Pressed));
            assert_eq!(pressed, Some(PointerEvent::Pressed(wanted)));
            let released = converted(&event(ElementState::Released));
            assert_eq!(released, Some(PointerEvent::Released(wanted)));
        }
        let turned = |delta| match converted(&wheel(delta)) {
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
        assert_eq!(converted(&WindowEvent::CloseRequested), None);
    }

    #[test]
    fn pointer_events_without_overlay_are_unused() {
        let mut input = Input::new();
        let shift = ::winit::event::Modifiers::from(ModifiersState::SHIFT);
        assert!(!input.window_event(&WindowEvent::ModifiersChanged(shift)));
        assert_eq!(input.modifiers, ModifiersState::SHIFT);
        let event = wheel(MouseScrollDelta::LineDelta(0.0, 1.0));
        assert!(!input.window_event(&event));
        assert!(!input.window_event(&WindowEvent::Focused(false)));
    }
}
