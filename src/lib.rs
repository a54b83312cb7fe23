//! iprof: skeleton, to be replaced.
#[doc(hidden)]
#[macro_export]
macro_rules! zone {
    ($($t:tt)*) => {};
}
#[doc(hidden)]
#[macro_export]
macro_rules! zone_fn {
    ($($t:tt)*) => {};
}
#[doc(hidden)]
#[macro_export]
macro_rules! scope {
    ($($t:tt)*) => {};
}
#[doc(hidden)]
#[macro_export]
macro_rules! define_zone {
    ($($t:tt)*) => {};
}
#[doc(hidden)]
#[macro_export]
macro_rules! counter {
    ($($t:tt)*) => {};
}
