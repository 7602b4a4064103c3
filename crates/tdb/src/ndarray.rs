//! Results as arrays of the crate `ndarray`.

use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use tdb_query::{Failing, ResultOrder, Subarray};
use tdb_tile::Scalar;

use crate::{Error, ReadBuilder, Result};

impl ReadBuilder {
    /// The values of one attribute: of a dense array in the shape of the box that is read, of a sparse one as one axis.
    ///
    /// # Errors
    /// As for [`ReadBuilder::to_vec`]; a condition, a limit or labels on a dense array, whose result is no box.
    pub fn to_ndarray<T: Scalar>(self, field: &str) -> Result<ArrayD<T>> {
        let array = self.array().clone();
        let schema = array.schema();
        let options = self.options()?;
        let leaves_holes = options.limit.is_some()
            || !options.label_ranges.is_empty()
            || (options.condition.is_some() && options.failing == Failing::Drop);
        if schema.is_dense() && leaves_holes {
            let what =
                "the result is no whole box: a limit, a label or a condition leaves cells out";
            return Err(Error::invalid(what)
                .with_hint("`to_vec` gives such cells as a list; `fill` keeps them"));
        }
        let is_column_major = options.order == Some(ResultOrder::ColumnMajor);
        let sides = schema
            .is_dense()
            .then(|| Subarray::new(schema, &options.ranges))
            .transpose()
            .map_err(|error| array.failed(error))?
            .and_then(|subarray| subarray.result_shape(schema));
        let values = self.to_vec::<T>(field)?;
        let mut sides = sides.unwrap_or_else(|| vec![values.len() as u64]);
        let cells: u64 = sides.iter().product();
        if cells != values.len() as u64 {
            // A cell of several values is an axis of its own, the fastest.
            sides.push((values.len() as u64).checked_div(cells).unwrap_or(0));
        }
        let sides: Vec<usize> = sides
            .iter()
            .map(|side| usize::try_from(*side).unwrap_or(0))
            .collect();
        let shape = IxDyn(&sides).set_f(is_column_major);
        ArrayD::from_shape_vec(shape, values).map_err(|error| Error::invalid(error.to_string()))
    }
}
