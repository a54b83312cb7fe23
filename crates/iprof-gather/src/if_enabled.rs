//! The macros by which code differs without the feature `enable`.

/// `__if_enabled!({ recorded } { otherwise })`: the tokens in the first braces where the feature `enable` is on, else those
/// in the second. For macros, whose output a `cfg` would not reach.
#[cfg(feature = "enable")]
#[doc(hidden)]
#[macro_export]
macro_rules! __if_enabled {
    ({ $($recorded:tt)* } { $($otherwise:tt)* }) => {
        $($recorded)*
    };
}
#[cfg(not(feature = "enable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __if_enabled {
    ({ $($recorded:tt)* } { $($otherwise:tt)* }) => {
        $($otherwise)*
    };
}

/// A block of code that only records. Without `enable` it is checked and never executed.
#[doc(hidden)]
#[macro_export]
macro_rules! __recorded {
    ($code:block) => {
        $crate::__if_enabled!({ $code } {{
            let _ = || $code;
        }})
    };
}

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
