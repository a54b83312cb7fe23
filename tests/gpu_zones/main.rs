//! Tests GPU zones in real contexts. The zones' times must be plausible, and the zones must leave the GL state
//! unchanged.
//! A software rasterizer draws a whole scene tile by tile, so a timestamp within the scene is taken when its last tile
//! is drawn. These tests therefore flush at the start and end of each pass.

#![cfg(all(feature = "enable", feature = "gl"))]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

mod contexts;
mod current_overlay;
mod painter;
#[path = "../support/mod.rs"]
mod support;

use glow::HasContext;
use iprof::{ColumnId, Frames, Report, Row, Threads, View};
use painter::Painter;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use support::headless::{Headless, Kind, Target, in_old_gl};

// SAFETY comments rely on the fact that `Headless` makes its context current.

const KINDS: [Kind; 4] = [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles30, Kind::Gles32];

/// Runs one test at a time, because recorded data is global.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    iprof::reset();
    // Record a frame, so that there is a newest frame. Frame numbers continue from earlier tests.
    iprof::update(true);
    guard
}

fn value(report: &Report, name: &str, column: ColumnId) -> Option<f64> {
    let is_it = |row: &&Row| &*row.name == name;
    let row = report.rows.iter().find(is_it)?;
    Some(row.value(column)?.number)
}

fn gpu_report(frame: u64) -> Report {
    let threads = iprof::threads();
    let Some(gpu) = threads.iter().find(|thread| thread.name == "GPU") else {
        return Report::default();
    };
    let mut view = View::default();
    view.set_threads(Threads::One(gpu.id));
    view.show_frames(&iprof::profiler(), Frames::Number(frame));
    view.report(&iprof::profiler())
}

fn report(frame: u64, mode: iprof::ReportMode) -> Report {
    let mut view = View::default();
    view.show_frames(&iprof::profiler(), Frames::Number(frame));
    view.report_mode = mode;
    view.report(&iprof::profiler())
}

fn newest_frame() -> u64 {
    View::default()
        .graph(&iprof::profiler())
        .bars
        .back()
        .map_or(0, |bar| bar.frame)
}

fn assert_no_errors(h: &Headless) {
    assert_eq!(h.take_error(), glow::NO_ERROR, "{:?}", h.kind);
    let log = h.take_log();
    let errors: Vec<_> = log
        .iter()
        .filter(|line| line.starts_with("type 0x824c"))
        .collect();
    assert!(errors.is_empty(), "{:?}: {errors:?}", h.kind);
}

#[test]
fn heavy_pass_has_a_plausible_time_in_its_frame() {
    let _alone = alone();
    for kind in KINDS {
        let Some(h) = Headless::new(kind, Target::new(256, 256)) else {
            return;
        };
        // SAFETY: the context is current while `h` exists.
        unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
        let painter = Painter::new(&h);
        let first = newest_frame() + 1;
        let frames: Vec<Duration> = (0..12).map(|_| painter.frame()).collect();
        let mut shares = Vec::new();
        for (frame, wall) in (first..).zip(&frames) {
            let wall = wall.as_secs_f64() * 1e3;
            let gpu = gpu_report(frame);
            let own = |name| value(&gpu, name, ColumnId::SelfTime);
            let (Some(heavy), Some(light)) = (own("heavy"), own("light")) else {
                continue;
            };
            shares.push((heavy / wall, light / wall));
            let busy = value(&gpu, "passes", ColumnId::HierarchicalTime).unwrap();
            assert!(
                busy <= wall + 0.1,
                "{kind:?}: GPU busy for {busy} of {wall} ms"
            );
            assert!((own("passes").unwrap() + heavy + light - busy).abs() < 1e-6);
            // The rows of the CPU zones that submitted the work show the same GPU times.
            let by_self = report(frame, iprof::ReportMode::SelfTime);
            assert_eq!(value(&by_self, "heavy", ColumnId::GpuTime), Some(heavy));
            let by_hier = report(frame, iprof::ReportMode::HierarchicalTime);
            let scene = value(&by_hier, "scene", ColumnId::GpuTime).unwrap();
            assert!((scene - busy).abs() < 1e-6, "{scene} {busy}");
        }
        // GPU times arrive in later frames, so the times for the last few frames are missing.
        assert!((8..=11).contains(&shares.len()), "{kind:?}: {shares:?}");
        // On a busy machine, any of the frames may be delayed.
        shares.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (heavy, light) = shares[shares.len() / 2];
        assert!(heavy > 0.2 && heavy > light * 2.0, "{kind:?}: {shares:?}");
        iprof::gl::collect_gpu_times(&h.gl);
        iprof::update(true);
        let last = gpu_report(first + 11);
        assert!(
            value(&last, "heavy", ColumnId::SelfTime).is_some(),
            "{last:?}"
        );
        assert_no_errors(&h);
        assert!(
            iprof::report().warnings.is_empty(),
            "{:?}",
            iprof::report().warnings
        );
    }
}

