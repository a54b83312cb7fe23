//! Controls for a particular view and overlay. `Controls` itself uses them for the default view.

use super::Controls;
use super::key_press::{KeyResponse, KeyState};
use crate::input::bindings::{KeyName, Modifiers};
use crate::overlay::{Overlay, PointerEvent, PointerResponse, TouchPhase};
use crate::program::{self, Program};
use iprof_report::Action;
use iprof_report::View;

fn typed(text: &str) -> impl Iterator<Item = Action> {
    let characters = text.chars().filter(|character| !character.is_control());
    characters.map(Action::TypeFilter)
}

/// [`Controls`] together with the host's own overlay, and optionally the host's own view. Created by
/// `Controls::with_overlay` and `Controls::on`.
///
/// Each method works like the [`Controls`] method with the same name, but uses this view and overlay instead of the
/// default view and the current overlay.
#[derive(Debug)]
#[must_use = "does nothing unless one of its methods is called"]
pub struct ViewControls<'a> {
    pub(crate) controls: &'a mut Controls,
    /// The view, or `None` for the default view.
    pub(crate) view: Option<&'a mut View>,
    pub(crate) overlay: Option<&'a mut Overlay>,
}

impl Controls {
    /// Combines these controls with the given view and the overlay that draws it.
    ///
    /// ```
    /// use iprof::{Controls, Modifiers, ReportMode, View, overlay::Overlay};
    ///
    /// let (mut controls, mut view, mut overlay) = (Controls::new(), View::default(), Overlay::new());
    /// // on an event of the window:
    /// assert!(controls.on(&mut view, &mut overlay).key("Tab", Modifiers::NONE));
    /// assert_eq!(view.report_mode, ReportMode::HierarchicalTime);
    /// // each frame:
    /// let mut frame = overlay.begin([1280.0, 720.0]);
    /// controls.draw_view(&mut frame, &view, 20.0, 20.0, 1240.0, 680.0);
    /// ```
    pub fn on<'a>(&'a mut self, view: &'a mut View, overlay: &'a mut Overlay) -> ViewControls<'a> {
        ViewControls {
            controls: self,
            view: Some(view),
            overlay: Some(overlay),
        }
    }

    /// Combines these controls with the default view, without an overlay.
    pub(super) fn on_default_view(&mut self) -> ViewControls<'_> {
        ViewControls {
            controls: self,
            view: None,
            overlay: None,
        }
    }

    /// Combines these controls with the default view and the given overlay. Use it if your program does not draw with
    /// OpenGL, since such a program has no current overlay.
    ///
    /// ```
    /// use iprof::{Controls, overlay::{Overlay, PointerEvent}};
    ///
    /// let (mut controls, mut overlay) = (Controls::new(), Overlay::new());
    /// // on an event of the window:
    /// let event = PointerEvent::Moved { x: 100.0, y: 80.0 };
    /// let used = controls.with_overlay(&mut overlay).pointer(event);
    /// // each frame:
    /// let mut frame = overlay.begin([1280.0, 720.0]);
    /// controls.draw(&mut frame, 20.0, 20.0, 1240.0, 680.0);
    /// ```
    pub fn with_overlay<'a>(&'a mut self, overlay: &'a mut Overlay) -> ViewControls<'a> {
        ViewControls {
            controls: self,
            view: None,
            overlay: Some(overlay),
        }
    }
}

impl ViewControls<'_> {
    fn state(&self, program: &Program) -> KeyState {
        if let (Some(view), Some(overlay)) = (&self.view, &self.overlay) {
            return KeyState {
                is_typing: overlay.is_typing_filter(),
                is_flame_zoomed: view.is_flame_zoomed(),
            };
        }
        KeyState {
            is_typing: program.display().is_typing,
            is_flame_zoomed: program.view().is_flame_zoomed(),
        }
    }

    /// Handles a key press. See [`Controls::key`].
    pub fn key(&mut self, key: &str, modifiers: Modifiers) -> bool {
        self.key_at(&KeyName::parse(key), None, modifiers, "")
    }

    /// Handles a key press like [`key`](ViewControls::key), with the key's position if known. `text` is the text that
    /// the key types, or empty if the host passes the text to [`text`](ViewControls::text) in a separate event.
    pub(crate) fn key_at(
        &mut self,
        key: &KeyName,
        code: Option<&KeyName>,
        modifiers: Modifiers,
        text: &str,
    ) -> bool {
        let mut program = program::lock();
        let state = self.state(&program);
        match self.controls.press(key, code, modifiers, state) {
            KeyResponse::Unused => return false,
            KeyResponse::Text => typed(text).for_each(|action| self.act_in(&mut program, action)),
            KeyResponse::Action(action) => self.act_in(&mut program, action),
        }
        true
    }

    /// Handles text input. See [`Controls::text`].
    pub fn text(&mut self, text: &str) -> bool {
        let mut program = program::lock();
        let used = self.state(&program).is_typing && !self.controls.hidden;
        if used && !std::mem::take(&mut self.controls.skips_text) {
            typed(text).for_each(|action| self.act_in(&mut program, action));
        }
        used
    }

    /// Performs an action, which changes the settings, the view, the overlay, or the program's timing. See
    /// [`Controls::act`]. Actions on a row refer to the rows that the overlay drew last.
    pub fn act(&mut self, action: Action) {
        self.act_in(&mut program::lock(), action);
    }

    fn act_in(&mut self, program: &mut Program, action: Action) {
        self.controls.act_outside_view(program, &action);
        if let (Some(view), Some(overlay)) = (&mut self.view, &mut self.overlay) {
            overlay.act_on(program.profiler(), view, action);
            return;
        }
        program.act(action);
    }

    /// Handles a pointer event, if there is an overlay. See [`Controls::pointer`].
    pub fn pointer(&mut self, event: PointerEvent) -> bool {
        self.pointer_by(event, |overlay| overlay.pointer(event))
    }

    /// Works like [`pointer`](ViewControls::pointer). `pass` passes the event to the overlay in the unit of the event's
    /// position.
    pub(crate) fn pointer_by(
        &mut self,
        event: PointerEvent,
        pass: impl FnOnce(&mut Overlay) -> PointerResponse,
    ) -> bool {
        let overlay = self.overlay.as_mut().filter(|_| self.controls.sees(event));
        let response = overlay.map(|overlay| pass(overlay));
        self.perform(response.unwrap_or_default())
    }

    /// Performs the action of a pointer or touch event. Returns whether the event was used.
    fn perform(&mut self, response: PointerResponse) -> bool {
        if let Some(action) = response.action {
            self.act(action);
        }
        response.consumed
    }

    /// Handles a touch event, if there is an overlay. See [`Controls::touch`].
    pub fn touch(&mut self, finger: u64, phase: TouchPhase, x: f32, y: f32) -> bool {
        self.touch_by(phase, |overlay, phase| overlay.touch(finger, phase, x, y))
    }

    /// Works like [`touch`](ViewControls::touch). `pass` passes the event to the overlay in the unit of the event's
    /// position.
    pub(crate) fn touch_by(
        &mut self,
        phase: TouchPhase,
        pass: impl FnOnce(&mut Overlay, TouchPhase) -> PointerResponse,
    ) -> bool {
        let overlay = self.overlay.as_mut().zip(self.controls.touch_phase(phase));
        let response = overlay.map(|(overlay, phase)| pass(overlay, phase));
        self.perform(response.unwrap_or_default())
    }
}
