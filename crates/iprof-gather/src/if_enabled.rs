//! Macros for code that depends on the `enable` feature.

#[cfg(feature = "enable")]
mod recording {
    /// `__if_enabled!({ recorded } { otherwise })` expands to `recorded` if this crate's `enable` feature is on, and to
    /// `otherwise` if not. A `cfg` in a macro's output would test the calling crate's features instead.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __if_enabled {
        ({ $($recorded:tt)* } { $($otherwise:tt)* }) => {
            $($recorded)*
        };
    }

    /// Calls a function in `__private`, or in the crate given after `@call`, with the thread-local site for this place
    /// in the source. Without `enable`, the arguments are only type-checked.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __site {
        (@call $function:path, $zone:expr $(, $more:expr)?) => {{
            ::std::thread_local! {
                // This name must not shadow the program's statics, because the arguments may refer to them.
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

/// Wraps code that only records. Without `enable`, the code is type-checked but never executed.
#[doc(hidden)]
#[macro_export]
macro_rules! __recorded {
    ($code:block) => {
        $crate::__if_enabled!({ $code } {{
            let _ = || $code;
        }})
    };
}

/// `if_enabled!(recorded, otherwise)` evaluates `recorded` if the `enable` feature is on, and `otherwise` (or nothing)
/// if not. Functions used only by the other expression are not compiled. With a plain `if` they would be, because rustc
/// compiles everything that an inlined or generic function names.
macro_rules! if_enabled {
    ($recorded:expr $(, $otherwise:expr)? $(,)?) => {
        $crate::__if_enabled!({ $recorded } {{ $($otherwise)? }})
    };
}
