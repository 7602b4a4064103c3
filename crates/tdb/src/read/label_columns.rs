//! Dimension labels as columns of a result: labels are read once, and looked up by the coordinates of each cell.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tdb_cells::{Batch, Column, FieldInfo, Session};
use tdb_open::Result;
use tdb_query::{ReadOptions, Reader};
use tdb_schema::{Attribute, CellValNum, DimensionLabel, FieldKind};
use tdb_tile::{Bug, Grant};

use crate::Array;

/// Approximate bytes per label in memory, in addition to its value and coordinate.
const BYTES_OF_LABEL: u64 = 64;

/// The dimension labels of a read.
#[derive(Debug)]
pub(super) struct LabelColumns {
    shown: Vec<Labels>,
    /// Requested attributes and labels, in order.
    order: Vec<String>,
    /// Dimensions that are read only to look up labels.
    beside: Vec<String>,
    session: Session,
}

/// Values of one label, by the coordinates of its dimension.
#[derive(Debug)]
struct Labels {
    dimension: String,
    field: FieldInfo,
    values: HashMap<Vec<u8>, Bytes>,
    /// Value for coordinates without a label.
    fill: Bytes,
    held: Vec<Grant>,
}

impl LabelColumns {
    /// Removes labels from the requested attributes of a read, and reads their values; `None` if there are none.
    ///
    /// # Errors
    /// Fails if the arrays of the labels cannot be read.
    pub(super) fn take(array: &Array, options: &mut ReadOptions) -> Result<Option<Self>> {
        let schema = array.schema();
        let label_of = |name: &str| {
            let is_field = schema.field(name).is_some();
            let mut labels = schema.labels.iter().filter(|_| !is_field);
            labels.find(|label| label.name == name)
        };
        let Some(names) = &mut options.attributes else {
            return Ok(None);
        };
        let order = names.clone();
        names.retain(|name| label_of(name).is_none());
        if names.len() == order.len() {
            return Ok(None);
        }
        let mut columns = Self {
            shown: Vec::new(),
            beside: Vec::new(),
            session: array.context().shared_session().clone(),
            order,
        };
        for label in columns.order.iter().filter_map(|name| label_of(name)) {
            if columns
                .shown
                .iter()
                .any(|shown| shown.field.name == label.name)
            {
                continue;
            }
            let labels = Labels::read(array, label)?;
            if let Some(dimensions) = &mut options.dimensions
                && !dimensions.contains(&labels.dimension)
            {
                dimensions.push(labels.dimension.clone());
                columns.beside.push(labels.dimension.clone());
            }
            columns.shown.push(labels);
        }
        Ok(Some(columns))
    }

    /// Returns the fields of the result, given those that are read.
    pub(super) fn fields(&self, read: &[FieldInfo]) -> Vec<FieldInfo> {
        let labels: Vec<FieldInfo> = self
            .shown
            .iter()
            .map(|labels| labels.field.clone())
            .collect();
        self.arranged(read, labels, |field| &field.name)
    }

    /// Adds the labels of its cells to a batch.
    pub(super) fn add(&self, batch: &Batch) -> Result<Batch> {
        let labels = self
            .shown
            .iter()
            .map(|labels| labels.of(batch, &self.session))
            .collect::<Result<Vec<Column>>>()?;
        Ok(Batch {
            rows: batch.rows,
            columns: self.arranged(&batch.columns, labels, |column| &column.name),
        })
    }

    /// Orders columns: dimensions first, except those read only for labels, then attributes and labels as requested.
    fn arranged<T: Clone>(
        &self,
        read: &[T],
        labels: Vec<T>,
        name: impl Fn(&T) -> &String,
    ) -> Vec<T> {
        let is_dimension = |one: &&T| !self.order.contains(name(one));
        let dimensions = read
            .iter()
            .filter(is_dimension)
            .filter(|one| !self.beside.contains(name(one)));
        let find = |wanted: &String| {
            let mut all = read.iter().chain(&labels);
            all.find(|one| name(one) == wanted)
        };
        let others = self.order.iter().filter_map(find);
        dimensions.chain(others).cloned().collect()
    }
}

