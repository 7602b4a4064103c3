//! Queries that read.

use tdb::engine::aggregate::{GroupResults, grouped};
use tdb::engine::condition::ConditionRules;
use tdb::engine::query::{
    BufferedRead, Failing, FieldBuffers, FilledBytes, FilledCells, ReadOptions, Reader,
    ResultOrder, rows_of,
};
use tdb::engine::schema::{ArraySchema, FieldKind};
use tdb::engine::tile::Range;
use tdb::{Aggregate, Batch, Condition, Datatype, Function, OpenArray, Settings};

use super::aggregates::{NamedAggregate, result_bytes, result_form};
use super::buffers::{NamedBuffers, offset_format};
use super::range_lists::{RangeLists, is_increasing};
use crate::border::{Error, Result};
use crate::constants::*;
use crate::subarray::Ranges;

/// What a query asks for.
pub(crate) struct ReadRequest<'a> {
    pub(crate) array: &'a OpenArray,
    pub(crate) settings: &'a Settings,
    pub(crate) ranges: &'a Ranges,
    pub(crate) layout: tiledb_layout_t,
    pub(crate) condition: Option<&'a Condition>,
    pub(crate) buffers: &'a [NamedBuffers],
}

impl ReadRequest<'_> {
    fn schema(&self) -> &ArraySchema {
        self.array.schema()
    }

    /// Begins the read.
    ///
    /// # Errors
    /// Fails if the array cannot be read so.
    pub(crate) fn begin(&self) -> Result<BufferedRead> {
        let schema = self.schema();
        for buffers in self.buffers {
            if let Some(field) = schema.field(&buffers.name) {
                buffers.check(&field)?;
            }
        }
        let format = offset_format(self.settings)?;
        self.check()?;
        let options = self.options()?;
        if let Some(lists) = self.lists()? {
            let rows = lists.rows(self.layout != TILEDB_COL_MAJOR)?;
            let names = schema.dimensions.iter().map(|dimension| &dimension.name);
            let ranges = names.zip(lists.ranges()).flat_map(|(name, ranges)| {
                ranges
                    .iter()
                    .map(move |range| (name.clone(), range.clone()))
            });
            let batch = self.whole(&options.ranges(ranges.collect()))?;
            return Ok(BufferedRead::of_batch(arranged(&batch, &rows)?, format));
        }
        Ok(BufferedRead::new(self.reader(&options)?, format))
    }

    /// Checks that the ranges suit the layout.
    ///
    /// # Errors
    /// Fails for a dense array without ranges, and for several ones in global order.
    pub(crate) fn check(&self) -> Result<()> {
        if self.schema().is_dense() && !self.ranges.is_set() {
            let text = "Cannot initialize reader; Dense reads must have a subarray set";
            return Err(Error::short("DenseReader", text));
        }
        self.check_global_order()
    }

    fn reader(&self, options: &ReadOptions) -> Result<Reader> {
        let session = self.array.context().shared_session();
        Reader::open(session, self.array.engine(), options)
            .map_err(|error| self.array.failed(error).into())
    }

    /// Reads all cells at once.
    fn whole(&self, options: &ReadOptions) -> Result<Batch> {
        let at_once = options.clone().batch_bytes(Some(u64::MAX));
        let mut batches = self.reader(&at_once)?;
        let first = batches
            .next()
            .transpose()
            .map_err(|error| self.array.failed(error))?;
        let further = batches
            .next()
            .transpose()
            .map_err(|error| self.array.failed(error))?;
        if further.is_some() {
            let text = "the ranges overlap or go backwards, and their cells do not fit in memory at once; ask for less";
            return Err(Error::new("Query", text));
        }
        // Without cells there is no batch.
        Ok(first.unwrap_or_else(Batch::default))
    }

    /// Checks that a read in global order is of one box. Ranges of a sparse array that overlap are one.
    fn check_global_order(&self) -> Result<()> {
        let schema = self.schema();
        let merges = !schema.is_dense()
            && self
                .settings
                .get("sm.merge_overlapping_ranges_experimental")
                != Some("false");
        let mut dimensions = schema.dimensions.iter().zip(&self.ranges.dimensions);
        let several = dimensions.any(|(dimension, ranges)| {
            ranges.len() > 1 && !(merges && overlap_in_one(dimension.datatype, ranges))
        });
        if self.layout == TILEDB_GLOBAL_ORDER && several {
            let text = "Cannot initialize reader; Multi-range reads are not supported on a global order query.";
            return Err(Error::short("ReaderBase", text));
        }
        Ok(())
    }

    /// Returns the lists of coordinates of a dense array, where the engine's order is not the one that is wanted.
    fn lists(&self) -> Result<Option<RangeLists>> {
        let schema = self.schema();
        let dimensions = schema.dimensions.iter().zip(&self.ranges.dimensions);
        let mut is_plain = true;
        let mut lists = Vec::new();
        for (dimension, ranges) in dimensions {
            is_plain &= is_increasing(dimension.datatype, ranges);
            let whole = || dimension.domain.clone().into_iter().collect();
            let ranges: Vec<Range> = if ranges.is_empty() {
                whole()
            } else {
                ranges.clone()
            };
            lists.push((dimension.datatype, ranges));
        }
        if is_plain || !schema.is_dense() {
            return Ok(None);
        }
        RangeLists::new(&lists).map(Some)
    }

    /// Computes aggregates of the cells that the read returns, without those that a condition leaves out, and writes
    /// them into their buffers.
    ///
    /// # Errors
    /// Those of reading, and of functions that do not suit their field.
    ///
    /// # Safety
    /// The buffers may be written.
    pub(crate) unsafe fn aggregate(
        &self,
        aggregates: &[NamedAggregate],
        buffers: &[NamedBuffers],
    ) -> Result<()> {
        if aggregates.is_empty() {
            return Ok(());
        }
        let list: Vec<Aggregate> = aggregates
            .iter()
            .map(|named| named.aggregate.clone())
            .collect();
        let fields = list
            .iter()
            .filter_map(|aggregate| aggregate.field.clone())
            .collect();
        let options = self
            .options()?
            .failing(Failing::Drop)
            .attributes(Some(fields))
            .dimensions(Some(Vec::new()))
            .order(None);
        let session = self.array.context().shared_session();
        let groups = grouped(session, self.array.engine(), &options, &list, &[]);
        let grouped = groups.and_then(GroupResults::into_table);
        let table = grouped.map_err(|error| self.array.failed(error))?;
        let outcomes = table.groups.iter().take(1).flat_map(|group| &group.values);
        for (named, outcome) in aggregates.iter().zip(outcomes) {
            let Some(buffers) = buffers.iter().find(|buffers| buffers.name == named.name) else {
                let text = format!(
                    "Data buffer check failed; the aggregate '{}' has no buffer",
                    named.name
                );
                return Err(Error::new("Query", text));
            };
            let (values, nullable) = result_form(&named.aggregate, self.schema());
            if values.is_var() != buffers.offsets.is_some() {
                let text = format!(
                    "the aggregate '{}' must have a buffer of offsets if its values vary in size, and none otherwise",
                    named.name
                );
                return Err(Error::new("Query", text));
            }
            let bytes = result_bytes(outcome);
            let mut memory = buffers.memory()?;
            let mut filled = FilledBytes::default();
            let value = match &bytes {
                Some(value) => value.clone(),
                None => no_value(&named.aggregate, self.schema()),
            };
            let found = memory.values.get_mut(..value.len());
            let place = found.ok_or_else(|| {
                Error::new(
                    "Query",
                    format!("the buffer of the aggregate '{}' is too small", named.name),
                )
            })?;
            place.copy_from_slice(&value);
            filled.values = value.len();
            if let Some(first) = memory
                .offsets
                .as_mut()
                .and_then(|offsets| offsets.get_mut(..8))
            {
                first.fill(0);
                filled.offsets = 8;
            }
            if let Some(first) = memory
                .validity
                .as_mut()
                .and_then(|validity| validity.first_mut())
            {
                *first = u8::from(!nullable || bytes.is_some());
                filled.validity = 1;
            }
            buffers.set_sizes(filled)?;
        }
        Ok(())
    }

    /// Returns the engine's options.
    fn options(&self) -> Result<ReadOptions> {
        let schema = self.schema();
        let (mut attributes, mut dimensions) = (Vec::new(), Vec::new());
        for buffers in self.buffers {
            let name = buffers.name.clone();
            match schema.field(&name).map(|field| field.kind) {
                Some(FieldKind::Dimension(_)) => dimensions.push(name),
                _ => attributes.push(name),
            }
        }
        let named = schema.dimensions.iter().zip(&self.ranges.dimensions);
        let (mut ordered, mut reads_nothing) = (Vec::new(), false);
        for (dimension, ranges) in named {
            // A range of texts may go backwards.
            let kept = ranges
                .iter()
                .filter(|range| range.is_ordered(dimension.datatype));
            let before = ordered.len();
            ordered.extend(kept.map(|range| (dimension.name.clone(), range.clone())));
            reads_nothing |= !ranges.is_empty() && ordered.len() == before;
        }
        let labels = self.ranges.labels.iter().flat_map(|label| {
            label
                .ranges
                .iter()
                .map(|range| (label.label.clone(), range.clone()))
        });
        let rules = ConditionRules::stored_bytes();
        Ok(ReadOptions::default()
            .attributes(Some(attributes))
            .dimensions(Some(dimensions))
            .ranges(ordered)
            .reads_nothing(reads_nothing)
            .label_ranges(labels.collect())
            .condition(self.condition.cloned())
            .rules(rules)
            .failing(Failing::Fill)
            .enumeration_codes(true)
            .order(Some(order_of(self.layout)?)))
    }
}

