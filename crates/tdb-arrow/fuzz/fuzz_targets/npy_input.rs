//! Any bytes as a `.npy` file: no panic, and no more memory than there are bytes for.
#![no_main]
use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use tdb_arrow::{Input, InputOptions, npy_input};

fuzz_target!(|data: &[u8]| {
    let [inner, file @ ..] = data else {
        return;
    };
    let options = InputOptions {
        batch_bytes: 4096,
        memory: 1 << 20,
        ..InputOptions::default()
    };
    let file = Cursor::new(file.to_vec());
    if let Ok((input, _)) = npy_input(file, "a", u32::from(inner % 4), options) {
        let _ = Box::new(input).guess();
    }
});