impl Labels {
    fn read(array: &Array, label: &DimensionLabel) -> Result<Self> {
        let schema = array.schema();
        let index = label.dimension as usize;
        let dimension = schema
            .dimensions
            .get(index)
            .ok_or_else(|| Bug::new("a label is of no dimension"))?;
        let stored = array.engine().open_label(label);
        let stored = Arc::new(stored.map_err(|error| array.failed(error))?);
        let mut attributes = stored.schema().attributes.iter();
        let attribute = attributes
            .find(|attribute| attribute.name == label.attribute)
            .ok_or_else(|| Bug::new("a label lacks its own attribute"))?;
        let mut labels = Self {
            dimension: dimension.name.clone(),
            field: field_of(label, attribute, index),
            values: HashMap::new(),
            fill: attribute.fill.clone(),
            held: Vec::new(),
        };
        labels.fill_from(array, &stored, &attribute.name)?;
        Ok(labels)
    }

    /// Reads all written values of the label.
    fn fill_from(
        &mut self,
        array: &Array,
        stored: &Arc<tdb_array::Array>,
        attribute: &str,
    ) -> Result<()> {
        let dimensions = &stored.schema().dimensions;
        let Some(written) = stored.non_empty_domain() else {
            return Ok(());
        };
        let index = dimensions
            .first()
            .map(|dimension| dimension.name.clone())
            .ok_or_else(|| Bug::new("an array of labels has no dimension"))?;
        let options = ReadOptions::default()
            .attributes(Some(vec![attribute.to_owned()]))
            .ranges(
                written
                    .into_iter()
                    .map(|range| (index.clone(), range))
                    .collect(),
            );
        let session = array.context().shared_session();
        let reader = Reader::open(session, stored, &options);
        for batch in reader.map_err(|error| array.failed(error))? {
            let batch = batch.map_err(|error| array.failed(error))?;
            let lacking = || Bug::new("labels were read without their positions");
            let positions = batch.column(&index).ok_or_else(lacking)?;
            let labels = batch.column(attribute).ok_or_else(lacking)?;
            let bytes = labels.values.len().saturating_add(positions.values.len()) as u64;
            let beside = BYTES_OF_LABEL.saturating_mul(batch.rows as u64);
            let budget = &session.limits().budget;
            let held = budget.take(bytes.saturating_add(beside));
            self.held
                .push(held.map_err(|error| array.failed(crate::Error::from(error)))?);
            for row in 0..batch.rows {
                let (position, label) = positions
                    .cell(row)
                    .zip(labels.cell(row))
                    .ok_or_else(lacking)?;
                self.values
                    .insert(position.to_vec(), labels.values.slice_ref(label));
            }
        }
        Ok(())
    }

    /// Looks up the labels for the cells of a batch.
    fn of(&self, batch: &Batch, session: &Session) -> Result<Column> {
        let coordinates = batch.column(&self.dimension);
        let lost = || Bug::new("cells were read without the dimension of a label");
        let coordinates = coordinates.ok_or_else(lost)?;
        let cells = (0..batch.rows)
            .map(|row| {
                let at = coordinates.cell(row).ok_or_else(lost)?;
                Ok(self.values.get(at).unwrap_or(&self.fill))
            })
            .collect::<Result<Vec<&Bytes>, Bug>>()?;
        let mut values = Vec::new();
        let mut offsets = 0_u64.to_le_bytes().to_vec();
        for cell in cells {
            values.extend_from_slice(cell);
            offsets.extend((values.len() as u64).to_le_bytes());
        }
        let is_var = self.field.cell_val_num == CellValNum::Var;
        Ok(Column {
            name: self.field.name.clone(),
            datatype: self.field.datatype,
            cell_val_num: self.field.cell_val_num,
            nullable: false,
            values: aligned(session, &values)?,
            offsets: is_var.then(|| aligned(session, &offsets)).transpose()?,
            validity: None,
            enumeration: None,
        })
    }
}

/// Describes the column of a label, which counts as a field of its dimension.
fn field_of(label: &DimensionLabel, attribute: &Attribute, dimension: usize) -> FieldInfo {
    FieldInfo {
        name: label.name.clone(),
        datatype: attribute.datatype,
        cell_val_num: attribute.cell_val_num,
        nullable: false,
        enumeration: None,
        field: FieldKind::Dimension(dimension),
    }
}

fn aligned(session: &Session, bytes: &[u8]) -> Result<Bytes> {
    let mut buffer = session.buffer(bytes.len())?;
    buffer.as_mut_slice().copy_from_slice(bytes);
    Ok(buffer.freeze())
}
