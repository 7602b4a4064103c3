//! Arrow files and streams with forged lengths.
#![cfg(feature = "ipc")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Cursor;
use std::process::Command;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, Int64Array, NullArray, RecordBatch, StringArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use tdb_arrow::{ipc_file_input, ipc_stream_input};
use tdb_cells::files::{Input, InputError, InputOptions};
use tdb_tile::ErrorKind;

const MIB: usize = 1 << 20;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn mixed() -> RecordBatch {
    let labels: DictionaryArray<Int32Type> = ["red", "blue", "red", "red"].into_iter().collect();
    let numbers = (0..4_i64).map(|n| (n != 1).then_some(n));
    batch(vec![
        ("t", Arc::new(StringArray::from(vec!["a", "bc", "", "def"]))),
        ("n", Arc::new(numbers.collect::<Int64Array>())),
        ("l", Arc::new(labels)),
    ])
}

/// The batch as a file and as a stream.
fn written(batch: &RecordBatch, compression: Option<CompressionType>) -> [Vec<u8>; 2] {
    let options = IpcWriteOptions::default()
        .try_with_compression(compression)
        .unwrap();
    let schema = batch.schema();
    let mut file = FileWriter::try_new_with_options(Vec::new(), &schema, options.clone()).unwrap();
    file.write(batch).unwrap();
    let mut stream = StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    stream.write(batch).unwrap();
    [file.into_inner().unwrap(), stream.into_inner().unwrap()]
}

/// Reads all cells of a file or stream.
fn read(bytes: Vec<u8>, memory: usize) -> Result<(), InputError> {
    let options = InputOptions::default().memory(memory as u64);
    let input = if bytes.starts_with(b"ARROW1") {
        ipc_file_input(Cursor::new(bytes), options)?
    } else {
        ipc_stream_input(Cursor::new(bytes), options)?
    };
    Box::new(input).guess().map(drop)
}

const COMPRESSIONS: [Option<CompressionType>; 3] = [
    None,
    Some(CompressionType::LZ4_FRAME),
    Some(CompressionType::ZSTD),
];

#[test]
fn damaged_files_and_streams_are_read_or_told() {
    let (mut told, mut all) = (0, 0);
    for compression in COMPRESSIONS {
        for whole in written(&mixed(), compression) {
            read(whole.clone(), MIB).unwrap();
            for (place, flip) in
                (0..whole.len()).flat_map(|p| [0x01, 0x10, 0x80, 0xff].map(|f| (p, f)))
            {
                let mut damaged = whole.clone();
                damaged[place] ^= flip;
                told += usize::from(read(damaged, MIB).is_err());
                all += 1;
            }
            for end in 0..whole.len() {
                told += usize::from(read(whole[..end].to_vec(), MIB).is_err());
                all += 1;
            }
        }
    }
    assert!(told > all / 10, "{told} of {all}");
}

/// The end marker of a stream, with message length 0.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

#[test]
fn a_stream_without_its_end_marker_is_refused_unless_it_is_allowed() {
    for compression in COMPRESSIONS {
        let [_, stream] = written(&mixed(), compression);
        let cut = stream.strip_suffix(&END).unwrap().to_vec();
        let error = read(cut.clone(), MIB).unwrap_err();
        assert!(
            error.to_string().contains("without its end marker"),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("--allow-unended"));
        let options = InputOptions::default().allow_unended(true);
        let input = ipc_stream_input(Cursor::new(cut), options.clone()).unwrap();
        assert!(Box::new(input).guess().is_ok());
        // A stream that ends within a message is always damaged.
        let cut = stream[..stream.len() - END.len() - 1].to_vec();
        let input = ipc_stream_input(Cursor::new(cut), options);
        assert!(input.and_then(|input| Box::new(input).guess()).is_err());
    }
}

/// Lengths beyond all memory, wherever there may be a length.
#[test]
#[ignore = "the next test runs it in little memory"]
fn damaged_lengths() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !tdb_arrow::panics_are_errors() {
            hook(info);
        }
    }));
    for compression in COMPRESSIONS {
        for whole in written(&mixed(), compression) {
            for place in (0..whole.len()).step_by(4) {
                for long in [
                    0x7fff_fff0_u64,
                    0x0100_0000_0000,
                    i64::MAX as u64,
                    u64::MAX - 1,
                ] {
                    for size in [4, 8] {
                        let mut damaged = whole.clone();
                        let end = damaged.len().min(place + size);
                        damaged[place..end].copy_from_slice(&long.to_le_bytes()[..end - place]);
                        let _ = read(damaged, MIB);
                    }
                }
            }
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn lengths_that_are_made_up_ask_for_no_memory() {
    // A reader that allocates 2 GB is aborted.
    let limited =
        r#"ulimit -v 1500000; exec "$0" --exact ipc_damage::damaged_lengths --ignored --nocapture"#;
    let output = Command::new("sh")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(!told.contains("panicked"), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

#[test]
fn batches_that_unpack_to_more_than_is_allowed_are_refused() {
    let long = "x".repeat(MIB);
    let keys = Int32Array::from(vec![0; 1000]);
    let labels = StringArray::from(vec![long.as_str()]);
    let labels = DictionaryArray::try_new(keys, Arc::new(labels)).unwrap();
    let mut views = StringViewBuilder::new().with_deduplicate_strings();
    for _ in 0..1000 {
        views.append_value(&long);
    }
    let zeros = Arc::new(Int64Array::from(vec![0; MIB])) as ArrayRef;
    let (zstd, lz4) = (CompressionType::ZSTD, CompressionType::LZ4_FRAME);
    let cases: [(ArrayRef, _, _); 6] = [
        (Arc::new(labels), None, 4 * MIB),
        (Arc::new(views.finish()), None, 4 * MIB),
        (Arc::new(NullArray::new(1 << 40)), None, 4 * MIB),
        (Arc::clone(&zeros), Some(zstd), 4 * MIB),
        (Arc::clone(&zeros), Some(lz4), 4 * MIB),
        (zeros, None, 4 * MIB),
    ];
    for (column, compression, memory) in cases {
        let name = format!("{} {compression:?}", column.data_type());
        for bytes in written(&batch(vec![("a", column)]), compression) {
            let error = read(bytes.clone(), memory).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Memory, "{name}: {error}");
            let told = error.to_string();
            assert!(told.ends_with("(memory budget)"), "{name}: {told}");
            if compression.is_some() {
                read(bytes, 20 * MIB).unwrap();
            }
        }
    }
}
