//! Tests multiple contexts, and overlays that outlive their contexts.

use super::host::{CLEAR, SIZE};
use super::picture::{clean_picture, overlay, paint_by};
use crate::support::headless::{Headless, Kind};
use crate::support::image::{Tolerance, assert_same};
use crate::support::painted::Painted;
use crate::support::statedump::{changes, dump};
use glow::HasContext;
use std::sync::Arc;

/// Returns the names of all programs, buffers and textures with names below 1,000.
fn objects(h: &Headless) -> Vec<String> {
    let mut found = Vec::new();
    for name in 1..1_000 {
        let name = std::num::NonZeroU32::new(name).expect("names start at 1");
        // SAFETY: the context is current.
        let kinds = unsafe {
            [
                ("program", h.gl.is_program(glow::NativeProgram(name))),
                ("buffer", h.gl.is_buffer(glow::NativeBuffer(name))),
                ("texture", h.gl.is_texture(glow::NativeTexture(name))),
            ]
        };
        let there = kinds.iter().filter(|(_, there)| *there);
        found.extend(there.map(|(kind, _)| format!("{kind} {name}")));
    }
    found
}

#[test]
fn each_overlay_draws_in_its_own_context() {
    let kinds = [Kind::Gl45Core, Kind::Gles32, Kind::Gl33Compat];
    let Some(first) = Headless::new(kinds[0], SIZE) else {
        return;
    };
    let rest = kinds[1..].iter().map(|kind| Headless::new(*kind, SIZE));
    let hosts: Vec<_> = std::iter::once(Some(first)).chain(rest).flatten().collect();
    let mut overlays = Vec::new();
    for h in &hosts {
        h.make_current();
        overlays.push(overlay(h));
    }
    for _ in 0..3 {
        for (h, overlay) in hosts.iter().zip(&mut overlays) {
            h.make_current();
            h.clear(CLEAR);
            let before = dump(h);
            h.take_log();
            paint_by(overlay);
            assert_eq!(h.take_log(), Vec::<String>::new());
            assert_eq!(changes(&before, &dump(h)), Vec::<String>::new());
        }
    }
    for h in &hosts {
        h.make_current();
        let picture = h.read();
        let expected = clean_picture(h.kind, SIZE);
        let name = format!("gl_state-{:?}-contexts", h.kind);
        assert_same(&name, &picture, &expected, Tolerance::EXACT);
    }
}

#[test]
fn overlay_dropped_in_another_context_deletes_nothing() {
    let Some(ours) = Headless::new(Kind::Gl45Core, SIZE) else {
        return;
    };
    let mut overlay_of_ours = overlay(&ours);
    paint_by(&mut overlay_of_ours);
    let theirs =
        Headless::new(Kind::Gl45Core, SIZE).expect("this kind of context was available before");
    // Each context numbers its objects from 1, so these objects have the same names as the first context's objects.
    let mut overlay_of_theirs = overlay(&theirs);
    paint_by(&mut overlay_of_theirs);
    let (before, there) = (dump(&theirs), objects(&theirs));
    assert!(there.len() >= 3, "{there:?}");
    theirs.take_log();
    drop(overlay_of_ours);
    assert_eq!(theirs.take_log(), Vec::<String>::new());
    assert_eq!(theirs.take_error(), glow::NO_ERROR);
    assert_eq!(changes(&before, &dump(&theirs)), Vec::<String>::new());
    assert_eq!(objects(&theirs), there);
    theirs.clear(CLEAR);
    paint_by(&mut overlay_of_theirs);
    let (picture, expected) = (theirs.read(), clean_picture(Kind::Gl45Core, SIZE));
    assert_same("gl_state-dropped", &picture, &expected, Tolerance::EXACT);
}

#[test]
fn overlay_may_outlive_its_context() {
    // Use a separate thread, because its thread-local overlay is dropped when it ends.
    let thread = std::thread::spawn(|| {
        let h = Headless::new(Kind::Gles30, SIZE)?;
        let mut held = overlay(&h);
        paint_by(&mut held);
        // SAFETY: the context is current, and nothing is drawn afterwards.
        let kept = unsafe { Painted::new(Arc::clone(&h.gl)) }.expect("failed to create an overlay");
        iprof::gl::make_current(Some(kept.pair()));
        drop(h);
        // Functions that don't need a context still work.
        held.set_text_size(20.0);
        held.set_host_state(None);
        assert_eq!(held.hit(-5.0, -5.0), None);
        drop(held);
        Some(())
    });
    thread.join().expect("the thread panicked");
}