#[test]
fn host_queries_buffers_and_errors_are_preserved() {
    let _alone = alone();
    for kind in KINDS {
        let Some(h) = Headless::new(kind, Target::new(64, 64)) else {
            return;
        };
        let gl = &h.gl;
        // SAFETY: the context is current while `h` exists.
        unsafe { iprof::gl::enable_gpu_zones(gl.clone()) };
        let painter = Painter::new(&h);
        let target = glow::TIME_ELAPSED;
        let has_query_buffers = kind == Kind::Gl45Core;
        let active = || {
            let mut active = 0;
            // SAFETY: the context is current, and one number is written.
            unsafe { (h.raw.get_query)(target, glow::CURRENT_QUERY, &mut active) };
            active
        };
        for frame in 0..6 {
            // SAFETY: the context is current.
            unsafe {
                let query = gl.create_query().unwrap();
                gl.begin_query(target, query);
                let host = active();
                assert_ne!(host, 0);
                let buffer = has_query_buffers.then(|| {
                    let buffer = gl.create_buffer().unwrap();
                    gl.bind_buffer(glow::QUERY_BUFFER, Some(buffer));
                    let bytes = [0xA5; 64];
                    gl.buffer_data_u8_slice(glow::QUERY_BUFFER, &bytes, glow::STATIC_DRAW);
                    buffer
                });
                assert_no_errors(&h);
                // The host leaves an error pending.
                gl.enable(0xFFFF);
                h.take_log();
                painter.frame();
                iprof::gl::collect_gpu_times(gl);
                assert_eq!(gl.get_error(), glow::INVALID_ENUM);
                assert_eq!(gl.get_error(), glow::NO_ERROR);
                assert_no_errors(&h);
                assert_eq!(active(), host);
                if let Some(buffer) = buffer {
                    let bound = gl.get_parameter_i32(glow::QUERY_BUFFER_BINDING);
                    assert_eq!(bound as u32, buffer.0.get());
                    let mut bytes = [0; 64];
                    gl.get_buffer_sub_data(glow::QUERY_BUFFER, 0, &mut bytes);
                    assert_eq!(bytes, [0xA5; 64]);
                    gl.bind_buffer(glow::QUERY_BUFFER, None);
                }
                gl.end_query(target);
                let ns = gl.get_query_parameter_u64(query, glow::QUERY_RESULT);
                // A context's first query may return anything.
                assert!(frame == 0 || ns > 0 && ns < 60_000_000_000, "{ns}");
                assert_no_errors(&h);
            }
        }
        let known = (1..=newest_frame())
            .filter(|frame| value(&gpu_report(*frame), "heavy", ColumnId::SelfTime).is_some());
        assert!(known.count() > 2);
    }
}

#[test]
fn overlay_measures_its_own_drawing() {
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(640, 480)) else {
        return;
    };
    // SAFETY: the context is current.
    let mut overlay = unsafe { crate::support::painted::Painted::new(h.gl.clone()) }.unwrap();
    for _ in 0..8 {
        iprof::update(true);
        overlay.draw(|frame| {
            frame.draw_default(0.0, 0.0, 640.0, 300.0, 2);
            frame.draw_default_graph(0.0, 300.0, 2.0, 2.0);
        });
        // SAFETY: the context is current.
        unsafe { h.gl.finish() };
    }
    let last = newest_frame() - 3;
    let gpu = gpu_report(last);
    assert!(
        value(&gpu, "iprof_draw", ColumnId::HierarchicalTime).unwrap() > 0.0,
        "{gpu:?}"
    );
    // All of the overlay's parts are painted together.
    assert_eq!(value(&gpu, "iprof_draw", ColumnId::Count), Some(1.0));
    assert_eq!(value(&gpu, "iprof_draw_graph", ColumnId::Count), None);
    assert_no_errors(&h);
}

#[test]
fn overlay_drawing_is_always_one_zone() {
    use iprof::gl::HostState;
    use iprof::overlay::PointerEvent;
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(640, 480)) else {
        return;
    };
    // SAFETY: the context is current.
    let mut overlay = unsafe { crate::support::painted::Painted::new(h.gl.clone()) }.unwrap();
    let declared = Some(HostState::new([0, 0, 640, 480]));
    for state in [None, declared] {
        overlay.set_host_state(state);
        for _ in 0..4 {
            iprof::update(true);
            // The pointer is over the first row.
            overlay.pointer(PointerEvent::Moved { x: 100.0, y: 52.0 });
            overlay.draw(|frame| {
                frame.draw_default(0.0, 0.0, 640.0, 300.0, 2);
                frame.draw_default_graph(0.0, 300.0, 2.0, 2.0);
                frame.draw_tooltip();
            });
        }
        iprof::update(true);
        let report = report(newest_frame(), iprof::ReportMode::SelfTime);
        // There are two layouts, for the report and for the tooltip, and one paint pass.
        for (name, times) in [("iprof_draw", 3.0), ("iprof_draw_graph", 1.0)] {
            let rows = report.rows.iter().filter(|row| &*row.name == name);
            assert_eq!(rows.count(), 1, "{report:?}");
            assert_eq!(value(&report, name, ColumnId::Count), Some(times));
        }
    }
}

