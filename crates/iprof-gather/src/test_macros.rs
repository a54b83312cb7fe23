//! Simplified versions of `iprof`'s macros for this crate's tests.

macro_rules! static_zone {
    (&$zone:path) => {
        &$zone
    };
    ($name:ident) => {{
        static ZONE: crate::Zone =
            crate::Zone::new(stringify!($name), file!(), line!(), module_path!());
        &ZONE
    }};
}

macro_rules! zone {
    ($($zone:tt)*) => {
        let _zone = $crate::__site!(enter, static_zone!($($zone)*));
    };
}

macro_rules! open_zone {
    ($($zone:tt)*) => {
        $crate::__site!(open, static_zone!($($zone)*))
    };
}

macro_rules! relabel {
    ($open:expr, $($zone:tt)*) => {
        $crate::__site!(relabel, static_zone!($($zone)*), &mut $open)
    };
}

macro_rules! begin {
    ($($zone:tt)*) => {
        $crate::__site!(begin, static_zone!($($zone)*))
    };
}

macro_rules! end {
    ($name:ident) => {
        $crate::__site!(end, static_zone!($name), $crate::local::EndMatching::Name)
    };
}

macro_rules! counter {
    ($($zone:tt)*) => {
        $crate::__site!(count_entry, static_zone!($($zone)*))
    };
}
