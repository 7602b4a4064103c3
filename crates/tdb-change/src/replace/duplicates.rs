//! Replacing cells of an array that allows duplicates: a delete names the cells to remove.

use std::sync::Arc;

use tdb_array::ChangeOptions;
use tdb_fragment::{Combine, ConditionOp, ConditionTree, ConditionValue};
use tdb_open::{Error, Result};
use tdb_tile::Bug;

use super::Replacing;
use super::coordinates::{Places, lost, place_text};
use super::existing_cells::ExistingCells;
use crate::restore::times;
use crate::write_and_delete::DeleteBeside;

/// Maximum number of rows per write, since the delete has a term for each, which every read must evaluate.
const MOST_NAMED: usize = 1_000;

impl Replacing {
    /// Writes the rows, and builds the delete of the cells they replace; `None` if there are none. For arrays that
    /// allow duplicates.
    pub(super) fn replace_named(&mut self) -> Result<Option<DeleteBeside>> {
        let places = Places::of(&self.schema, &self.waiting)?;
        if places.len() > MOST_NAMED {
            let what = format!(
                "an array with duplicates allows replacing at most {MOST_NAMED} coordinates at once, not {}",
                places.len()
            );
            let hint =
                "use tdb rewrite to create an array without duplicates, which has no such limit";
            return Err(Error::invalid(what).with_hint(hint));
        }
        let missing = self.missing();
        let there = self.there(&places, &missing)?;
        if let (Some(place), false) = (there.first_repeated(), missing.is_empty()) {
            let (batch, row) = places.row_of(place)?;
            let batch = self.waiting.get(batch).ok_or_else(lost)?;
            let text = place_text(&self.schema, batch, row);
            let what =
                format!("there are several cells at {text}, so it is unclear which value to keep");
            return Err(Error::invalid(what).with_hint("give a column for each attribute"));
        }
        let mut delete = None;
        if there.found() > 0 {
            let now = match &self.change {
                Some((_, view)) => view.time(),
                None => self.options.names.now(),
            };
            let (delete_at, write_at) = times(&self.array, self.options.timestamp, now)?;
            self.write_at = Some(write_at);
            let change = ChangeOptions::default()
                .timestamp(Some(delete_at))
                .names(Arc::clone(&self.options.names));
            delete = Some(DeleteBeside {
                kept: self.elsewhere(&places, &there)?,
                change,
            });
        }
        self.pass_on(&places, &there)?;
        self.replaced = there.cells();
        Ok(delete)
    }

    /// Builds the condition for all cells except those that the rows replace.
    fn elsewhere(&self, places: &Places, there: &ExistingCells) -> Result<ConditionTree> {
        let mut all = Vec::new();
        for place in (0..places.len()).filter(|place| there.is_at(*place)) {
            let (batch, row) = places.row_of(place)?;
            let batch = self.waiting.get(batch).ok_or_else(lost)?;
            let mut sides = Vec::new();
            for dimension in &self.schema.dimensions {
                let name = &dimension.name;
                let cell = batch
                    .column(name)
                    .and_then(|column| column.cell(row))
                    .ok_or_else(lost)?;
                if cell.is_empty() {
                    let what = format!(
                        "cells with empty text in dimension {name:?} cannot be replaced in an array with duplicates"
                    );
                    let hint =
                        "use tdb rewrite to create an array without duplicates, which allows this";
                    return Err(Error::invalid(what).with_hint(hint));
                }
                let side = ConditionValue::new(name, ConditionOp::NotEqual, cell.to_vec());
                sides.push(ConditionTree::from(side.ok_or_else(lost)?));
            }
            all.push(combined(Combine::Or, sides)?);
        }
        combined(Combine::And, all)
    }
}

fn combined(combine: Combine, parts: Vec<ConditionTree>) -> Result<ConditionTree> {
    if let [only] = &parts[..] {
        return Ok(only.clone());
    }
    let tree = ConditionTree::combine(combine, parts);
    tree.map_err(|_| Bug::new("parts of a condition that cannot be joined").into())
}
