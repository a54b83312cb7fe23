//! The macros by which code differs without the feature `enable`.

#[cfg(feature = "enable")]
mod recording {
    /// `__if_enabled!({ recorded } { otherwise })`: the tokens in the first braces where the feature `enable` is on, else those
    /// in the second. For macros, whose output a `cfg` would not reach.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __if_enabled {
        ({ $($recorded:tt)* } { $($otherwise:tt)* }) => {
            $($recorded)*
        };
    }

    /// Calls a function with what this place remembers on this thread: a function of `__private`, or after `@call` one of
    /// another crate. Without `enable`: checks the arguments only.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __site {
        (@call $function:path, $zone:expr $(, $more:expr)?) => {{
            ::std::thread_local! {
                // The arguments may name statics of the program, which this one must not hide.
                static IPROF_SITE: $crate::__private::Site = const { $crate::__private::Site::new() };
            }
            $function(&IPROF_SITE, $zone $(, $more)?)
        }};
        ($function:ident, $zone:expr $(, $more:expr)?) => {
            $crate::__site!(@call $crate::__private::$function, $zone $(, $more)?)
        };
    }
}

#[cfg(not(feature = "enable"))]
mod recording {
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __if_enabled {
        ({ $($recorded:tt)* } { $($otherwise:tt)* }) => {
            $($otherwise)*
        };
    }

    #[doc(hidden)]
    #[macro_export]
    macro_rules! __site {
        (open, $zone:expr) => {{
            $zone;
            $crate::__private::open_nothing()
        }};
        (relabel, $zone:expr, $open:expr) => {{
            $zone;
            if false {
                let _: &mut $crate::OpenZone = $open;
            }
        }};
        ($(@call)? $function:path, $zone:expr $(, $more:expr)?) => {{
            $zone;
        }};
    }
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
/// nothing. What only the expression that is left out uses is not compiled. An `if` would be of less use: rustc compiles all
/// that the source of an inlined or generic function names.
macro_rules! if_enabled {
    ($recorded:expr $(, $otherwise:expr)? $(,)?) => {
        $crate::__if_enabled!({ $recorded } {{ $($otherwise)? }})
    };
}
