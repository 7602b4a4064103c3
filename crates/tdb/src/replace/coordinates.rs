use std::collections::HashMap;

use bytes::Bytes;
use tdb_cells::{Batch, value_text};
use tdb_schema::{ArraySchema, Dimension};
use tdb_tile::{Bug, Datatype, Range};

/// Up to so many values of a dimension are asked for one by one, and more as the range around them.
const MOST_RANGES: usize = 64;

/// The places of rows: rows of the same coordinates have the same place.
#[derive(Debug)]
pub(super) struct Places {
    by_key: HashMap<Box<[u8]>, usize>,
    /// The place of each row of each batch.
    batches: Vec<Vec<usize>>,
    /// The first row of each place: its batch, and its number there.
    rows: Vec<(usize, usize)>,
    /// The values of each dimension: all where they are few, else the ends.
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

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The place of each row of a batch.
    pub(super) fn of_batch(&self, batch: usize) -> &[usize] {
        self.batches.get(batch).map_or(&[], Vec::as_slice)
    }

    /// The first row of a place: its batch, and its number there.
    pub(super) fn row_of(&self, place: usize) -> Result<(usize, usize), Bug> {
        self.rows.get(place).copied().ok_or_else(lost)
    }

    /// The first row whose place an earlier row has: its batch, and its number there.
    pub(super) fn first_repeated(&self) -> Option<(usize, usize)> {
        let mut next = 0;
        for (batch, places) in self.batches.iter().enumerate() {
            for (row, place) in places.iter().enumerate() {
                if *place < next {
                    return Some((batch, row));
                }
                next = place.saturating_add(1);
            }
        }
        None
    }

    /// Where a cell lies among them; `key` is memory to work in.
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

    /// Ranges that hold them all.
    pub(super) fn ranges(&self, dimensions: &[Dimension]) -> Vec<(String, Range)> {
        let all = dimensions.iter().zip(&self.sides);
        let ranges = all.flat_map(|(dimension, side)| {
            let name = &dimension.name;
            side.iter().map(move |range| (name.clone(), range.clone()))
        });
        ranges.collect()
    }

    /// Takes the coordinates of a row among the sides.
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

/// The range around all of these.
fn around(datatype: Datatype, ranges: &[Range]) -> Option<Range> {
    let (first, rest) = ranges.split_first()?;
    Some(
        rest.iter()
            .fold(first.clone(), |all, range| all.union(datatype, range)),
    )
}

/// The coordinates of a cell as one key. Zeros of either sign are one coordinate.
fn key_of(schema: &ArraySchema, batch: &Batch, row: usize, key: &mut Vec<u8>) -> Result<(), Bug> {
    key.clear();
    for dimension in &schema.dimensions {
        let cell = batch.column(&dimension.name).and_then(|c| c.cell(row));
        let cell = cell.ok_or_else(lost)?;
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

/// The coordinates of a row, for people.
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
