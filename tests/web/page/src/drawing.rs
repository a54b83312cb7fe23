//! Tests the overlay in WebGL 2.

use crate::Test;
use crate::painted::Painted;
use glow::HasContext;
use iprof::gl::HostState;
use iprof::{ColumnId, Report, Row};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext};

// The SAFETY comments rely on the fact that a page's contexts are always current.

pub(crate) const TESTS: &[Test] = &[
    (
        "overlay_is_drawn_without_gl_errors",
        overlay_is_drawn_without_gl_errors,
    ),
    (
        "drawing_stays_inside_its_rectangle",
        drawing_stays_inside_its_rectangle,
    ),
    (
        "flipped_uploads_do_not_change_the_picture",
        flipped_uploads_do_not_change_the_picture,
    ),
    (
        "drawing_resets_state_to_defaults",
        drawing_resets_state_to_defaults,
    ),
    ("declared_state_is_restored", declared_state_is_restored),
    (
        "overlay_follows_canvas_resizing",
        overlay_follows_canvas_resizing,
    ),
    (
        "overlay_draws_only_to_the_first_attachment",
        overlay_draws_only_to_the_first_attachment,
    ),
    (
        "gpu_zones_fall_back_to_cpu_time",
        gpu_zones_fall_back_to_cpu_time,
    ),
    (
        "drawing_on_a_lost_context_is_harmless",
        drawing_on_a_lost_context_is_harmless,
    ),
    (
        "clearing_host_state_restores_defaults",
        clearing_host_state_restores_defaults,
    ),
];

const SIZE: [i32; 2] = [320, 240];

/// A canvas with its context, which tests access both through `web_sys` and through `glow`.
pub(crate) struct Host {
    canvas: HtmlCanvasElement,
    web: WebGl2RenderingContext,
    pub(crate) gl: Rc<glow::Context>,
}

impl Host {
    pub(crate) fn new() -> Host {
        let document = web_sys::window().and_then(|window| window.document());
        let canvas = document
            .expect("no `document` object")
            .create_element("canvas");
        let canvas: HtmlCanvasElement = canvas.expect("failed to create a canvas").unchecked_into();
        let [width, height] = SIZE.map(|size| size as u32);
        canvas.set_width(width);
        canvas.set_height(height);
        let web = canvas.get_context("webgl2").ok().flatten();
        let web: WebGl2RenderingContext = web.expect("WebGL 2 is not available").unchecked_into();
        let gl = Rc::new(glow::Context::from_webgl2_context(web.clone()));
        Host { canvas, web, gl }
    }

    fn overlay(&self) -> Painted {
        // SAFETY: the context is current.
        unsafe { Painted::new(self.gl.clone()) }.expect("failed to create the overlay")
    }

    fn clear(&self) {
        // SAFETY: the context is current.
        unsafe {
            self.gl.clear_color(0.2, 0.4, 0.6, 1.0);
            self.gl.clear(glow::COLOR_BUFFER_BIT);
        }
    }

    /// Returns RGBA pixels, bottom row first.
    fn read(&self, [width, height]: [i32; 2]) -> Vec<u8> {
        let mut pixels = vec![0; width as usize * height as usize * 4];
        let to = glow::PixelPackData::Slice(Some(&mut pixels));
        // SAFETY: the context is current, and there is room for each pixel.
        unsafe {
            let (rgba, byte) = (glow::RGBA, glow::UNSIGNED_BYTE);
            self.gl.read_pixels(0, 0, width, height, rgba, byte, to);
        }
        pixels
    }

    pub(crate) fn take_error(&self) -> u32 {
        // SAFETY: the context is current.
        unsafe { self.gl.get_error() }
    }
}

fn report() -> Report {
    let row = |row: u8| {
        Row::new(
            &format!("zone_{row}"),
            [(ColumnId::SelfTime, 1.5), (ColumnId::Count, f64::from(row))],
        )
    };
    let mut report = Report::default();
    report.title = vec!["a title".into()];
    report.columns = vec![ColumnId::SelfTime, ColumnId::Count];
    report.rows = (0..8).map(row).collect();
    report
}

fn differing(a: &[u8], b: &[u8]) -> usize {
    a.chunks(4).zip(b.chunks(4)).filter(|(a, b)| a != b).count()
}

