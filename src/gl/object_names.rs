//! Typed names of GL objects (buffers, textures, programs and others) by which a host declares its GL
//! state, also where it has another version of `glow` than this crate, or none.

#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use std::num::NonZeroU32 as Raw;

/// WebGL has objects instead of numbers; `glow` keeps them in a table by key.
#[cfg(all(target_family = "wasm", not(target_os = "emscripten")))]
use slotmap::KeyData as Raw;

macro_rules! names {
    ($($name:ident, $native:ident, $web:ident, $what:literal;)*) => {$(
        #[doc = concat!("A GL object of the host: ", $what, ", by its number, for [`HostState`](super::HostState).")]
        ///
        #[doc = concat!("Made by `into` from a `", stringify!($name), "` of `glow` 0.18,")]
        /// or from the GL object number, which does not exist in WebGL.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(Raw);

        #[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
        impl From<Raw> for $name {
            fn from(number: Raw) -> Self {
                Self(number)
            }
        }

        #[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
        impl From<glow::$native> for $name {
            fn from(name: glow::$native) -> Self {
                Self(name.0)
            }
        }

        #[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
        impl From<$name> for glow::$native {
            fn from(name: $name) -> Self {
                Self(name.0)
            }
        }

        #[cfg(all(target_family = "wasm", not(target_os = "emscripten")))]
        impl From<glow::$web> for $name {
            fn from(name: glow::$web) -> Self {
                Self(slotmap::Key::data(&name))
            }
        }

        #[cfg(all(target_family = "wasm", not(target_os = "emscripten")))]
        impl From<$name> for glow::$web {
            fn from(name: $name) -> Self {
                name.0.into()
            }
        }
    )*};
}

names! {
    Program, NativeProgram, WebProgramKey, "a program";
    VertexArray, NativeVertexArray, WebVertexArrayKey, "a vertex array object";
    Buffer, NativeBuffer, WebBufferKey, "a buffer";
    Texture, NativeTexture, WebTextureKey, "a texture";
    Sampler, NativeSampler, WebSamplerKey, "a sampler";
}
