#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![cfg_attr(
    not(any(feature = "arrow", feature = "text")),
    allow(
        dead_code,
        unused_variables,
        reason = "without a format there is nothing to read or write"
    )
)]

mod cell_transfer;
mod export;
mod file_write;
mod folder;
mod format;
mod import;
mod input;
mod input_requirements;
mod open_input;
mod output;
mod owned_place;
mod partial_columns;
mod partition;
mod repeated_rows;
mod shape;
mod source;
mod temporary;
mod whole_file;

pub use export::{ExportedCells, batch_bytes_of_folder, write_all};
pub use file_write::FileWrite;
pub use format::FileFormat;
pub use import::{ImportBuilder, ImportNotice, ImportedCells, import};
pub use input::InputFile;
pub use input_requirements::{InputRequirements, NpyColumn};
pub use open_input::OpenInput;
pub use output::{CellSink, FileLayout, OutputFile};
pub use owned_place::{check as check_place, check_folder};
pub use partition::{Part, Partitioning};
pub use shape::shape_of_box;
pub use whole_file::WholeFile;
