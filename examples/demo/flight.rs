//! The camera's path from station to station around the flake, with a rest at each station.

use super::math::{Camera, vec3};

const FLY_SECONDS: f32 = 11.0;
/// The time to refine the picture fully and to look at it.
const REST_SECONDS: f32 = 4.0;

const VERTICAL_FOV_RADIANS: f32 = 0.72;

#[derive(Clone, Copy, Debug)]
struct Station {
    azimuth_radians: f32,
    height: f32,
    distance: f32,
}

#[derive(Debug, Default)]
pub(crate) struct Flight {
    /// The number of stations that the camera has passed.
    leg: u32,
    leg_seconds: f32,
}

impl Flight {
    pub(crate) fn advance(&mut self, dt_seconds: f32) {
        self.leg_seconds += dt_seconds;
        while self.leg_seconds >= REST_SECONDS + FLY_SECONDS {
            self.leg_seconds -= REST_SECONDS + FLY_SECONDS;
            self.leg += 1;
        }
    }

    /// Returns the camera, which does not move at all during a rest.
    pub(crate) fn camera(&self, aspect: f32) -> Camera {
        let (from, to) = (station(self.leg), station(self.leg + 1));
        let flown = ease(((self.leg_seconds - REST_SECONDS) / FLY_SECONDS).max(0.0));
        let blend = |from: f32, to: f32| from + (to - from) * flown;
        let distance = blend(from.distance, to.distance);
        let (sin, cos) = blend(from.azimuth_radians, to.azimuth_radians).sin_cos();
        let eye = vec3(
            distance * sin,
            blend(from.height, to.height),
            distance * cos,
        );
        // The flake must not be cut off at the sides of a narrow window.
        let fov = VERTICAL_FOV_RADIANS / aspect.min(1.3) * 1.3;
        Camera::look_at(eye, vec3(0.0, 1.25, 0.0), fov.min(1.6), aspect)
    }
}

/// Returns a station. Heights and distances follow multiples of the golden ratio, so they never repeat, and consecutive
/// stations differ.
fn station(number: u32) -> Station {
    let n = number as f32;
    Station {
        azimuth_radians: 2.45 + 1.25 * n,
        height: 0.8 + 2.9 * (0.80 + 0.618_034 * n).fract(),
        distance: 4.9 + 1.5 * (0.35 + 0.381_966 * n).fract(),
    }
}

/// Eases a motion from 0 to 1. Speed and acceleration are zero at both ends.
fn ease(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camera_moves_smoothly_and_rests() {
        let mut flight = Flight::default();
        let mut last = flight.camera(1.6);
        let mut frames_at_rest = 0;
        for _ in 0..60 * 60 {
            flight.advance(1.0 / 60.0);
            let camera = flight.camera(1.6);
            assert!((camera.eye - last.eye).length() < 0.05);
            assert!(camera.eye.y > 0.5);
            frames_at_rest += u32::from(camera == last);
            last = camera;
        }
        assert!(frames_at_rest > 60 * 15, "{frames_at_rest}");
    }
}
