//! The demo, independent of where it is shown: the scene, the stage that draws the scene, and the overlay.

#![allow(unsafe_code)] // OpenGL is called through unsafe functions.

use super::controls::{Controls, OWN_KEYS};
use super::faults::show_value;
use super::options::Options;
use super::output;
use super::pace::Pace;
use super::scene::{Scene, SceneOptions};
use super::stage::Stage;
use glutin::context::{ContextApi, Version};
use iprof::winit::Input;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The kinds of contexts that the demo can draw with, in order of preference.
pub(crate) const CONTEXTS: [ContextApi; 2] = [
    ContextApi::OpenGl(Some(Version::new(3, 3))),
    ContextApi::Gles(Some(Version::new(3, 0))),
];

/// The margin around the report and the graph: a fraction of the width, with limits in units of the display's scale.
const MARGIN_PART: f32 = 0.025;
const MARGIN: (f32, f32) = (8.0, 20.0);

/// Creates only the scene, which is all that runs without OpenGL.
pub(crate) fn scene(options: &Options) -> Scene {
    show_value(options.faults.allocations, "alloc_objects");
    if options.faults.growth {
        show_value(true, "marks");
    }
    Scene::new(SceneOptions {
        threads: options.threads,
        fine_zones: options.fine,
        start_seconds: options.start,
        rests: options.rest,
        rays: options.rays,
        particles: options.particles,
        faults: options.faults,
        ..SceneOptions::default()
    })
}

pub(crate) struct App {
    gl: Rc<glow::Context>,
    scene: Scene,
    stage: Stage,
    pub(crate) controls: Controls,
    pub(crate) input: Input,
    pub(crate) pace: Pace,
    frames: u64,
    end: Option<u64>,
    shot: PathBuf,
    report: PathBuf,
}

impl App {
    /// Creates everything that the demo needs to draw.
    ///
    /// # Safety
    ///
    /// The context of `gl` must be current on this thread, and remain current while the app exists.
    pub(crate) unsafe fn new(gl: Rc<glow::Context>, options: &Options) -> Result<App, String> {
        // SAFETY: the context is current (contract).
        let stage = unsafe {
            iprof::gl::init(gl.clone()).map_err(|error| error.to_string())?;
            Stage::new(&gl)?
        };
        let or = |path: &Option<PathBuf>, default: &str| {
            path.clone().unwrap_or_else(|| PathBuf::from(default))
        };
        let mut input = Input::new();
        for (key, meaning) in OWN_KEYS {
            input.controls.bindings.describe_own_key(key, meaning);
        }
        Ok(App {
            gl,
            scene: scene(options),
            stage,
            controls: Controls::default(),
            input,
            pace: Pace::new(options.frame),
            frames: 0,
            end: options.frames,
            shot: or(&options.shot, "demo.png"),
            report: or(&options.report, "demo.txt"),
        })
    }

    /// Runs one frame: simulates and draws the scene, and draws the profiler's overlay on top.
    pub(crate) fn frame(&mut self, (width, height): (u32, u32), scale: f32) -> Result<(), String> {
        iprof::zone!(frame);
        let step = self.pace.begin_frame();
        if std::mem::take(&mut self.controls.storm) {
            self.scene.request_storm();
        }
        if std::mem::take(&mut self.controls.growth) {
            show_value(self.scene.toggle_growth(), "marks");
        }
        if std::mem::take(&mut self.controls.allocations) {
            show_value(self.scene.toggle_allocations(), "alloc_objects");
        }
        self.scene.step(step, width as f32 / height as f32);
        // SAFETY: the context is current (contract of `new`).
        unsafe {
            self.stage
                .draw(&self.gl, &mut self.scene, width as i32, height as i32)
        };

        iprof::update(!self.input.controls.paused);
        if !self.input.controls.hidden {
            self.draw_profiler(width as f32, height as f32, scale);
        }
        self.frames += 1;
        if std::mem::take(&mut self.controls.write) {
            self.save((width, height))?;
        }
        Ok(())
    }

    /// Draws the profiler's overlay. These lines are the point of this example.
    fn draw_profiler(&mut self, w: f32, h: f32, scale: f32) {
        iprof::gl::with_current(|overlay, _| overlay.set_scale(scale));
        let [w, h] = [w, h].map(|px| px / scale);
        let (least, most) = MARGIN;
        let margin = (w * MARGIN_PART).clamp(least, most);
        let controls = &mut self.input.controls;
        controls.draw_gl(margin, margin, w - 2.0 * margin, h - 2.0 * margin);
    }

    /// Returns whether all requested frames have been drawn or the user has quit.
    pub(crate) fn is_done(&self) -> bool {
        self.controls.quit || self.end.is_some_and(|end| self.frames >= end)
    }

    pub(crate) fn save(&self, size: (u32, u32)) -> Result<(), String> {
        iprof::zone!(write_files);
        self.save_picture(size, &self.shot)?;
        output::save_report(&self.report)
    }

    pub(crate) fn save_picture(&self, size: (u32, u32), path: &Path) -> Result<(), String> {
        // SAFETY: the context is current (contract of `new`).
        unsafe { output::save_picture(&self.gl, size, path) }
    }

    /// Writes the output files named on the command line, after the last frame.
    pub(crate) fn save_requested_files(
        &self,
        options: &Options,
        size: (u32, u32),
    ) -> Result<(), String> {
        if let Some(path) = &options.shot {
            self.save_picture(size, path)?;
        }
        options
            .report
            .as_deref()
            .map_or(Ok(()), output::save_report)
    }

    pub(crate) fn destroy(mut self) {
        if let Some((_, painter)) = iprof::gl::make_current(None) {
            painter.destroy();
        }
        // SAFETY: the context is current (contract of `new`).
        unsafe { self.stage.destroy(&self.gl) };
    }
}
