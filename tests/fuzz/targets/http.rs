//! Fuzz target: see `src/fuzz/http.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| iprof::__fuzz::http(input));
