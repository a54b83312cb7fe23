//! Tests the cost of saving and restoring the host's GL state.

use super::host::{Host, SIZE};
use super::hosts::HOSTS;
use super::scene::prepare;
use crate::support::headless::{Headless, Kind};
use glow::HasContext;
use iprof::gl::HostState;
use std::time::Instant;

const TIMES: u32 = 500;

/// Returns the minimum time in µs. The minimum is used because other programs can only add time.
fn minimum_us(h: &Headless, declared: Option<&HostState>) -> f64 {
    // SAFETY: the context is current.
    let cost = || unsafe {
        let start = Instant::now();
        iprof::__private::keep_gl_state(&h.gl, TIMES, declared);
        start.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES)
    };
    (0..40).map(|_| cost()).fold(f64::INFINITY, f64::min)
}

/// The limit applies to software OpenGL, which doesn't have to wait for a command queue.
#[test]
fn saving_host_state_takes_less_than_5_us() {
    for kind in [Kind::Gl33Core, Kind::Gl45Compat, Kind::Gles30, Kind::Gles32] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        // SAFETY: the context is current.
        let renderer = unsafe { h.gl.get_parameter_string(glow::RENDERER) };
        prepare(&h);
        for name in ["nothing", "everything at once"] {
            let host: &Host = HOSTS
                .iter()
                .find(|host| host.name == name)
                .expect("unknown host name");
            (host.set)(&h);
            h.take_log();
            let queried = minimum_us(&h, None);
            let before = crate::support::statedump::dump(&h);
            let declared = HostState::new([0, 0, SIZE.width, SIZE.height]);
            let declared = minimum_us(&h, Some(&declared));
            assert!(
                crate::support::statedump::dump(&h) != before,
                "the host state should be applied"
            );
            println!("{kind:?}, {name}: queried {queried:.2} us, declared {declared:.2} us");
            if renderer.contains("llvmpipe") {
                assert!(queried < 5.0, "{kind:?}, {name}: {queried} us");
                assert!(declared < 5.0, "{kind:?}, {name}: {declared} us");
            }
            prepare(&h);
        }
    }
}