fn overlay_is_drawn_without_gl_errors() {
    let host = Host::new();
    let mut overlay = host.overlay();
    for frame in 0..5 {
        {
            iprof::zone!(work);
            iprof::zone!(within);
        }
        iprof::update(true);
        host.clear();
        let blank = host.read(SIZE);
        overlay.draw(|frame| frame.draw_default(10.0, 10.0, 300.0, 120.0, 2));
        let with_report = host.read(SIZE);
        let shown = differing(&blank, &with_report);
        assert!(
            shown > 5_000,
            "frame {frame}: only {shown} px of the report"
        );
        overlay.draw(|frame| frame.draw_default_graph(10.0, 140.0, 4.0, 2.0));
        let shown = differing(&with_report, &host.read(SIZE));
        assert!(shown > 500, "frame {frame}: only {shown} px of the graph");
        assert_eq!(host.take_error(), glow::NO_ERROR, "frame {frame}");
    }
    // The rows' position depends on the number of warnings, so try all possible heights.
    let mut heights = (10..130).map(|y| y as f32 + 0.5);
    assert!(heights.any(|y| overlay.hit(20.0, y).is_some()));
    overlay.destroy();
    assert_eq!(host.take_error(), glow::NO_ERROR);
}

fn drawing_stays_inside_its_rectangle() {
    let host = Host::new();
    host.clear();
    let blank = host.read(SIZE);
    let mut overlay = host.overlay();
    overlay.draw(|frame| frame.draw_report(&report(), 40.0, 30.0, 200.0, 100.0, 2));
    let picture = host.read(SIZE);
    let (mut inside, mut outside) = (0, 0);
    for (at, (a, b)) in picture.chunks(4).zip(blank.chunks(4)).enumerate() {
        let (x, y) = (at as i32 % SIZE[0], SIZE[1] - 1 - at as i32 / SIZE[0]);
        let is_inside = (40..240).contains(&x) && (30..130).contains(&y);
        *if is_inside { &mut inside } else { &mut outside } += usize::from(a != b);
    }
    assert_eq!(outside, 0);
    assert!(inside > 15_000, "{inside} px drawn");
}

fn flipped_uploads_do_not_change_the_picture() {
    let draw = |flips: bool| {
        let host = Host::new();
        host.clear();
        let gl = &host.gl;
        // SAFETY: the context is current.
        unsafe {
            gl.pixel_store_bool(WebGl2RenderingContext::UNPACK_FLIP_Y_WEBGL, flips);
            gl.pixel_store_bool(
                WebGl2RenderingContext::UNPACK_PREMULTIPLY_ALPHA_WEBGL,
                flips,
            );
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, if flips { 8 } else { 4 });
        }
        host.overlay()
            .draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 300.0, 220.0, 2));
        assert_eq!(host.take_error(), glow::NO_ERROR);
        host.read(SIZE)
    };
    assert_eq!(differing(&draw(true), &draw(false)), 0);
}

/// Returns the context's state, as `getParameter` reports it, by name.
fn state(host: &Host) -> Vec<(u32, String)> {
    let names = [
        glow::CURRENT_PROGRAM,
        glow::VERTEX_ARRAY_BINDING,
        glow::ARRAY_BUFFER_BINDING,
        glow::TEXTURE_BINDING_2D,
        glow::SAMPLER_BINDING,
        glow::PIXEL_UNPACK_BUFFER_BINDING,
        glow::ACTIVE_TEXTURE,
        glow::DRAW_FRAMEBUFFER_BINDING,
        glow::BLEND,
        glow::DEPTH_TEST,
        glow::CULL_FACE,
        glow::SCISSOR_TEST,
        glow::STENCIL_TEST,
        glow::RASTERIZER_DISCARD,
        glow::SAMPLE_ALPHA_TO_COVERAGE,
        glow::SAMPLE_COVERAGE,
        glow::BLEND_SRC_RGB,
        glow::BLEND_DST_RGB,
        glow::BLEND_SRC_ALPHA,
        glow::BLEND_DST_ALPHA,
        glow::BLEND_EQUATION_RGB,
        glow::BLEND_EQUATION_ALPHA,
        glow::DRAW_BUFFER0,
        glow::UNPACK_ALIGNMENT,
        glow::UNPACK_ROW_LENGTH,
        WebGl2RenderingContext::UNPACK_FLIP_Y_WEBGL,
    ];
    let value = |name| host.web.get_parameter(name).expect("the query failed");
    let text = |name| (name, format!("{:?}", value(name)));
    let mut state: Vec<_> = names.into_iter().map(text).collect();
    for name in [glow::VIEWPORT, glow::COLOR_WRITEMASK] {
        state.push((
            name,
            String::from(js_sys::Array::from(&value(name)).to_string()),
        ));
    }
    assert_eq!(host.take_error(), glow::NO_ERROR);
    state
}

