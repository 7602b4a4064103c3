//! The number of cells of an array, as far as it is known without reading them.

use serde_json::{Map, Value as Json, json};
use tdb::engine::aggregate::known_count;
use tdb::engine::array::{Array, Fragment};
use tdb::engine::tile::Exact;

use crate::failure::Failure;
use crate::paint::{count, plural};

/// Cell counts of an array.
#[derive(Debug)]
pub(crate) struct CellNumbers {
    /// Length of each dimension, for dense arrays.
    pub(crate) shape: Option<Vec<u64>>,
    /// Cells stored in all fragments; for dense arrays, all cells of the space tiles that the fragments touch.
    pub(crate) stored: u64,
    fragments: u64,
    pub(crate) tiles: u64,
    /// True if a read returns exactly the stored cells, each once.
    is_exact: bool,
}

impl CellNumbers {
    pub(crate) fn of(array: &Array) -> Result<Self, Failure> {
        let schema = array.schema();
        let fragments = array.fragments();
        let sum = |of: fn(&Fragment) -> u64| {
            let mut numbers = fragments.iter().map(of);
            numbers.try_fold(0_u64, |sum, number| sum.exact_add(number))
        };
        let shape = (schema.is_dense()).then(|| tdb::shape_of_box(schema, &[]));
        Ok(Self {
            shape: shape.transpose()?,
            stored: sum(|fragment| fragment.metadata.cell_count())?,
            fragments: fragments.len() as u64,
            tiles: sum(|fragment| fragment.metadata.tile_count())?,
            is_exact: !schema.is_dense() && known_count(array.snapshot()).is_some(),
        })
    }

    /// Number of cells that a full read returns, if known.
    pub(crate) fn read(&self) -> Option<u64> {
        match &self.shape {
            Some(sides) => sides
                .iter()
                .try_fold(1_u64, |all, side| all.checked_mul(*side)),
            None => self.is_exact.then_some(self.stored),
        }
    }

    /// The counts as JSON members.
    pub(crate) fn json(&self) -> Map<String, Json> {
        let facts = [
            ("shape", json!(self.shape)),
            ("cells", json!(self.read())),
            ("stored_cells", json!(self.stored)),
        ];
        facts
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect()
    }

    /// Short form for tables: `2,000 x 3,000`, `1,234`, `1,234 stored`.
    pub(crate) fn short(&self) -> String {
        match &self.shape {
            Some(sides) => sides_text(sides),
            None if self.is_exact => count(self.stored),
            None => format!("{} stored", count(self.stored)),
        }
    }

    /// Long form, as one line of a summary.
    pub(crate) fn text(&self) -> String {
        let fragments = plural(self.fragments, "fragment");
        let tiles = plural(self.tiles, "tile");
        let stored = count(self.stored);
        match (&self.shape, self.fragments) {
            (None, 0) => "none written".to_owned(),
            (None, _) if self.is_exact => format!("{stored} in {fragments}, {tiles}"),
            (None, _) => format!("{stored} stored in {fragments}, {tiles}"),
            (Some(sides), 0) => format!("{}; none written", self.shape_text(sides)),
            (Some(sides), _) => format!("{}; {fragments}, {tiles}", self.shape_text(sides)),
        }
    }

    /// Formats a shape with its product: `2,000 x 3,000 = 6,000,000`.
    fn shape_text(&self, sides: &[u64]) -> String {
        let text = sides_text(sides);
        match self.read() {
            Some(all) if sides.len() > 1 => format!("{text} = {}", count(all)),
            _ => text,
        }
    }
}

/// Formats a shape: `2,000 x 3,000`.
fn sides_text(sides: &[u64]) -> String {
    let text: Vec<String> = sides.iter().map(|side| count(*side)).collect();
    text.join(" x ")
}
