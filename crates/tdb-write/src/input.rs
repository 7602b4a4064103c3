//! The cells that are handed in: what they must be, and where they are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use bytes::Bytes;
use tdb_cells::{Batch, CellProblem, CellType, Column, ColumnProblem, unit_size};
use tdb_fragment::ExtraFields;
use tdb_schema::{ArraySchema, Field, FieldKind};
use zerocopy::FromBytes;
use zerocopy::little_endian::U64;

use crate::WriteError;
use crate::tile::position;

/// The cells of one field, found to fit it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    pub(crate) values: Bytes,
    /// Where each cell of a var-sized field begins, and the end.
    offsets: Option<Bytes>,
    /// One bit per cell, 1 where it is not null; absent where all are valid.
    validity: Option<Bytes>,
    /// Bytes of a cell of fixed size, or of a value.
    pub(crate) size: usize,
    pub(crate) nullable: bool,
}

/// The cells of all fields that are written, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub(crate) rows: usize,
    pub(crate) fields: Vec<Input>,
}

/// The fields that a write takes: of sparse arrays dimensions, then attributes; of dense ones attributes.
pub(crate) fn written_fields(schema: &ArraySchema) -> Vec<FieldKind> {
    let is_dense = schema.is_dense();
    let fields = schema.fields().map(|field| field.kind);
    fields
        .filter(|kind| !is_dense || matches!(kind, FieldKind::Attribute(_)))
        .collect()
}

/// The fields that say of cells when they were written and deleted.
pub(crate) fn extra_fields(extra: ExtraFields) -> impl Iterator<Item = FieldKind> {
    let times = extra.timestamps.then_some(FieldKind::Timestamps);
    let deletes = [FieldKind::DeleteTimestamps, FieldKind::DeleteConditionIndex];
    let deletes = extra.deletes.then_some(deletes);
    times.into_iter().chain(deletes.into_iter().flatten())
}

impl Input {
    pub(crate) fn is_var(&self) -> bool {
        self.offsets.is_some()
    }

    /// Where cells of a var-sized field begin, and the end.
    pub(crate) fn offsets(&self) -> &[U64] {
        let offsets = self.offsets.as_deref().unwrap_or_default();
        <[U64]>::ref_from_bytes(offsets).unwrap_or_default()
    }

    /// The bytes of a cell.
    pub(crate) fn cell(&self, row: usize) -> &[u8] {
        let bytes = match self.offsets() {
            [] => row.saturating_mul(self.size)..(row + 1).saturating_mul(self.size),
            offsets => {
                let at = |row: usize| offsets.get(row).map_or(usize::MAX, |o| position(o.get()));
                at(row)..at(row + 1)
            }
        };
        self.values.get(bytes).unwrap_or_default()
    }

    /// The bytes of these cells together.
    pub(crate) fn bytes(&self, rows: &Range<usize>) -> &[u8] {
        let bytes = match self.offsets() {
            [] => rows.start.saturating_mul(self.size)..rows.end.saturating_mul(self.size),
            offsets => {
                let at = |row: usize| offsets.get(row).map_or(usize::MAX, |o| position(o.get()));
                at(rows.start)..at(rows.end)
            }
        };
        self.values.get(bytes).unwrap_or_default()
    }

    /// Whether no cell is null, for all that is known.
    pub(crate) fn is_all_valid(&self) -> bool {
        self.validity.is_none()
    }

    pub(crate) fn is_valid(&self, row: usize) -> bool {
        self.validity.as_ref().is_none_or(|bits| {
            bits.get(row / 8)
                .is_some_and(|byte| byte >> (row % 8) & 1 == 1)
        })
    }

