//! Reads any bytes as an Arrow IPC file and as a stream. tdb must not panic, and must not take more memory than
//! allowed.
#![no_main]
use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use tdb_arrow::{ipc_file_input, ipc_stream_input, panics_are_errors};
use tdb_cells::files::{Input, InputOptions};

fuzz_target!(
    init: {
        // Panics of Arrow's readers are converted into errors by tdb.
        let abort = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !panics_are_errors() {
                abort(info);
            }
        }));
    },
    |data: &[u8]| {
        let options = InputOptions::default()
.memory(1 << 20);
        let bytes = Cursor::new(data.to_vec());
        let input = match data.starts_with(b"ARROW1") {
            true => ipc_file_input(bytes, options),
            false => ipc_stream_input(bytes, options),
        };
        if let Ok(input) = input {
            let _ = Box::new(input).guess();
        }
    }
);
