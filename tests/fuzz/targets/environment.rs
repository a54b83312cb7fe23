//! Fuzz target: see `src/fuzz/environment.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| iprof::__fuzz::environment(input));
