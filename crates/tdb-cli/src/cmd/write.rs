//! `tdb write`: cells of a file, written into an array.

mod arguments;
mod replacing;

use tdb::WriteOptions;
use tdb_array::OpenOptions;

use super::progress::Line;
use super::ranges;
use crate::access::{Change, context};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;

use arguments::Order;
pub(crate) use arguments::{Arguments, Sorting, Which};

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    if arguments.replace {
        return replacing::run(arguments, global, out);
    }
    let line = Line::new(global);
    let context = line.of(context(global)?);
    Change::new(global, context.shared_session())?;
    let array = context.open_with(&arguments.array, OpenOptions::default())?;
    let intervals = [&arguments.ranges[..], &[]];
    let range_file = arguments.range_file.as_deref();
    let schema = array.engine().newest_schema();
    let options = WriteOptions {
        ranges: ranges::of_arguments(schema, intervals, range_file, global.ticks)?.dimensions,
        order: arguments.order.map(Order::of_cells),
        ..arguments.sorting.options(global)
    };
    let mut write = array.write().with_options(options);
    if arguments.enum_codes {
        write = write.enumeration_codes();
    }
    let written = write.file(arguments.input.file(global));
    line.clear();
    let written = written?;
    global.note_zoned(&written.zoned);
    if written.cells == 0 {
        out.note("there are no cells: nothing was written");
    }
    Ok(())
}
