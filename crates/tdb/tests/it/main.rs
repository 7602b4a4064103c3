//! The integration tests of tdb, in one program so that it is linked once.

mod arranged;
mod boxes;
mod dense_texts;
mod duels;
#[cfg(all(feature = "arrow", feature = "serde", feature = "text"))]
mod examples;
mod few_cells;
#[cfg(all(feature = "arrow", feature = "text"))]
mod files;
mod front_door;
mod held_up;
mod keeping;
mod little_memory;
#[cfg(feature = "text")]
mod making;
mod nothing;
mod opened_once;
mod outside_memory;
#[cfg(feature = "serde")]
mod padded;
mod past;
mod rewriting;
mod setting;
mod stored_files;
mod to_come;
mod upkeep;
mod values;
mod walks;
