//! The program, run on golden arrays.

mod advising;
mod asking;
mod changing;
mod common;
mod costs;
mod dump;
mod errors;
mod exporting;
mod files;
mod help;
mod import_options;
mod importing;
mod judged;
mod listing;
mod looking;
mod lost_tiles;
mod past;
mod read;
mod refusing;
mod remembering;
mod rewriting;
mod showing;
mod terminal;
mod threads;
mod together;
mod writing;
