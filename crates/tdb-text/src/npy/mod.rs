//! NumPy's `.npy` files: one attribute of a box of cells.

mod convert;
mod dtype;
mod header;
mod input;
mod writer;

pub use header::NpyShape;
pub use input::NpyInput;
pub use writer::NpyWriter;
