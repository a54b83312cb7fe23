//! Drivers call GL debug callbacks during GL calls, including GL calls made by the overlay. A callback may call any of
//! iprof's functions.

#![cfg(all(feature = "enable", feature = "gl"))]
#![allow(
    unsafe_code,
    reason = "overlays require the promise that their context is current"
)]

#[path = "support/fake_gl.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod fake_gl;
mod support;

use fake_gl::{address, set_callback, set_version, take_calls};
use glow::HasContext;
use iprof::gl::{HostState, Painter};
use iprof::overlay::Overlay;
use iprof::overlay::PointerEvent;
use iprof::{ColumnId, Report, Row};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, mpsc};
use std::time::Duration;
use support::headless::{Headless, Kind, Target};
use support::painted::Painted;
use support::statedump::{changes, dump};

/// The time after which a call is considered deadlocked.
const DEADLINE: Duration = Duration::from_secs(60);

/// Runs one test at a time, because recorded data and the default view are global.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|error| error.into_inner())
}

/// Runs `f`. If `f` doesn't return, ends the program, because the other tests would otherwise wait for the lock
/// forever.
fn returns(f: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(f));
        let _ = done.send(());
        result
    });
    match is_done.recv_timeout(DEADLINE) {
        Ok(()) => {
            if let Err(panic) = thread.join().expect("the thread panicked") {
                std::panic::resume_unwind(panic);
            }
        }
        Err(_) => {
            eprintln!("a call from within a GL call never returns");
            std::process::abort();
        }
    }
}

fn call_everything() {
    iprof::configure(|config| config.history = 16);
    iprof::zone!(in_callback);
    iprof::counter!("in callback");
    iprof::update(true);
    iprof::update(false);
    iprof::draw_gl(10.0, 10.0, 300.0, 200.0, 2);
    iprof::draw_graph_gl(10.0, 200.0, 2.0, 4.0);
    iprof::draw_tooltip_gl();
    let _ = iprof::hit(20.0, 20.0);
    iprof::pointer(PointerEvent::Moved { x: 20.0, y: 50.0 });
    iprof::set_screen(640.0, 480.0);
    iprof::gl::with_current(|_, _| ());
    let _ = iprof::report();
    iprof::act(iprof::Action::SetCursor(1));
    iprof::act(iprof::Action::MoveCursor(1));
    iprof::move_cursor(-1);
    iprof::set_average(iprof::Average::Fast);
    iprof::set_report_mode(iprof::ReportMode::SelfTime);
    iprof::set_frame(0);
    iprof::configure(|config| config.refresh_rate = Some(1000.0));
    iprof::set_timing(iprof::Timing::Exact);
    iprof::mark("in callback");
    iprof::set_thread_name("in callback");
    let _ = iprof::history_bytes();
    let _ = iprof::threads();
    let _ = iprof::dump();
    let _ = iprof::snapshot();
    let _ = iprof::frame_snapshots(..).count();
    iprof::select();
    iprof::select_parent();
    for action in [
        iprof::Action::Expand,
        iprof::Action::Collapse,
        iprof::Action::GoBack,
        iprof::Action::GoForward,
        iprof::Action::SetFrames(iprof::Frames::Range { first: 1, last: 2 }),
        iprof::Action::ExtendRange(1),
    ] {
        assert!(iprof::act(action));
    }
    iprof::with_view(|view| {
        view.filter = String::new();
        view.set_sort(iprof::Sort::Name, true);
    });
    let _ = iprof::View::default().graph(&iprof::profiler());
    iprof::move_frame(-1);
    iprof::set_frame(0);
    iprof::set_recording(false);
    iprof::set_recording(true);
    let _ = iprof::write_report(std::io::sink());
    // Starting fails if another test or an outer call has a session open.
    if let Ok(session) = iprof::SamplingSession::start(1_000.0) {
        let _ = session.finish();
    }
    iprof::reset();
}

thread_local! {
    /// The number of callbacks, by the GL function that called back.
    static CALLED_BACK: RefCell<BTreeMap<&'static str, u32>> = const { RefCell::new(BTreeMap::new()) };
}

/// Runs a frame and draws it with the free functions, with the pointer over the report.
fn frame() {
    {
        iprof::zone!(work);
        iprof::zone!(more_work);
    }
    end_frame();
}

fn frame_on_the_gpu(gl: &glow::Context) {
    {
        iprof::zone!(work);
        iprof::gpu_zone!(gl, more_work);
    }
    end_frame();
}

fn end_frame() {
    iprof::update(true);
    iprof::draw_gl(10.0, 10.0, 300.0, 200.0, 2);
    iprof::draw_graph_gl(10.0, 200.0, 2.0, 4.0);
    iprof::pointer(PointerEvent::Moved { x: 20.0, y: 50.0 });
    iprof::draw_tooltip_gl();
}

