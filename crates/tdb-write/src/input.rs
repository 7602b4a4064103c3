//! The input cells of a write, by field.

mod check;

use std::ops::Range;

use bytes::Bytes;
use tdb_cells::unit_size;
use tdb_fragment::ExtraFields;
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::{Bug, Exact};
use zerocopy::FromBytes;
use zerocopy::little_endian::U64;

/// The cells of one field, validated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    pub(crate) values: Bytes,
    /// Start of each cell of a var-sized field, and the end of the last; little-endian `u64`.
    offsets: Option<Bytes>,
    /// One bit per cell, 1 if it is not null; `None` if all cells are valid.
    validity: Option<Bytes>,
    /// Bytes of a cell of fixed size, or of one value of a var-sized field.
    pub(crate) size: usize,
    pub(crate) nullable: bool,
}

/// The validated cells of all fields that are written, in the order of the fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckedCells {
    pub(crate) rows: usize,
    pub(crate) fields: Vec<Input>,
}

/// The fields that a write stores: dimensions and attributes of a sparse array, attributes of a dense one.
pub(crate) fn written_fields(schema: &ArraySchema) -> Vec<FieldKind> {
    let is_dense = schema.is_dense();
    let fields = schema.fields().map(|field| field.kind);
    fields
        .filter(|kind| !is_dense || matches!(kind, FieldKind::Attribute(_)))
        .collect()
}

/// Looks up these fields in the schema.
pub(crate) fn fields_of<'a>(
    schema: &'a ArraySchema,
    kinds: &[FieldKind],
) -> Result<Vec<Field<'a>>, Bug> {
    let field = |kind: &FieldKind| {
        let field = schema.field_of(*kind);
        field.ok_or_else(|| Bug::new("a field that is to be written is not in the schema"))
    };
    kinds.iter().map(field).collect()
}

/// The optional fields for timestamps and deletions of cells.
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

    /// Offsets of the cells of a var-sized field, including the end of the last; empty for other fields.
    pub(crate) fn offsets(&self) -> Result<&[U64], Bug> {
        let Some(offsets) = self.offsets.as_deref() else {
            return Ok(&[]);
        };
        let offsets = <[U64]>::ref_from_bytes(offsets);
        offsets.map_err(|_| Bug::new("offsets of cells end within one"))
    }

    /// The bytes of a cell.
    pub(crate) fn cell(&self, row: usize) -> Result<&[u8], Bug> {
        self.bytes(&(row..row.exact_add(1)?))
    }

    /// The bytes of these cells.
    pub(crate) fn bytes(&self, rows: &Range<usize>) -> Result<&[u8], Bug> {
        self.values.get(self.range(rows)?).ok_or_else(not_there)
    }

    /// Byte range of these cells in the values.
    pub(crate) fn range(&self, rows: &Range<usize>) -> Result<Range<usize>, Bug> {
        let range = if self.is_var() {
            let offsets = self.offsets()?;
            let at = |row: usize| usize::try_from(offsets.get(row)?.get()).ok();
            at(rows.start).zip(at(rows.end))
        } else {
            let at = |row: usize| row.checked_mul(self.size);
            at(rows.start).zip(at(rows.end))
        };
        range.map(|(start, end)| start..end).ok_or_else(not_there)
    }

    /// Offsets of these var-sized cells, relative to the first of them.
    pub(crate) fn starts(&self, rows: &Range<usize>) -> Result<impl Iterator<Item = u64>, Bug> {
        let starts = self
            .offsets()?
            .get(rows.clone())
            .ok_or_else(|| Bug::new("cells that are to be written lack offsets"))?;
        let mut first = None;
        Ok(starts.iter().map(move |start| {
            let start = start.get();
            // Cannot underflow, because offsets ascend.
            start - *first.get_or_insert(start)
        }))
    }

    /// Whether all cells are known to be valid without counting.
    pub(crate) fn is_all_valid(&self) -> bool {
        self.validity.is_none()
    }

    pub(crate) fn is_valid(&self, row: usize) -> Result<bool, Bug> {
        let Some(bits) = &self.validity else {
            return Ok(true);
        };
        match bits.get(row / 8) {
            Some(byte) => Ok(byte >> (row % 8) & 1 == 1),
            None => Err(Bug::new("a cell that is to be written has no validity")),
        }
    }

    /// Appends one byte for each of these cells: 0 if it is null, else 1.
    pub(crate) fn add_validity(&self, rows: &Range<usize>, out: &mut Vec<u8>) -> Result<(), Bug> {
        let Some(bits) = &self.validity else {
            out.resize(out.len().exact_add(rows.len())?, 1);
            return Ok(());
        };
        let bytes = bits
            .get(rows.start / 8..rows.end.div_ceil(8))
            .ok_or_else(|| Bug::new("cells that are to be written have no validity"))?;
        let bits = bytes
            .iter()
            .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1));
        out.extend(bits.skip(rows.start % 8).take(rows.len()));
        Ok(())
    }

    /// Whether values, offsets and validity have the right lengths for this number of cells, and offsets ascend.
    fn has_rows(&self, rows: usize) -> bool {
        let has_values = match self.offsets() {
            Err(_) => false,
            Ok(_) if !self.is_var() => rows.checked_mul(self.size) == Some(self.values.len()),
            Ok(offsets) => {
                let in_order = offsets
                    .array_windows()
                    .all(|[start, end]| start.get() <= end.get());
                let end = offsets.last().map(|end| end.get());
                let count = rows.checked_add(1);
                in_order && count == Some(offsets.len()) && end <= Some(self.values.len() as u64)
            }
        };
        let validity = self.validity.as_ref();
        has_values && validity.is_none_or(|bits| bits.len() >= rows.div_ceil(8))
    }

    /// Creates other cells of the same field from values, offsets of var-sized cells, and, for a nullable field, one
    /// validity byte per cell (0 for null).
    pub(crate) fn with(&self, values: Vec<u8>, starts: Vec<u64>, validity: &[u8]) -> Self {
        let end = values.len() as u64;
        let offsets = starts.into_iter().chain([end]).flat_map(u64::to_le_bytes);
        Self {
            offsets: self.is_var().then(|| offsets.collect()),
            validity: validity.contains(&0).then(|| bits(validity)),
            values: values.into(),
            size: self.size,
            nullable: self.nullable,
        }
    }

    /// Creates cells of a field from the arguments of [`Input::with`]; `None` if their number is not `rows`.
    pub(crate) fn of_tile(
        field: &Field<'_>,
        rows: usize,
        values: Vec<u8>,
        starts: Vec<u64>,
        validity: &[u8],
    ) -> Option<Self> {
        let like = Self {
            offsets: field.is_var().then(Bytes::new),
            size: unit_size(field),
            nullable: field.nullable,
            ..Self::default()
        };
        let input = like.with(values, starts, validity);
        input.has_rows(rows).then_some(input)
    }

    /// The values, offsets and validity, as far as they exist.
    pub(crate) fn parts(&self) -> [Option<&Bytes>; 3] {
        [
            Some(&self.values),
            self.offsets.as_ref(),
            self.validity.as_ref(),
        ]
    }

    /// Creates cells from the parts that [`Input::parts`] returns; `None` if the parts do not match the number of
    /// cells.
    pub(crate) fn of_parts(
        field: &Field<'_>,
        rows: usize,
        parts: [Option<Bytes>; 3],
    ) -> Option<Self> {
        let [values, offsets, validity] = parts;
        let input = Self {
            values: values?,
            offsets,
            validity,
            size: unit_size(field),
            nullable: field.nullable,
        };
        (input.is_var() == field.is_var() && input.has_rows(rows)).then_some(input)
    }

    /// Bytes of memory that the cells take.
    pub(crate) fn size_in_memory(&self) -> usize {
        let len = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        self.values.len() + len(&self.offsets) + len(&self.validity)
    }
}

