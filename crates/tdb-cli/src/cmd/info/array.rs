//! Facts about an array that are known without reading its cells.

use std::collections::BTreeMap;
use std::thread;

use serde_json::{Value as Json, json};
use tdb::engine::array::{Array, ArrayError, HistoryGap, Metadata};
use tdb::layout::{self, Sizes};

use tdb::engine::schema::json::{attribute_to_json, dimension_to_json, ranges_to_json};
use tdb::engine::schema::value::rfc3339;
use tdb::engine::schema::{
    ArraySchema, COORDS, DELETE_CONDITION_INDEX, DELETE_TIMESTAMPS, TIMESTAMPS,
};
use tdb::engine::store::Distance;
use tdb::engine::tile::{Code, Exact, Range};

use crate::cmd::cells::CellNumbers;
use crate::cmd::vacuum::gaps_json;
use crate::failure::Failure;
use crate::paint::bytes;
use crate::value_format::times;

/// Sizes of a field that no fragment contains.
const NO_SIZES: Sizes = Sizes {
    stored: 0,
    unfiltered: None,
};

/// Facts shown in the summary of an array and in its JSON.
pub(super) struct Facts<'a> {
    pub(super) array: &'a Array,
    pub(super) schema: &'a ArraySchema,
    /// Oldest and newest format version of the fragments.
    pub(super) versions: Option<(u32, u32)>,
    pub(super) cells: CellNumbers,
    pub(super) timestamps: Option<(u64, u64)>,
    pub(super) non_empty_domain: Option<Vec<Range>>,
    pub(super) metadata_keys: usize,
    /// Sizes by field name, including fields that only older schemas have.
    pub(super) sizes: BTreeMap<String, Sizes>,
    pub(super) total: Sizes,
    pub(super) warnings: Vec<String>,
    /// Times as of which something can no longer be read.
    gaps: Vec<HistoryGap>,
}

impl<'a> Facts<'a> {
    pub(super) fn gather(array: &'a Array, as_of_now: bool) -> Result<Self, Failure> {
        let fragments = array.fragments();
        let versions = || {
            fragments
                .iter()
                .map(|fragment| fragment.metadata.version.number())
        };
        let from = fragments
            .iter()
            .map(|fragment| fragment.timestamps().0)
            .min();
        let to = fragments
            .iter()
            .map(|fragment| fragment.timestamps().1)
            .max();
        let (sizes, metadata) = sizes_and_metadata(array)?;
        let mut total = Sizes::NONE;
        for size in sizes.values() {
            total.add(*size)?;
        }
        let gaps = array.all_gaps()?;
        Ok(Self {
            array,
            schema: array.schema(),
            versions: versions().min().zip(versions().max()),
            cells: CellNumbers::of(array)?,
            timestamps: from.zip(to),
            non_empty_domain: array.non_empty_domain(),
            metadata_keys: metadata.len(),
            total,
            warnings: warnings(array, &gaps, as_of_now)?,
            gaps,
            sizes,
        })
    }

    /// Fields other than dimensions and attributes, and fields that only older schemas have.
    pub(super) fn other_fields(&self) -> impl Iterator<Item = (&str, Sizes)> {
        let known = |name: &str| {
            let special = [
                COORDS,
                TIMESTAMPS,
                DELETE_TIMESTAMPS,
                DELETE_CONDITION_INDEX,
            ];
            !special.contains(&name) && self.schema.field(name).is_some()
        };
        let others = self.sizes.iter().filter(move |(name, _)| !known(name));
        others.map(|(name, size)| (name.as_str(), *size))
    }

