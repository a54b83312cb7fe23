//! A drop-in replacement for version 1.0 of the [`profiling`](https://docs.rs/profiling) crate that turns its scopes
//! into [iprof](https://docs.rs/iprof) zones.
//!
//! wgpu, egui, eframe, rapier and other crates contain hundreds of `profiling` scopes, which do nothing unless a
//! profiler is connected. To turn the scopes into zones, replace the `profiling` crate with this package in your
//! program's `Cargo.toml`:
//!
//! ```toml
//! [patch.crates-io]
//! profiling = { path = "../iprof/crates/iprof-profiling" }
//! ```
//!
//! No other change is needed. The scopes appear in the same trees as the program's own zones, and have the same
//! overhead. The program itself must depend on iprof from the same source and enable its `enable` feature; otherwise
//! the scopes do nothing.
//!
//! | macro | equivalent |
//! |---|---|
//! | `scope!("name")` | `iprof::zone!("name")` |
//! | `scope!(name)`, with an expression | `iprof::zone_named!(name)` |
//! | `scope!("name", data)` | the same; the data is not evaluated |
//! | `function_scope!()`, `#[function]`, `#[all_functions]` | `iprof::zone!()` |
//! | `finish_frame!()` | `iprof::update(true)`, until the program itself calls `update`; after that it does nothing, because eframe also uses this macro |
//! | `register_thread!("name")` | `iprof::set_thread_name("name")`; does nothing without a name, because threads register themselves |
//!
//! Re-exported backends such as `profiling::puffin` and `profiling::tracing` are not provided.
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

/// Items used by the macros.
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

/// Measures from here to the end of the enclosing scope, named after the function. Any data is ignored.
#[macro_export]
macro_rules! function_scope {
    ($($data:expr)? $(,)?) => {
        $crate::iprof::zone!();
    };
}

/// Names the calling thread. Does nothing without a name.
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
