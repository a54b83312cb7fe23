//! `__site!`, which calls a function with the site of its place in the source.

/// Calls a function with what this place remembers on this thread: a function of `__private`, or after `@call` one of
/// another crate. Without `enable`: checks the arguments only.
#[cfg(feature = "enable")]
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

#[cfg(not(feature = "enable"))]
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
