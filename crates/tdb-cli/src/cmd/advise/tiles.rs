//! Output of `tdb advise` about tiles.

use serde_json::{Value as Json, json};
use tdb::engine::schema::CellOrder;
use tdb::{TileTrial, TileTrials, Tiles};

use super::text::{assigned, rate};
use crate::paint::{Role, Table, bytes, visible};

/// Table of all trials; `None` if no tiles are advised.
pub(super) fn table(trials: &TileTrials) -> Option<Table> {
    let advised = trials.advised()?;
    let mut table = Table::new(&["tiles", ">size", ">written", ">read", ">box", ""]);
    for trial in &trials.trials {
        let is_advised = std::ptr::eq(trial, advised) && !trial.is_current;
        let remark = match (trial.is_current, is_advised) {
            (true, _) => "today",
            (false, true) => "advised",
            (false, false) => "",
        };
        let milliseconds = trial.boxes.as_secs_f64() * 1000.0;
        table.painted([
            (Role::Title, visible(&text(&trial.tiles))),
            (Role::Plain, bytes(trial.stored)),
            (Role::Plain, rate(trials.bytes, trial.writing)),
            (Role::Plain, rate(trials.bytes, trial.reading)),
            (Role::Plain, format!("{milliseconds:.2} ms")),
            (Role::Dim, remark.to_owned()),
        ]);
    }
    Some(table)
}

/// Describes tiles: `capacity 10000, row` or `y 100, x 100`.
fn text(tiles: &Tiles) -> String {
    let capacity = tiles
        .capacity
        .map(|capacity| format!("capacity {capacity}"));
    let order = tiles.cell_order.map(|order| name(order).to_owned());
    let extents = tiles
        .extents
        .iter()
        .map(|(dimension, extent)| format!("{dimension} {extent}"));
    let parts = capacity.into_iter().chain(order).chain(extents);
    parts.collect::<Vec<String>>().join(", ")
}

/// Name of a cell order, as `--cell-order` takes it.
fn name(order: CellOrder) -> &'static str {
    match order {
        CellOrder::RowMajor => "row",
        CellOrder::ColumnMajor => "col",
        CellOrder::Hilbert => "hilbert",
    }
}

/// Options of `tdb rewrite` that apply the advised tiles; empty if they equal the current ones.
pub(super) fn options(trials: &TileTrials) -> String {
    let (Some(current), Some(advised)) = (trials.current(), trials.advised()) else {
        return String::new();
    };
    let (before, after) = (&current.tiles, &advised.tiles);
    let mut options = String::new();
    if let Some(capacity) = after.capacity.filter(|_| after.capacity != before.capacity) {
        options.push_str(&format!(" --capacity {capacity}"));
    }
    if let Some(order) = after
        .cell_order
        .filter(|_| after.cell_order != before.cell_order)
    {
        options.push_str(&format!(" --cell-order {}", name(order)));
    }
    for (dimension, extent) in &after.extents {
        if !before.extents.contains(&(dimension.clone(), *extent)) {
            let option = assigned(dimension, &extent.to_string());
            options.push_str(&format!(" --tiles {option}"));
        }
    }
    options
}

pub(super) fn as_json(trials: &TileTrials) -> Json {
    let advised = trials.advised();
    let of_trial = |trial: &TileTrial| {
        let extents = trial
            .tiles
            .extents
            .iter()
            .map(|(name, extent)| (name.clone(), json!(extent)));
        json!({
            "capacity": trial.tiles.capacity,
            "cell_order": trial.tiles.cell_order.map(name),
            "extents": extents.collect::<serde_json::Map<String, Json>>(),
            "current": trial.is_current,
            "advised": advised.is_some_and(|advised| std::ptr::eq(trial, advised)),
            "stored": trial.stored,
            "writing_seconds": trial.writing.as_secs_f64(),
            "reading_seconds": trial.reading.as_secs_f64(),
            "boxes_seconds": trial.boxes.as_secs_f64(),
        })
    };
    json!({
        "cells": trials.cells,
        "bytes": trials.bytes,
        "options": options(trials).trim_start(),
        "trials": trials.trials.iter().map(of_trial).collect::<Vec<_>>(),
    })
}
