//! The tests of tdb-aggregate, in one program that is linked once.

mod golden;
mod groups;
mod labels;
mod model;
mod spilling;
mod statistics;
