//! Selects the GLSL version for a context. Each shader has a single source. A prelude makes it valid in the selected
//! version.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShaderVariant {
    /// The argument of `#version`.
    version: &'static str,
    /// Whether the version uses `in` and `out` instead of `attribute` and `varying`, and has named outputs.
    modern: bool,
}

/// The variants for desktop GL, each with the first GL version that uses the variant. Forward-compatible contexts
/// reject older variants, and GL 2.1 supports only 1.20.
const DESKTOP: [((u32, u32), ShaderVariant); 5] = [
    ((3, 3), shader_variant("330 core", true)),
    ((3, 2), shader_variant("150", true)),
    ((3, 1), shader_variant("140", true)),
    ((3, 0), shader_variant("130", true)),
    ((0, 0), shader_variant("120", false)),
];

/// The variants for GL ES and WebGL. WebGL 2 reports version ES 3.0.
const EMBEDDED: [((u32, u32), ShaderVariant); 2] = [
    ((3, 0), shader_variant("300 es", true)),
    ((0, 0), shader_variant("100", false)),
];

const fn shader_variant(version: &'static str, modern: bool) -> ShaderVariant {
    ShaderVariant { version, modern }
}

impl ShaderVariant {
    /// Returns the variant for a context of this version (major, minor).
    pub(crate) fn of(gles: bool, version: (u32, u32)) -> Self {
        let known: &[_] = if gles { &EMBEDDED } else { &DESKTOP };
        let newest = known.iter().find(|(from, _)| version >= *from);
        newest.expect("the last entry matches every version").1
    }

    /// Returns the text to prepend to a shader's source.
    pub(crate) fn prelude(self) -> String {
        let defines = if self.modern {
            "#define VERTEX_IN in\n\
             #define VERTEX_OUT out\n\
             #define FRAGMENT_IN in\n\
             #define FRAGMENT_OUT out\n\
             #define SAMPLE texture\n"
        } else {
            "#define VERTEX_IN attribute\n\
             #define VERTEX_OUT varying\n\
             #define FRAGMENT_IN varying\n\
             #define SAMPLE texture2D\n"
        };
        format!("#version {}\n{defines}", self.version)
    }
}
