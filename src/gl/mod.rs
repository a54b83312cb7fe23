//! The overlay for the host's OpenGL frame.
//!
//! Only `objects.rs` and `state/` draw by GL: the first draws vertices, the second saves and restores the host's state.

mod attribute_calls;
pub(crate) mod current;
mod current_gpu_zone;
mod error;
pub(crate) mod gpu_context;
pub(crate) mod gpu_guard;
mod gpu_queries;
mod gpu_zones;
mod host_state;
mod objects;
mod painter;
mod shader_variant;
pub(crate) mod state;

use attribute_calls::AttributeCalls;
pub(crate) use current::draw;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
pub use current::init_from_loader;
pub use current::{init, make_current, with_current};
pub use current_gpu_zone::{OpenGpuZone, enter_gpu_zone};
pub use error::GlError;
#[doc(no_inline)]
pub use glow;
pub use gpu_zones::{collect_gpu_times, disable_gpu_zones, enable_gpu_zones};
pub use host_state::HostState;
pub use painter::Painter;
