//! The GL versions that the overlay supports, each emulated by Mesa.

#![allow(unsafe_code, reason = "creating an overlay requires a current context")]

use super::headless::{Headless, Kind, Target, in_old_gl};
use super::painted::Painted;
use glow::HasContext;
use iprof::gl::GlError;
use std::sync::Arc;

/// Creates an overlay. Passes a loader if the context needs one.
pub fn overlay(h: &Headless) -> Painted {
    // SAFETY: `Headless` makes its context current.
    unsafe {
        match Painted::new(Arc::clone(&h.gl)) {
            Err(GlError::NeedsLoader) => Painted::from_loader(Headless::address),
            result => result,
        }
    }
    .expect("failed to create the overlay")
}

/// A GL version. It is tested in a separate process whose context has exactly this version.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    pub kind: Kind,
    mesa: &'static [(&'static str, &'static str)],
    /// The version that the context reports.
    says: (u32, u32),
    /// Whether vertex array objects exist. Without them, the overlay needs a loader.
    pub vertex_arrays: bool,
}

impl Version {
    /// Returns the version as a number, such as 33 for 3.3.
    pub fn number(&self) -> u32 {
        10 * self.says.0 + self.says.1
    }

    /// Returns whether this process emulates this version. If not, [`in_old_gl`] has already run the test `name` in a
    /// process that does.
    pub fn is_here(self, name: &str) -> bool {
        if !in_old_gl(name, self.mesa) {
            return false;
        }
        let Some(h) = Headless::new(self.kind, Target::new(8, 8)) else {
            return false;
        };
        let version = h.gl.version();
        assert!(
            (version.major, version.minor) == self.says || !version.vendor_info.contains("Mesa"),
            "{self:?} is {version:?}"
        );
        true
    }
}

const fn version(
    kind: Kind,
    says: (u32, u32),
    mesa: &'static [(&'static str, &'static str)],
) -> Version {
    Version {
        kind,
        mesa,
        says,
        vertex_arrays: true,
    }
}

pub const GL_21: Version = version(
    Kind::Gl21,
    (2, 1),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "2.1"),
        ("MESA_GLSL_VERSION_OVERRIDE", "120"),
    ],
);
pub const GL_21_BARE: Version = Version {
    vertex_arrays: false,
    ..version(
        Kind::Gl21,
        (2, 1),
        &[
            ("MESA_GL_VERSION_OVERRIDE", "2.1"),
            ("MESA_GLSL_VERSION_OVERRIDE", "120"),
            ("MESA_EXTENSION_OVERRIDE", "-GL_ARB_vertex_array_object"),
        ],
    )
};
pub const GL_30: Version = version(
    Kind::Gl30,
    (3, 0),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "3.0"),
        ("MESA_GLSL_VERSION_OVERRIDE", "130"),
    ],
);
/// A forward-compatible context, without the features that 3.0 deprecated.
pub const GL_30_FORWARD: Version = version(
    Kind::Gl30,
    (3, 0),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "3.0FC"),
        ("MESA_GLSL_VERSION_OVERRIDE", "130"),
    ],
);
pub const GL_31: Version = version(
    Kind::Gl31,
    (3, 1),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "3.1"),
        ("MESA_GLSL_VERSION_OVERRIDE", "140"),
    ],
);
/// A context with `ARB_compatibility`.
pub const GL_31_COMPAT: Version = version(
    Kind::Gl31,
    (3, 1),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "3.1COMPAT"),
        ("MESA_GLSL_VERSION_OVERRIDE", "140"),
    ],
);
pub const GL_32_CORE: Version = version(
    Kind::Gl32Core,
    (3, 2),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "3.2"),
        ("MESA_GLSL_VERSION_OVERRIDE", "150"),
    ],
);
pub const GL_32_COMPAT: Version = version(
    Kind::Gl32Compat,
    (3, 2),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "3.2COMPAT"),
        ("MESA_GLSL_VERSION_OVERRIDE", "150"),
    ],
);
pub const GL_33_CORE: Version = version(
    Kind::Gl33Core,
    (3, 3),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "3.3"),
        ("MESA_GLSL_VERSION_OVERRIDE", "330"),
    ],
);
pub const GL_41_CORE: Version = version(
    Kind::Gl33Core,
    (4, 1),
    &[
        ("MESA_GL_VERSION_OVERRIDE", "4.1"),
        ("MESA_GLSL_VERSION_OVERRIDE", "410"),
    ],
);
pub const GL_45_CORE: Version = version(Kind::Gl45Core, (4, 5), &[]);
pub const GL_45_COMPAT: Version = version(Kind::Gl45Compat, (4, 5), &[]);
pub const GLES_20: Version = version(
    Kind::Gles20,
    (2, 0),
    &[("MESA_GLES_VERSION_OVERRIDE", "2.0")],
);
pub const GLES_20_BARE: Version = Version {
    vertex_arrays: false,
    ..version(
        Kind::Gles20,
        (2, 0),
        &[
            ("MESA_GLES_VERSION_OVERRIDE", "2.0"),
            ("MESA_EXTENSION_OVERRIDE", "-GL_OES_vertex_array_object"),
        ],
    )
};
pub const GLES_30: Version = version(
    Kind::Gles30,
    (3, 0),
    &[("MESA_GLES_VERSION_OVERRIDE", "3.0")],
);
pub const GLES_31: Version = version(
    Kind::Gles31,
    (3, 1),
    &[("MESA_GLES_VERSION_OVERRIDE", "3.1")],
);
pub const GLES_32: Version = version(Kind::Gles32, (3, 2), &[]);

/// Defines a test for each version, written `test: VERSION;`. Each test calls `check` with the version, in a process
/// that emulates that version. `module` is the path of the tests' module, as printed by `cargo test`.
#[macro_export]
macro_rules! on_versions {
    ($module:literal, $check:expr; $($test:ident: $version:ident;)*) => {$(
        #[test]
        fn $test() {
            let version = $crate::support::versions::$version;
            if version.is_here(concat!($module, "::", stringify!($test))) {
                $check(version);
            }
        }
    )*};
}
