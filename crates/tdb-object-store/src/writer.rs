//! Writer of a new object.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload};
use tdb_store::{ObjectWriter, StoreError};
use tokio::task::JoinHandle;

use crate::error::{broken, failed};
use crate::put::{KeyState, put};
use crate::remote::Remote;
use crate::runtime::Runtime;

/// Bytes per part of an upload. Servers allow ten thousand parts of at least five megabytes.
pub(crate) const PART: usize = 8 << 20;
/// Maximum number of parts that are uploaded at the same time.
const PARTS_UNDER_WAY: usize = 4;

/// Writer of a new object. An object that fits in one part is sent whole by `finish`; a larger one is uploaded in
/// parts while it is written.
#[derive(Debug)]
pub(crate) struct RemoteWriter {
    remote: Arc<Remote>,
    runtime: Runtime,
    key: String,
    path: Path,
    /// Bytes not uploaded yet.
    left: BytesMut,
    /// The parts sent so far, in order.
    parts: Vec<SentPart>,
    upload: Option<Upload>,
}

/// A part that was sent: its bytes in the object, and their hash. They tell an object whose completion was not
/// confirmed from that of another writer.
#[derive(Clone, Debug)]
struct SentPart {
    range: Range<u64>,
    hash: u64,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Reads the object at a key part by part, and compares it with the parts that were sent.
async fn key_state(remote: &Remote, path: &Path, parts: &[SentPart]) -> KeyState {
    let object = match remote.store.head(path).await {
        Ok(object) => object,
        Err(object_store::Error::NotFound { .. }) => return KeyState::Missing,
        Err(_) => return KeyState::Unknown,
    };
    if Some(object.size) != parts.last().map(|part| part.range.end) {
        return KeyState::OtherObject;
    }
    for SentPart { range, hash: sent } in parts {
        match remote.store.get_range(path, range.clone()).await {
            Ok(bytes) if hash(&bytes) == *sent => {}
            Ok(_) => return KeyState::OtherObject,
            Err(_) => return KeyState::Unknown,
        }
    }
    KeyState::OwnObject
}

#[derive(Debug)]
struct Upload {
    upload: Box<dyn MultipartUpload>,
    under_way: VecDeque<JoinHandle<object_store::Result<()>>>,
}

impl RemoteWriter {
    pub(crate) fn new(remote: Arc<Remote>, runtime: Runtime, key: &str, path: Path) -> Self {
        Self {
            remote,
            runtime,
            key: key.to_owned(),
            path,
            left: BytesMut::new(),
            parts: Vec::new(),
            upload: None,
        }
    }

    /// Starts the upload of a part; begins the multipart upload if it is the first part.
    fn send(&mut self, part: Bytes) -> Result<(), StoreError> {
        let mut upload = match self.upload.take() {
            Some(upload) => upload,
            None => self.begin()?,
        };
        let start = self.parts.last().map_or(0, |part| part.range.end);
        let end = start
            .checked_add(part.len() as u64)
            .ok_or_else(|| broken(&self.key, "the object has more than 2^64 bytes"))?;
        self.parts.push(SentPart {
            range: start..end,
            hash: hash(&part),
        });
        let oldest = (upload.under_way.len() >= PARTS_UNDER_WAY)
            .then(|| upload.under_way.pop_front())
            .flatten();
        let sending = upload.upload.put_part(PutPayload::from_bytes(part));
        let sending = self.runtime.handle().spawn(sending);
        upload.under_way.push_back(sending);
        self.upload = Some(upload);
        match oldest {
            Some(part) => self.sent(part),
            None => Ok(()),
        }
    }

    fn begin(&self) -> Result<Upload, StoreError> {
        let (remote, path) = (Arc::clone(&self.remote), self.path.clone());
        let upload = async move { remote.store.put_multipart(&path).await };
        let upload = self.runtime.wait_unless_cancelled(&self.key, upload)?;
        Ok(Upload {
            upload: upload.map_err(|error| failed(&self.key, error))?,
            under_way: VecDeque::new(),
        })
    }

    /// Waits until a part has been uploaded.
    fn sent(&self, part: JoinHandle<object_store::Result<()>>) -> Result<(), StoreError> {
        let sent = self
            .runtime
            .wait_unless_cancelled(&self.key, part)?
            .map_err(|error| broken(&self.key, error.to_string()))?;
        sent.map_err(|error| failed(&self.key, error))
    }

    /// Completes the upload of an object in parts. This step cannot be made conditional, so the key is checked just
    /// before.
    fn complete(&mut self) -> Result<(), StoreError> {
        if !self.left.is_empty() {
            let rest = self.left.split().freeze();
            self.send(rest)?;
        }
        while let Some(part) = self.upload.as_mut().and_then(|u| u.under_way.pop_front()) {
            self.sent(part)?;
        }
        let (remote, path) = (Arc::clone(&self.remote), self.path.clone());
        let found = self
            .runtime
            .wait(async move { remote.store.head(&path).await })?;
        match found.map_err(|error| failed(&self.key, error)) {
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
            Ok(_) => {
                let key = self.key.clone();
                return Err(StoreError::Exists { key });
            }
        }
        let Some(mut upload) = self.upload.take() else {
            return Err(broken(&self.key, "an upload ended before it was complete"));
        };
        let (remote, path) = (Arc::clone(&self.remote), self.path.clone());
        let (key, parts) = (self.key.clone(), std::mem::take(&mut self.parts));
        self.runtime.wait(async move {
            let Err(error) = upload.upload.complete().await else {
                return Ok(());
            };
            // The answer may be lost although the object was created.
            let state = key_state(&remote, &path, &parts).await;
            if matches!(state, KeyState::OwnObject) {
                return Ok(());
            }
            // The error to report is that of the completion.
            let _ = upload.upload.abort().await;
            Err(match state {
                KeyState::OtherObject => StoreError::Exists { key },
                KeyState::OwnObject | KeyState::Missing | KeyState::Unknown => failed(&key, error),
            })
        })?
    }
}

impl ObjectWriter for RemoteWriter {
    fn write(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        while !bytes.is_empty() {
            let room = (PART - self.left.len()).min(bytes.len());
            let (now, later) = bytes.split_at(room);
            self.left.extend_from_slice(now);
            bytes = later;
            if self.left.len() >= PART {
                let part = self.left.split().freeze();
                self.send(part)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), StoreError> {
        if self.upload.is_some() {
            return self.complete();
        }
        let bytes = self.left.split().freeze();
        put(&self.remote, &self.runtime, &self.key, &self.path, bytes)
    }
}

/// Aborts an incomplete upload: its parts would be invisible, but charged for.
impl Drop for RemoteWriter {
    fn drop(&mut self) {
        let Some(mut upload) = self.upload.take() else {
            return;
        };
        let aborted = self.runtime.wait(async move {
            for part in upload.under_way {
                part.abort();
            }
            upload.upload.abort().await
        });
        // Errors cannot be reported from a drop; a lifecycle rule of the bucket can remove the parts.
        drop(aborted);
    }
}
