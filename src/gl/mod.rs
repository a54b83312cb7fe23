//! Draws the overlay with the host's OpenGL context.
//!
//! GL drawing is confined to `objects.rs`, which draws the vertices, and `state/`, which saves and restores the host's
//! state.

pub(crate) mod current;
pub(crate) mod gpu_context;
pub(crate) mod gpu_zones;
mod objects;
mod painter;
mod shader_variant;
pub(crate) mod state;

pub(crate) use current::draw;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
pub use current::init_from_loader;
pub use current::{init, make_current, with_current};
#[doc(no_inline)]
pub use glow;
pub use gpu_zones::{
    OpenGpuZone, collect_gpu_times, disable_gpu_zones, enable_gpu_zones, enter_gpu_zone,
};
pub use painter::Painter;
pub use state::host_state::HostState;

use std::fmt;

/// The reason why a painter could not be created for a GL context.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GlError {
    /// The loader found no GL functions, or no context is current.
    NoContext,
    /// The context is older than OpenGL 2.1 or OpenGL ES 2.0.
    #[non_exhaustive]
    UnsupportedVersion {
        /// The context's version string (`GL_VERSION`).
        version: String,
    },
    /// The context has no vertex array objects, which are an extension before OpenGL 3.0 and OpenGL ES 3.0. `glow`
    /// alone cannot save the host's vertex attributes without them, so create the painter with a loader function.
    NeedsLoader,
    /// The driver rejected one of the overlay's shaders.
    #[non_exhaustive]
    Compile {
        /// The stage: `"vertex"` or `"fragment"`.
        stage: &'static str,
        /// The driver's log.
        log: String,
    },
    /// The driver compiled both shaders but failed to link them.
    #[non_exhaustive]
    Link {
        /// The driver's log.
        log: String,
    },
    /// The driver failed to create an object, for example because the context is lost.
    #[non_exhaustive]
    Create {
        /// The kind of object, such as `"program"` or `"texture"`.
        object: &'static str,
        /// The reason given by `glow`.
        reason: String,
    },
}

impl fmt::Display for GlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoContext => write!(f, "no GL functions found, or no GL context is current"),
            Self::UnsupportedVersion { version } => write!(
                f,
                "unsupported GL version {version:?}; the overlay needs OpenGL 2.1 or OpenGL ES 2.0"
            ),
            Self::NeedsLoader => write!(
                f,
                "the GL context has no vertex array objects; create the painter with a loader \
                 function"
            ),
            Self::Compile { stage, log } => {
                write!(
                    f,
                    "the overlay's {stage} shader failed to compile: {}",
                    log.trim_end()
                )
            }
            Self::Link { log } => {
                write!(
                    f,
                    "the overlay's shaders failed to link: {}",
                    log.trim_end()
                )
            }
            Self::Create { object, reason } => {
                write!(f, "cannot create a GL {object}: {reason}")
            }
        }
    }
}

impl std::error::Error for GlError {}
