//! The languages of the shaders. There is one pair of texts; what is put in front of them makes each
//! valid in the language that a context's version asks for.

/// A version of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// What `#version` says.
    version: &'static str,
    /// `in` and `out` in place of `attribute` and `varying`, outputs with names.
    modern: bool,
}

/// Desktop, by the first version of GL that has it. Forward-compatible contexts take no older one,
/// and 1.20 is the only one of GL 2.1.
const DESKTOP: [((u32, u32), Dialect); 5] = [
    ((3, 3), dialect("330 core", true)),
    ((3, 2), dialect("150", true)),
    ((3, 1), dialect("140", true)),
    ((3, 0), dialect("130", true)),
    ((0, 0), dialect("120", false)),
];

/// GL ES and, since it is an ES 3.0, WebGL 2.
const EMBEDDED: [((u32, u32), Dialect); 2] = [
    ((3, 0), dialect("300 es", true)),
    ((0, 0), dialect("100", false)),
];

const fn dialect(version: &'static str, modern: bool) -> Dialect {
    Dialect { version, modern }
}

impl Dialect {
    /// That of a context of this version, major and minor.
    pub(crate) fn of(gles: bool, version: (u32, u32)) -> Self {
        let known: &[_] = if gles { &EMBEDDED } else { &DESKTOP };
        let newest = known.iter().find(|(from, _)| version >= *from);
        newest.expect("the last is from 0.0 on").1
    }

    /// What goes in front of a shader's text.
    pub(crate) fn prelude(self) -> String {
        let words = if self.modern {
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
        format!("#version {}\n{words}", self.version)
    }
}