/// True if ranges, sorted, each overlap those before them.
fn overlap_in_one(datatype: Datatype, ranges: &[Range]) -> bool {
    let mut sorted: Vec<&Range> = ranges.iter().collect();
    sorted.sort_by(|a, b| datatype.total_order(&a.lo, &b.lo));
    let mut sorted = sorted.into_iter();
    let Some(first) = sorted.next() else {
        return true;
    };
    let mut end = &first.hi;
    for range in sorted {
        if datatype.total_order(end, &range.lo).is_lt() {
            return false;
        }
        if datatype.total_order(end, &range.hi).is_lt() {
            end = &range.hi;
        }
    }
    true
}

/// Returns rows of a batch in another order; `None` if there are none.
fn arranged(batch: &Batch, rows: &[u32]) -> Result<Option<Batch>> {
    if rows.is_empty() {
        return Ok(None);
    }
    rows_of(batch, rows).map(Some).map_err(failed)
}

/// Returns the engine's order.
fn order_of(layout: tiledb_layout_t) -> Result<ResultOrder> {
    Ok(match layout {
        TILEDB_ROW_MAJOR => ResultOrder::RowMajor,
        TILEDB_COL_MAJOR => ResultOrder::ColumnMajor,
        TILEDB_GLOBAL_ORDER => ResultOrder::Global,
        TILEDB_UNORDERED => ResultOrder::Unordered,
        _ => {
            return Err(Error::new(
                "Query",
                "Cannot set layout; Hilbert order is not an order of results",
            ));
        }
    })
}

