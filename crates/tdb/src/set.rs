//! Cells' values in place.

mod new_values;

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::NameSource;
use tdb_cells::Batch;
use tdb_query::{ReadOptions, Reader};
use tdb_schema::ArraySchema;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Range};
use tdb_write::{Duplicates, WriteOptions, WriteOrder, Writer};

use self::new_values::{NewValue, stored, with_values};
use crate::difference::ranges_of;
use crate::{Array, Error, Order, ReadBuilder, Result, Time, Value, Where};

/// A change of cells' values in the making: see [`Array::set`].
#[derive(Clone, Debug)]
#[must_use = "nothing is changed before the commit"]
pub struct SetBuilder {
    array: Array,
    condition: Where,
    values: Vec<(String, Option<Value>)>,
    most: u64,
    dry_run: bool,
    ticks: bool,
    options: WriteOptions,
}

/// What a change of cells' values did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetCells {
    /// Cells that match the condition.
    pub cells: u64,
    /// Names of the new fragments.
    pub fragments: Vec<String>,
}

impl Array {
    /// Begins a change of the values of cells that match a condition: of one cell at most, unless
    /// [`SetBuilder::max`] allows more.
    ///
    /// ```no_run
    /// let orders = tdb::open("orders")?;
    /// let done = orders.set("id = 377").value("amount", 12.5).null("note").commit()?;
    /// assert_eq!(done.cells, 1);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    pub fn set(&self, condition: impl Into<Where>) -> SetBuilder {
        SetBuilder {
            array: self.clone(),
            condition: condition.into(),
            values: Vec::new(),
            most: 1,
            dry_run: false,
            ticks: false,
            options: WriteOptions::default(),
        }
    }
}

impl SetBuilder {
    /// The value of an attribute; of an enumerated one the label, of several numbers a text such as `[1, 2, 3]`. For bytes, as
    /// for a blob, text stands for its own bytes, and is not read as digits.
    pub fn value(mut self, attribute: &str, value: impl Into<Value>) -> Self {
        self.values.push((attribute.to_owned(), Some(value.into())));
        self
    }

    /// Makes an attribute null.
    pub fn null(mut self, attribute: &str) -> Self {
        self.values.push((attribute.to_owned(), None));
        self
    }

    /// Refuses to change more cells than these; 1 by default.
    pub fn max(mut self, cells: u64) -> Self {
        self.most = cells;
        self
    }

    /// Only counts the cells.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Text for dates and times is raw numbers: `"2020"` is so many ticks, and no year.
    pub fn ticks(mut self, ticks: bool) -> Self {
        self.ticks = ticks;
        self
    }

    /// The time of the change; now by default.
    pub fn at(mut self, time: impl Into<Time>) -> Self {
        self.options.timestamp = Some(time.into().0);
        self
    }

