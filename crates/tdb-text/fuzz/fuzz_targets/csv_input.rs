//! Reads any bytes as CSV. It must not panic, and an accepted file must have a name for each column.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_cells::files::{Input, InputOptions};
use tdb_text::CsvInput;

fuzz_target!(|data: &[u8]| {
    let [delimiter, ticks, text @ ..] = data else {
        return;
    };
    let options = InputOptions::default()
        .delimiter([Some(b','), Some(b';'), Some(b'\t'), None][usize::from(delimiter % 4)])
        .ticks(ticks % 2 == 1)
        .batch_bytes(64)
        .record_bytes(256)
        .memory(1 << 20);
    let Ok(input) = CsvInput::try_new(text, options) else {
        return;
    };
    let names = input.names().to_vec();
    if let Ok(guesses) = Box::new(input).guess() {
        assert_eq!(guesses.len(), names.len());
    }
});
