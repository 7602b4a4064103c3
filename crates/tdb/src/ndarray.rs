//! Conversion between results and arrays of the crate `ndarray`.

use ndarray::{ArrayD, ArrayRef, Dimension, IxDyn, ShapeBuilder};
use tdb_query::{Failing, ResultOrder};
use tdb_tile::Scalar;

use crate::{Element, Error, ReadBuilder, Result, WriteBuilder};

impl ReadBuilder {
    /// Reads the values of one attribute: for a dense array in the shape of the box that is read, for a sparse one as
    /// a single axis.
    ///
    /// # Errors
    /// As for [`ReadBuilder::to_vec`]; fails also for a condition, a limit or labels on a dense array, whose result is
    /// not a box.
    pub fn to_ndarray<T: Scalar>(self, field: &str) -> Result<ArrayD<T>> {
        let array = self.array().clone();
        let schema = array.schema();
        let options = self.options()?;
        let leaves_holes = options.limit.is_some()
            || !options.label_ranges.is_empty()
            || (options.looks_at_cells() && options.failing == Failing::Drop);
        if schema.is_dense() && leaves_holes {
            let what = "the result is not a complete box: a limit, a label or a condition leaves cells out";
            return Err(Error::invalid(what)
                .with_hint("use `to_vec` to get such cells as a list, or `fill` to keep all"));
        }
        let is_column_major = options.order == Some(ResultOrder::ColumnMajor);
        let sides = schema
            .is_dense()
            .then(|| options.subarray(schema))
            .transpose()
            .map_err(|error| array.failed(error))?
            .and_then(|subarray| subarray.result_shape(schema));
        let values = self.to_vec::<T>(field)?;
        let mut sides = sides.unwrap_or_else(|| vec![values.len() as u64]);
        let cells: u64 = sides.iter().product();
        if cells != values.len() as u64 {
            // Cells of several values add a last axis, which varies fastest.
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

impl WriteBuilder {
    /// Writes the cells of an attribute from an `ndarray` array. For a dense array, the axes are the dimensions, with
    /// the sides of the box given by [`range`](Self::range) (the whole domain by default); for a sparse one, there is
    /// one axis. Cells of several values add a last axis. The memory order of the values does not matter.
    ///
    /// ```
    /// use ndarray::array;
    /// use tdb::{Attribute, Datatype, Dimension, Schema};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let uri = folder.path().join("image");
    /// # let uri = uri.to_str().expect("a path of text");
    /// let schema = Schema::dense()
    ///     .dimension(Dimension::new("y", Datatype::Int32).domain(0..=99).tile(10))
    ///     .dimension(Dimension::new("x", Datatype::Int32).domain(0..=99).tile(10))
    ///     .attribute(Attribute::new("light", Datatype::Float32))
    ///     .build()?;
    /// let image = tdb::create(uri, &schema)?;
    /// let part = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    /// image.write().range("y", 10..=11).range("x", 0..=2).ndarray("light", &part).commit()?;
    /// let read = image.reopen()?.read().range("y", 11).range("x", 0..=2);
    /// assert_eq!(read.to_ndarray::<f32>("light")?, array![[4.0, 5.0, 6.0]].into_dyn());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ndarray<A, D>(mut self, field: &str, cells: &ArrayRef<A, D>) -> Self
    where
        A: Element + Clone,
        D: Dimension,
    {
        self.boxes.push((field.to_owned(), cells.shape().to_vec()));
        let cells: Vec<A> = cells.iter().cloned().collect();
        self.column(field, cells)
    }
}
