//! The kinds of object stores.

/// A kind of object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Amazon S3, and what speaks its protocol: `s3://bucket/folder`.
    S3,
    /// Google Cloud Storage: `gs://bucket/folder`, `gcs://bucket/folder`.
    Gcs,
    /// Azure Blob Storage: `az://container/folder`, `azure://container/folder`. The account comes from the settings, never
    /// from the URI, so that no URI can have a credential sent to another.
    Azure,
    /// A server of files, which can only be read: `https://host/folder`. Folders are listed as WebDAV does (`PROPFIND`).
    Http,
}
