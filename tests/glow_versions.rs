//! Overlays of glow 0.18, of glow 0.17 and of a loader function draw the same, in one program. The invariant behind
//! the SAFETY lines, "current": the context that `Headless` has made is current on this thread until it is dropped.

#![cfg(all(feature = "enable", feature = "gl", feature = "glow-0-17"))]
#![allow(unsafe_code, reason = "makes contexts current, and overlays in them")]

// The invariant behind the SAFETY lines, "current": the context that `Headless` has made is current
// on this thread until it is dropped.

mod support;

use glow_0_17::HasContext as _;
use iprof::gl::{HostState, Overlay, Program, StateMode, VertexArray};
use iprof::{ColumnId, Report, Row, Threads, View};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use support::headless::{Headless, Kind, Target};
use support::image::{Image, Tolerance, assert_same};
use support::statedump::{changes, dump};

const SIZE: Target = Target {
    width: 400,
    height: 200,
    samples: 0,
    srgb: false,
};

/// One after the other: what is recorded is the program's.
static ALONE: Mutex<()> = Mutex::new(());

/// The context of `h` by way of another `glow`.
fn old_glow(_: &Headless) -> glow_0_17::Context {
    // SAFETY: current; the loader is the context's own.
    unsafe { glow_0_17::Context::from_loader_function_cstr(Headless::address) }
}

/// One of each kind.
fn overlays(h: &Headless) -> [(&'static str, Overlay); 3] {
    // SAFETY: current.
    unsafe {
        [
            ("glow 0.18", Overlay::new(h.gl.clone()).unwrap()),
            ("glow 0.17", Overlay::new(Rc::new(old_glow(h))).unwrap()),
            ("a loader", Overlay::from_loader(Headless::address).unwrap()),
        ]
    }
}

fn picture(h: &Headless, overlay: &mut Overlay) -> Image {
    let row = |row: u8| {
        Row::new(
            &format!("zone_{row}"),
            [
                (ColumnId::SelfTime, 1.5),
                (ColumnId::HierarchicalTime, 2.25),
                (ColumnId::Count, f64::from(row)),
            ],
        )
    };
    let mut report = Report::default();
    report.columns = vec![
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::Count,
    ];
    report.rows = (0..8).map(row).collect();
    h.clear([0.2, 0.4, 0.1, 1.0]);
    overlay.draw_report(&report, 10.0, 10.0, 380.0, 180.0, 2);
    h.read()
}

#[test]
fn every_glow_and_a_loader_draw_the_same_picture_and_leave_the_same_state() {
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles30] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        h.clear([0.2, 0.4, 0.1, 1.0]);
        let bare = h.read();
        let mut first: Option<Image> = None;
        for (name, mut overlay) in overlays(&h) {
            let before = dump(&h);
            let shown = picture(&h, &mut overlay);
            // The clear's own color is what the test sets, the same before and after.
            let left = changes(&before, &dump(&h));
            assert_eq!(left, Vec::<String>::new(), "{kind:?}, {name}");
            assert!(shown.differing(&bare, 8) > 5_000, "{kind:?}, {name}");
            let first = first.get_or_insert_with(|| shown.clone());
            let what = format!("{kind:?}, {name}");
            assert_same(&what, &shown, first, Tolerance::EXACT);
            overlay.destroy();
        }
        assert_eq!(h.take_log(), Vec::<String>::new());
    }
}

#[test]
fn what_a_host_declares_by_the_names_of_either_glow_is_left() {
    let Some(h) = Headless::new(Kind::Gl33Core, SIZE) else {
        return;
    };
    let old = old_glow(&h);
    // SAFETY: current.
    let (program, vertex_array) = unsafe {
        let program = old.create_program().unwrap();
        for (kind, text) in [
            (glow_0_17::VERTEX_SHADER, "gl_Position = vec4(0.0);"),
            (glow_0_17::FRAGMENT_SHADER, ""),
        ] {
            let shader = old.create_shader(kind).unwrap();
            old.shader_source(
                shader,
                &format!("#version 330 core\nvoid main() {{ {text} }}"),
            );
            old.compile_shader(shader);
            old.attach_shader(program, shader);
        }
        old.link_program(program);
        (program, old.create_vertex_array().unwrap())
    };
    let mut state = HostState::new([0, 0, SIZE.width, SIZE.height]);
    state.program = Some(program.into());
    state.vertex_array = Some(vertex_array.into());
    assert_eq!(state.program, Some(Program::from(program.0)));
    assert_eq!(
        state.vertex_array.map(glow::NativeVertexArray::from),
        Some(glow::NativeVertexArray(vertex_array.0))
    );
    assert_eq!(state.vertex_array, Some(VertexArray::from(vertex_array)));
    for (name, mut overlay) in overlays(&h) {
        overlay.set_state_mode(StateMode::Declared(state.clone()));
        picture(&h, &mut overlay);
        // SAFETY: current.
        let left = unsafe {
            (
                old.get_parameter_program(glow_0_17::CURRENT_PROGRAM),
                old.get_parameter_vertex_array(glow_0_17::VERTEX_ARRAY_BINDING),
            )
        };
        assert_eq!(left, (Some(program), Some(vertex_array)), "{name}");
    }
}

#[test]
fn gpu_zones_of_two_glows_are_measured_in_one_frame() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(h) = Headless::new(Kind::Gl33Core, SIZE) else {
        return;
    };
    let old = Arc::new(old_glow(&h));
    // SAFETY: current, as long as `h` is.
    unsafe {
        iprof::gl::enable_gpu_zones(h.gl.clone());
        iprof::gl::enable_gpu_zones(old.clone());
    }
    for _ in 0..8 {
        {
            iprof::gpu_zone!(h.gl, by_glow_0_18);
            h.clear([0.5; 4]);
        }
        {
            iprof::gpu_zone!(old, by_glow_0_17);
            h.clear([0.25; 4]);
        }
        // SAFETY: current.
        unsafe { old.finish() };
        iprof::update(true);
        iprof::gl::collect_gpu_times(&*h.gl);
        iprof::gl::collect_gpu_times(&*old);
    }
    let threads = iprof::threads();
    let gpu = threads.iter().find(|thread| thread.name == "GPU");
    let mut view = View::new();
    view.set_threads(Threads::One(gpu.expect("a thread of the GPU").id));
    view.show_frames(&iprof::profiler(), iprof::FrameSelection::Back(3));
    let report = view.report(&iprof::profiler());
    for name in ["by_glow_0_18", "by_glow_0_17"] {
        let row = report.rows.iter().find(|row| &*row.name == name);
        let row = row.unwrap_or_else(|| panic!("no {name} in {report:?}"));
        assert!(
            row.value(iprof::ColumnId::SelfTime).unwrap().number > 0.0,
            "{row:?}"
        );
    }
}
