//! The controls of a view that the host holds, as `Controls` by itself drives the default view.

use super::{Controls, KeyResponse, typed};
use crate::action::Action;
use crate::bindings::{KeyName, Modifiers};
#[cfg(feature = "_overlay")]
use crate::overlay::{Overlay, PointerEvent, TouchPhase};
use crate::process::View;

/// [`Controls`] on a view of the host's and, after `with_overlay`, on its overlay: made by
/// [`Controls::on`].
///
/// Each method does what the one of the same name in [`Controls`] does, on that view instead of the default
/// one, and with that overlay instead of the current one. Without an overlay, those for the pointer, fingers and
/// drawing do nothing.
///
/// ```
/// use iprof::{Controls, Modifiers, ReportMode, View};
///
/// let (mut controls, mut view) = (Controls::new(), View::new());
/// assert!(controls.on(&mut view).key("Tab", Modifiers::NONE));
/// assert_eq!(view.report_mode(), ReportMode::HierarchicalTime);
/// ```
#[derive(Debug)]
#[must_use = "it does nothing by itself: call one of its methods"]
pub struct ViewControls<'a> {
    pub(super) controls: &'a mut Controls,
    pub(super) view: &'a mut View,
    #[cfg(feature = "_overlay")]
    pub(super) overlay: Option<&'a mut Overlay>,
}

impl Controls {
    /// These controls on a view of the host's instead of the default one. For help, pointer and touch, add
    /// [the overlay](ViewControls::with_overlay) that draws the view.
    pub fn on<'a>(&'a mut self, view: &'a mut View) -> ViewControls<'a> {
        ViewControls {
            controls: self,
            view,
            #[cfg(feature = "_overlay")]
            overlay: None,
        }
    }
}

impl<'a> ViewControls<'a> {
    /// With an overlay of the host's. Without one, there is nothing for the pointer, for fingers and for the
    /// help.
    ///
    /// ```no_run
    /// # use iprof::gl::{Overlay, PointerEvent};
    /// # fn host(overlay: &mut Overlay, event: PointerEvent) {
    /// let (mut controls, mut view) = (iprof::Controls::new(), iprof::View::new());
    /// let used = controls.on(&mut view).with_overlay(overlay).pointer(event);
    /// // each frame:
    /// overlay.draw_view(&view, 20.0, 20.0, 560.0, 400.0, controls.precision);
    /// let mut on = controls.on(&mut view).with_overlay(overlay);
    /// on.draw_help_gl(20.0, 20.0, 560.0, 400.0);
    /// # }
    /// ```
    #[cfg(feature = "_overlay")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "gl", feature = "glow-0-17"))))]
    pub fn with_overlay(self, overlay: &'a mut Overlay) -> ViewControls<'a> {
        ViewControls {
            overlay: Some(overlay),
            ..self
        }
    }

    /// Handles a pressed key; see [`Controls::key`].
    pub fn key(&mut self, key: &str, modifiers: Modifiers) -> bool {
        let is_typing = self.view.is_typing_filter();
        let key = KeyName::parse(key);
        match self.controls.press(&key, None, modifiers, is_typing) {
            KeyResponse::Unused => return false,
            KeyResponse::Text => {}
            KeyResponse::Action(action) => self.act(action),
        }
        true
    }

    /// Handles text input; see [`Controls::text`].
    pub fn text(&mut self, text: &str) -> bool {
        let used = self.view.is_typing_filter() && !self.controls.hidden;
        if used && !std::mem::take(&mut self.controls.skips_text) {
            typed(text).for_each(|action| self.act(action));
        }
        used
    }

    /// Performs an action: on the settings, the view, the overlay, or the program's timing; see
    /// [`Controls::act`]. With an overlay, an action on a row is about the rows that it
    /// drew last; without one, about those that the view has now.
    pub fn act(&mut self, action: Action) {
        self.controls.act_outside_view(&action);
        #[cfg(feature = "_overlay")]
        if let Some(overlay) = &mut self.overlay {
            overlay.act(self.view, action);
            return;
        }
        self.view.act(action);
    }

    /// Handles an event of the pointer, if there is an overlay; see [`Controls::pointer`].
    #[cfg(feature = "_overlay")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "gl", feature = "glow-0-17"))))]
    pub fn pointer(&mut self, event: PointerEvent) -> bool {
        let Some(overlay) = self.overlay.as_mut().filter(|_| self.controls.sees(event)) else {
            return false;
        };
        let response = overlay.pointer(event);
        if let Some(action) = response.action {
            self.act(action);
        }
        response.consumed
    }

    /// Handles an event of a finger, if there is an overlay; see [`Controls::touch`].
    #[cfg(feature = "_overlay")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "gl", feature = "glow-0-17"))))]
    pub fn touch(&mut self, finger: u64, phase: TouchPhase, x: f32, y: f32) -> bool {
        let (Some(overlay), Some(phase)) = (&mut self.overlay, self.controls.touch_phase(phase))
        else {
            return false;
        };
        let response = overlay.touch(finger, phase, x, y);
        if let Some(action) = response.action {
            self.act(action);
        }
        response.consumed
    }
}