/// Returns the number of callbacks from calls that record GPU timestamps.
fn stamps() -> u32 {
    CALLED_BACK.with_borrow(|called| called.get("glQueryCounter").copied().unwrap_or(0))
}

fn states() -> [Option<HostState>; 2] {
    let declared = HostState::new([0, 0, 640, 480]);
    [None, Some(declared)]
}

fn make_current(state: Option<HostState>) {
    // SAFETY: the functions of `fake_gl` need no context.
    unsafe { iprof::gl::init_from_loader(address) }.expect("failed to create an overlay");
    let set = |_: &mut Overlay, painter: &mut Painter| painter.set_host_state(state);
    iprof::gl::with_current(set).expect("an overlay should be current");
}

#[test]
fn any_function_may_be_called_from_any_gl_call() {
    let _alone = alone();
    // ES 2.0, which doesn't support the timer query extension.
    const ES_2: &CStr = c"OpenGL ES 2.0 of no driver";
    for version in [c"4.5 of no driver", ES_2, c"OpenGL ES 3.2 of no driver"] {
        for state in states() {
            returns(move || {
                set_version(version);
                fake_gl::set_extensions(&[c"GL_EXT_disjoint_timer_query"]);
                set_callback(Some(|name| {
                    let times = CALLED_BACK.with_borrow_mut(|called| {
                        let times = called.entry(name).or_insert(0);
                        *times += 1;
                        *times
                    });
                    // Although some callbacks do nothing, each function is reached from each of its callers.
                    if times % 8 <= 2 {
                        call_everything();
                    }
                }));
                make_current(state.clone());
                // SAFETY: the functions of `fake_gl` need no context.
                let gl = Rc::new(unsafe { glow::Context::from_loader_function_cstr(address) });
                // SAFETY: the functions of `fake_gl` need no context.
                unsafe { iprof::gl::enable_gpu_zones(gl.clone()) };
                for _ in 0..4 {
                    let before = stamps();
                    {
                        iprof::gpu_zone!(gl, measured);
                    }
                    let is_measured = stamps() - before >= 2;
                    assert_eq!(is_measured, version != ES_2, "{version:?}");
                    frame_on_the_gpu(&gl);
                }
                iprof::gl::disable_gpu_zones(&gl);
                let (_, painter) =
                    iprof::gl::make_current(None).expect("the overlay should be current again");
                painter.destroy();
                let called = CALLED_BACK.take();
                assert!(called.contains_key("glDrawElements"), "{called:?}");
                assert!(called.contains_key("glDeleteBuffers"), "{called:?}");
                assert!(called.len() > 30, "{called:?}");
            });
        }
    }
}

#[test]
fn nested_draw_is_ignored_and_outer_draw_finishes() {
    let _alone = alone();
    for state in states() {
        set_version(c"4.5 of no driver");
        make_current(state.clone());
        frame();
        take_calls();
        frame();
        let usual = take_calls();
        thread_local! { static WITHIN: Cell<usize> = const { Cell::new(0) }; }
        set_callback(Some(|_| {
            let before = take_calls();
            iprof::draw_gl(10.0, 10.0, 300.0, 200.0, 2);
            iprof::draw_graph_gl(10.0, 200.0, 2.0, 4.0);
            iprof::draw_tooltip_gl();
            assert_eq!(iprof::hit(20.0, 20.0), None);
            assert!(!iprof::pointer(PointerEvent::Moved { x: 1.0, y: 1.0 }));
            assert!(iprof::gl::with_current(|_, _| ()).is_none());
            WITHIN.set(WITHIN.get() + take_calls().len());
            before.into_iter().for_each(fake_gl::write_down);
        }));
        frame();
        set_callback(None);
        assert_eq!(WITHIN.get(), 0, "nested draws should not be called");
        let calls = take_calls();
        let draws = |calls: &[&str]| calls.iter().filter(|c| **c == "glDrawElements").count();
        assert_eq!(draws(&calls), draws(&usual));
        iprof::gl::make_current(None);
    }
}

/// `make_current` can't return an overlay that is in use. That overlay is dropped after use.
#[test]
fn overlay_replaced_while_drawing_stays_replaced() {
    let _alone = alone();
    set_version(c"4.5 of no driver");
    make_current(None);
    iprof::set_screen(100.0, 100.0);
    set_callback(Some(|name| {
        if name == "glDrawElements" {
            assert!(iprof::gl::make_current(None).is_none());
        }
    }));
    frame();
    set_callback(None);
    assert!(
        iprof::gl::with_current(|_, _| ()).is_none(),
        "the overlay should no longer be current"
    );

    make_current(None);
    let within = iprof::gl::with_current(|_, _| {
        make_current(None);
        iprof::gl::with_current(|overlay, _| overlay.set_scale(3.0)).is_some()
    });
    assert_eq!(
        within,
        Some(true),
        "the new overlay should be current immediately"
    );
    let text = iprof::gl::with_current(|overlay, _| format!("{overlay:?}"));
    let text = text.expect("the new overlay should still be current");
    assert!(text.contains("unit_px: 3.0"), "{text}");
    iprof::gl::make_current(None);
}

