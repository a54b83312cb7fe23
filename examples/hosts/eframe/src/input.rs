//! Translates egui's events for the overlay. Both the overlay and the window have a scale of 1.

use eframe::egui::{self, Event};
use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{Modifiers, ViewControls};

/// Passes the event to the overlay, and returns whether the overlay used it. While the user types in a text field, keys
/// and text belong to that field.
pub(crate) fn uses(controls: &mut ViewControls<'_>, event: &Event, is_typing: bool) -> bool {
    let pointer = match event {
        Event::Key { .. } | Event::Text(_) if is_typing => return false,
        Event::Key {
            key,
            pressed: true,
            modifiers: held,
            ..
        } => {
            let modifiers = Modifiers {
                shift: held.shift,
                control: held.ctrl,
                alt: held.alt,
                meta: held.mac_cmd,
            };
            return controls.key(key.name(), modifiers);
        }
        Event::Text(text) => return controls.text(text),
        Event::PointerMoved(at) => PointerEvent::Moved { x: at.x, y: at.y },
        Event::PointerButton {
            button, pressed, ..
        } => {
            let button = match button {
                egui::PointerButton::Primary => PointerButton::Primary,
                egui::PointerButton::Secondary => PointerButton::Secondary,
                _ => PointerButton::Other,
            };
            match pressed {
                true => PointerEvent::Pressed(button),
                false => PointerEvent::Released(button),
            }
        }
        Event::MouseWheel {
            unit,
            delta,
            modifiers,
            ..
        } => {
            // Touchpads report scrolling in points.
            let is_in_points = matches!(unit, egui::MouseWheelUnit::Point);
            let lines = delta.y / if is_in_points { 20.0 } else { 1.0 };
            let zoom = modifiers.shift;
            PointerEvent::Wheel { lines, zoom }
        }
        Event::PointerGone => PointerEvent::LeftWindow,
        _ => return false,
    };
    controls.pointer(pointer)
}
