use tdb_schema::ArraySchema;

use crate::FragmentMetadata;

/// A fragment with its location, schema and metadata: everything that reading its tiles requires.
#[derive(Clone, Copy, Debug)]
pub struct StoredFragment<'a> {
    /// The name of the fragment.
    pub name: &'a str,
    /// The first and the last timestamp of its cells, in milliseconds since 1970.
    pub timestamps: (u64, u64),
    /// The key of the fragment's folder within the store.
    pub prefix: &'a str,
    /// The key of the metadata, for errors.
    pub metadata_key: &'a str,
    /// The schema that the fragment was written with.
    pub schema: &'a ArraySchema,
    /// The metadata that is known before any tile is read.
    pub metadata: &'a FragmentMetadata,
}
