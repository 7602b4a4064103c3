//! Reading cells batch by batch.

use tdb_cells::Batch;
use tdb_open::{Array, Result};
use tdb_query::{ReadOptions, Reader};

/// Reads cells of an array; errors name it.
pub(crate) fn batches<'a>(
    array: &'a Array,
    options: &ReadOptions,
) -> Result<impl Iterator<Item = Result<Batch>> + 'a> {
    let session = array.context().shared_session();
    let reader =
        Reader::open(session, array.engine(), options).map_err(|error| array.failed(error))?;
    Ok(reader.map(|batch| batch.map_err(|error| array.failed(error))))
}
