//! The functions exported to the page: frames, input, and saving.

use crate::demo::faults::show_value;
use crate::demo::scene::{Scene, SceneOptions};
use crate::demo::stage::Stage;
use crate::demo::workers::set_share_ms;
use iprof::Action;
use iprof::web::Input;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlCanvasElement, WebGl2RenderingContext};

// "current" in the SAFETY comments means that a page's context is always current, and that `drawing` belongs to the
// existing context.

/// The page's own keys. The help lists them, and `index.html` handles them.
const OWN_KEYS: [(&str, &str); 4] = [
    ("I", "a storm: one slow frame"),
    ("8", "slow growth, on or off"),
    ("9", "an allocation storm, on or off"),
    ("W", "save the profile as a page"),
];

/// The size of the traced picture. It is smaller than in a window, because only one thread traces.
const TRACE_SIZE: (usize, usize) = (640, 360);
/// The size for tests, which wait for the finished picture and may run without a GPU.
const TRACE_SIZE_AT_REST: (usize, usize) = (240, 135);
const PARTICLES_AT_REST: usize = 500;

/// The margin around the report and the graph: a fraction of the width, with limits in CSS pixels.
const MARGIN_PART: f32 = 0.025;
const MARGIN: (f32, f32) = (8.0, 20.0);

/// The length of a step in seconds, if the page's URL specifies a number of steps.
const FIXED_STEP: f32 = 1.0 / 60.0;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

struct Drawing {
    gl: Rc<glow::Context>,
    stage: Stage,
}

/// The scene, the stage and the overlay on a canvas.
#[wasm_bindgen]
pub struct Demo {
    /// The GL objects, or `None` while the context is lost.
    drawing: Option<Drawing>,
    scene: Scene,
    input: Input,
    /// Whether the overlay is drawn. Tests compare the page with and without it.
    has_overlay: bool,
    /// The number of fixed-length steps left until the scene stops, or `None` if the scene follows the clock.
    steps: Option<u32>,
    last_step_ms: Option<f64>,
}

#[wasm_bindgen]
impl Demo {
    /// Starts the demo. With `steps`, the scene stops after that many steps of 1/60 s. Otherwise, it follows the clock.
    #[wasm_bindgen(constructor)]
    pub fn new(
        canvas: &HtmlCanvasElement,
        has_overlay: bool,
        steps: Option<u32>,
    ) -> Result<Demo, JsValue> {
        std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
        iprof::set_thread_name("main");
        let mut input = Input::new();
        for (key, meaning) in OWN_KEYS {
            input.controls.bindings.describe_own_key(key, meaning);
        }
        let mut options = SceneOptions {
            trace_size: TRACE_SIZE,
            ..SceneOptions::default()
        };
        if steps.is_some() {
            options.trace_size = TRACE_SIZE_AT_REST;
            options.particles = PARTICLES_AT_REST;
            set_share_ms(200);
        }
        let scene = Scene::new(options);
        let mut demo = Demo {
            drawing: None,
            scene,
            input,
            has_overlay,
            steps,
            last_step_ms: None,
        };
        demo.restore(canvas)?;
        Ok(demo)
    }

    /// Drops the objects of a lost context.
    pub fn lose(&mut self) {
        self.drawing = None;
        // Dropping it makes no GL calls.
        let _ = iprof::gl::make_current(None);
    }

    /// Creates the objects in a new or restored context.
    pub fn restore(&mut self, canvas: &HtmlCanvasElement) -> Result<(), JsValue> {
        let web = canvas.get_context("webgl2")?;
        let web = web.ok_or("this browser has no WebGL 2, or it is turned off")?;
        let web: WebGl2RenderingContext = web.unchecked_into();
        let gl = Rc::new(glow::Context::from_webgl2_context(web));
        // SAFETY: current.
        let stage = unsafe {
            if self.has_overlay {
                iprof::gl::init(gl.clone()).map_err(|error| error.to_string())?;
            }
            Stage::new(&gl)?
        };
        self.drawing = Some(Drawing { gl, stage });
        Ok(())
    }

    /// Runs one frame: simulates and draws the scene, and draws the profiler's overlay on top.
    pub fn frame(&mut self, now_ms: f64, width: i32, height: i32, ratio: f32) {
        zone!(frame);
        let passed_ms = self
            .last_step_ms
            .replace(now_ms)
            .map_or(0.0, |last| now_ms - last);
        let seconds = match &mut self.steps {
            None => (passed_ms * 1e-3) as f32,
            Some(0) => 0.0,
            Some(left) => {
                *left -= 1;
                FIXED_STEP
            }
        };
        self.scene.step(seconds, width as f32 / height as f32);
        if let Some(Drawing { gl, stage }) = &mut self.drawing {
            // SAFETY: current.
            unsafe { stage.draw(gl, &mut self.scene, width, height) };
        }
        iprof::update(!self.input.controls.paused);
        if !self.input.controls.hidden {
            self.draw_profiler(width as f32 / ratio, height as f32 / ratio, ratio);
        }
    }

    fn draw_profiler(&mut self, w: f32, h: f32, ratio: f32) {
        let Some(()) = iprof::gl::with_current(|overlay, _| overlay.set_scale(ratio)) else {
            return;
        };
        let (least, most) = MARGIN;
        let margin = (w * MARGIN_PART).clamp(least, most);
        let (w, h) = (w - 2.0 * margin, h - 2.0 * margin);
        self.input.controls.draw_gl(margin, margin, w, h);
    }

    /// Handles a page event. Returns whether the overlay used the event. If so, the page should ignore it.
    pub fn event(&mut self, event: &Event) -> bool {
        self.input.event(event)
    }

    /// Shows the keys, or the next page of keys.
    pub fn help(&mut self) {
        self.input.controls.act(Action::NextHelpPage);
    }

    /// Makes the next frame take longer.
    pub fn storm(&mut self) {
        self.scene.request_storm();
    }

    /// Toggles slow growth, and shows its named value.
    pub fn toggle_growth(&mut self) {
        show_value(self.scene.toggle_growth(), "marks");
    }

    /// Toggles bursts of allocations, and shows their named value.
    pub fn toggle_allocations(&mut self) {
        show_value(self.scene.toggle_allocations(), "alloc_objects");
    }

    /// Returns the profile as an HTML page.
    pub fn html(&self) -> Vec<u8> {
        let mut page = Vec::new();
        let written = iprof::Format::Html.write(&iprof::snapshot(), &mut page);
        written.expect("writing to a Vec cannot fail");
        page
    }

    /// Returns the displayed report as text.
    pub fn report_text(&self) -> String {
        let mut text = Vec::new();
        let written = iprof::write_report(&mut text);
        written.expect("writing to a Vec cannot fail");
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the fraction of the picture that has been traced, from 0 to 1.
    pub fn refinement(&self) -> f32 {
        self.scene.refinement()
    }

    /// Returns whether the scene has stopped.
    pub fn rests(&self) -> bool {
        self.steps == Some(0)
    }
}
