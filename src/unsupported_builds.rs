//! Compile errors for unsupported builds, one for each. Everything else compiles in such a build, so
//! that no other error hides the reason.

#[cfg(all(feature = "enable", not(target_has_atomic = "64")))]
compile_error!(
    "iprof cannot record on this target: it has no 64-bit atomics, which zone counters need; \
     without the feature `enable` the macros compile to nothing"
);

#[cfg(all(feature = "http", target_family = "wasm"))]
compile_error!(
    "the feature `http` of iprof needs sockets and threads, which WebAssembly does not have: turn it off \
     for this target"
);