/// Fills the program's buffers, and tells it how much it got.
///
/// # Errors
/// Those of reading.
///
/// # Safety
/// The buffers may be written, and do not overlap.
pub(crate) unsafe fn fill(
    read: &mut BufferedRead,
    buffers: &[NamedBuffers],
    array: &OpenArray,
) -> Result<FilledCells> {
    let mut memory = Vec::new();
    for named in buffers {
        memory.push(named.memory()?);
    }
    let memory: &mut [FieldBuffers<'_>] = &mut memory;
    let filled = read.fill(memory).map_err(|error| array.failed(error))?;
    for (named, filled) in buffers.iter().zip(&filled.fields) {
        named.set_sizes(*filled)?;
    }
    Ok(filled)
}

/// Checks buffers that no cell fitted into.
///
/// # Errors
/// Fails if an offsets buffer has no room for the offset of a cell and the end of it. A client that gets no cells enlarges
/// the buffers of values, which would not end.
pub(crate) fn check_offsets(settings: &Settings, buffers: &[NamedBuffers]) -> Result<()> {
    let format = offset_format(settings)?;
    let one_cell = if format.narrow { 8 } else { 16 };
    for named in buffers {
        let room = named.offsets.map(|offsets| offsets.capacity());
        if let Some(room) = room.filter(|room| format.has_end && *room < one_cell) {
            let text = format!(
                "Unable to copy one tile with current budget/buffers; the offsets buffer of '{}' has {room} bytes, and a \
                 cell needs {one_cell}",
                named.name
            );
            return Err(Error::new("Query", text));
        }
    }
    Ok(())
}

/// Returns what stands in the place of an aggregate without values: NaN where there is one, and zeros. A sum of no values
/// is 0.
fn no_value(aggregate: &Aggregate, schema: &ArraySchema) -> Vec<u8> {
    let datatype = aggregate.datatype(schema);
    if !datatype.is_real() || aggregate.function == Function::Sum {
        return vec![0; datatype.size()];
    }
    if datatype.size() == size_of::<f32>() {
        return f32::NAN.to_le_bytes().to_vec();
    }
    f64::NAN.to_le_bytes().to_vec()
}

fn failed(bug: tdb::engine::tile::Bug) -> Error {
    Error::new("Query", bug.to_string())
}
