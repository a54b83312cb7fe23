//! Keyboard, mouse and touch input from a web page.
//!
//! The page passes its canvas's events and its window's key events:
//!
//! ```js
//! addEventListener("keydown", event => page.event(event));
//! for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "wheel", "contextmenu"])
//!   canvas.addEventListener(type, event => page.event(event), { passive: false });
//! ```
//!
//! [`Input`] performs the actions bound to these events:
//!
//! ```no_run
//! use iprof::{overlay::Overlay, web::Input};
//! use web_sys::Event;
//!
//! // With `#[wasm_bindgen]`, the page's JavaScript creates it and calls its methods.
//! #[derive(Default)]
//! pub struct Page {
//!     input: Input,
//!     overlay: Overlay,
//! }
//!
//! impl Page {
//!     pub fn event(&mut self, event: &Event) -> bool {
//!         self.input.event_with(&mut self.overlay, event)
//!     }
//!
//!     pub fn frame(&mut self, width: f32, height: f32, device_pixel_ratio: f32) {
//!         iprof::update(!self.input.controls.paused);
//!         self.overlay.set_scale(device_pixel_ratio); // one unit is a CSS pixel, as in events
//!         let mut frame = self.overlay.begin([width, height]);
//!         let [w, h] = [width, height].map(|px| px / device_pixel_ratio);
//!         self.input.controls.draw(&mut frame, 20.0, 20.0, w - 40.0, h - 40.0); // F1 shows the keys
//!     }
//! }
//! ```
//!
//! With WebGL, use the thread's current overlay: call `input.event(event)`, and `input.controls.draw_gl(20.0, 20.0, w -
//! 40.0, h - 40.0)` in each frame.
//!
//! Style the canvas with `touch-action: none`, so that the browser does not scroll when a finger moves on it.

#[cfg(feature = "gl")]
use crate::gl::current::InUse;
use crate::input::bindings::{KeyName, Modifiers};
use crate::input::{Controls, ViewControls};
use crate::overlay::{Overlay, PointerButton, PointerEvent, TouchPhase};
use ::web_sys::wasm_bindgen::JsCast;
use ::web_sys::{
    Element, Event, HtmlElement, KeyboardEvent, MouseEvent, PointerEvent as DomPointer, WheelEvent,
};
use iprof_report::View;

/// The wheel delta per mouse wheel notch in browsers that report CSS pixels. One notch counts as one line.
const PX_PER_NOTCH: f64 = 100.0;
/// The wheel delta per mouse wheel notch in browsers that report lines.
const LINES_PER_NOTCH: f64 = 3.0;

/// Elements that use the keyboard themselves.
const EDITABLE: [&str; 3] = ["INPUT", "SELECT", "TEXTAREA"];

/// Translates a page's events into actions and performs them.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The user's settings, which the host has to apply, and the key bindings.
    pub controls: Controls,
    /// Whether the overlay used the last press on the canvas. If so, that press's context menu is suppressed.
    used_press: bool,
}

impl Input {
    /// Creates an `Input` with the default [`Bindings`](crate::Bindings).
    #[must_use]
    pub fn new() -> Input {
        Input::default()
    }

    /// Handles a page event: performs its action on the default view and on this thread's current overlay.
    ///
    /// Returns whether the event was used. If so, the browser's default action is prevented, and the page should ignore
    /// the event as well. Key presses are used unless they happen in a text field. Pointer, touch and wheel events are
    /// used over everything that the overlay drew: see [`PointerResponse`](crate::overlay::PointerResponse). Other
    /// events are not used.
    ///
    /// Pointer positions are in CSS pixels from the upper left corner of the event's target, which must be the canvas.
    /// Pass the page's `devicePixelRatio` to [`Overlay::set_scale`]. A pointer pressed on the canvas is captured, so
    /// the canvas also receives its release. While the overlay is [`hidden`](Controls::hidden), only the keys that show
    /// the overlay or the help are used.
    #[cfg(feature = "gl")]
    pub fn event(&mut self, event: &Event) -> bool {
        let mut in_use = InUse::take();
        let overlay = in_use.as_mut().and_then(InUse::overlay);
        self.perform(event, overlay, None)
    }

    /// Works like [`event`](Input::event), with the default view and the given overlay.
    pub fn event_with(&mut self, overlay: &mut Overlay, event: &Event) -> bool {
        self.perform(event, Some(overlay), None)
    }

    /// Works like [`event`](Input::event), with the given overlay and view.
    pub fn event_on(&mut self, overlay: &mut Overlay, view: &mut View, event: &Event) -> bool {
        self.perform(event, Some(overlay), Some(view))
    }