/// A zone that was defined once can be entered in several places.
#[test]
fn defined_zone_works_on_the_gpu() {
    iprof::define_zone!(SHADOWS, "shadows");
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(8, 8)) else {
        return;
    };
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    {
        iprof::gpu_zone!(h.gl, &SHADOWS);
    }
    {
        iprof::gpu_zone!(h.gl, &SHADOWS);
    }
    // SAFETY: the context is current.
    unsafe { h.gl.finish() };
    iprof::update(true);
    iprof::gl::collect_gpu_times(&h.gl);
    iprof::update(true);
    let gpu = gpu_report(newest_frame() - 1);
    assert_eq!(
        value(&gpu, "shadows", ColumnId::Count),
        Some(2.0),
        "{gpu:?}"
    );
    let is_zone = |row: &&Row| !row.is_idle && &*row.name != "(outside zones)";
    let zones = gpu.rows.iter().filter(is_zone).count();
    assert_eq!(zones, 1, "there should be only one zone: {gpu:?}");
}

#[test]
fn overflowing_zones_are_dropped_and_counted() {
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(8, 8)) else {
        return;
    };
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    for _ in 0..600 {
        iprof::gpu_zone!(h.gl, many);
    }
    iprof::update(true);
    let warnings = iprof::report().warnings;
    let wanted = "88 GPU zones not measured: too many GPU zones in flight";
    assert_eq!(warnings, [wanted]);
    let frame = newest_frame();
    // SAFETY: the context is current.
    unsafe { h.gl.finish() };
    iprof::gl::collect_gpu_times(&h.gl);
    iprof::update(true);
    let gpu = gpu_report(frame);
    assert_eq!(value(&gpu, "many", ColumnId::Count), Some(512.0));
    assert_no_errors(&h);
}

/// In an older version of GL, the timer extension is enough for GPU times.
#[test]
fn old_context_with_timer_extension_has_times() {
    let mesa = [
        ("MESA_GL_VERSION_OVERRIDE", "3.2"),
        ("MESA_GLSL_VERSION_OVERRIDE", "330"),
    ];
    if !in_old_gl("old_context_with_timer_extension_has_times", &mesa) {
        return;
    }
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl32Core, Target::new(64, 64)) else {
        return;
    };
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    let painter = Painter::new(&h);
    (0..6).for_each(|_| _ = painter.frame());
    let gpu = gpu_report(newest_frame() - 4);
    assert!(value(&gpu, "heavy", ColumnId::SelfTime).unwrap() > 0.0);
    assert_no_errors(&h);
}

/// OpenGL ES 2 has timer queries only as an extension.
#[test]
fn oldest_gles_causes_no_errors() {
    let mesa = [("MESA_GLES_VERSION_OVERRIDE", "2.0")];
    if !in_old_gl("oldest_gles_causes_no_errors", &mesa) {
        return;
    }
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gles20, Target::new(64, 64)) else {
        return;
    };
    let has_timer =
        h.gl.supported_extensions()
            .contains("GL_EXT_disjoint_timer_query");
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    for _ in 0..6 {
        {
            iprof::gpu_zone!(h.gl, clear);
            h.clear([0.5; 4]);
        }
        // SAFETY: the context is current.
        unsafe { h.gl.finish() };
        iprof::update(true);
    }
    assert_no_errors(&h);
    let gpu = gpu_report(newest_frame() - 4);
    assert_eq!(
        value(&gpu, "clear", ColumnId::SelfTime).is_some(),
        has_timer
    );
}

#[test]
fn softpipe_reports_gpu_times() {
    if !in_old_gl(
        "softpipe_reports_gpu_times",
        &[("GALLIUM_DRIVER", "softpipe")],
    ) {
        return;
    }
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(32, 32)) else {
        return;
    };
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    let painter = Painter::new(&h);
    (0..6).for_each(|_| _ = painter.frame());
    let gpu = gpu_report(newest_frame() - 4);
    let own = |name| value(&gpu, name, ColumnId::SelfTime).unwrap();
    assert!(own("heavy") > own("light"), "{gpu:?}");
    assert_no_errors(&h);
}
