//! Checks messages of Arrow IPC before Arrow's readers rely on their lengths.

use std::io::{self, Read};

use arrow_ipc::{RecordBatch, root_as_message};
use tdb_cells::files::{InputError, InputOptions};
use tdb_tile::{Bug, LimitError, Limits};

/// Name of the format in errors.
pub(super) const FORMAT: &str = "Arrow IPC";

/// Marker before the length of a message.
pub(super) const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) fn damaged(what: &'static str) -> InputError {
    InputError::Library {
        format: FORMAT,
        source: what.into(),
    }
}

fn unended() -> InputError {
    InputError::Unfit {
        what:
            "the stream of Arrow ends without its end marker: what wrote it failed, or writes none"
                .to_owned(),
        hint: "--allow-unended takes what came for all of it",
    }
}

fn check_memory(asked: u64, memory: u64) -> Result<(), LimitError> {
    Limits::check_memory("memory", asked, memory)
}

/// Checks that the parts of a message are within its body of `body` bytes, and that it does not take more memory than
/// allowed. `prefix` reads eight bytes of the body at a given offset.
pub(super) fn check_message(
    message: &[u8],
    body: u64,
    memory: u64,
    prefix: &mut dyn FnMut(u64) -> io::Result<[u8; 8]>,
) -> Result<(), InputError> {
    let message = root_as_message(message).map_err(|_| damaged("a message does not decode"))?;
    let batch = message
        .header_as_record_batch()
        .or_else(|| message.header_as_dictionary_batch()?.data());
    let unpacked = match batch {
        Some(batch) => unpacked(&batch, body, prefix)?,
        None => 0,
    };
    // The body is copied once, or decompressed.
    check_memory(body.saturating_add(unpacked.max(body)), memory)?;
    Ok(())
}

/// Uncompressed size of the compressed buffers of a batch, as declared, including those that are stored uncompressed.
fn unpacked(
    batch: &RecordBatch<'_>,
    body: u64,
    prefix: &mut dyn FnMut(u64) -> io::Result<[u8; 8]>,
) -> Result<u64, InputError> {
    let is_compressed = batch.compression().is_some();
    let mut sum = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let ends = u64::try_from(buffer.offset())
            .ok()
            .zip(u64::try_from(buffer.length()).ok())
            .filter(|(offset, len)| offset.checked_add(*len).is_some_and(|e| e <= body));
        let (offset, len) = ends.ok_or_else(|| damaged("a buffer lies outside of its message"))?;
        if !is_compressed || len == 0 {
            continue;
        }
        let Some(stored) = len.checked_sub(8) else {
            return Err(damaged("a compressed buffer is too short"));
        };
        let size = match i64::from_le_bytes(prefix(offset)?) {
            // Stored uncompressed.
            -1 => stored,
            size => u64::try_from(size).map_err(|_| damaged("a buffer of negative length"))?,
        };
        sum = sum.saturating_add(size);
    }
    Ok(sum)
}

/// A stream of messages; each one is checked before any of it is passed on.
#[derive(Debug)]
pub(super) struct CheckedMessages<R> {
    stream: R,
    memory: u64,
    /// Whether the stream may end without its end marker.
    allow_unended: bool,
    /// The current message; `at` is the number of bytes passed on.
    ready: Vec<u8>,
    at: usize,
    has_ended: bool,
}

impl<R: Read> CheckedMessages<R> {
    pub(super) fn new(stream: R, options: &InputOptions) -> Self {
        Self {
            stream,
            memory: options.memory,
            allow_unended: options.allow_unended,
            ready: Vec::new(),
            at: 0,
            has_ended: false,
        }
    }

    /// Appends the next `len` bytes of the stream; returns false if the stream ends before.
    fn append(&mut self, len: u64) -> Result<bool, InputError> {
        // The buffer grows with the bytes that exist, not with the declared length.
        let read = self
            .stream
            .by_ref()
            .take(len)
            .read_to_end(&mut self.ready)?;
        Ok(read as u64 == len)
    }

    /// Reads the next message; leaves `ready` empty after the last.
    fn load(&mut self) -> Result<(), InputError> {
        let mut is_whole = self.append(4)?;
        if is_whole && self.ready == CONTINUATION {
            is_whole = self.append(4)?;
        }
        let len = self
            .ready
            .last_chunk::<4>()
            .copied()
            .map(i32::from_le_bytes);
        let len = match len {
            // The stream ends where a message or the end marker was expected, like that of a writer that failed.
            None if self.ready.is_empty() && !self.allow_unended => return Err(unended()),
            // Arrow's reader handles these.
            None | Some(..=0) => {
                self.has_ended = true;
                return Ok(());
            }
            Some(_) if !is_whole => return Err(damaged("the stream ends within a message")),
            Some(len) => u64::from(len.unsigned_abs()),
        };
        check_memory(len, self.memory)?;
        let start = self.ready.len();
        if !self.append(len)? {
            return Err(damaged("the stream ends within a message"));
        }
        let body = {
            let message = root_as_message(behind(&self.ready, start)?)
                .map_err(|_| damaged("a message does not decode"))?;
            let body = u64::try_from(message.bodyLength());
            body.map_err(|_| damaged("a message of negative length"))?
        };
        check_memory(body, self.memory)?;
        let end = self.ready.len();
        if !self.append(body)? {
            return Err(damaged("the stream ends within a message"));
        }
        let message = behind(&self.ready, start)?;
        let (message, bytes) = message
            .split_at_checked(end - start)
            .ok_or_else(|| Bug::new("a message is longer than what was read of it"))?;
        let mut prefix = |offset: u64| {
            let at = usize::try_from(offset).ok();
            let rest = at.and_then(|at| bytes.get(at..));
            let prefix = rest.and_then(|rest| rest.first_chunk::<8>());
            prefix
                .copied()
                .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        };
        check_message(message, body, self.memory, &mut prefix)
    }
}

/// The bytes from a position on; a missing part is a bug, since an empty one would look like the end.
#[track_caller]
fn behind(bytes: &[u8], at: usize) -> Result<&[u8], Bug> {
    // Not in a closure, because then the bug would name the place of the closure.
    match bytes.get(at..) {
        Some(rest) => Ok(rest),
        None => Err(Bug::new("a message that was read is not there")),
    }
}

impl<R: Read> Read for CheckedMessages<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.ready.is_empty() && !self.has_ended {
            self.load().map_err(io::Error::other)?;
        }
        let mut left = behind(&self.ready, self.at).map_err(io::Error::other)?;
        let read = left.read(out)?;
        self.at += read;
        if self.at == self.ready.len() {
            // The message has been passed on completely.
            (self.ready, self.at) = (Vec::new(), 0);
        }
        Ok(read)
    }
}
