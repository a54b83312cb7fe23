//! Tests GPU zones in contexts that come and go, belong to other threads, aren't registered, or lack timer queries.

use super::*;

#[test]
fn unregistered_context_is_reported_and_not_called() {
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(64, 64)) else {
        return;
    };
    let painter = Painter::new(&h);
    painter.frame();
    let warnings = iprof::report().warnings;
    assert!(
        warnings
            .iter()
            .any(|line| line.contains("enable_gpu_zones")),
        "{warnings:?}"
    );
    assert!(warnings[0].starts_with("3 GPU zones"));
    iprof::gl::collect_gpu_times(&h.gl);
    assert_no_errors(&h);
    iprof::reset();
    assert!(iprof::report().warnings.is_empty());
}

#[test]
fn contexts_may_end_with_pending_zones() {
    let _alone = alone();
    let Some(kept) = Headless::new(Kind::Gl33Core, Target::new(64, 64)) else {
        return;
    };
    // SAFETY: the context is current in all uses below.
    unsafe { iprof::gl::enable_gpu_zones(kept.gl.clone()) };
    let painter = Painter::new(&kept);
    let mut kept_frames = Vec::new();
    for kind in [Kind::Gles30, Kind::Gl45Core, Kind::Gl33Core]
        .into_iter()
        .cycle()
        .take(12)
    {
        // This context is destroyed before its zones' times are read.
        let h = Headless::new(kind, Target::new(64, 64)).unwrap();
        // SAFETY: the context is current while `h` exists.
        unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
        Painter::new(&h).frame();
        assert_no_errors(&h);
        drop(h);
        kept.make_current();
        painter.frame();
        kept_frames.push(newest_frame());
        assert_no_errors(&kept);
    }
    // The number of contexts that the profiler knows at once is limited, so it forgets destroyed contexts one by one.
    (0..4).for_each(|_| _ = painter.frame());
    let gpu = gpu_report(kept_frames[0]);
    assert!(
        value(&gpu, "heavy", ColumnId::SelfTime).is_some(),
        "{gpu:?}"
    );
    // A thread may also end while its zones are pending.
    end_thread_with_pending_zones();
    let first = newest_frame() + 1;
    // A frame waits for its GPU times only until a certain number of later frames have ended. Exceed that number.
    for _ in 0..260 {
        painter.frame();
    }
    assert_no_errors(&kept);
    let gpu = gpu_report(first);
    assert!(
        value(&gpu, "heavy", ColumnId::SelfTime).is_some(),
        "{gpu:?}"
    );
    // The context in use must not be forgotten to make room for the destroyed ones.
    for frame in kept_frames {
        let gpu = gpu_report(frame);
        assert!(
            value(&gpu, "heavy", ColumnId::SelfTime).is_some(),
            "{gpu:?}"
        );
    }
}

fn end_thread_with_pending_zones() {
    let thread = std::thread::spawn(|| {
        let h = Headless::new(Kind::Gl33Core, Target::new(64, 64)).unwrap();
        // SAFETY: the context is current while `h` exists.
        unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
        Painter::new(&h).frame();
    });
    thread.join().unwrap();
}

/// No frame may wait for the ended thread's times.
#[test]
fn pending_zones_of_ended_thread_block_nothing() {
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(64, 64)) else {
        return;
    };
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    let painter = Painter::new(&h);
    end_thread_with_pending_zones();
    let first = newest_frame() + 1;
    (0..6).for_each(|_| _ = painter.frame());
    let gpu = gpu_report(first);
    assert!(
        value(&gpu, "heavy", ColumnId::SelfTime).is_some(),
        "{gpu:?}"
    );
}

#[test]
fn zones_are_polled_only_in_their_own_context() {
    let _alone = alone();
    for kind in KINDS {
        let size = Target::new(64, 64);
        let (Some(first), Some(second)) = (Headless::new(kind, size), Headless::new(kind, size))
        else {
            return;
        };
        first.make_current();
        // SAFETY: the context is current while it has zones.
        unsafe { iprof::gl::enable_gpu_zones(first.gl.clone()) };
        let painter = Painter::new(&first);
        for _ in 0..3 {
            painter.frame();
        }
        assert_no_errors(&first);
        second.make_current();
        let stranger = Painter::new(&second);
        second.take_log();
        // The second context is not registered, so zones in it only measure CPU time. The first context's queries must
        // not be read while the second context is current.
        for _ in 0..3 {
            stranger.frame();
            iprof::gl::collect_gpu_times(&second.gl);
        }
        assert_no_errors(&second);
        // Pending zones are dropped as well.
        iprof::gl::disable_gpu_zones(&first.gl);
        drop(first);
        second.make_current();
        stranger.frame();
        iprof::gl::collect_gpu_times(&second.gl);
        assert_no_errors(&second);
        // SAFETY: the context is current.
        unsafe { iprof::gl::enable_gpu_zones(second.gl.clone()) };
        for _ in 0..4 {
            stranger.frame();
        }
        assert_no_errors(&second);
        iprof::gl::disable_gpu_zones(&second.gl);
    }
}

#[test]
fn overlays_may_be_dropped_after_their_context() {
    let _alone = alone();
    for kind in KINDS {
        let Some(h) = Headless::new(kind, Target::new(320, 200)) else {
            return;
        };
        // SAFETY: the context is current while the overlay draws.
        let mut overlay = unsafe { crate::support::painted::Painted::new(h.gl.clone()) }
            .expect("failed to create an overlay");
        // SAFETY: as above.
        unsafe { iprof::gl::init(h.gl.clone()) }.expect("failed to create an overlay");
        for _ in 0..4 {
            overlay.draw(|frame| frame.draw_default(10.0, 10.0, 300.0, 100.0, 2));
            iprof::draw_gl(10.0, 100.0, 300.0, 100.0, 2);
            iprof::update(true);
        }
        assert_no_errors(&h);
        let gl = h.gl.clone();
        drop(h);
        // No context is current here, so zones must not make any GL calls.
        drop(overlay);
        drop(iprof::gl::make_current(None));
        {
            iprof::gpu_zone!(gl, of_no_context);
        }
        iprof::gl::collect_gpu_times(&gl);
        iprof::update(true);
    }
}

/// With a driver that lacks timer queries, only CPU time is measured, and there is no warning.
#[test]
fn zones_measure_cpu_time_without_timer_queries() {
    let mesa = [
        ("MESA_GL_VERSION_OVERRIDE", "3.2"),
        ("MESA_GLSL_VERSION_OVERRIDE", "330"),
        ("MESA_EXTENSION_OVERRIDE", "-GL_ARB_timer_query"),
    ];
    if !in_old_gl(
        "contexts::zones_measure_cpu_time_without_timer_queries",
        &mesa,
    ) {
        return;
    }
    let _alone = alone();
    let Some(h) = Headless::new(Kind::Gl32Core, Target::new(64, 64)) else {
        return;
    };
    if !h.is_mesa() {
        println!("skipped: this driver has timer queries");
        return;
    }
    assert!(!h.gl.supported_extensions().contains("GL_ARB_timer_query"));
    // SAFETY: the context is current while `h` exists.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    let painter = Painter::new(&h);
    (0..6).for_each(|_| _ = painter.frame());
    let report = report(newest_frame() - 4, iprof::ReportMode::SelfTime);
    assert_eq!(value(&report, "heavy", ColumnId::Count), Some(1.0));
    assert!(!report.columns.contains(&ColumnId::GpuTime));
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert_no_errors(&h);
}