    /// Where names and the current time come from.
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.options.names = names;
        self
    }

    /// Writes the cells that match again, with these values.
    ///
    /// # Errors
    /// More cells than are allowed; attributes that the array does not have, values that do not fit them; an array that
    /// allows duplicates, where no cell replaces another; errors of reading and writing.
    pub fn commit(self) -> Result<SetCells> {
        let array = self.array.newest()?;
        let schema = Arc::clone(array.engine().newest_schema());
        if schema.allows_duplicates {
            let what = "the array allows duplicates: a cell that is written replaces no other";
            let hint = "delete the cells, and write them again";
            return Err(Error::invalid(what).with_hint(hint));
        }
        let values = self.stored_values(&array, &schema)?;
        let matching = array.read().condition(self.condition.clone());
        let cells = matching.clone().count()?;
        if cells > self.most {
            return Err(too_many(cells, self.most));
        }
        if cells == 0 || self.dry_run {
            return Ok(SetCells {
                cells,
                fragments: Vec::new(),
            });
        }
        if schema.is_dense() {
            self.set_box(&array, &schema, matching, &values)
        } else {
            self.set_cells(&array, matching, &values)
        }
    }

    fn stored_values(&self, array: &Array, schema: &ArraySchema) -> Result<Vec<NewValue>> {
        if self.values.is_empty() {
            return Err(Error::invalid("no value is given: nothing would change"));
        }
        let values = self.values.iter().map(|(name, value)| {
            let attribute = schema.attributes.iter().find(|a| a.name == *name);
            let attribute = attribute.ok_or_else(|| {
                let known = schema.attributes.iter().map(|a| a.name.as_str());
                if schema.dimension_index(name).is_some() {
                    let what = format!("{name:?} is a dimension: cells cannot be moved");
                    return Error::invalid(what).with_hint("delete the cell, and write another");
                }
                Error::from(UnknownName::new("attribute", name, known))
            })?;
            let bytes = match value {
                Some(value) => Some(stored(array, attribute, value, self.ticks)?),
                None if attribute.nullable => None,
                None => {
                    let what = format!("attribute {name:?} cannot be null");
                    return Err(Error::invalid(what));
                }
            };
            Ok(NewValue {
                attribute: name.clone(),
                bytes,
            })
        });
        values.collect()
    }

    /// Sparse arrays: the cells that match, each replaced.
    fn set_cells(
        mut self,
        array: &Array,
        matching: ReadBuilder,
        values: &[NewValue],
    ) -> Result<SetCells> {
        self.options.order = Some(WriteOrder::Global);
        self.options.duplicates = Some(Duplicates::Error);
        let session = array.context().shared_session();
        let options = ReadOptions {
            order: Some(Order::Global.into()),
            enumeration_codes: true,
            ..matching.options()?
        };
        let reader = Reader::open(session, array.engine(), &options);
        let reader = reader.map_err(|error| array.failed(error))?;
        let writer = Writer::open(session, array.engine(), &self.options);
        let mut writer = writer.map_err(|error| array.failed(error))?;
        for batch in reader {
            let batch = batch.map_err(|error| array.failed(error))?;
            let batch = with_values(&batch, &mut |_| Ok(true), values)?;
            writer.push(&batch).map_err(|error| array.failed(error))?;
            if writer.rows() > self.most {
                return Err(too_many(writer.rows(), self.most));
            }
        }
        finish(array, writer)
    }

    /// Dense arrays: the box around the cells that match, in which these are replaced.
    fn set_box(
        mut self,
        array: &Array,
        schema: &ArraySchema,
        matching: ReadBuilder,
        values: &[NewValue],
    ) -> Result<SetCells> {
        let session = array.context().shared_session();
        let options = ReadOptions {
            order: Some(Order::Row.into()),
            attributes: Some(Vec::new()),
            ..matching.options()?
        };
        let mut places: Vec<Vec<Vec<u8>>> = Vec::new();
        let reader = Reader::open(session, array.engine(), &options);
        for batch in reader.map_err(|error| array.failed(error))? {
            let batch = batch.map_err(|error| array.failed(error))?;
            let rows = (0..batch.rows).map(|row| coordinates(schema, &batch, row));
            places.extend(rows.collect::<Result<Vec<_>, Bug>>()?);
            if places.len() as u64 > self.most {
                return Err(too_many(places.len() as u64, self.most));
            }
        }
        let domain = box_around(schema, &places)?;
        self.options.ranges = ranges_of(&schema.dimensions, &domain);
        self.options.order = Some(WriteOrder::RowMajor);
        let options = ReadOptions {
            order: Some(Order::Row.into()),
            ranges: self.options.ranges.clone(),
            enumeration_codes: true,
            ..ReadOptions::default()
        };
        let reader = Reader::open(session, array.engine(), &options);
        let reader = reader.map_err(|error| array.failed(error))?;
        let writer = Writer::open(session, array.engine(), &self.options);
        let mut writer = writer.map_err(|error| array.failed(error))?;
        // Both come in the same order.
        let mut wanted = places.iter().peekable();
        for batch in reader {
            let batch = batch.map_err(|error| array.failed(error))?;
            let mut is_meant = |row| {
                let place = coordinates(schema, &batch, row)?;
                Ok(wanted.next_if(|wanted| **wanted == place).is_some())
            };
            let mut changed = with_values(&batch, &mut is_meant, values)?;
            changed
                .columns
                .retain(|column| schema.dimension_index(&column.name).is_none());
            writer.push(&changed).map_err(|error| array.failed(error))?;
        }
        if wanted.next().is_some() {
            return Err(
                Bug::new("a cell that matches is not in the box around all that do").into(),
            );
        }
        let cells = places.len() as u64;
        Ok(SetCells {
            cells,
            ..finish(array, writer)?
        })
    }
}

fn too_many(cells: u64, most: u64) -> Error {
    let what = format!("{cells} cells match, and at most {most} may be changed");
    Error::invalid(what).with_hint(format!("to change them all, allow so many: --max {cells}"))
}

fn finish(array: &Array, writer: Writer) -> Result<SetCells> {
    let cells = writer.rows();
    let names = writer.finish().map_err(|error| array.failed(error))?;
    Ok(SetCells {
        cells,
        fragments: names.iter().map(|name| name.as_str().to_owned()).collect(),
    })
}

/// The coordinates of a cell.
fn coordinates(schema: &ArraySchema, batch: &Batch, row: usize) -> Result<Vec<Vec<u8>>, Bug> {
    let cells = schema.dimensions.iter().map(|dimension| {
        let column = batch.column(&dimension.name);
        let cell = column.and_then(|column| column.cell(row));
        let cell = cell.ok_or_else(|| Bug::new("a batch of dense cells without coordinates"))?;
        Ok(cell.to_vec())
    });
    cells.collect()
}

/// The box around cells of a dense array.
fn box_around(schema: &ArraySchema, places: &[Vec<Vec<u8>>]) -> Result<Vec<Range>, Bug> {
    let lost = || Bug::new("a box around no cells");
    let sides = schema
        .dimensions
        .iter()
        .enumerate()
        .map(|(index, dimension)| {
            let along = places.iter().map(|place| place.get(index).ok_or_else(lost));
            let mut side: Option<Range> = None;
            for at in along {
                let at = Bytes::copy_from_slice(at?);
                let one = Range {
                    lo: at.clone(),
                    hi: at,
                };
                side = Some(match side {
                    Some(side) => side.union(dimension.datatype, &one),
                    None => one,
                });
            }
            side.ok_or_else(lost)
        });
    sides.collect()
}
