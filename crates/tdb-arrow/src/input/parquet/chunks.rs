//! Random access to a Parquet file.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

/// Name of the format in errors.
pub(super) const FORMAT: &str = "Parquet";

/// Number of bytes that are read at a time if the required length is unknown; headers are smaller.
pub(super) const READ_AHEAD: usize = 512;

/// A file that is read from several positions in turn.
pub(super) struct Chunks<R> {
    file: Arc<Mutex<R>>,
    len: u64,
}

/// The contents of a file from a position on.
pub(super) struct Chunk<R> {
    file: Arc<Mutex<R>>,
    at: u64,
}

impl<R: Read + Seek> Read for Chunk<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut file = self
            .file
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(out)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Chunks<R> {
    pub(super) fn of(mut file: R) -> io::Result<Self> {
        let len = file.seek(SeekFrom::End(0))?;
        let file = Arc::new(Mutex::new(file));
        Ok(Self { file, len })
    }
}

impl<R> Chunks<R> {
    /// Returns another handle of the same file.
    pub(super) fn share(&self) -> Self {
        Self {
            file: Arc::clone(&self.file),
            len: self.len,
        }
    }

    pub(super) fn chunk(&self, at: u64) -> Chunk<R> {
        Chunk {
            file: Arc::clone(&self.file),
            at,
        }
    }
}

impl<R: Send> Length for Chunks<R> {
    fn len(&self) -> u64 {
        self.len
    }
}

impl<R: Read + Seek + Send> ChunkReader for Chunks<R> {
    type T = BufReader<Chunk<R>>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::with_capacity(READ_AHEAD, self.chunk(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start
            .checked_add(length as u64)
            .filter(|end| *end <= self.len);
        if end.is_none() {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} of {}",
                self.len
            )));
        }
        let mut bytes = Vec::with_capacity(length);
        self.chunk(start)
            .take(length as u64)
            .read_to_end(&mut bytes)?;
        if bytes.len() == length {
            Ok(bytes.into())
        } else {
            Err(ParquetError::EOF("the file has become shorter".to_owned()))
        }
    }
}
