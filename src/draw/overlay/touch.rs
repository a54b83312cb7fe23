//! The overlay's touch input, converted to pointer events. A tap acts as a click, a drag acts as the wheel, and two
//! fingers zoom.

use super::{Overlay, PointerButton, PointerEvent, PointerResponse};

// The distances are in pixels at a scale of 1. A finger covers more pixels on a display with smaller pixels.

/// The distance that a finger must move to turn a tap into a drag.
const DRAG_PX: f32 = 12.0;
/// The length of a drag that counts as one wheel line, so that 2 px bars follow the finger.
const LINE_PX: f32 = 20.0;
/// The minimum distance between two fingers, which limits the zoom ratio.
const NEAREST_PX: f32 = 16.0;

/// The phase of a touch, as in web and winit touch events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TouchPhase {
    /// The finger was put down.
    Started,
    /// The finger moved.
    Moved,
    /// The finger was lifted.
    Ended,
    /// The system took over the touch for its own gesture.
    Cancelled,
}

/// The fingers that touched down over the overlay.
#[derive(Debug, Default)]
pub(super) struct Touch {
    first: Option<Finger>,
    second: Option<Finger>,
    /// Whether the touch is more than a tap.
    is_drag: bool,
    /// Whether the drag is horizontal.
    is_across: bool,
}

#[derive(Clone, Copy, Debug)]
struct Finger {
    id: u64,
    from: [f32; 2],
    at: [f32; 2],
}

impl Touch {
    /// Handles an event, with positions in px, by sending pointer events. `scale` is the overlay's scale.
    fn take(
        &mut self,
        id: u64,
        phase: TouchPhase,
        at: [f32; 2],
        scale: f32,
        send: &mut dyn FnMut(PointerEvent) -> PointerResponse,
    ) -> PointerResponse {
        let is_finite = at.iter().all(|px| px.is_finite());
        match phase {
            TouchPhase::Started if !is_finite => PointerResponse::default(),
            TouchPhase::Started if self.first.is_none() => {
                let [x, y] = at;
                let response = send(PointerEvent::Moved { x, y });
                if response.consumed {
                    let from = at;
                    *self = Touch::default();
                    self.first = Some(Finger { id, from, at });
                } else {
                    send(PointerEvent::LeftWindow);
                }
                response
            }
            TouchPhase::Started if self.second.is_none() => {
                let from = at;
                self.second = Some(Finger { id, from, at });
                self.is_drag = true;
                used(None)
            }
            TouchPhase::Started => PointerResponse::default(),
            _ if !self.is_mine(id) => PointerResponse::default(),
            TouchPhase::Moved if !is_finite => used(None),
            TouchPhase::Moved => used(self.drag(id, at, scale, send)),
            TouchPhase::Ended | TouchPhase::Cancelled => {
                let is_tap = phase == TouchPhase::Ended && !self.is_drag;
                let action = match is_tap {
                    true => send(PointerEvent::Pressed(PointerButton::Primary)).action,
                    false => None,
                };
                if is_tap {
                    send(PointerEvent::Released(PointerButton::Primary));
                }
                // If a second finger is still down, it has no further effect.
                *self = Touch::default();
                send(PointerEvent::LeftWindow);
                used(action)
            }
        }
    }

    fn is_mine(&self, id: u64) -> bool {
        let fingers = [self.first, self.second].into_iter().flatten();
        fingers.into_iter().any(|finger| finger.id == id)
    }

    fn drag(
        &mut self,
        id: u64,
        at: [f32; 2],
        scale: f32,
        send: &mut dyn FnMut(PointerEvent) -> PointerResponse,
    ) -> Option<iprof_report::Action> {
        let before = self.distance(scale);
        let fingers = [&mut self.first, &mut self.second].into_iter().flatten();
        let finger = fingers.into_iter().find(|finger| finger.id == id)?;
        let last = std::mem::replace(&mut finger.at, at);
        let far = [0, 1].map(|axis| at[axis] - finger.from[axis]);
        if let Some(before) = before {
            let lines = (self.distance(scale)? / before).log2();
            return send(PointerEvent::Wheel { lines, zoom: true }).action;
        }
        let mut moved = [0, 1].map(|axis| at[axis] - last[axis]);
        if !self.is_drag {
            if far[0].hypot(far[1]) < DRAG_PX * scale {
                return None;
            }
            self.is_drag = true;
            self.is_across = far[0].abs() > far[1].abs();
            moved = far;
        }
        let lines = moved[usize::from(!self.is_across)] / (LINE_PX * scale);
        send(PointerEvent::Wheel { lines, zoom: false }).action
    }

    fn distance(&self, scale: f32) -> Option<f32> {
        let [a, b] = [self.first?.at, self.second?.at];
        Some((a[0] - b[0]).hypot(a[1] - b[1]).max(NEAREST_PX * scale))
    }
}

fn used(action: Option<iprof_report::Action>) -> PointerResponse {
    PointerResponse {
        consumed: true,
        action,
    }
}

impl Overlay {
    /// Handles a finger's touch event.
    ///
    /// A tap is a click with the primary button. A drag moves the cursor or scrolls the graph, like the wheel. Two
    /// fingers zoom the graph. While a finger rests, the tooltip describes the item under it. For a mouse, see
    /// [`pointer`](Overlay::pointer).
    ///
    /// `finger` distinguishes fingers that are down at the same time. Positions are in the units of
    /// [`set_screen`](Overlay::set_screen), and are ignored if they are not finite.
    ///
    /// ```
    /// use iprof::overlay::TouchPhase;
    ///
    /// let mut overlay = iprof::overlay::Overlay::new();
    /// overlay.touch(0, TouchPhase::Started, 100.0, 80.0);
    /// let response = overlay.touch(0, TouchPhase::Ended, 100.0, 80.0);
    /// if let Some(action) = response.action {
    ///     iprof::act(action);
    /// }
    /// ```
    pub fn touch(&mut self, finger: u64, phase: TouchPhase, x: f32, y: f32) -> PointerResponse {
        let at = [x * self.scale[0], y * self.scale[1]];
        self.touch_in_px(finger, phase, at)
    }

