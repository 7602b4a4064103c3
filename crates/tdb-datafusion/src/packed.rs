//! Compressed text files, which are read as the text in them.
//!
//! DataFusion reads them only with a feature that brings further compressors, and does not bound the lines in them.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use datafusion::common::{DataFusionError, plan_err};
use datafusion::logical_expr::CreateExternalTable;
use datafusion::object_store::{Error, GetResult, GetResultPayload, ObjectMeta, Result};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use tdb_text::unpacked;
use tokio::runtime::Handle;

/// Number of bytes that are unpacked at once.
const CHUNK: u64 = 1 << 20;

/// Extensions of compressed files, with the names that statements have for them.
pub(crate) const PACKED: [(&str, &[&str]); 2] =
    [("gz", &["gz", "gzip"]), ("zst", &["zst", "zstd"])];

/// Returns whether a file is compressed, by its name.
pub(crate) fn is_packed(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        let mut known = PACKED.iter();
        known.any(|(known, _)| known.eq_ignore_ascii_case(ending))
    })
}

/// Takes the compression out of the options of a table: it is known by the names of the files.
pub(crate) fn without_compression(asked: &mut CreateExternalTable) -> Result<(), DataFusionError> {
    let Some(said) = asked.options.get(COMPRESSION) else {
        return Ok(());
    };
    let said = said.to_lowercase();
    if said.is_empty() || said == "uncompressed" {
        return Ok(());
    }
    let Some((ending, _)) = PACKED.iter().find(|(_, names)| names.contains(&&*said)) else {
        return plan_err!("files are read that are compressed with gzip or zstd, not with {said}");
    };
    for location in &asked.locations {
        let has_ending = location
            .rsplit_once('.')
            .is_some_and(|(_, of_file)| of_file.eq_ignore_ascii_case(ending));
        if !has_ending {
            return plan_err!(
                "{location}: a file that is compressed with {said} ends with .{ending}"
            );
        }
    }
    asked.options.remove(COMPRESSION);
    Ok(())
}

/// Option of a table that names the compression of its files.
const COMPRESSION: &str = "format.compression";

/// Returns the metadata of a file. A compressed file has a size of at most one byte there: the length of its text is
/// unknown, the text has no parts that can be read on their own, and DataFusion does not divide a file of one byte.
pub(crate) fn meta(mut found: ObjectMeta) -> ObjectMeta {
    if is_packed(found.location.as_ref()) {
        found.size = found.size.min(1);
    }
    found
}

/// Streams the text of a compressed file; unpacking takes up to a quarter of `memory`.
pub(crate) async fn text_of(
    packed: GetResultPayload,
    memory: u64,
) -> Result<BoxStream<'static, Result<Bytes>>> {
    let input: Box<dyn Read + Send> = match packed {
        GetResultPayload::File(file, _) => Box::new(file),
        GetResultPayload::Stream(bytes) => Box::new(Waiting {
            bytes,
            rest: Bytes::new(),
            runtime: Handle::current(),
        }),
    };
    let text = blocking(move || unpacked(input, memory)).await?;
    let chunks = stream::try_unfold(text, async |mut text| {
        let next = blocking(move || {
            let mut bytes = Vec::new();
            (&mut text).take(CHUNK).read_to_end(&mut bytes)?;
            Ok((bytes, text))
        });
        let (bytes, text) = next.await?;
        Ok((!bytes.is_empty()).then(|| (Bytes::from(bytes), text)))
    });
    Ok(chunks.boxed())
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| failed(error.into()))?
        .map_err(|error| failed(error.into()))
}

/// Bytes that a thread waits for which may block.
struct Waiting {
    bytes: BoxStream<'static, Result<Bytes>>,
    rest: Bytes,
    runtime: Handle,
}

impl Read for Waiting {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.runtime.block_on(self.bytes.try_next()) {
                Ok(Some(bytes)) => self.rest = bytes,
                Ok(None) => return Ok(0),
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        let length = out.len().min(self.rest.len());
        self.rest.split_to(length).reader().read(out)
    }
}

/// Replaces the size of a compressed file in an answer by that of [`meta`].
pub(crate) fn hide_size(found: &mut GetResult) {
    found.meta = meta(found.meta.clone());
    found.range = 0..found.meta.size;
}

/// Returns an error of reading text.
pub(crate) fn failed(source: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::Generic {
        store: "files of text",
        source,
    }
}