    /// Other cells of the same field: values, where each cell begins if they vary in size, and a byte
    /// for each, 0 where it is null, if they can be.
    pub(crate) fn with(&self, values: Vec<u8>, starts: Vec<u64>, validity: &[u8]) -> Self {
        let end = values.len() as u64;
        let offsets = starts.into_iter().chain([end]).flat_map(u64::to_le_bytes);
        let is_null = |valid: &u8| *valid == 0;
        let bits = validity.chunks(8).map(|cells| {
            let valid = cells
                .iter()
                .enumerate()
                .filter(|(_, valid)| !is_null(valid));
            valid.fold(0_u8, |byte, (bit, _)| byte | 1 << bit)
        });
        Self {
            offsets: self.is_var().then(|| offsets.collect()),
            validity: validity.iter().any(is_null).then(|| bits.collect()),
            values: values.into(),
            size: self.size,
            nullable: self.nullable,
        }
    }

    /// Values, offsets and validity, as far as they are there.
    pub(crate) fn parts(&self) -> [Option<&Bytes>; 3] {
        [
            Some(&self.values),
            self.offsets.as_ref(),
            self.validity.as_ref(),
        ]
    }

    /// The other way round.
    pub(crate) fn of_parts(field: &Field<'_>, parts: [Option<Bytes>; 3]) -> Self {
        let [values, offsets, validity] = parts;
        Self {
            values: values.unwrap_or_default(),
            offsets,
            validity,
            size: unit_size(field),
            nullable: field.nullable,
        }
    }

    /// Bytes in memory, as far as they are cells.
    pub(crate) fn size_in_memory(&self) -> usize {
        let len = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        self.values.len() + len(&self.offsets) + len(&self.validity)
    }
}

impl Cells {
    /// The cells of a batch, in the order of `fields`; `first` is the number of the first cell.
    pub(crate) fn check(
        schema: &ArraySchema,
        fields: &[FieldKind],
        batch: &Batch,
        first: u64,
    ) -> Result<Self, WriteError> {
        let views: Vec<Field<'_>> = fields.iter().filter_map(|k| schema.field_of(*k)).collect();
        let names: HashSet<&str> = views.iter().map(|field| field.name).collect();
        let mut columns: HashMap<&str, Vec<&Column>> = HashMap::new();
        for column in &batch.columns {
            columns.entry(&column.name).or_default().push(column);
            if !names.contains(column.name.as_str()) {
                let known: Vec<&str> = views.iter().map(|field| field.name).collect();
                return Err(WriteError::invalid_with_hint(
                    format!("there is no field {:?} to write", column.name),
                    format!("the fields are {}", known.join(", ")),
                ));
            }
        }
        let inputs = views.iter().map(|field| {
            let named = columns.get(field.name).map_or(&[][..], Vec::as_slice);
            let column = match named {
                [] => Err(ColumnProblem::Missing),
                [column] => Ok(*column),
                _ => Err(ColumnProblem::Twice),
            };
            let problem = |problem| WriteError::Column {
                field: field.name.to_owned(),
                problem,
            };
            let column = column.map_err(problem)?;
            check_shape(field, column, batch.rows).map_err(problem)?;
            check_cells(field, column, batch.rows).map_err(|(cell, problem)| WriteError::Cell {
                field: field.name.to_owned(),
                cell: first.saturating_add(cell as u64),
                problem,
            })?;
            Ok(Input {
                values: column.values.clone(),
                offsets: column.offsets.clone(),
                validity: column.validity.clone().filter(|_| field.nullable),
                size: unit_size(field),
                nullable: field.nullable,
            })
        });
        Ok(Self {
            rows: batch.rows,
            fields: inputs.collect::<Result<_, WriteError>>()?,
        })
    }

    /// Bytes in memory, as far as they are cells.
    pub(crate) fn size_in_memory(&self) -> usize {
        self.fields.iter().map(Input::size_in_memory).sum()
    }

    /// These cells of several, one behind the other: a copy.
    pub(crate) fn join(parts: &[(&Self, Range<usize>)]) -> Self {
        let count = parts.first().map_or(0, |(cells, _)| cells.fields.len());
        let field = |field: usize| {
            let inputs = parts.iter().filter_map(|(cells, rows)| {
                let input = cells.fields.get(field)?;
                Some((input, rows.clone()))
            });
            join_inputs(&inputs.collect::<Vec<_>>())
        };
        Self {
            rows: parts.iter().map(|(_, rows)| rows.len()).sum(),
            fields: (0..count).map(field).collect(),
        }
    }
}