impl CheckedCells {
    /// Bytes of memory that the cells take.
    pub(crate) fn size_in_memory(&self) -> usize {
        self.fields.iter().map(Input::size_in_memory).sum()
    }

    /// The cells of the field at this index.
    pub(crate) fn field(&self, field: usize) -> Result<&Input, Bug> {
        let input = self.fields.get(field);
        input.ok_or_else(|| Bug::new("cells that are to be written lack a field"))
    }

    /// The cells of the first `count` fields.
    pub(crate) fn first_fields(&self, count: usize) -> Result<&[Input], Bug> {
        let inputs = self.fields.get(..count);
        inputs.ok_or_else(|| Bug::new("cells that are to be written lack a field"))
    }

    /// Concatenates ranges of cells from several blocks.
    pub(crate) fn join(parts: &[(&Self, Range<usize>)]) -> Result<Self, Bug> {
        let count = parts.first().map_or(0, |(cells, _)| cells.fields.len());
        let field = |field: usize| {
            let input = |(cells, rows): &(&'_ Self, Range<usize>)| -> Result<_, Bug> {
                Ok((cells.field(field)?.clone(), rows.clone()))
            };
            join_inputs(&parts.iter().map(input).collect::<Result<Vec<_>, Bug>>()?)
        };
        Ok(Self {
            rows: parts.iter().map(|(_, rows)| rows.len()).sum(),
            fields: (0..count).map(field).collect::<Result<_, _>>()?,
        })
    }
}

fn join_inputs(parts: &[(Input, Range<usize>)]) -> Result<Input, Bug> {
    let Some((first, _)) = parts.first() else {
        return Err(Bug::new("a field of no cells"));
    };
    let all: Vec<&[u8]> = parts
        .iter()
        .map(|(part, rows)| part.bytes(rows))
        .collect::<Result<_, _>>()?;
    let mut values = Vec::with_capacity(all.iter().map(|bytes| bytes.len()).sum());
    let mut offsets = Vec::new();
    for ((part, rows), bytes) in parts.iter().zip(all) {
        if part.is_var() != first.is_var() {
            return Err(Bug::new("cells of a field some of which vary in size"));
        }
        if part.is_var() {
            let base = values.len() as u64;
            for start in part.starts(rows)? {
                offsets.extend_from_slice(&(start + base).to_le_bytes());
            }
        }
        values.extend_from_slice(bytes);
    }
    if first.is_var() {
        offsets.extend_from_slice(&(values.len() as u64).to_le_bytes());
    }
    let is_all_valid = parts.iter().all(|(part, _)| part.is_all_valid());
    let validity = (!is_all_valid).then(|| join_validity(parts));
    Ok(Input {
        values: values.into(),
        offsets: first.is_var().then(|| offsets.into()),
        validity: validity.transpose()?,
        size: first.size,
        nullable: first.nullable,
    })
}

fn join_validity(parts: &[(Input, Range<usize>)]) -> Result<Bytes, Bug> {
    let mut valid = Vec::new();
    for (part, rows) in parts {
        part.add_validity(rows, &mut valid)?;
    }
    Ok(bits(&valid))
}

/// Packs one byte per cell into one bit per cell: 0 if the byte is 0.
fn bits(validity: &[u8]) -> Bytes {
    let bits = validity.chunks(8).map(|cells| {
        let valid = cells.iter().enumerate().filter(|(_, valid)| **valid != 0);
        valid.fold(0_u8, |byte, (bit, _)| byte | 1 << bit)
    });
    bits.collect()
}

#[track_caller]
fn not_there() -> Bug {
    Bug::new("cells that are to be written are not there")
}
