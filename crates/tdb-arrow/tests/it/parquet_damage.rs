//! Parquet files with forged sizes.
#![cfg(feature = "parquet")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use tdb_arrow::parquet_input;
use tdb_cells::files::{Input, InputError, InputOptions};
use tdb_tile::ErrorKind;

const MEMORY: u64 = 1 << 20;

fn written(column: impl Array + 'static, compression: Compression) -> Vec<u8> {
    let column: ArrayRef = Arc::new(column);
    let batch = RecordBatch::try_from_iter_with_nullable([("a", column, true)]).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .build();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file
}

/// Reads all cells of a file; returns their number.
fn read(file: Vec<u8>) -> Result<u64, InputError> {
    let options = InputOptions::default().memory(MEMORY);
    let input = parquet_input(Cursor::new(file), options)?;
    let guesses = Box::new(input).guess()?;
    Ok(guesses.iter().map(|guess| guess.cells).sum())
}

/// Position of these bytes, which must occur exactly once.
fn place(file: &[u8], wanted: &[u8]) -> usize {
    let mut found = file.windows(wanted.len()).enumerate();
    let found: Vec<usize> = found
        .by_ref()
        .filter(|(_, bytes)| *bytes == wanted)
        .map(|(place, _)| place)
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]
}

fn footer(file: &[u8]) -> usize {
    let end = file.len() - 8;
    end - u32::from_le_bytes(file[end..end + 4].try_into().unwrap()) as usize
}

#[test]
fn what_a_page_unpacks_to_is_held_to_the_memory() {
    let text = "x".repeat(2 << 20);
    let error = read(written(
        StringArray::from(vec![text.as_str()]),
        Compression::SNAPPY,
    ));
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
    assert_eq!(
        read(written(StringArray::from(vec!["x"]), Compression::SNAPPY)).unwrap(),
        1
    );
}

#[test]
fn cells_that_share_a_label_count_one_by_one() {
    let label = "x".repeat(1 << 15);
    let cells = StringArray::from(vec![label.as_str(); 1000]);
    let error = read(written(cells, Compression::UNCOMPRESSED)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
}

#[test]
fn a_row_that_is_too_wide_is_refused_though_little_is_stored() {
    let none: Vec<Option<&[u8]>> = vec![None; 3];
    let wide = FixedSizeBinaryArray::try_from_sparse_iter_with_size(none.into_iter(), 2 << 20);
    let error = read(written(wide.unwrap(), Compression::UNCOMPRESSED)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
}

#[test]
fn a_list_of_the_footer_that_is_longer_than_the_footer_is_refused() {
    let file = written(Int32Array::from(vec![1, 2]), Compression::UNCOMPRESSED);
    let footer = footer(&file);
    // The list of row groups, with one structure, after the number of rows, 2.
    let at = footer + place(&file[footer..], &[0x16, 4, 0x19, 0x1c]) + 3;
    let mut lying = file[..at].to_vec();
    lying.extend([0xfc, 0xff, 0xff, 0xff, 0xff, 0x07]);
    lying.extend(&file[at + 1..]);
    let size = u32::try_from(lying.len() - 8 - footer)
        .unwrap()
        .to_le_bytes();
    let end = lying.len() - 8;
    lying[end..end + 4].copy_from_slice(&size);
    let error = read(lying).unwrap_err();
    let why = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(why, "a list has more values than there are bytes");
}

/// Returns a file whose only column chunk has another size in the footer, and its reader's complaint.
fn with_chunk_size(change: impl Fn(u8) -> [u8; 4]) -> String {
    let cells: Vec<i32> = (0..9000).collect();
    let file = written(Int32Array::from(cells), Compression::UNCOMPRESSED);
    let metadata = parquet::file::metadata::ParquetMetaDataReader::new();
    let metadata = metadata.parse_and_finish(&bytes::Bytes::from(file.clone()));
    let size = metadata.unwrap().row_group(0).column(0).compressed_size();
    // Field 7 of the metadata of a column, a zigzag number in three bytes after its type.
    let zigzag = u32::try_from(size << 1).unwrap();
    let [low, middle, high] = [0, 7, 14].map(|shift| (zigzag >> shift & 0x7f) as u8);
    let stored = [0x16, low | 0x80, middle | 0x80, high];
    let footer = footer(&file);
    // The first place is that of field 6, the size before compression.
    let mut places = (footer..file.len()).filter(|at| file[*at..].starts_with(&stored));
    let at = places.nth(1).unwrap();
    let mut lying = file;
    lying[at..at + 4].copy_from_slice(&change(low));
    let error = read(lying).unwrap_err();
    std::error::Error::source(&error).unwrap().to_string()
}

#[test]
fn a_column_chunk_of_a_size_that_none_can_have_is_refused() {
    let beyond = with_chunk_size(|low| [0x16, low | 0x80, 0xff, 0x7f]);
    assert_eq!(beyond, "a column chunk ends beyond the file");
    // An odd zigzag number is negative.
    let negative = with_chunk_size(|low| [0x16, low | 0x81, 0xff, 0x7f]);
    assert_eq!(
        negative,
        "a column chunk has a position or length that none can have"
    );
}

#[test]
fn every_byte_of_a_file_may_be_any_other() {
    let file = written(
        StringArray::from(vec![Some("ab"), None, Some("cde")]),
        Compression::SNAPPY,
    );
    for at in 0..file.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = file.clone();
            damaged[at] ^= flip;
            // The result is an error or other cells, but never a panic.
            let _ = read(damaged);
        }
    }
}
