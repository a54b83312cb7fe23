//! Tests how an overlay handles events from a winit window. Key events are tested in the demo's window instead, because
//! only winit can construct them.

#![cfg(all(feature = "enable", feature = "winit-0-30"))]
#![allow(
    unsafe_code,
    reason = "overlays require the promise that their context is current"
)]

mod support;

use iprof::overlay::Hit;
use iprof::winit::Input;
use iprof::{View, with_view};
use std::sync::{Mutex, PoisonError};
use support::headless::{Headless, Kind, Target};
use support::painted::Painted;
use support::versions::overlay;
use winit::dpi::PhysicalPosition;
use winit::event::{DeviceId, ElementState, MouseButton, WindowEvent};

const SIZE: (i32, i32) = (640, 480);

/// A context with an overlay that shows a view of three zones.
struct Stage {
    view: View,
    overlay: Painted,
    // The context. It must be dropped last.
    _context: Headless,
}

fn stage() -> Option<Stage> {
    let h = Headless::new(Kind::Gl33Core, Target::new(SIZE.0, SIZE.1))?;
    {
        // Record the zones within one frame, even if other tests run at the same time.
        static FRAME: Mutex<()> = Mutex::new(());
        let _one_at_a_time = FRAME.lock().unwrap_or_else(PoisonError::into_inner);
        {
            iprof::zone!(first_zone);
            iprof::zone!(second_zone);
        }
        iprof::update(true);
    }
    let overlay = overlay(&h);
    let view = View::default();
    let mut stage = Stage {
        view,
        overlay,
        _context: h,
    };
    stage.draw();
    Some(stage)
}

impl Stage {
    fn draw(&mut self) {
        let report = self.view.report(&iprof::profiler());
        assert!(report.rows.len() >= 3, "{report:?}");
        self.overlay
            .draw(|frame| frame.draw_report(&report, 10.0, 10.0, 400.0, 300.0, 2));
    }

    fn row(&self, row: usize) -> (f32, f32) {
        let heights = (0..SIZE.1).map(|y| y as f32 + 0.5);
        let mut heights = heights.filter(|y| self.overlay.hit(100.0, *y) == Some(Hit::Row(row)));
        (100.0, heights.next().expect("the row should be drawn"))
    }

    fn send(&mut self, input: &mut Input, event: &WindowEvent) -> bool {
        input.window_event_on(&mut self.overlay, &mut self.view, event)
    }
}

fn moved((x, y): (f32, f32)) -> WindowEvent {
    WindowEvent::CursorMoved {
        device_id: DeviceId::dummy(),
        position: PhysicalPosition::new(x.into(), y.into()),
    }
}

fn button(state: ElementState) -> WindowEvent {
    WindowEvent::MouseInput {
        device_id: DeviceId::dummy(),
        state,
        button: MouseButton::Left,
    }
}

fn cursor(view: &View) -> Option<usize> {
    view.report(&iprof::profiler())
        .rows
        .iter()
        .position(|row| row.cursor)
}

#[test]
fn clicks_change_the_view_unless_overlay_is_hidden() {
    let Some(mut stage) = stage() else { return };
    let mut input = Input::new();
    let row = stage.row(2);
    assert_ne!(cursor(&stage.view), Some(2));
    input.controls.hidden = true;
    for event in [moved(row), button(ElementState::Pressed)] {
        assert!(
            !stage.send(&mut input, &event),
            "a hidden overlay should not use the event"
        );
    }
    assert!(!stage.send(&mut input, &button(ElementState::Released)));
    assert_ne!(cursor(&stage.view), Some(2));
    input.controls.hidden = false;
    for event in [moved(row), button(ElementState::Pressed)] {
        assert!(stage.send(&mut input, &event));
    }
    assert_eq!(cursor(&stage.view), Some(2));
    // Events use winit's units, whatever the overlay's units are.
    assert!(stage.send(&mut input, &button(ElementState::Released)));
    stage.overlay.set_scale(2.0);
    stage.overlay.set_text_size(6.0);
    let report = stage.view.report(&iprof::profiler());
    stage
        .overlay
        .draw(|frame| frame.draw_report(&report, 5.0, 5.0, 200.0, 150.0, 2));
    for event in [moved(row), button(ElementState::Pressed)] {
        assert!(stage.send(&mut input, &event));
    }
}

#[test]
fn held_button_is_released_when_hidden_or_unfocused() {
    let Some(mut stage) = stage() else { return };
    let row = stage.row(1);
    let away = moved((600.0, 470.0));
    let hide = |input: &mut Input, hidden| input.controls.hidden = hidden;
    let lets_go: [(&str, WindowEvent); 2] = [
        ("released while hidden", button(ElementState::Released)),
        ("the focus is lost", WindowEvent::Focused(false)),
    ];
    for (what, event) in lets_go {
        let mut input = Input::new();
        assert!(stage.send(&mut input, &moved(row)));
        assert!(stage.send(&mut input, &button(ElementState::Pressed)));
        assert!(stage.send(&mut input, &away), "the button should be held");
        hide(&mut input, true);
        stage.send(&mut input, &event);
        hide(&mut input, false);
        assert!(!stage.send(&mut input, &away), "{what}");
    }
}

#[test]
fn current_overlay_and_default_view_are_implicit() {
    let Some(stage) = stage() else { return };
    let row = stage.row(2);
    let Stage {
        overlay, _context, ..
    } = stage;
    assert!(iprof::gl::make_current(Some(overlay.pair())).is_none());
    iprof::act(iprof::Action::SetCursor(0));
    let mut input = Input::new();
    for event in [moved(row), button(ElementState::Pressed)] {
        assert!(input.window_event(&event));
    }
    assert_eq!(cursor(&with_view(|view| view.clone())), Some(2));
    iprof::gl::make_current(None)
        .expect("an overlay should be current")
        .1
        .destroy();
}
