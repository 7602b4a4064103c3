//! The kinds of object stores.

/// A kind of object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Amazon S3 and compatible servers: `s3://bucket/folder`.
    S3,
    /// Google Cloud Storage: `gs://bucket/folder`, `gcs://bucket/folder`.
    Gcs,
    /// Azure Blob Storage: `az://container/folder`, `azure://container/folder`. The account comes from the settings,
    /// never from the URI: so no URI can cause credentials to be sent to another account.
    Azure,
    /// A read-only HTTP server: `https://host/folder`. Folders are listed by WebDAV (`PROPFIND`).
    Http,
}
