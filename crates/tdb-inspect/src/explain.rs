//! Explaining a read before any tile is read: which fragments and tiles it needs, and why others are skipped.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::Session;
use tdb_fragment::FragmentIndex;
use tdb_open::Result;
use tdb_query::{ChosenTiles, ReadOptions, Reader};
use tdb_schema::FieldKind;
use tdb_tile::{Bug, Exact};

/// Fragments, tiles, fields and bytes that a read needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// All fragments of the array, in its order.
    pub fragments: Vec<ExplainedFragment>,
    /// Fields that are read.
    pub fields: Vec<ExplainedField>,
}

/// Cost of a read in one fragment. Each tile counts in exactly one of `outside`, `hidden`, `ruled_out` and `read`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedFragment {
    /// Name of the fragment.
    pub name: String,
    /// First and last time at which its cells were written, in milliseconds since 1970.
    pub times: (u64, u64),
    /// Tiles without a cell in the ranges.
    pub outside: u64,
    /// Tiles of a dense array that newer fragments cover completely.
    pub hidden: u64,
    /// Tiles in which no cell meets the condition, as their statistics prove.
    pub ruled_out: u64,
    /// Tiles to read.
    pub read: u64,
    /// Upper bound of the bytes of the tiles to read.
    pub bytes: u64,
}

/// Cost of a read for one field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedField {
    /// Name of the field.
    pub name: String,
    /// True if the condition tests the field. Such fields are read first; others are not read for tiles without a
    /// match.
    pub is_tested: bool,
    /// Upper bound of the bytes to read for the field, with offsets and validity.
    pub bytes: u64,
}

impl Explanation {
    /// Explains a read of an array.
    ///
    /// # Errors
    /// As for the read, up to its first cells.
    pub fn of(session: &Session, array: &Arc<Array>, options: &ReadOptions) -> Result<Self> {
        let reader = Reader::open(session, array, options)?;
        let chosen = reader.chosen_tiles()?;
        let array = reader.array();
        let fields = fields(array, options, &chosen)?;
        let chosen: HashMap<FragmentIndex, ChosenTiles> = chosen
            .into_iter()
            .map(|chosen| (chosen.fragment, chosen))
            .collect();
        let fragments = array.numbered_fragments().map(|(index, fragment)| {
            let tiles = fragment.metadata.tile_count();
            let chosen = chosen.get(&index);
            let of = |number: fn(&ChosenTiles) -> u64| chosen.map_or(0, number);
            let (hidden, ruled_out) = (of(|c| c.hidden), of(|c| c.ruled_out));
            let (mut read, mut bytes) = (
                of(|c| c.tiles),
                of(|c| c.bytes.iter().map(|(_, bytes)| bytes).sum()),
            );
            // Sparse fragments of a dense array, as early releases wrote them, are not among the chosen ones: they are
            // read in full before anything else is known.
            if array.schema().is_dense() && !fragment.metadata.dense {
                (read, bytes) = (tiles, fragment.metadata.data_size());
            }
            let met = hidden.exact_add(ruled_out)?.exact_add(read)?;
            Ok(ExplainedFragment {
                name: fragment.name.as_str().to_owned(),
                times: fragment.timestamps(),
                outside: tiles.exact_sub(met)?,
                hidden,
                ruled_out,
                read,
                bytes,
            })
        });
        Ok(Self {
            fragments: fragments.collect::<Result<_>>()?,
            fields,
        })
    }

    /// Returns the number of tiles of all fragments.
    #[must_use]
    pub fn tiles(&self) -> u64 {
        let each = |f: &ExplainedFragment| [f.outside, f.hidden, f.ruled_out, f.read];
        self.fragments.iter().flat_map(each).sum()
    }

    /// Returns the number of tiles to read.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.fragments.iter().map(|fragment| fragment.read).sum()
    }

    /// Returns an upper bound of the number of bytes to read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.fragments.iter().map(|fragment| fragment.bytes).sum()
    }
}

/// Returns the cost of each field, fields tested by the condition first.
fn fields(
    array: &Array,
    options: &ReadOptions,
    chosen: &[ChosenTiles],
) -> Result<Vec<ExplainedField>, Bug> {
    let schema = array.schema();
    let points = options.points.iter().flat_map(|points| points.dimensions());
    let mut tested: Vec<&str> = points.map(|dimension| &*dimension.name).collect();
    tested.extend(options.condition.iter().flat_map(|c| c.fields()));
    let mut fields: Vec<(FieldKind, u64)> = Vec::new();
    for (kind, bytes) in chosen.iter().flat_map(|chosen| &chosen.bytes) {
        match fields.iter_mut().find(|(known, _)| known == kind) {
            Some((_, sum)) => *sum = sum.exact_add(*bytes)?,
            None => fields.push((*kind, *bytes)),
        }
    }
    let explained = fields.into_iter().map(|(kind, bytes)| {
        let field = schema.field_of(kind);
        // After the attributes of the schema come attributes that only deletes of earlier schemas refer to.
        let name = field.map_or("attribute of an earlier schema", |field| field.name);
        ExplainedField {
            name: name.to_owned(),
            is_tested: tested.contains(&name),
            bytes,
        }
    });
    let mut fields: Vec<ExplainedField> = explained.collect();
    fields.sort_by_key(|field| !field.is_tested);
    Ok(fields)
}
