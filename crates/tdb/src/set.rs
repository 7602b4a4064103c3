//! Cells' values in place.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::NameSource;
use tdb_cells::{Batch, Column};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::names::UnknownName;
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, Attribute, CellValNum};
use tdb_tile::{Bug, Code, Range};
use tdb_write::{Duplicates, WriteOptions, WriteOrder, Writer};

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
            options: WriteOptions::default(),
        }
    }
}

impl SetBuilder {
    /// The value of an attribute; of an enumerated one the label, of several numbers a text such as `[1, 2, 3]`.
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
                Some(value) => Some(stored(array, attribute, value)?),
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

/// What an attribute gets: `None` is null.
#[derive(Clone, Debug)]
struct NewValue {
    attribute: String,
    bytes: Option<Bytes>,
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

/// The stored form of a cell of an attribute.
fn stored(array: &Array, attribute: &Attribute, value: &Value) -> Result<Bytes> {
    let name = &attribute.name;
    let what = format!("attribute {name:?}");
    if let Some(labels) = &attribute.enumeration {
        let labels = array.engine().newest_enumeration(labels);
        let labels = labels.map_err(|error| array.failed(error))?;
        let label = value.stored(labels.datatype(), false, &what)?;
        let index = labels.index_of(&label).ok_or_else(|| {
            let known = labels
                .iter()
                .filter_map(|label| std::str::from_utf8(label).ok());
            let text = String::from_utf8_lossy(&label);
            Error::from(UnknownName::new("label", &text, known))
        })?;
        let bytes = (index as u64).to_le_bytes();
        let size = attribute.datatype.size();
        return Ok(Bytes::copy_from_slice(bytes.get(..size).unwrap_or(&bytes)));
    }
    let is_one = attribute.cell_val_num == CellValNum::Fixed(1) || holds_bytes(attribute.datatype);
    let bytes = match value {
        Value::Text(text) if !is_one => list(attribute, text, &what)?,
        value => value.stored(attribute.datatype, false, &what)?,
    };
    let wanted = match attribute.cell_val_num {
        CellValNum::Fixed(count) => attribute.datatype.size().saturating_mul(count as usize),
        CellValNum::Var => bytes.len(),
    };
    if bytes.len() != wanted {
        let (found, datatype) = (bytes.len(), attribute.datatype.name());
        return Err(Error::invalid(format!(
            "{what}: cells have {wanted} bytes of {datatype}, and {found} are given"
        )));
    }
    Ok(bytes.into())
}

/// Several numbers: `[1, 2, 3]`.
fn list(attribute: &Attribute, text: &str, what: &str) -> Result<Vec<u8>> {
    let within = text.trim().strip_prefix('[');
    let within = within.and_then(|text| text.strip_suffix(']'));
    let within = within.ok_or_else(|| {
        Error::invalid(format!(
            "{what}: a list of numbers is wanted, like [1, 2, 3]"
        ))
    })?;
    let mut bytes = Vec::new();
    for number in within.split(',').filter(|number| !number.trim().is_empty()) {
        let number = Value::from(number.trim());
        bytes.extend(number.stored(attribute.datatype, false, what)?);
    }
    Ok(bytes)
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

/// The cells of a batch, those that are meant with new values.
fn with_values(
    batch: &Batch,
    is_meant: &mut dyn FnMut(usize) -> Result<bool, Bug>,
    values: &[NewValue],
) -> Result<Batch, Bug> {
    let meant = (0..batch.rows).map(is_meant);
    let meant = meant.collect::<Result<Vec<bool>, Bug>>()?;
    let columns = batch.columns.iter().map(|column| {
        let value = values
            .iter()
            .rev()
            .find(|value| value.attribute == column.name);
        match value {
            Some(value) => replaced(column, &meant, value.bytes.as_deref()),
            None => Ok(column.clone()),
        }
    });
    Ok(Batch {
        rows: batch.rows,
        columns: columns.collect::<Result<_, Bug>>()?,
    })
}

/// A column in which some cells have another value.
fn replaced(column: &Column, meant: &[bool], value: Option<&[u8]>) -> Result<Column, Bug> {
    let (mut values, mut offsets) = (Vec::new(), vec![0_u64]);
    let mut validity = vec![0_u8; meant.len().div_ceil(8)];
    for (row, is_meant) in meant.iter().enumerate() {
        let cell = column.cell(row);
        let cell = cell.ok_or_else(|| Bug::new("a column has fewer cells than its batch"))?;
        let (cell, is_valid) = match (is_meant, value) {
            (false, _) => (cell, column.is_valid(row)),
            (true, Some(value)) => (value, true),
            // Of a null cell of fixed size, something stands in its place.
            (true, None) if column.offsets.is_none() => (cell, false),
            (true, None) => (&[][..], false),
        };
        values.extend_from_slice(cell);
        offsets.push(values.len() as u64);
        if let Some(byte) = validity.get_mut(row / 8) {
            *byte |= u8::from(is_valid) << (row % 8);
        }
    }
    let offsets: Vec<u8> = offsets.iter().flat_map(|at| at.to_le_bytes()).collect();
    Ok(Column {
        values: values.into(),
        offsets: column.offsets.is_some().then(|| offsets.into()),
        validity: column.nullable.then(|| validity.into()),
        ..column.clone()
    })
}
