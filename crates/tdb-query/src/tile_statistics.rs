//! Stored statistics of tiles, by which a condition rules out some of them.

use std::collections::HashMap;

use tdb_array::{PartsToOpen, Snapshot};
use tdb_cells::TileFacts;
use tdb_condition::Predicate;
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_store::{ByteRange, Piece, Read};
use tdb_tile::{Bug, Limits};

use crate::QueryError;

/// Statistics may take at most 1/SHARE of the memory that is left. Without them a read decodes more tiles, but the
/// result is the same.
const SHARE: u64 = 8;

/// Statistics to read about the fields that a condition tests.
#[derive(Debug, Default)]
pub(crate) struct FactsToOpen {
    fields: Vec<FieldKind>,
    /// Fragments, each with the number of its metadata parts.
    fragments: Vec<(FragmentIndex, usize)>,
    needs: PartsToOpen,
}

/// Statistics of the tiles of fragments.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    fragments: HashMap<FragmentIndex, TileFacts>,
}

impl FactsToOpen {
    /// Lists the statistics of these fields and fragments; none if they would take too much memory.
    pub(crate) fn new(
        array: &Snapshot,
        fields: &[FieldKind],
        fragments: impl Iterator<Item = FragmentIndex>,
    ) -> Result<Self, QueryError> {
        if fields.is_empty() {
            return Ok(Self::default());
        }
        let (mut parts, mut each) = (Vec::new(), Vec::new());
        for index in fragments {
            let stored = array.fragment(index)?.stored();
            let own = TileFacts::parts(array.schema(), stored, fields);
            each.push((index, own.len()));
            parts.extend(own.into_iter().map(|part| (index, part)));
        }
        let needs = array.find_parts(parts)?;
        let lengths = needs.reads().iter().map(|read| match read.range {
            ByteRange::Bounded { len, .. } => len.min(read.limit),
            ByteRange::Whole | ByteRange::From(_) | ByteRange::Tail(_) => read.limit,
        });
        let bytes: u128 = lengths.map(u128::from).sum();
        if bytes > u128::from(array.limits().budget.left() / SHARE) {
            return Ok(Self::default());
        }
        Ok(Self {
            fields: fields.to_vec(),
            fragments: each,
            needs,
        })
    }

    pub(crate) fn reads(&self) -> &[Read] {
        self.needs.reads()
    }

    /// Opens the parts read by [`FactsToOpen::reads`]. If they cannot be decoded, nothing is known of the tiles, and
    /// the result is still right.
    pub(crate) fn open(
        self,
        array: &Snapshot,
        pieces: Vec<Piece>,
        limits: &Limits,
    ) -> Result<Facts, Bug> {
        let mut facts = Facts::default();
        let Ok(opened) = array.open_parts(self.needs, pieces) else {
            return Ok(facts);
        };
        let mut opened = &opened[..];
        for (index, count) in self.fragments {
            let missing = || Bug::new("statistics that were asked for are not there");
            let (own, rest) = opened.split_at_checked(count).ok_or_else(missing)?;
            opened = rest;
            let stored = array.fragment(index)?.stored();
            let own = TileFacts::new(array.schema(), stored, &self.fields, own, limits);
            if !own.is_empty() {
                facts.fragments.insert(index, own);
            }
        }
        Ok(facts)
    }
}

impl Facts {
    /// True if there are no statistics of any tile.
    pub(crate) fn is_empty(&self) -> bool {
        self.fragments.is_empty()
    }

    /// True if no cell of a tile matches the condition. `cells` is the number of cells of the tile.
    pub(crate) fn rule_out(
        &self,
        condition: &Predicate,
        fragment: FragmentIndex,
        tile: TileNumber,
        cells: u64,
    ) -> Result<bool, Bug> {
        match self.fragments.get(&fragment) {
            Some(facts) => condition.rules_out(facts, tile, cells),
            None => Ok(false),
        }
    }
}