    pub(super) fn json(&self, uri: &str, ticks: bool) -> Json {
        let (schema, times) = (self.schema, times(ticks));
        let dimensions = (schema.dimensions.iter().enumerate()).map(|(index, dimension)| {
            let json = dimension_to_json(schema, index, dimension, times);
            with_sizes(json, self.sizes_of(&dimension.name))
        });
        let attributes = schema.attributes.iter().map(|attribute| {
            let json = attribute_to_json(attribute, schema.version, times);
            with_sizes(json, self.sizes_of(&attribute.name))
        });
        let other: Vec<Json> = (self.other_fields())
            .map(|(name, size)| with_sizes(json!({ "name": name }), size))
            .collect();
        let ranges = |ranges: Option<&Vec<Range>>| ranges.map(|r| ranges_to_json(schema, r, times));
        json!({
            "uri": uri,
            "kind": "array",
            "type": schema.array_type.name(),
            "format_version": schema.version.number(),
            "fragment_versions": self.versions.map(|(oldest, newest)| [oldest, newest]),
            "cell_order": schema.cell_order.name(),
            "tile_order": schema.tile_order.name(),
            "capacity": schema.capacity,
            "allows_duplicates": schema.allows_duplicates,
            "encrypted": self.array.key().is_some(),
            "dimensions": dimensions.collect::<Vec<_>>(),
            "attributes": attributes.collect::<Vec<_>>(),
            "other_fields": other,
            "current_domain": ranges(schema.current_domain.as_ref()),
            "non_empty_domain": ranges(self.non_empty_domain.as_ref()),
            "fragments": self.array.fragments().len(),
            "consolidated_fragments": self.array.replaced().len(),
            "deletes": self.array.deletes().len(),
            "shape": self.cells.shape,
            "cells": self.cells.read(),
            "stored_cells": self.cells.stored,
            "tiles": self.cells.tiles,
            "bytes": self.total.stored,
            "unfiltered_bytes": self.total.unfiltered,
            "timestamps": self.timestamps.map(|(from, to)| [from, to]),
            "metadata_keys": self.metadata_keys,
            "unreadable_times": gaps_json(&self.gaps),
            "warnings": self.warnings,
        })
    }

    fn sizes_of(&self, name: &str) -> Sizes {
        self.sizes.get(name).copied().unwrap_or(NO_SIZES)
    }
}

fn with_sizes(mut field: Json, size: Sizes) -> Json {
    if let Some(field) = field.as_object_mut() {
        field.insert("bytes".to_owned(), json!(size.stored));
        field.insert("unfiltered_bytes".to_owned(), json!(size.unfiltered));
    }
    field
}

/// Returns the bytes of each field and the metadata of the array; asks a far store for both at the same time.
fn sizes_and_metadata(array: &Array) -> Result<(BTreeMap<String, Sizes>, Metadata), Failure> {
    if array.store().distance() == Distance::Near {
        return Ok((sizes(array)?, array.metadata()?));
    }
    thread::scope(|scope| {
        let read = || array.metadata();
        // If the system has no thread to give, one comes after the other.
        let reading = thread::Builder::new().spawn_scoped(scope, read);
        let sizes = sizes(array);
        let ended = reading.ok().and_then(|reading| reading.join().ok());
        Ok((sizes?, ended.unwrap_or_else(read)?))
    })
}

/// Bytes of each field, before and after filters.
fn sizes(array: &Array) -> Result<BTreeMap<String, Sizes>, Failure> {
    let mut sizes: BTreeMap<String, Sizes> = BTreeMap::new();
    for field in layout::fields(array)? {
        let entry = sizes.entry(field.name).or_insert(Sizes::NONE);
        entry.add(field.sizes)?;
    }
    Ok(sizes)
}

/// Warnings about history gaps: the first few one by one, and the number of the others.
pub(crate) fn lost(gaps: &[HistoryGap]) -> Vec<String> {
    const TOLD: usize = 4;
    let mut told: Vec<String> = gaps.iter().take(TOLD).map(ToString::to_string).collect();
    if let Some(more) = gaps.len().checked_sub(TOLD).filter(|more| *more > 0) {
        told.push(format!("and {more} more such periods: --json lists them"));
    }
    told
}

fn warnings(
    array: &Array,
    gaps: &[HistoryGap],
    as_of_now: bool,
) -> Result<Vec<String>, ArrayError> {
    let mut warnings: Vec<String> = array.warnings().iter().map(ToString::to_string).collect();
    let replaced = array.replaced().len();
    if replaced > 0 {
        let fragments = array.open_replaced()?;
        let mut sizes = fragments
            .iter()
            .map(|fragment| fragment.metadata.data_size());
        let size = sizes.try_fold(0_u64, |sum, size| sum.exact_add(size))?;
        warnings.push(format!(
            "{replaced} fragments ({}) were replaced by consolidation: tdb vacuum removes them",
            bytes(size)
        ));
    }
    warnings.extend(lost(gaps));
    let window = array.window();
    if window.since > 0 {
        warnings.push(format!(
            "nothing written before {} is shown",
            rfc3339(window.since)
        ));
    }
    if !as_of_now {
        warnings.push(format!(
            "nothing written after {} is shown",
            rfc3339(window.at)
        ));
    }
    Ok(warnings)
}