    /// Works like [`touch`](Overlay::touch), with positions in pixels.
    pub(crate) fn touch_in_px(
        &mut self,
        finger: u64,
        phase: TouchPhase,
        at: [f32; 2],
    ) -> PointerResponse {
        let mut touch = std::mem::take(&mut self.touch);
        let scale = self.unit_px;
        let response = touch.take(finger, phase, at, scale, &mut |event| {
            self.pointer_in_px(event)
        });
        self.touch = touch;
        response
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_report::Action;

    /// Sends touches to a screen whose left half is the overlay. Returns the resulting events, and whether each touch
    /// was used.
    fn events_of(touches: &[(u64, TouchPhase, [f32; 2])]) -> (Vec<PointerEvent>, Vec<bool>) {
        events_at_scale(1.0, touches)
    }

    fn events_at_scale(
        scale: f32,
        touches: &[(u64, TouchPhase, [f32; 2])],
    ) -> (Vec<PointerEvent>, Vec<bool>) {
        let (mut touch, mut events, mut used) = (Touch::default(), Vec::new(), Vec::new());
        for (finger, phase, at) in touches {
            let mut send = |event| {
                events.push(event);
                let is_over = |x: f32| x < 100.0;
                PointerResponse {
                    consumed: !matches!(event, PointerEvent::Moved { x, .. } if !is_over(x)),
                    action: matches!(event, PointerEvent::Pressed(_)).then_some(Action::Select),
                }
            };
            let response = touch.take(*finger, *phase, *at, scale, &mut send);
            used.push(response.consumed);
            let is_tap = response.action.is_some();
            assert!(!is_tap || *phase == TouchPhase::Ended);
        }
        (events, used)
    }

    use TouchPhase::{Cancelled, Ended, Moved, Started};

    const PRIMARY: PointerButton = PointerButton::Primary;

    #[test]
    fn tap_is_a_click() {
        let at = [50.0, 20.0];
        let (events, used) =
            events_of(&[(7, Started, at), (7, Moved, [55.0, 24.0]), (7, Ended, at)]);
        let wanted = [
            PointerEvent::Moved { x: 50.0, y: 20.0 },
            PointerEvent::Pressed(PRIMARY),
            PointerEvent::Released(PRIMARY),
            PointerEvent::LeftWindow,
        ];
        assert_eq!((&*events, &*used), (&wanted[..], &[true; 3][..]));
        let (events, _) = events_of(&[(7, Started, at), (7, Cancelled, at)]);
        assert_eq!(events, [wanted[0], PointerEvent::LeftWindow]);
    }

    #[test]
    fn drag_turns_the_wheel_at_its_start_point() {
        let (events, used) = events_of(&[
            (1, Started, [50.0, 20.0]),
            (1, Moved, [51.0, 60.0]),
            // The finger leaves the overlay and returns.
            (1, Moved, [150.0, 50.0]),
            (1, Moved, [f32::NAN, 50.0]),
            (1, Ended, [150.0, 50.0]),
        ]);
        let wheel = |lines| PointerEvent::Wheel { lines, zoom: false };
        let wanted = [wheel(2.0), wheel(-0.5), PointerEvent::LeftWindow];
        assert_eq!((&events[1..], &*used), (&wanted[..], &[true; 5][..]));
        let (events, _) = events_of(&[(1, Started, [50.0, 20.0]), (1, Moved, [10.0, 30.0])]);
        assert_eq!(
            events[1],
            wheel(-2.0),
            "a sideways drag should turn the wheel"
        );
    }

    #[test]
    fn touch_drags_scale_with_pixel_density() {
        let drag = [
            (1, Started, [50.0, 20.0]),
            (1, Moved, [50.0, 40.0]),
            (1, Moved, [50.0, 100.0]),
        ];
        let wheel = |lines| PointerEvent::Wheel { lines, zoom: false };
        let (events, _) = events_of(&drag);
        assert_eq!(events[1..], [wheel(1.0), wheel(3.0)]);
        let (events, _) = events_at_scale(2.0, &drag);
        assert_eq!(
            events[1..],
            [wheel(2.0)],
            "the first move should be too short for a drag"
        );
    }

    #[test]
    fn two_fingers_zoom() {
        let (events, _) = events_of(&[
            (1, Started, [50.0, 20.0]),
            (2, Started, [90.0, 20.0]),
            (2, Moved, [130.0, 20.0]),
            (1, Moved, [90.0, 20.0]),
            (2, Ended, [130.0, 20.0]),
            (1, Moved, [0.0, 20.0]),
            (1, Ended, [0.0, 20.0]),
        ]);
        let wheel = |lines| PointerEvent::Wheel { lines, zoom: true };
        let wanted = [wheel(1.0), wheel(-1.0), PointerEvent::LeftWindow];
        assert_eq!(events[1..], wanted);
    }

    #[test]
    fn touch_outside_overlay_belongs_to_host() {
        let (events, used) = events_of(&[
            (1, Started, [150.0, 20.0]),
            (1, Moved, [50.0, 20.0]),
            (1, Ended, [50.0, 20.0]),
            (2, Started, [f32::NAN, 0.0]),
            (2, Ended, [f32::NAN, 0.0]),
        ]);
        assert_eq!(used, [false; 5]);
        assert_eq!(events[1..], [PointerEvent::LeftWindow]);
    }
}
