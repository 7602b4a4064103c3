//! Input and output files of cells: CSV, JSON lines, Arrow IPC, Parquet and `.npy`.

mod becoming;
mod filling;
mod folder;
mod format;
mod input;
mod open_input;
mod output;
mod owned_place;
mod part;
mod shape;
mod source;
mod temporary;
mod whole_file;

pub use becoming::Becoming;
pub(crate) use filling::{Filling, NotWritten, fit_shape, row_in_words};
pub use format::FileFormat;
pub use input::InputFile;
pub use open_input::OpenInput;
pub(crate) use output::CellSink;
pub use output::OutputFile;
#[cfg(feature = "sql")]
pub(crate) use owned_place::check as check_place;
pub use owned_place::check_folder;
pub(crate) use part::{is_part, not_all};
pub use shape::shape_of_box;
pub use whole_file::WholeFile;
