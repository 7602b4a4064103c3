//! The tests of tdb-aggregate, in one program: it is linked once.

mod golden;
mod groups;
mod labels;
mod model;
mod spilling;
mod statistics;
