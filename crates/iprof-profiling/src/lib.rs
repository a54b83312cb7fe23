//! The macros and attributes of the crate [`profiling`](https://docs.rs/profiling) 1.0, whose scopes become zones of
//! [iprof](https://docs.rs/iprof).
//!
//! wgpu, egui, eframe, rapier and others contain hundreds of scopes of that crate, which do nothing unless a profiler
//! is connected. This package replaces the crate in a program's dependencies, so that the scopes become zones:
//!
//! ```toml
//! [patch.crates-io]
//! profiling = { path = "../iprof/crates/iprof-profiling" }
//! ```
//!
//! Nothing else changes. The scopes are in the same trees as the program's own zones, and cost as much. The program
//! itself must depend on iprof from the same source and enable its feature `enable`; otherwise the scopes do nothing.
//!
//! | macro | here it is |
//! |---|---|
//! | `scope!("name")` | `iprof::zone!("name")` |
//! | `scope!(name)`, with an expression | `iprof::zone_named!(name)` |
//! | `scope!("name", data)` | the same; the data is not evaluated |
//! | `function_scope!()`, `#[function]`, `#[all_functions]` | `iprof::zone!()` |
//! | `finish_frame!()` | `iprof::update(true)`, until the program itself has called `update`; then nothing, because eframe also uses this macro |
//! | `register_thread!("name")` | `iprof::set_thread_name("name")`; nothing without a name, because threads register themselves |
//!
//! The re-exported backends, such as `profiling::puffin` and `profiling::tracing`, are missing.
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

/// Used by the macros.
#[doc(hidden)]
pub use iprof;
#[cfg(feature = "procmacros")]
pub use profiling_procmacros::{all_functions, function, skip};

/// Measures from here to the end of the enclosing scope. The name is a literal or an expression of type `&str`.
///
/// Data after the name is ignored.
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

/// Names the calling thread, if a name is given.
#[macro_export]
macro_rules! register_thread {
    () => {};
    ($name:expr $(,)?) => {
        $crate::iprof::set_thread_name($name);
    };
}

/// Ends the frame, unless the program ends its frames itself with `iprof::update`.
#[macro_export]
macro_rules! finish_frame {
    () => {
        $crate::iprof::__if_enabled!({ $crate::iprof::__private::end_frame_of_library() } {})
    };
}
