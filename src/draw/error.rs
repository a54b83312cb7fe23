use std::fmt;

/// Why the overlay could not be set up in a GL context.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GlError {
    /// The loader finds no GL, or the GL that it finds has no current context.
    NoContext,
    /// The context is older than OpenGL 2.1 or OpenGL ES 2.0.
    UnsupportedVersion {
        /// What the context says of itself (`GL_VERSION`).
        version: String,
    },
    /// The context has no vertex array objects, which before OpenGL 3.0 and OpenGL ES 3.0 are an
    /// extension, and without them `glow` cannot save the host's vertex attributes: make the
    /// overlay by a loader function.
    NeedsLoader,
    /// The driver refused a shader of the overlay.
    Compile {
        /// `"vertex"` or `"fragment"`.
        stage: &'static str,
        /// The driver's words.
        log: String,
    },
    /// The driver compiled both shaders and refused to link them.
    Link {
        /// The driver's words.
        log: String,
    },
    /// The driver handed out no object name, as it does when the context is lost.
    Create {
        /// The kind of object: `"program"`, `"texture"` …
        object: &'static str,
        /// The reason, as `glow` words it.
        reason: String,
    },
}

impl fmt::Display for GlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoContext => write!(f, "there is no GL, or no context is current"),
            Self::UnsupportedVersion { version } => write!(
                f,
                "the overlay needs OpenGL 2.1 or OpenGL ES 2.0; this context is {version:?}"
            ),
            Self::NeedsLoader => write!(
                f,
                "this context has no vertex array objects: the overlay must be made by a loader \
                 function"
            ),
            Self::Compile { stage, log } => {
                write!(
                    f,
                    "the overlay's {stage} shader does not compile: {}",
                    log.trim_end()
                )
            }
            Self::Link { log } => {
                write!(f, "the overlay's shaders do not link: {}", log.trim_end())
            }
            Self::Create { object, reason } => {
                write!(f, "no {object} could be created: {reason}")
            }
        }
    }
}

impl std::error::Error for GlError {}