fn drawing_resets_state_to_defaults() {
    let host = Host::new();
    let before = state(&host);
    let mut overlay = host.overlay();
    assert_eq!(
        state(&host),
        before,
        "creating the overlay changed the state"
    );
    // SAFETY: the context is current.
    unsafe {
        host.gl.enable(glow::DEPTH_TEST);
        host.gl.enable(glow::CULL_FACE);
        host.gl.color_mask(true, false, true, false);
    }
    overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 300.0, 220.0, 2));
    assert_eq!(state(&host), before);
}

fn declared_state_is_restored() {
    let host = Host::new();
    let gl = &host.gl;
    // SAFETY: the context is current.
    let (buffer, texture, array, sampler) = unsafe {
        let buffer = gl.create_buffer().expect("failed to create a buffer");
        let texture = gl.create_texture().expect("failed to create a texture");
        let array = gl
            .create_vertex_array()
            .expect("failed to create a vertex array");
        let sampler = gl.create_sampler().expect("failed to create a sampler");
        gl.bind_sampler(0, Some(sampler));
        gl.bind_vertex_array(Some(array));
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.enable(glow::DEPTH_TEST);
        gl.enable(glow::BLEND);
        gl.blend_func(glow::ONE, glow::ONE);
        (buffer, texture, array, sampler)
    };
    let before = state(&host);
    let bound = |name| host.web.get_parameter(name).expect("the query failed");
    let names = [
        glow::ARRAY_BUFFER_BINDING,
        glow::TEXTURE_BINDING_2D,
        glow::VERTEX_ARRAY_BINDING,
        WebGl2RenderingContext::SAMPLER_BINDING,
    ];
    let objects = names.map(bound);
    let mut declared = HostState::new([0, 0, SIZE[0], SIZE[1]]);
    declared.enabled = vec![glow::DEPTH_TEST, glow::BLEND];
    declared.blend_func = [glow::ONE; 4];
    declared.array_buffer = Some(buffer);
    declared.texture = Some(texture);
    declared.vertex_array = Some(array);
    declared.sampler = Some(sampler);
    let mut overlay = host.overlay();
    overlay.set_host_state(Some(declared));
    for _ in 0..2 {
        overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 300.0, 220.0, 2));
        assert_eq!(state(&host), before);
        assert!(
            names.map(bound) == objects,
            "the host's objects should be bound again"
        );
    }
}

fn overlay_follows_canvas_resizing() {
    let host = Host::new();
    let mut overlay = host.overlay();
    overlay.set_screen(100.0, 100.0);
    for size in [SIZE, [400, 100], [64, 300]] {
        host.canvas.set_width(size[0] as u32);
        host.canvas.set_height(size[1] as u32);
        // SAFETY: the context is current.
        unsafe { host.gl.viewport(0, 0, size[0], size[1]) };
        host.clear();
        let blank = host.read(size);
        let mut report = report();
        report.rows.truncate(2);
        overlay.draw(|frame| frame.draw_report(&report, 0.0, 0.0, 100.0, 100.0, 2));
        let picture = host.read(size);
        // The title covers the top left and top right pixels.
        let top = (size[1] - 1) * size[0];
        for x in [0, size[0] - 1] {
            let at = 4 * (top + x) as usize;
            assert_ne!(picture[at..at + 4], blank[at..at + 4], "{size:?} at {x}");
        }
        assert_eq!(host.take_error(), glow::NO_ERROR, "{size:?}");
    }
}

