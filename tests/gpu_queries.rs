//! Uses a fake GL to check when GPU zones read query results. There is only one test, because frames are global.

#![cfg(all(feature = "enable", feature = "gl"))]
#![allow(
    unsafe_code,
    reason = "GPU zones require the promise that their context is current"
)]

#[path = "support/fake_gl.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod fake_gl;

use fake_gl::{address, set_extensions, set_ready, set_version, take_calls, take_disjoint_queries};
use std::rc::Rc;

/// The number of GL calls in a frame with nested zones.
#[derive(Debug, PartialEq)]
struct GlCalls {
    stamps: usize,
    /// The number of checks whether results are available. `results` is the number of results read.
    ready: usize,
    results: usize,
    disjoints: usize,
}

fn context() -> Rc<glow::Context> {
    // SAFETY: the functions of `fake_gl` need no context.
    let gl = Rc::new(unsafe { glow::Context::from_loader_function_cstr(address) });
    // SAFETY: the functions of `fake_gl` need no context.
    unsafe { iprof::gl::enable_gpu_zones(gl.clone()) };
    gl
}

fn frame(gl: &glow::Context) -> GlCalls {
    take_calls();
    take_disjoint_queries();
    {
        iprof::gpu_zone!(gl, outer);
        iprof::gpu_zone!(gl, inner);
    }
    let calls = take_calls();
    let count = |name: &str| calls.iter().filter(|call| **call == name).count();
    let counted = GlCalls {
        stamps: count("glQueryCounter"),
        ready: count("glGetQueryObjectuiv"),
        results: count("glGetQueryObjectui64v"),
        disjoints: take_disjoint_queries(),
    };
    iprof::update(true);
    counted
}

#[test]
fn query_results_are_polled_once_per_frame() {
    let expected = |ready, results, disjoints| GlCalls {
        stamps: 4,
        ready,
        results,
        disjoints,
    };
    let extensions: [(&[_], _); 2] = [
        (&[], c"4.5 of no driver"),
        (
            &[c"GL_EXT_disjoint_timer_query"],
            c"OpenGL ES 3.2 of no driver",
        ),
    ];
    for (extensions, version) in extensions {
        set_version(version);
        set_extensions(extensions);
        let disjoint = usize::from(!extensions.is_empty());
        let gl = context();
        set_ready(false);
        assert_eq!(frame(&gl), expected(0, 0, 0));
        // The first frame has only just ended, so its commands may not have been submitted yet.
        assert_eq!(frame(&gl), expected(0, 0, 0));
        // The first query is polled. Its result isn't ready, and nothing blocks.
        assert_eq!(frame(&gl), expected(1, 0, 0));
        set_ready(true);
        assert_eq!(frame(&gl), expected(8, 8, disjoint));
        assert_eq!(frame(&gl), expected(4, 4, disjoint));
        // Collect the remaining results from all frames that have ended.
        take_calls();
        iprof::gl::collect_gpu_times(&gl);
        let results = take_calls();
        let results = results
            .iter()
            .filter(|call| **call == "glGetQueryObjectui64v");
        assert_eq!(results.count(), 8);
    }
    // Without support for timer queries, no calls are made.
    set_version(c"OpenGL ES 3.2 of no driver");
    set_extensions(&[]);
    let gl = context();
    for _ in 0..4 {
        let nothing = GlCalls {
            stamps: 0,
            ..expected(0, 0, 0)
        };
        assert_eq!(frame(&gl), nothing);
        iprof::gl::collect_gpu_times(&gl);
        assert_eq!(take_calls(), [""; 0]);
    }
}
