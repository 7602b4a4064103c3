//! `tdb write`: cells of a file, written into an array.

mod arguments;
mod cells;
mod replacing;

use std::sync::Arc;

use tdb_write::WriteOptions;

use super::input::Becoming;
use super::{change, ranges};
use crate::access::{Change, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use tdb::place;

use arguments::Order;
pub(crate) use arguments::{Arguments, Sorting, Which};
pub(crate) use cells::{NotWritten, Writing, fit_shape, label, row_in_words};

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    if arguments.replace {
        return replacing::run(arguments, global, out);
    }
    let session = session(global);
    let change = Change::new(global, &session)?;
    let location = place::array(&arguments.array, &global.counts)?;
    let array = Arc::new(change::open_array(&location, &change.access)?);
    let schema = array.newest_schema();
    let file = &arguments.input;
    let input = file.open(Becoming::fields_of(schema), None, global, &session)?;
    let intervals = [&arguments.ranges[..], &[]];
    let range_file = arguments.range_file.as_deref();
    let mut options = WriteOptions {
        ranges: ranges::of_arguments(schema, intervals, range_file, global.ticks)?.dimensions,
        order: arguments.order.map(Order::of_cells),
        ..arguments.sorting.options(file, global, &session)?
    };
    if let Some(shape) = &input.shape {
        fit_shape(schema, shape, &mut options).map_err(|failure| failure.within(&file.name()))?;
    }
    let fields = tdb::input_fields(&array, input.names(), arguments.enum_codes)?;
    let writing = Writing {
        session: &session,
        array: &array,
        file,
        label: label(&arguments.array, global, &change.access),
        options,
    };
    let cells = writing.write(input, &fields, global);
    if cells.map_err(|not| not.failure().at(&arguments.array))? == 0 {
        out.note("there are no cells: nothing was written");
    }
    Ok(())
}
