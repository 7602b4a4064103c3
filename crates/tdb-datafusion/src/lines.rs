//! Text files in which no line is longer than memory allows.
//!
//! DataFusion 55.2 keeps a line of CSV or JSON until its end, and a line without an end takes all memory. Here,
//! reading such a line fails.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::object_store::path::Path;
use datafusion::object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions,
    Result,
};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};

use crate::packed::{self, failed};

/// Extensions of files that consist of lines; compressed files are text, too.
const ENDINGS: [&str; 6] = [".csv", ".json", ".jsonl", ".ndjson", ".tsv", ".txt"];

/// Number of bytes of a local file that are read at once.
const CHUNK: usize = 1 << 20;

/// Error: a line is too long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: a line has more than {most} bytes, which is what memory allows")]
pub(crate) struct LongLine {
    file: String,
    most: u64,
}

/// A line may take 1/PART_OF_LINE of the memory: several copies exist while it is read.
const PART_OF_LINE: u64 = 16;

/// Files of a store whose lines have a maximum length in bytes. Of compressed files, the text in them is read.
#[derive(Debug)]
pub(crate) struct BoundedLines {
    files: Arc<dyn ObjectStore>,
    memory: u64,
}

impl BoundedLines {
    pub(crate) fn new(files: Arc<dyn ObjectStore>, memory: u64) -> Self {
        Self { files, memory }
    }

    fn bounded(
        &self,
        location: &Path,
        bytes: BoxStream<'static, Result<Bytes>>,
    ) -> GetResultPayload {
        let too_long = LongLine {
            file: location.to_string(),
            most: self.memory / PART_OF_LINE,
        };
        GetResultPayload::Stream(bounded(bytes, too_long))
    }

    /// Returns the text in a compressed file.
    async fn text(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_head = options.head;
        if options.range.is_some() {
            return Err(in_parts(location));
        }
        let mut found = self.files.get_opts(location, options).await?;
        packed::hide_size(&mut found);
        if is_head {
            return Ok(found);
        }
        let text = packed::text_of(found.payload, self.memory).await?;
        found.payload = self.bounded(location, text);
        Ok(found)
    }
}

fn in_parts(location: &Path) -> Error {
    let what = format!("{location} is compressed, and read as text from its beginning");
    failed(what.into())
}

impl fmt::Display for BoundedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}

/// Streams the bytes of a local file.
fn chunks(file: File, range: Range<u64>) -> BoxStream<'static, Result<Bytes>> {
    let chunks = stream::try_unfold((file, range), async |(file, range)| {
        let read = tokio::task::spawn_blocking(move || chunk(file, range));
        read.await
            .map_err(|error| failed(error.into()))?
            .map_err(|error| failed(error.into()))
    });
    chunks.boxed()
}

/// Next bytes of a file, and the remaining range.
type Chunk = (Bytes, (File, Range<u64>));

fn chunk(mut file: File, range: Range<u64>) -> io::Result<Option<Chunk>> {
    let Range { start, end } = range;
    let Some(left) = end.checked_sub(start).filter(|left| *left > 0) else {
        return Ok(None);
    };
    let wanted = left.min(CHUNK as u64);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    let read = (&mut file).take(wanted).read_to_end(&mut bytes)?;
    if read == 0 {
        // The file has been truncated meanwhile.
        return Ok(None);
    }
    let next = start
        .checked_add(read as u64)
        .ok_or_else(|| io::Error::other("a file beyond 2^64 bytes"))?;
    Ok(Some((bytes.into(), (file, next..end))))
}

/// Passes bytes through; fails if a line is too long.
fn bounded(
    bytes: BoxStream<'static, Result<Bytes>>,
    too_long: LongLine,
) -> BoxStream<'static, Result<Bytes>> {
    let mut line = 0_u64;
    let bounded = bytes.and_then(move |bytes| {
        // A line within one chunk is in memory already; the last line may continue in the next chunk.
        let mut lines = bytes.rsplitn(2, |byte| *byte == b'\n');
        let last = lines.next().map_or(0, <[u8]>::len) as u64;
        line = match lines.next() {
            Some(_) => last,
            None => line + last,
        };
        let is_too_long = line > too_long.most;
        let error = is_too_long.then(|| failed(Box::new(too_long.clone())));
        async move { error.map_or(Ok(bytes), Err) }
    });
    bounded.boxed()
}

#[async_trait]
impl ObjectStore for BoundedLines {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if packed::is_packed(location.as_ref()) {
            return self.text(location, options).await;
        }
        let is_head = options.head;
        let mut found = self.files.get_opts(location, options).await?;
        let name = location.as_ref().to_ascii_lowercase();
        if is_head || !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Ok(found);
        }
        let bytes = match found.payload {
            GetResultPayload::File(file, _) => chunks(file, found.range.clone()),
            GetResultPayload::Stream(stream) => stream,
        };
        found.payload = self.bounded(location, bytes);
        Ok(found)
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if packed::is_packed(location.as_ref()) {
            return Err(in_parts(location));
        }
        self.files.get_ranges(location, ranges).await
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.files.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.files.put_multipart_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.files.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.files.list(prefix).map_ok(packed::meta).boxed()
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let found = self.files.list_with_offset(prefix, offset);
        found.map_ok(packed::meta).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let mut found = self.files.list_with_delimiter(prefix).await?;
        found.objects = found.objects.into_iter().map(packed::meta).collect();
        Ok(found)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.files.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.files.rename_opts(from, to, options).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn length(chunks: &[&[u8]], most: u64) -> Result<usize> {
        let chunks: Vec<Result<Bytes>> = (chunks.iter())
            .map(|chunk| Ok(Bytes::copy_from_slice(chunk)))
            .collect();
        let too_long = LongLine {
            file: "x.csv".to_owned(),
            most,
        };
        let chunks = bounded(stream::iter(chunks).boxed(), too_long);
        let chunks: Vec<Bytes> = chunks.try_collect().await?;
        Ok(chunks.iter().map(Bytes::len).sum())
    }

    #[tokio::test]
    async fn lines_are_counted_over_chunks() {
        let chunks: [&[u8]; 4] = [b"abc", b"def\nab", b"", b"cde\n"];
        assert_eq!(length(&chunks, 6).await.unwrap(), 13);
        assert!(length(&chunks[..1], 2).await.is_err());
        let error = length(&[b"a\nbc", b"defg"], 5).await.unwrap_err();
        assert!(error.to_string().contains("more than 5 bytes"), "{error}");
    }

    #[tokio::test]
    async fn a_file_is_read_as_far_as_it_is_asked_for() {
        let mut file = tempfile::tempfile().unwrap();
        let text: Vec<u8> = (0..=250).cycle().take(CHUNK * 2 + 5).collect();
        io::Write::write_all(&mut file, &text).unwrap();
        let range = 7..(CHUNK as u64 + 100);
        let found: Vec<Bytes> = chunks(file, range).try_collect().await.unwrap();
        assert_eq!(found.len(), 2);
        assert!(found.concat() == text[7..CHUNK + 100]);
    }
}
