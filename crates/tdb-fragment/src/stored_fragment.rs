use tdb_schema::ArraySchema;

use crate::FragmentMetadata;

/// A fragment and where it is: what it takes to read its tiles, whoever found it.
#[derive(Clone, Copy, Debug)]
pub struct StoredFragment<'a> {
    /// Its name.
    pub name: &'a str,
    /// The first and the last time that it holds cells of, in milliseconds since 1970.
    pub timestamps: (u64, u64),
    /// The key of its folder, within the store.
    pub prefix: &'a str,
    /// The key of its metadata, as errors call it.
    pub metadata_key: &'a str,
    /// The schema that it was written with.
    pub schema: &'a ArraySchema,
    /// What is known of it before its tiles are read.
    pub metadata: &'a FragmentMetadata,
}
