//! The overlay for the host's OpenGL frame.
//!
//! Only `painter.rs`, `state/` and `context_painter.rs` draw by GL: the first draws vertices, the second saves and restores
//! the host's state, and the third asks a context for both. These files are compiled once for each version of `glow`, in
//! `glow_0_18.rs` and `glow_0_17.rs`; `bound_painter.rs` has the interface that both versions share.

mod attribute_calls;
mod bound_painter;
pub(crate) mod current;
mod current_gpu_zone;
mod error;
#[cfg(feature = "glow-0-17")]
mod glow_0_17;
#[cfg(feature = "glow-0-18")]
pub(crate) mod glow_0_18;
mod gpu_zones;
mod host_state;
mod object_names;
mod overlay;
mod shader_variant;

use attribute_calls::AttributeCalls;
use bound_painter::{BoundPainter, PaintContext};
pub(crate) use current::draw;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
pub use current::init_from_loader;
pub use current::{init, make_current, with_current};
pub use current_gpu_zone::{OpenGpuZone, enter_gpu_zone};
pub use error::GlError;
/// The version for contexts that only this crate uses.
#[cfg(all(feature = "glow-0-17", not(feature = "glow-0-18")))]
use glow_0_17::glow;
#[cfg(feature = "glow-0-18")]
use glow_0_18::glow;
pub use gpu_zones::{collect_gpu_times, disable_gpu_zones, enable_gpu_zones};
pub use host_state::{HostState, StateMode};
pub use object_names::{Buffer, Program, Sampler, Texture, VertexArray};
pub use overlay::{Glow, Overlay};
