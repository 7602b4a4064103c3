//! Reads any bytes as JSON lines. It must not panic, and an accepted file must have a column for each name, of which a
//! line may have one twice.
#![no_main]
use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use tdb_cells::files::{Input, InputOptions};
use tdb_text::JsonLinesInput;

fuzz_target!(|data: &[u8]| {
    let [ticks, text @ ..] = data else {
        return;
    };
    let options = InputOptions::default()
        .ticks(ticks % 2 == 1)
        .batch_bytes(64)
        .record_bytes(256)
        .memory(1 << 20);
    let Ok(input) = JsonLinesInput::try_new(text, options) else {
        return;
    };
    let names: BTreeSet<String> = input.names().iter().cloned().collect();
    if let Ok(guesses) = Box::new(input).guess() {
        assert!(guesses.len() >= names.len());
    }
});
