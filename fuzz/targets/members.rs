#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::members::check(data));
