use std::collections::HashMap;

use bytes::Bytes;
use tdb_cells::{Batch, value_text};
use tdb_schema::{ArraySchema, Dimension};
use tdb_tile::{Bug, Datatype, Range};

/// Up to this number of values per dimension are read as single ranges; more are read as their bounding range.
const MOST_RANGES: usize = 64;

/// The distinct places of rows: rows with equal coordinates have the same place.
#[derive(Debug)]
pub(super) struct Places {
    by_key: HashMap<Box<[u8]>, usize>,
    /// Place of each row, by batch.
    batches: Vec<Vec<usize>>,
    /// First row of each place: batch number, and row number in the batch.
    rows: Vec<(usize, usize)>,
    /// For each dimension, a range per value if there are few values, otherwise their bounding range.
    sides: Vec<Vec<Range>>,
}

impl Places {
    pub(super) fn of(schema: &ArraySchema, batches: &[Batch]) -> Result<Self, Bug> {
        let mut places = Self {
            by_key: HashMap::new(),
            batches: Vec::with_capacity(batches.len()),
            rows: Vec::new(),
            sides: vec![Vec::new(); schema.dimensions.len()],
        };
        let mut key = Vec::new();
        for (number, batch) in batches.iter().enumerate() {
            let mut of_batch = Vec::with_capacity(batch.rows);
            for row in 0..batch.rows {
                key_of(schema, batch, row, &mut key)?;
                let new = places.rows.len();
                let place = match places.by_key.get(&key[..]) {
                    Some(place) => *place,
                    None => {
                        places.by_key.insert(key[..].into(), new);
                        places.rows.push((number, row));
                        places.reach(schema, batch, row)?;
                        new
                    }
                };
                of_batch.push(place);
            }
            places.batches.push(of_batch);
        }
        Ok(places)
    }

    /// Returns the number of places.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the place of each row of a batch.
    pub(super) fn of_batch(&self, batch: usize) -> &[usize] {
        self.batches.get(batch).map_or(&[], Vec::as_slice)
    }

    /// Returns the first row of a place: batch number, and row number in the batch.
    pub(super) fn row_of(&self, place: usize) -> Result<(usize, usize), Bug> {
        self.rows.get(place).copied().ok_or_else(lost)
    }

    /// Returns the first row whose place an earlier row has too: batch number, and row number in the batch.
    pub(super) fn first_repeated(&self) -> Option<(usize, usize)> {
        let mut next = 0;
        for (batch, places) in self.batches.iter().enumerate() {
            for (row, place) in places.iter().enumerate() {
                if *place < next {
                    return Some((batch, row));
                }
                next = place + 1;
            }
        }
        None
    }

    /// Returns the place of a cell, if a row has the same coordinates; `key` is scratch memory.
    pub(super) fn place(
        &self,
        schema: &ArraySchema,
        batch: &Batch,
        row: usize,
        key: &mut Vec<u8>,
    ) -> Result<Option<usize>, Bug> {
        key_of(schema, batch, row, key)?;
        Ok(self.by_key.get(&key[..]).copied())
    }

    /// Returns ranges that contain all places.
    pub(super) fn ranges(&self, dimensions: &[Dimension]) -> Vec<(String, Range)> {
        let all = dimensions.iter().zip(&self.sides);
        let ranges = all.flat_map(|(dimension, side)| {
            let name = &dimension.name;
            side.iter().map(move |range| (name.clone(), range.clone()))
        });
        ranges.collect()
    }

    /// Adds the coordinates of a row to `sides`.
    fn reach(&mut self, schema: &ArraySchema, batch: &Batch, row: usize) -> Result<(), Bug> {
        for (dimension, side) in schema.dimensions.iter().zip(&mut self.sides) {
            let cell = batch.column(&dimension.name).and_then(|c| c.cell(row));
            let value = cell.ok_or_else(lost)?;
            let datatype = dimension.datatype;
            let holds = |range: &Range| range.contains(datatype, value);
            if side.iter().any(holds) {
                continue;
            }
            let value = Bytes::copy_from_slice(value);
            side.push(Range {
                lo: value.clone(),
                hi: value,
            });
            if side.len() > MOST_RANGES {
                *side = around(datatype, side).into_iter().collect();
            }
        }
        Ok(())
    }
}

/// Returns the bounding range of several ranges; `None` if there are none.
fn around(datatype: Datatype, ranges: &[Range]) -> Option<Range> {
    let (first, rest) = ranges.split_first()?;
    Some(
        rest.iter()
            .fold(first.clone(), |all, range| all.union(datatype, range)),
    )
}

/// Encodes the coordinates of a cell as a hash key. Zeros of either sign have the same key.
fn key_of(schema: &ArraySchema, batch: &Batch, row: usize, key: &mut Vec<u8>) -> Result<(), Bug> {
    key.clear();
    for dimension in &schema.dimensions {
        let cell = batch
            .column(&dimension.name)
            .and_then(|c| c.cell(row))
            .ok_or_else(lost)?;
        if dimension.cell_val_num.is_var() {
            key.extend((cell.len() as u64).to_le_bytes());
        }
        match dimension.datatype {
            Datatype::Float32 if cell == (-0.0_f32).to_le_bytes() => key.extend([0; 4]),
            Datatype::Float64 if cell == (-0.0_f64).to_le_bytes() => key.extend([0; 8]),
            _ => key.extend_from_slice(cell),
        }
    }
    Ok(())
}

/// Describes the coordinates of a row for messages.
pub(crate) fn place_text(schema: &ArraySchema, batch: &Batch, row: usize) -> String {
    let sides = schema.dimensions.iter().filter_map(|dimension| {
        let cell = batch.column(&dimension.name)?.cell(row)?;
        let text = value_text(dimension.datatype, dimension.cell_val_num, cell);
        Some(format!("{} = {text}", dimension.name))
    });
    sides.collect::<Vec<_>>().join(", ")
}

pub(super) fn lost() -> Bug {
    Bug::new("a row that replaces a cell is not there")
}
