//! What is stored about the tiles of fragments, by which a condition rules some of them out.

use std::collections::HashMap;

use tdb_array::{PartsToOpen, Snapshot};
use tdb_cells::TileFacts;
use tdb_condition::Predicate;
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_store::{ByteRange, Piece, Read};
use tdb_tile::{Bug, Limits};

use crate::QueryError;

/// What is read of statistics may take one part in so many of the memory that is left: without them a read does more, but
/// gives the same.
const SHARE: u64 = 8;

/// What is to be read about the fields that a condition tests.
#[derive(Debug, Default)]
pub(crate) struct FactsToOpen {
    fields: Vec<FieldKind>,
    /// The fragments, each with how many parts of metadata it takes.
    fragments: Vec<(FragmentIndex, usize)>,
    needs: PartsToOpen,
}

/// What is known of the tiles of fragments.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    fragments: HashMap<FragmentIndex, TileFacts>,
}

impl FactsToOpen {
    /// For these fields of these fragments; nothing where that would take too much memory.
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
        let bytes = lengths.fold(0, u64::saturating_add);
        if bytes > array.limits().budget.left() / SHARE {
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

    /// Opens what [`FactsToOpen::reads`] gave, as far as it is kept with the array; what cannot be understood is passed over.
    pub(crate) fn keep(self, array: &Snapshot, pieces: Vec<Piece>) {
        // Without them, a read gives the same.
        let _ = array.open_parts(self.needs, pieces);
    }

    /// With what [`FactsToOpen::reads`] gave. Of what cannot be understood nothing is known: no cell depends on it.
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
    /// Whether nothing is known of any tile.
    pub(crate) fn is_empty(&self) -> bool {
        self.fragments.is_empty()
    }

    /// Whether no cell of a tile of so many cells fits the condition.
    pub(crate) fn rule_out(
        &self,
        condition: &Predicate,
        fragment: FragmentIndex,
        (tile, cells): (TileNumber, u64),
    ) -> Result<bool, Bug> {
        match self.fragments.get(&fragment) {
            Some(facts) => condition.rules_out(facts, tile, cells),
            None => Ok(false),
        }
    }
}
