//! Macros for code that differs without the feature `enable`.

#[cfg(feature = "enable")]
mod recording {
    /// `__if_enabled!({ recorded } { otherwise })` expands to the first tokens if the feature `enable` is on, otherwise
    /// to the second. In the output of a macro, a `cfg` would test the features of the calling crate.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __if_enabled {
        ({ $($recorded:tt)* } { $($otherwise:tt)* }) => {
            $($recorded)*
        };
    }

    /// Calls a function of `__private`, or after `@call` of another crate, with the thread-local site of this place in
    /// the source. Without `enable` the arguments are only checked.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __site {
        (@call $function:path, $zone:expr $(, $more:expr)?) => {{
            ::std::thread_local! {
                // A name that does not hide the program's statics, which the arguments may name.
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

/// Code that only records. Without `enable` it is checked but never executed.
#[doc(hidden)]
#[macro_export]
macro_rules! __recorded {
    ($code:block) => {
        $crate::__if_enabled!({ $code } {{
            let _ = || $code;
        }})
    };
}

/// `if_enabled!(recorded, otherwise)` is the first expression if the feature `enable` is on, otherwise the second, or
/// nothing. Unlike with a plain `if`, functions that only the other expression uses are not compiled: rustc compiles
/// everything that the source of an inlined or generic function names.
macro_rules! if_enabled {
    ($recorded:expr $(, $otherwise:expr)? $(,)?) => {
        $crate::__if_enabled!({ $recorded } {{ $($otherwise)? }})
    };
}
