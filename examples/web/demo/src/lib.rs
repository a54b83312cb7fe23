//! The demo as a web page: the scene and the stage from `examples/demo`, drawn with WebGL 2. `index.html` calls the
//! exported methods.

// This import is needed for the same reason as in `examples/demo.rs`.
#[macro_use]
extern crate iprof;

mod page;

/// Counts the allocations made on each call stack.
#[global_allocator]
static ALLOCATOR: iprof::Allocator = iprof::Allocator::new(std::alloc::System);

/// The modules of `examples/demo` that need no threads, files or windows, and a replacement for its worker threads.
mod demo {
    #[path = "../../../../demo/deadlock.rs"]
    pub(crate) mod deadlock;
    #[path = "../../../../demo/faults.rs"]
    pub(crate) mod faults;
    #[path = "../../../../demo/flake.rs"]
    pub(crate) mod flake;
    #[path = "../../../../demo/flight.rs"]
    pub(crate) mod flight;
    #[path = "../../../../demo/labels.rs"]
    pub(crate) mod labels;
    #[path = "../../../../demo/math.rs"]
    pub(crate) mod math;
    #[path = "../../../../demo/particles.rs"]
    pub(crate) mod particles;
    #[path = "../../../../demo/picture.rs"]
    pub(crate) mod picture;
    #[path = "../../../../demo/scene.rs"]
    pub(crate) mod scene;
    #[path = "../../../../demo/stage.rs"]
    #[allow(
        dead_code,
        reason = "a page closes without notice, and its context is destroyed with it"
    )]
    pub(crate) mod stage;
    #[path = "../../../../demo/tiles.rs"]
    pub(crate) mod tiles;
    #[path = "../../../../demo/tracer.rs"]
    pub(crate) mod tracer;
    #[path = "../../../../demo/trails.rs"]
    pub(crate) mod trails;
    pub(crate) mod workers;
}
