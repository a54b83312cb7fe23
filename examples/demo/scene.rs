//! The scene, independent of OpenGL: the camera, the particles and the traced picture.

use std::ops::Range;
use std::sync::Arc;

use super::deadlock::load_while_saving;
use super::faults::Faults;
use super::flight::Flight;
use super::labels::Labels;
use super::math::Camera;
use super::particles::{Particles, Sprite};
use super::picture::Picture;
use super::tiles::{Pixel, Tiling};
use super::tracer::Tracer;
use super::trails::Trails;
use super::workers::Workers;

/// The scale of the traced picture, which has a margin because the view may have turned a little since it was
/// requested.
const MARGIN: f32 = 1.04;

/// The maximum length of a step. A longer step means that the program was suspended, and the scene continues as if it
/// had not been.
const MAX_STEP_SECONDS: f32 = 0.1;

/// The deepest level of spheres that particles bounce off.
const OBSTACLE_LEVEL: u32 = 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct SceneOptions {
    pub threads: usize,
    pub particles: usize,
    /// The traced picture's width and height in pixels. The picture is stretched to the window's size.
    pub trace_size: (usize, usize),
    /// The number of levels below the first sphere. Four levels result in 7,381 spheres, and each further level has
    /// nine times as many.
    pub flake_depth: u32,
    /// Whether each search of a flake branch is a zone.
    pub fine_zones: bool,
    /// The camera's starting position, in seconds of flight.
    pub start_seconds: f32,
    /// Whether the camera stays there.
    pub rests: bool,
    /// The maximum number of rays from the eye per frame.
    pub rays: u32,
    pub faults: Faults,
}

impl Default for SceneOptions {
    fn default() -> SceneOptions {
        SceneOptions {
            threads: 2,
            particles: 4_000,
            trace_size: (960, 540),
            flake_depth: 4,
            fine_zones: false,
            start_seconds: 0.0,
            rests: false,
            rays: u32::MAX,
            faults: Faults::default(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Scene {
    flight: Flight,
    rests: bool,
    particles: Particles,
    picture: Picture,
    camera: Camera,
    storm: bool,
    faults: Faults,
    steps: u64,
    trails: Trails,
    labels: Labels,
}

impl Scene {
    /// Starts the tracing threads. They end when the scene is dropped.
    ///
    /// # Panics
    ///
    /// Panics if the system cannot start a thread, or if the picture's size is zero.
    pub(crate) fn new(options: SceneOptions) -> Scene {
        let (width, height) = options.trace_size;
        assert!(
            width > 0 && height > 0,
            "a picture of {width} x {height} pixels shows nothing"
        );
        let tracer = Arc::new(Tracer::new(options.flake_depth).with_fine_zones(options.fine_zones));
        let tiling = Arc::new(Tiling::new(width, height));
        let mut flight = Flight::default();
        flight.advance(options.start_seconds);
        let camera = flight.camera(width as f32 / height as f32);
        let obstacles = tracer.flake().spheres_to_level(OBSTACLE_LEVEL).collect();
        let workers = Workers::new(options.threads, options.rays, tracer, Arc::clone(&tiling));
        // The picture is created first, so that its threads work while the particles warm up.
        let picture = Picture::new(workers, tiling, camera.widened(MARGIN));
        let particles = Particles::new(options.particles, obstacles);
        Scene {
            flight,
            rests: options.rests,
            particles,
            picture,
            camera,
            storm: false,
            faults: options.faults,
            steps: 0,
            trails: Trails::default(),
            labels: Labels::default(),
        }
    }

    /// Advances the whole scene. `aspect` is the window's width divided by its height.
    pub(crate) fn step(&mut self, dt_seconds: f32, aspect: f32) {
        iprof::zone!(update_scene);
        let dt_seconds = dt_seconds.clamp(0.0, MAX_STEP_SECONDS);
        // If the window's height is zero, the aspect is NaN or infinite.
        let aspect = if aspect > 0.0 {
            aspect.clamp(0.1, 10.0)
        } else {
            1.0
        };
        self.fly_camera(dt_seconds, aspect);
        self.steps += 1;
        let storm = std::mem::take(&mut self.storm) || self.faults.is_stormy(self.steps);
        if self.faults.is_deadlock(self.steps) {
            load_while_saving();
        }
        self.particles.simulate(dt_seconds, storm);
        if self.faults.growth {
            self.trails.fade(self.particles.sprites(), dt_seconds);
        }
        if self.faults.allocations {
            self.labels.write(self.particles.sprites());
        }
        self.collect_tiles();
    }

    /// Makes the next step take far longer than others, which causes a spike in the profiler's graph.
    pub(crate) fn request_storm(&mut self) {
        self.storm = true;
    }

    /// Toggles slow growth, and removes everything that has grown. Returns whether growth is on.
    pub(crate) fn toggle_growth(&mut self) -> bool {
        self.faults.growth = !self.faults.growth;
        self.trails = Trails::default();
        self.faults.growth
    }

    pub(crate) fn toggle_allocations(&mut self) -> bool {
        self.faults.allocations = !self.faults.allocations;
        self.faults.allocations
    }

    fn fly_camera(&mut self, dt_seconds: f32, aspect: f32) {
        iprof::zone!(fly_camera);
        if !self.rests {
            self.flight.advance(dt_seconds);
        }
        self.camera = self.flight.camera(aspect);
        self.picture.aim(self.camera.widened(MARGIN), dt_seconds);
    }

    fn collect_tiles(&mut self) {
        iprof::zone!(collect_tiles);
        self.picture.collect();
    }

    pub(crate) fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Returns the traced picture's viewpoint, which has a margin and lags slightly while the camera flies.
    pub(crate) fn picture_camera(&self) -> &Camera {
        self.picture.camera()
    }

    pub(crate) fn picture_size(&self) -> (usize, usize) {
        self.picture.size()
    }

    pub(crate) fn pixels(&self) -> &[Pixel] {
        self.picture.pixels()
    }

    /// Returns the range of picture rows that changed since the last call, which may be empty.
    pub(crate) fn take_dirty_rows(&mut self) -> Range<usize> {
        self.picture.take_dirty_rows()
    }

    pub(crate) fn sprites(&self) -> &[Sprite] {
        self.particles.sprites()
    }

    /// Returns how far the displayed picture has been refined, from 0 to 1. The value reaches 1 while the camera rests.
    #[allow(
        dead_code,
        reason = "used for window titles, and for screenshots that wait for the finished picture"
    )]
    pub(crate) fn refinement(&self) -> f32 {
        self.picture.refinement()
    }
}
