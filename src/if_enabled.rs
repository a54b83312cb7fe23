//! `if_enabled!`, the usual way in which the crate's functions differ without the feature `enable`.

/// `if_enabled!(recorded, otherwise)`: the first expression where the feature `enable` is on, else the second, or
/// nothing. The expression that is left out names no modules that the build may lack, and what only it uses is not
/// compiled. An `if` would be of less use: rustc compiles all that the source of an inlined or generic function names.
#[cfg(feature = "enable")]
macro_rules! if_enabled {
    ($recorded:expr $(, $otherwise:expr)? $(,)?) => {
        $recorded
    };
}
#[cfg(not(feature = "enable"))]
macro_rules! if_enabled {
    ($recorded:expr $(,)?) => {
        ()
    };
    ($recorded:expr, $otherwise:expr $(,)?) => {
        $otherwise
    };
}