fn overlay_draws_only_to_the_first_attachment() {
    let host = Host::new();
    let gl = &host.gl;
    let [width, height] = SIZE;
    // SAFETY: the context is current.
    let framebuffer = unsafe {
        let framebuffer = gl
            .create_framebuffer()
            .expect("failed to create a framebuffer");
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        for at in 0..2 {
            let colors = gl
                .create_renderbuffer()
                .expect("failed to create a renderbuffer");
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(colors));
            gl.renderbuffer_storage(glow::RENDERBUFFER, glow::RGBA8, width, height);
            let attachment = glow::COLOR_ATTACHMENT0 + at;
            let target = glow::FRAMEBUFFER;
            gl.framebuffer_renderbuffer(target, attachment, glow::RENDERBUFFER, Some(colors));
        }
        gl.draw_buffers(&[glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1]);
        framebuffer
    };
    let mut declared = HostState::new([0, 0, width, height]);
    declared.draw_buffers = vec![glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1];
    let mut overlay = host.overlay();
    overlay.set_host_state(Some(declared));
    host.clear();
    let blank = host.read(SIZE);
    overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 300.0, 220.0, 2));
    assert_eq!(host.take_error(), glow::NO_ERROR);
    let first = host.read(SIZE);
    // SAFETY: the context is current.
    unsafe { gl.read_buffer(glow::COLOR_ATTACHMENT1) };
    let second = host.read(SIZE);
    assert!(differing(&first, &blank) > 20_000);
    assert_eq!(differing(&second, &blank), 0);
    // SAFETY: the context is current.
    unsafe {
        assert_eq!(
            gl.get_parameter_i32(glow::DRAW_BUFFER1) as u32,
            glow::COLOR_ATTACHMENT1
        );
        gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        gl.delete_framebuffer(framebuffer);
    }
}

fn gpu_zones_fall_back_to_cpu_time() {
    let host = Host::new();
    let gl = &host.gl;
    // SAFETY: the context is current.
    unsafe { iprof::gl::enable_gpu_zones(gl.clone()) };
    for _ in 0..5 {
        {
            iprof::gpu_zone!(gl, clearing);
            host.clear();
        }
        iprof::update(true);
        iprof::gl::collect_gpu_times(gl);
    }
    assert_eq!(host.take_error(), glow::NO_ERROR);
    let report = iprof::report();
    assert!(report.rows.iter().any(|row| &*row.name == "clearing"));
    assert_eq!(report.warnings, [""; 0]);
    assert!(iprof::threads().iter().all(|thread| thread.name != "GPU"));
    // The browser supports timer queries but not timestamps, so there are no GPU times. If the browser gains
    // timestamps, this check fails and has to be changed.
    let timers = host.web.get_extension("EXT_disjoint_timer_query_webgl2");
    if timers.ok().flatten().is_some() {
        const TIMESTAMP: u32 = 0x8E28;
        const QUERY_COUNTER_BITS: u32 = 0x8864;
        let get_query = js_sys::Reflect::get(&host.web, &"getQuery".into())
            .expect("WebGL 2 should have `getQuery`");
        let get_query: js_sys::Function = get_query.unchecked_into();
        let bits = get_query.call2(&host.web, &TIMESTAMP.into(), &QUERY_COUNTER_BITS.into());
        assert_eq!(bits.expect("the query failed").as_f64(), Some(0.0));
    }
}

fn drawing_on_a_lost_context_is_harmless() {
    let host = Host::new();
    let mut overlay = host.overlay();
    overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 300.0, 220.0, 2));
    let extension = host.web.get_extension("WEBGL_lose_context");
    let extension = extension
        .ok()
        .flatten()
        .expect("the browser lacks WEBGL_lose_context");
    let lose = js_sys::Reflect::get(&extension, &"loseContext".into())
        .expect("the extension has no `loseContext`");
    let lose: js_sys::Function = lose.unchecked_into();
    lose.call0(&extension)
        .expect("loseContext should not throw");
    for _ in 0..2 {
        overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 300.0, 220.0, 2));
        overlay.draw(|frame| frame.draw_default(10.0, 10.0, 300.0, 220.0, 2));
    }
    overlay.destroy();
}

fn clearing_host_state_restores_defaults() {
    let host = Host::new();
    let drawn = |restores| {
        let mut overlay = host.overlay();
        if restores {
            overlay.set_host_state(Some(HostState::new([0, 0, 9, 9])));
            overlay.set_host_state(None);
        }
        host.clear();
        let blank = host.read(SIZE);
        overlay.draw(|frame| frame.draw_report(&report(), 10.0, 10.0, 300.0, 220.0, 2));
        let drawn = host.read(SIZE);
        assert!(differing(&blank, &drawn) > 5_000);
        assert_eq!(host.take_error(), glow::NO_ERROR);
        drawn
    };
    assert!(drawn(true) == drawn(false));
}