    fn perform(
        &mut self,
        event: &Event,
        overlay: Option<&mut Overlay>,
        view: Option<&mut View>,
    ) -> bool {
        let controls = ViewControls {
            controls: &mut self.controls,
            view,
            overlay,
        };
        // Events are distinguished by class, since a program may send any class under any name.
        let is_used = if event.type_() == "contextmenu" {
            self.used_press
        } else if let Some(event) = event.dyn_ref() {
            key(controls, event)
        } else if let Some(event) = event.dyn_ref() {
            wheel(controls, event)
        } else if let Some(event) = event.dyn_ref() {
            let is_used = pointer(controls, event);
            if event.type_() == "pointerdown" {
                self.used_press = is_used;
            }
            is_used
        } else {
            false
        };
        if is_used {
            event.prevent_default();
        }
        is_used
    }
}

fn key(mut controls: ViewControls<'_>, event: &KeyboardEvent) -> bool {
    if event.type_() != "keydown" || event.is_composing() || is_editing(event) {
        return false;
    }
    let mut modifiers = Modifiers {
        shift: event.shift_key(),
        control: event.ctrl_key(),
        alt: event.alt_key(),
        meta: event.meta_key(),
    };
    // AltGr is for typing characters, so the Ctrl and Alt that some systems report along with it are ignored.
    if event.get_modifier_state("AltGraph") {
        (modifiers.control, modifiers.alt) = (false, false);
    }
    let (name, code) = (event.key(), event.code());
    let position = (!code.is_empty()).then(|| KeyName::parse(&code));
    let is_used = controls.key_at(&KeyName::parse(&name), position.as_ref(), modifiers, "");
    let is_text = name.chars().count() == 1 && !modifiers.control && !modifiers.meta;
    is_used | (is_text && controls.text(&name))
}

/// Returns whether the key was pressed in a text field or some other form element.
fn is_editing(event: &KeyboardEvent) -> bool {
    // The composed path also includes elements inside web components (shadow trees).
    let target = event.composed_path().get(0).dyn_into::<HtmlElement>();
    target.is_ok_and(|element| {
        element.is_content_editable() || EDITABLE.contains(&&*element.tag_name())
    })
}

fn wheel(mut controls: ViewControls<'_>, event: &WheelEvent) -> bool {
    // While shift is down, browsers report the wheel's movement as horizontal.
    let delta = match event.delta_y() {
        0.0 => event.delta_x(),
        down => down,
    };
    let notch = match event.delta_mode() {
        WheelEvent::DOM_DELTA_PIXEL => PX_PER_NOTCH,
        WheelEvent::DOM_DELTA_LINE => LINES_PER_NOTCH,
        _ => 1.0,
    };
    controls.pointer(PointerEvent::Wheel {
        lines: (-delta / notch) as f32,
        zoom: event.shift_key(),
    })
}

fn pointer(mut controls: ViewControls<'_>, event: &DomPointer) -> bool {
    let [x, y] = [event.offset_x(), event.offset_y()].map(|px| px as f32);
    let (kind, is_finger) = (event.type_(), event.pointer_type() == "touch");
    if kind == "pointerdown"
        && let Some(canvas) = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok())
    {
        // Capturing fails if the pointer is already gone. In that case there is nothing to capture.
        let _ = canvas.set_pointer_capture(event.pointer_id());
    }
    if is_finger {
        let phase = match &*kind {
            "pointerdown" => TouchPhase::Started,
            "pointermove" => TouchPhase::Moved,
            "pointerup" => TouchPhase::Ended,
            "pointercancel" => TouchPhase::Cancelled,
            // For a finger, "pointerleave" follows "pointerup", which has already been handled.
            _ => return false,
        };
        return controls.touch(event.pointer_id() as u64, phase, x, y);
    }
    if !matches!(&*kind, "pointerdown" | "pointermove" | "pointerup") {
        return controls.pointer(PointerEvent::LeftWindow);
    }
    // A pen can touch the canvas without hovering over it first, so the pointer is moved to the pen before the press.
    let moved = controls.pointer(PointerEvent::Moved { x, y });
    match button(event) {
        None => moved,
        Some((button, true)) => controls.pointer(PointerEvent::Pressed(button)),
        Some((button, false)) => controls.pointer(PointerEvent::Released(button)),
    }
}

/// Returns the button whose state has changed, and whether it is down. A button pressed while a different button is
/// down arrives as a "pointermove" event.
fn button(event: &MouseEvent) -> Option<(PointerButton, bool)> {
    // `bit` is the button's bit in `buttons`.
    let (button, bit) = match event.button() {
        0 => (PointerButton::Primary, 1),
        1 => (PointerButton::Other, 4),
        2 => (PointerButton::Secondary, 2),
        3 => (PointerButton::Other, 8),
        4 => (PointerButton::Other, 16),
        _ => return None,
    };
    Some((button, event.buttons() & bit != 0))
}
