//! All tests of tdb-condition in one program, which is linked once.

mod evaluate;
mod kept;
mod like;
mod missing;
mod periods;
mod resolve;
mod terms;
mod text;
