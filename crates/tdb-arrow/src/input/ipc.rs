//! Reads Arrow's own format, IPC.
//!
//! Arrow's readers allocate as much memory as lengths in the file say. So every message is checked first
//! ([`messages`]): its parts must exist, and its uncompressed size must be within the limit.

mod messages;

use std::io::{BufReader, Read, Seek, SeekFrom};

use arrow_array::RecordBatchReader;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::{Block, root_as_footer};
use tdb_cells::files::{InputError, InputOptions};

use self::messages::{CheckedMessages, FORMAT, check_message, damaged};
use super::arrow::{ArrowInput, failed, guarded};
use super::flattened::FlatReader;

/// Opens an Arrow IPC file.
///
/// # Errors
/// [`InputError::Library`] if the file is not valid; [`InputError::Limit`] if a batch takes more than
/// [`InputOptions::memory`].
pub fn ipc_file_input<R: Read + Seek + Send + 'static>(
    mut file: R,
    options: InputOptions,
) -> Result<ArrowInput, InputError> {
    check_blocks(&mut file, options.memory)?;
    let reader = guarded(FORMAT, || FileReader::try_new_buffered(file, None))?
        .map_err(|error| failed(FORMAT, error))?;
    of_file(Box::new(reader), &options)
}

fn of_file(
    mut reader: Box<dyn RecordBatchReader + Send>,
    options: &InputOptions,
) -> Result<ArrowInput, InputError> {
    if options.flatten && FlatReader::changes(&reader.schema()) {
        reader = Box::new(FlatReader::new(reader));
    }
    let input = ArrowInput::of_file(reader, FORMAT).with_memory(options.memory);
    input.with_columns(&options.columns)
}

/// Size of the footer's length and the magic bytes after it, in bytes.
const TRAILER: u64 = 10;

/// Checks that the blocks in the footer are within the file, and not too large.
fn check_blocks<R: Read + Seek>(file: &mut R, memory: u64) -> Result<(), InputError> {
    let len = file.seek(SeekFrom::End(0))?;
    let end = len
        .checked_sub(TRAILER)
        .ok_or_else(|| damaged("the file is too short"))?;
    file.seek(SeekFrom::Start(end))?;
    let mut size = [0; 4];
    file.read_exact(&mut size)?;
    let start = end
        .checked_sub(u64::from(u32::from_le_bytes(size)))
        .ok_or_else(|| damaged("the footer is longer than the file"))?;
    file.seek(SeekFrom::Start(start))?;
    let mut footer = Vec::new();
    file.by_ref().take(end - start).read_to_end(&mut footer)?;
    let footer = root_as_footer(&footer).map_err(|_| damaged("the footer does not decode"))?;
    let blocks = [footer.recordBatches(), footer.dictionaries()];
    for block in blocks.into_iter().flatten().flatten() {
        check_block(file, block, start, memory)?;
    }
    file.rewind()?;
    Ok(())
}

/// Checks that a block ends before `end`, and that its message is valid.
fn check_block<R: Read + Seek>(
    file: &mut R,
    block: &Block,
    end: u64,
    memory: u64,
) -> Result<(), InputError> {
    let outside = || damaged("a block of the footer lies outside of the file");
    let part = |part: i64| u64::try_from(part).map_err(|_| outside());
    let (at, body) = (part(block.offset())?, part(block.bodyLength())?);
    let metadata = part(block.metaDataLength().into())?;
    let start = at.checked_add(metadata).ok_or_else(outside)?;
    if start.checked_add(body).is_none_or(|last| last > end) {
        return Err(outside());
    }
    file.seek(SeekFrom::Start(at))?;
    let mut message = Vec::new();
    file.by_ref().take(metadata).read_to_end(&mut message)?;
    let message = match message.split_first_chunk::<4>() {
        Some((&messages::CONTINUATION, rest)) => rest.get(4..),
        Some((_, rest)) => Some(rest),
        None => None,
    }
    .ok_or_else(|| damaged("a block has no message"))?;
    let mut prefix = |offset: u64| {
        file.seek(SeekFrom::Start(start.saturating_add(offset)))?;
        let mut prefix = [0; 8];
        file.read_exact(&mut prefix)?;
        Ok(prefix)
    };
    check_message(message, body, memory, &mut prefix)
}

/// Opens an Arrow IPC stream.
///
/// # Errors
/// Errors of [`ipc_file_input`]; [`InputError::Unfit`] if the stream ends without its end marker and
/// [`InputOptions::allow_unended`] is off.
pub fn ipc_stream_input<R: Read + Send + 'static>(
    stream: R,
    options: InputOptions,
) -> Result<ArrowInput, InputError> {
    let stream = CheckedMessages::new(BufReader::new(stream), &options);
    let reader = guarded(FORMAT, || StreamReader::try_new(stream, None))?
        .map_err(|error| failed(FORMAT, error))?;
    of_file(Box::new(reader), &options)
}