fn join_inputs(parts: &[(&Input, Range<usize>)]) -> Input {
    let Some((first, _)) = parts.first() else {
        return Input::default();
    };
    let sizes = parts.iter().map(|(part, rows)| part.bytes(rows).len());
    let mut values = Vec::with_capacity(sizes.sum());
    let mut offsets = Vec::new();
    for (part, rows) in parts {
        if part.is_var() {
            let base = values.len() as u64;
            let starts = part.offsets().get(rows.clone()).unwrap_or_default();
            let first = starts.first().map_or(0, |o| o.get());
            for start in starts {
                offsets.extend_from_slice(&(start.get() - first + base).to_le_bytes());
            }
        }
        values.extend_from_slice(part.bytes(rows));
    }
    if first.is_var() {
        offsets.extend_from_slice(&(values.len() as u64).to_le_bytes());
    }
    let is_all_valid = parts.iter().all(|(part, _)| part.is_all_valid());
    Input {
        values: values.into(),
        offsets: first.is_var().then(|| offsets.into()),
        validity: (!is_all_valid).then(|| join_validity(parts)),
        size: first.size,
        nullable: first.nullable,
    }
}

fn join_validity(parts: &[(&Input, Range<usize>)]) -> Bytes {
    let cells = || {
        parts
            .iter()
            .flat_map(|(part, rows)| rows.clone().map(|row| part.is_valid(row)))
    };
    let mut bits = Vec::new();
    for (row, valid) in cells().enumerate() {
        if row % 8 == 0 {
            bits.push(0_u8);
        }
        if let Some(byte) = bits.last_mut() {
            *byte |= u8::from(valid) << (row % 8);
        }
    }
    bits.into()
}

fn check_shape(field: &Field<'_>, column: &Column, rows: usize) -> Result<(), ColumnProblem> {
    let wanted = CellType(field.datatype, field.cell_val_num);
    let found = CellType(column.datatype, column.cell_val_num);
    if wanted != found {
        return Err(ColumnProblem::Type { wanted, found });
    }
    let length = |what, wanted: usize, found: usize| match wanted == found {
        true => Ok(()),
        false => Err(ColumnProblem::Length {
            what,
            wanted: wanted as u64,
            found: found as u64,
        }),
    };
    match (&column.offsets, field.is_var()) {
        (Some(offsets), true) => {
            length(
                "offsets",
                rows.saturating_add(1).saturating_mul(8),
                offsets.len(),
            )?;
        }
        (None, false) => {
            length(
                "values",
                rows.saturating_mul(unit_size(field)),
                column.values.len(),
            )?;
        }
        (_, wanted) => return Err(ColumnProblem::Offsets { wanted }),
    }
    match &column.validity {
        Some(bits) if bits.len() < rows.div_ceil(8) => {
            length("validity", rows.div_ceil(8), bits.len())
        }
        _ => Ok(()),
    }
}

/// Fails with the first cell that does not fit its field.
fn check_cells(
    field: &Field<'_>,
    column: &Column,
    rows: usize,
) -> Result<(), (usize, CellProblem)> {
    if !field.nullable
        && column.validity.is_some()
        && let Some(row) = (0..rows).find(|row| !column.is_valid(*row))
    {
        return Err((row, CellProblem::Null));
    }
    if !field.is_var() {
        return Ok(());
    }
    let size = column.values.len() as u64;
    let unit = field.datatype.size() as u64;
    let offsets = column.offset_values();
    for (row, ends) in offsets.windows(2).enumerate() {
        let [start, end] = ends else { continue };
        let (start, end) = (start.get(), end.get());
        if start > end || end > size {
            return Err((row, CellProblem::Offsets { start, end, size }));
        }
        let len = end - start;
        if unit > 1 && !len.is_multiple_of(unit) {
            return Err((row, CellProblem::Fraction { len, size: unit }));
        }
    }
    Ok(())
}
