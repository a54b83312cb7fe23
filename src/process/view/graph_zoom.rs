//! How far a view's graph is zoomed out: to frames, or further, to the whole session.
//!
//! The zoom is one number, of which the part below the least at which frames are drawn is kept apart: so a key that
//! leads from frames to the session has one that leads back to the same bars, and a touchpad, whose steps are small, has
//! a way between the two.

/// The range of the factor of the width of bars. A painter that has room for all frames with wider bars says so.
const LEAST: f32 = 1.0 / 64.0;
const MOST: f32 = 16.0;
/// Zoomed out by this much beyond all frames, as by a key, there is nothing further; and below this much less, the session
/// is shown.
const FURTHEST: f32 = 0.5;
const SESSION_BELOW: f32 = 0.75;

/// See the module's comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphZoom {
    /// The factor of the width of frames' bars.
    factor: f32,
    /// The factor beyond it: 1 unless it is zoomed out further than to all frames.
    beyond: f32,
    /// The factor below which no more frames come into view. It is what the last painter found, and no part of what
    /// the view shows.
    least: f32,
}

impl PartialEq for GraphZoom {
    fn eq(&self, other: &GraphZoom) -> bool {
        (self.factor, self.beyond) == (other.factor, other.beyond)
    }
}

impl Default for GraphZoom {
    fn default() -> GraphZoom {
        GraphZoom {
            factor: 1.0,
            beyond: 1.0,
            least: LEAST,
        }
    }
}

impl GraphZoom {
    /// Zooms in by a factor, or out if it is less than 1.
    pub(super) fn zoom(&mut self, factor: f32) {
        let wanted = self.factor * self.beyond * factor;
        self.factor = wanted.clamp(self.least.min(self.factor), MOST);
        self.beyond = (wanted / self.factor).clamp(FURTHEST, 1.0);
    }

    /// The factor of the width of frames' bars.
    pub(crate) fn factor(self) -> f32 {
        self.factor
    }

    /// Whether the whole session is shown instead of frames.
    pub(crate) fn shows_session(self) -> bool {
        self.beyond < SESSION_BELOW
    }

    /// Sets the factor at which a painter has room for all frames.
    #[cfg(feature = "overlay")]
    pub(crate) fn set_least(&mut self, factor: f32) {
        self.least = factor.clamp(LEAST, 1.0);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn after(zoom: &mut GraphZoom, factors: &[f32]) -> (f32, bool) {
        factors.iter().for_each(|factor| zoom.zoom(*factor));
        (zoom.factor(), zoom.shows_session())
    }

    #[test]
    fn past_the_least_zoom_is_the_session_and_the_same_way_back_are_the_same_frames() {
        let mut zoom = GraphZoom::default();
        assert_eq!(after(&mut zoom, &[0.5; 6]), (LEAST, false));
        assert_eq!(after(&mut zoom, &[0.5]), (LEAST, true));
        assert_eq!(after(&mut zoom, &[0.5; 9]), (LEAST, true), "no further");
        assert_eq!(after(&mut zoom, &[2.0]), (LEAST, false));
        assert_eq!(after(&mut zoom, &[2.0; 6]), (1.0, false));
        assert_eq!(after(&mut zoom, &[1e9]), (MOST, false));
        assert_eq!(after(&mut zoom, &[f32::MIN_POSITIVE]), (LEAST, true));
    }

    #[cfg(feature = "overlay")]
    #[test]
    fn where_a_painter_has_room_for_all_frames_the_next_step_is_the_session() {
        let mut zoom = GraphZoom::default();
        zoom.set_least(0.5);
        assert_eq!(after(&mut zoom, &[0.5]), (0.5, false));
        assert_eq!(after(&mut zoom, &[0.5]), (0.5, true));
        assert_eq!(after(&mut zoom, &[2.0]), (0.5, false));
        // Of a smaller window, whose painter had less room.
        zoom = GraphZoom::default();
        after(&mut zoom, &[0.125]);
        zoom.set_least(0.5);
        assert_eq!(after(&mut zoom, &[0.5]), (0.125, true));
        for odd in [f32::NAN, 0.0, f32::INFINITY] {
            zoom.set_least(odd);
            zoom.zoom(0.5);
            assert!(zoom.factor() > 0.0, "{odd}: {zoom:?}");
        }
    }

    #[test]
    fn small_steps_lead_there_and_back_too() {
        let mut zoom = GraphZoom::default();
        zoom.zoom(LEAST);
        let mut step = |factor: f32| {
            let steps = (1..100).find(|_| {
                zoom.zoom(factor);
                zoom.shows_session() == (factor < 1.0)
            });
            steps.expect("it gets there")
        };
        let (out, back) = (step(0.97), step(1.0 / 0.97));
        assert!(out > 3 && back < 20, "{out} {back}");
    }
}