#[test]
fn panic_while_using_overlay_leaves_it_current() {
    let _alone = alone();
    set_version(c"4.5 of no driver");
    make_current(None);
    let panics = catch_unwind(|| iprof::gl::with_current(|_, _| panic!("a test panic")));
    panics.expect_err("it goes through");
    take_calls();
    frame();
    assert!(take_calls().contains(&"glDrawElements"));
    iprof::gl::make_current(None);
}

/// `glow` keeps a panic in the host's callback from reaching the driver.
#[test]
fn panicking_callback_changes_no_gl_calls() {
    let _alone = alone();
    set_version(c"4.5 of no driver");
    for state in states() {
        // SAFETY: the functions of `fake_gl` need no context.
        let mut overlay =
            unsafe { Painted::from_loader(address) }.expect("failed to create an overlay");
        overlay.set_host_state(state);
        let mut report = Report::default();
        report.columns = vec![ColumnId::SelfTime];
        report.rows = vec![Row::new("abc", [(ColumnId::SelfTime, 1.5)])];
        let mut draw = || {
            overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, 300.0, 200.0, 2));
            take_calls()
        };
        draw();
        let usual = draw();
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        set_callback(Some(|_| {
            let callback = || {
                iprof::zone!(panicking);
                std::panic::panic_any("a test panic");
            };
            catch_unwind(callback).expect_err("it panics");
        }));
        let calls = draw();
        set_callback(None);
        std::panic::set_hook(hook);
        assert_eq!(calls, usual);
        assert!(calls.contains(&"glDrawElements"));
    }
}

/// Tests a debug callback in a real driver. The callback calls everything, and may then panic.
fn with_callback(panics: bool) {
    let _alone = alone();
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles32] {
        let size = Target::new(640, 480);
        let Some(h) = Headless::new(kind, size) else {
            return;
        };
        static CALLED: AtomicU64 = AtomicU64::new(0);
        CALLED.store(0, Relaxed);
        // SAFETY: the context is current. This `glow::Context` wraps the same context, and has no callback yet.
        let gl = unsafe {
            let mut gl = glow::Context::from_loader_function_cstr(Headless::address);
            gl.debug_message_callback(move |_, _, _, _, _| {
                thread_local! { static WITHIN: Cell<bool> = const { Cell::new(false) }; }
                if WITHIN.replace(true) {
                    return;
                }
                CALLED.fetch_add(1, Relaxed);
                call_everything();
                WITHIN.set(false);
                if panics {
                    std::panic::panic_any("a test panic");
                }
            });
            std::sync::Arc::new(gl)
        };
        // Mesa calls the callback only for errors. Each draw causes an error, because it restores a program that
        // doesn't exist.
        let mut state = HostState::new([0, 0, 640, 480]);
        state.program = std::num::NonZeroU32::new(4_000_000_000).map(glow::NativeProgram);
        // SAFETY: the context is current.
        unsafe { iprof::gl::init(gl.clone()) }.expect("failed to create an overlay");
        let set = |state| iprof::gl::with_current(|_, painter| painter.set_host_state(state));
        h.clear([0.2, 0.4, 0.6, 1.0]);
        let before = dump(&h);
        set(Some(state));
        for _ in 0..3 {
            frame_on_the_gpu(&gl);
        }
        assert!(CALLED.load(Relaxed) >= 6, "{kind:?}: {CALLED:?}");
        while h.take_error() != glow::NO_ERROR {}
        set(None);
        frame();
        assert_eq!(h.take_error(), glow::NO_ERROR);
        let mut after = dump(&h);
        // Expect the program that was in use before, because the declared program doesn't exist.
        after.insert("CURRENT_PROGRAM".into(), before["CURRENT_PROGRAM"].clone());
        assert_eq!(changes(&before, &after), Vec::<String>::new(), "{kind:?}");
        let (_, painter) = iprof::gl::make_current(None).expect("an overlay should be current");
        painter.destroy();
        // SAFETY: the context is current.
        unsafe { gl.disable(glow::DEBUG_OUTPUT) };
    }
}

#[test]
fn driver_callback_may_call_everything() {
    returns(|| with_callback(false));
}

#[test]
fn panic_in_driver_callback_leaves_state_intact() {
    returns(|| with_callback(true));
}
