//! Updating cells with the rows of a query.

use std::sync::Arc;

use arrow_array::RecordBatchReader;
use tdb_array::{ChangeOptions, Reach};
use tdb_arrow::ArrowInput;
use tdb_cells::files::{Input, MadeOn, for_each_batch};
use tdb_write::{SealedWrite, WriteOptions, input_fields};

use crate::boxed_error::BoxedError;
use tdb_change::Replacing;
use tdb_open::Array;
use tdb_write::SortFolder;

/// Function that returns the rows of an array as a change sees it.
pub(crate) type RowsOf<'a> =
    dyn FnMut(&Arc<tdb_array::Array>) -> Result<Box<dyn RecordBatchReader + Send>, BoxedError> + 'a;

/// Writes the cells that the rows identify again with the new values, and returns their number. If other programs
/// write meanwhile, the query is run again.
pub(crate) fn replace(array: &Array, rows: &mut RowsOf<'_>) -> Result<u64, BoxedError> {
    let failed = |error| array.failed(error);
    let mut change = array.read_modify_write(&ChangeOptions::default())?;
    loop {
        let view = change.view().map_err(failed)?;
        let seen = array.of_view(&view);
        let found = rows(view.array())?;
        let Some((cells, write)) = write(&seen, view.time(), found)? else {
            return Ok(0);
        };
        if !change.is_current(&view).map_err(failed)? {
            continue;
        }
        let time = write.last_time().unwrap_or_else(|| view.time());
        change.announce(time).map_err(failed)?;
        let committed = write.commit().map_err(|error| array.failed(error))?;
        if change
            .keep(&view, &committed, Reach::Domain)
            .map_err(failed)?
        {
            return Ok(cells);
        }
    }
}

/// Writes the cells of the rows without committing; returns their number and the write, or `None` if there are no
/// rows.
fn write(
    seen: &Array,
    time: u64,
    rows: Box<dyn RecordBatchReader + Send>,
) -> Result<Option<(u64, SealedWrite)>, BoxedError> {
    let session = seen.context().shared_session();
    let options = WriteOptions::default()
        .timestamp(Some(time))
        .sort_store(Some(Arc::new(SortFolder::new(&std::env::temp_dir()))));
    let input = ArrowInput::new(rows, "SQL").with_memory(session.limits().budget.limit());
    let names = input.names().to_vec();
    let mut fields = input_fields(seen.engine(), &names, false).map_err(|e| seen.failed(e))?;
    fields.retain(|field| names.contains(&field.name));
    let mut cells = Box::new(input).cells(&fields)?;
    let mut replacing = Replacing::part_of_change(seen.clone(), options);
    let made_on = MadeOn::of(&*cells);
    for_each_batch::<BoxedError>(
        session,
        made_on,
        || Ok(cells.next()?),
        |batch| Ok(replacing.push(batch)?),
    )?;
    let rows = replacing.rows();
    Ok(replacing.seal()?.map(|write| (rows, write)))
}
