//! A compile error for builds that cannot record. Everything else compiles in such a build, so that no other error hides
//! the reason.

#[cfg(all(feature = "enable", not(target_has_atomic = "64")))]
compile_error!(
    "iprof cannot record on this target: it has no 64-bit atomics, which zone counters need; \
     without the feature `enable` the macros compile to nothing"
);
