#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::archive::check(data));
