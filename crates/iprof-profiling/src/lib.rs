//! The macros and attributes of the crate [`profiling`](https://docs.rs/profiling) 1.0, whose scopes are zones of
//! [iprof](https://docs.rs/iprof).
//!
//! wgpu, egui, eframe, rapier and others carry hundreds of that crate's scopes, which do nothing unless a profiler is
//! behind them. This package takes the place of that crate in a program's dependencies, so that they are zones:
//!
//! ```toml
//! [patch.crates-io]
//! profiling = { path = "../iprof/crates/iprof-profiling" }
//! ```
//!
//! Nothing else changes. The scopes stand in the same trees as the program's own zones, at the price of a zone. The
//! program itself has to depend on iprof from the same source, and turns its feature `enable` on; without it the scopes
//! are nothing again.
//!
//! | macro | what it is here |
//! |---|---|
//! | `scope!("name")` | `iprof::zone!("name")` |
//! | `scope!(name)`, with an expression | `iprof::zone_named!(name)` |
//! | `scope!("name", data)` | the same; the data is not evaluated |
//! | `function_scope!()`, `#[function]`, `#[all_functions]` | `iprof::zone!()` |
//! | `finish_frame!()` | `iprof::update(true)`; nothing once the program has called `update` itself, since eframe has this macro, too |
//! | `register_thread!("name")` | `iprof::set_thread_name("name")`; without a name nothing: threads register themselves |
//!
//! What other backends export, as `profiling::puffin` and `profiling::tracing`, is not here.
//!
//! ```
//! #[profiling::function]
//! fn step() {
//!     profiling::scope!("solve");
//! }
//!
//! struct World;
//!
//! #[profiling::all_functions]
//! impl World {
//!     fn collide(&self) {}
//!
//!     #[profiling::skip]
//!     fn gravity(&self) -> f32 {
//!         9.81
//!     }
//! }
//!
//! profiling::register_thread!("physics");
//! step();
//! World.collide();
//! # let _ = World.gravity();
//! profiling::finish_frame!();
//! ```

/// What the macros call.
#[doc(hidden)]
pub use iprof;
#[cfg(feature = "procmacros")]
pub use profiling_procmacros::{all_functions, function, skip};

/// Measures from here to the end of the enclosing scope. Takes a name, a literal or an expression of type `&str`, and
/// maybe data, which is ignored.
#[macro_export]
macro_rules! scope {
    ($name:literal $(, $data:expr)? $(,)?) => {
        $crate::iprof::zone!($name);
    };
    ($name:expr $(, $data:expr)? $(,)?) => {
        $crate::iprof::zone_named!($name);
    };
}

/// Measures from here to the end of the enclosing scope, named after the function. Data is ignored.
#[macro_export]
macro_rules! function_scope {
    ($($data:expr)? $(,)?) => {
        $crate::iprof::zone!();
    };
}

/// Gives the calling thread a name, if there is one.
#[macro_export]
macro_rules! register_thread {
    () => {};
    ($name:expr $(,)?) => {
        $crate::iprof::set_thread_name($name);
    };
}

/// Ends the frame, unless the program ends its frames itself, by `iprof::update`.
#[macro_export]
macro_rules! finish_frame {
    () => {
        $crate::iprof::__if_enabled!({ $crate::iprof::__private::end_frame_of_library() } {})
    };
}
