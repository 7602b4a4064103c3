//! Measuring a tile layout: cells are written to an array in memory, and read back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tdb_array::{ChangeOptions, ErrorKind, Location, OpenOptions};
use tdb_cells::Session;
use tdb_open::{Error, Result};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::ArraySchema;
use tdb_store::{MemoryStore, Store};
use tdb_tile::{Bug, Exact};
use tdb_write::{WriteOptions, WriteOrder, Writer};

use super::sample::{Ranges, Sample};

/// Number of repetitions of each read; the shortest time is the least disturbed.
const READS: usize = 5;

const FOLDER: &str = "sample";

/// Size and times of a layout for the sample.
pub(super) struct LayoutMeasures {
    pub(super) stored: u64,
    pub(super) writing: Duration,
    pub(super) reading: Duration,
    pub(super) boxes: Duration,
}

/// Writes and reads the sample; `None` if the schema is not possible.
pub(super) fn measured(
    session: &Session,
    schema: &ArraySchema,
    sample: &Sample,
) -> Result<Option<LayoutMeasures>> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let location = Location::new(Arc::clone(&store), FOLDER).with_limits(session.limits().clone());
    let created = tdb_array::Array::create(&location, schema, &[], &ChangeOptions::default());
    match created {
        Err(error) if error.kind() == ErrorKind::Invalid => return Ok(None),
        created => created?,
    }
    let open = || tdb_array::Array::open_location(&location, OpenOptions::default()).map(Arc::new);
    let is_dense = schema.is_dense();
    let options = WriteOptions::default()
        .ranges(sample.ranges.clone())
        .order(is_dense.then_some(WriteOrder::RowMajor));
    let begun = Instant::now();
    let mut writer = Writer::open(session, &open()?, &options)?;
    for batch in &sample.batches {
        writer.push(batch)?;
    }
    writer.finish()?;
    let writing = begun.elapsed();
    let array = open()?;
    let (reading, cells) = shortest(|| read(session, &array, &sample.ranges))?;
    if cells != sample.cells {
        return Err(Bug::new("other cells are read than were written").into());
    }
    let mut boxes = Duration::ZERO;
    for ranges in &sample.boxes {
        let (time, _) = shortest(|| read(session, &array, ranges))?;
        boxes += time;
    }
    Ok(Some(LayoutMeasures {
        stored: size(&*store)?,
        writing,
        reading,
        boxes,
    }))
}

/// Reads all fields in a box, and returns the number of cells.
fn read(session: &Session, array: &Arc<tdb_array::Array>, ranges: &Ranges) -> Result<u64> {
    let is_dense = array.schema().is_dense();
    let options = ReadOptions::default()
        .ranges(ranges.clone())
        .dimensions(is_dense.then(Vec::new));
    let mut cells = 0_u64;
    for batch in Reader::open(session, array, &options)? {
        cells = cells.exact_add(batch?.rows as u64)?;
    }
    Ok(cells)
}

/// Returns the shortest time of several attempts, and the result of the last one.
fn shortest(mut attempt: impl FnMut() -> Result<u64>) -> Result<(Duration, u64)> {
    let (mut shortest, mut cells) = (Duration::MAX, 0);
    for _ in 0..READS {
        let begun = Instant::now();
        cells = attempt()?;
        shortest = shortest.min(begun.elapsed());
    }
    Ok((shortest, cells))
}

/// Returns the number of bytes of all fragments.
fn size(store: &dyn Store) -> Result<u64> {
    let mut size = 0_u64;
    let fragments = format!("{FOLDER}/__fragments");
    for object in store.list_recursive(&fragments).map_err(Error::of_store)? {
        let bytes = match object.size {
            Some(bytes) => bytes,
            None => store.size(&object.key).map_err(Error::of_store)?,
        };
        size = size.exact_add(bytes)?;
    }
    Ok(size)
}
