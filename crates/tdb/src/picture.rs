//! Pictures: two dimensions of a dense array, sampled down to as many pixels as are wanted.

mod slice;
mod written;

use std::sync::Arc;

use bytes::Bytes;
use tdb_cells::{CellsError, Session};
use tdb_query::{Failing, ReadOptions, Reader, ResultOrder};
use tdb_schema::CellValNum;
use tdb_schema::grid::GridAxis;
use tdb_tile::{Bug, Datatype, Grant, Scalar, with_scalar};

use crate::{Error, ReadBuilder, Result};
use slice::Slice;

/// Which field is drawn, and how large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PictureOptions {
    /// The attribute; the first that can be drawn, if `None`.
    pub attribute: Option<String>,
    /// At most so many pixels along the columns; 0 for one for each cell.
    pub width: u64,
    /// At most so many pixels along the rows; 0 for one for each cell.
    pub height: u64,
    /// How many times higher than wide a pixel is shown, as a character of a terminal is; 0 is 1.
    pub pixel_height: u64,
    /// The first cells that fit, instead of some at equal distances.
    pub is_cropped: bool,
}

impl PictureOptions {
    /// As many pixels as fit a box.
    #[must_use]
    pub fn within(width: u64, height: u64) -> Self {
        Self {
            width,
            height,
            ..Self::default()
        }
    }

    /// The same of this attribute.
    #[must_use]
    pub fn attribute(mut self, name: &str) -> Self {
        self.attribute = Some(name.to_owned());
        self
    }

    /// The same of the first cells that fit, instead of some at equal distances.
    #[must_use]
    pub fn cropped(mut self) -> Self {
        self.is_cropped = true;
        self
    }

    /// The same for pixels that are so many times higher than wide.
    #[must_use]
    pub fn pixel_height(mut self, times: u64) -> Self {
        self.pixel_height = times;
        self
    }
}

/// Along what the rows or the columns of a picture go.
#[derive(Clone, Debug)]
pub struct PictureAxis {
    /// The dimension.
    pub dimension: String,
    /// The type of its coordinates.
    pub datatype: Datatype,
    /// Cells of the slice along it, of which [`positions`](Self::positions) are drawn.
    pub cells: u64,
    /// The cell of each pixel, counted from the start of the domain.
    pub positions: Vec<u64>,
    grid: GridAxis,
    first: u64,
}

impl PictureAxis {
    /// The coordinate at a cell, as it is stored.
    #[must_use]
    pub fn coordinate(&self, position: u64) -> Option<Bytes> {
        self.grid.value(position)
    }

    /// The coordinates of the first and the last cell of the slice.
    #[must_use]
    pub fn ends(&self) -> Option<(Bytes, Bytes)> {
        let last = self.first.checked_add(self.cells.checked_sub(1)?)?;
        Some((self.grid.value(self.first)?, self.grid.value(last)?))
    }

    /// Whether cells lie between those of the pixels.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        (self.positions.len() as u64) < self.cells
    }
}

/// What a pixel shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pixel {
    /// A number.
    Number(f64),
    /// A colour: red, green, blue, opacity.
    Color([u8; 4]),
    /// A null cell.
    Null,
    /// A floating-point number that is none.
    NotANumber,
    /// No cell was written here, or it holds the fill value. Of fields of eight bits the former alone, unless a condition
    /// is given: their fill value is also white.
    Empty,
}

/// A slice of a dense array, cell by cell or sampled.
#[derive(Debug)]
pub struct Picture {
    /// The attribute that is drawn.
    pub attribute: String,
    /// The type of its values.
    pub datatype: Datatype,
    /// Along what the rows go; none where the slice is a single row.
    pub rows: Option<PictureAxis>,
    /// Along what the columns go.
    pub columns: PictureAxis,
    /// The dimensions that are neither, each with its only cell.
    pub fixed: Vec<PictureAxis>,
    /// Numbers that make up a pixel: 1, or 3 or 4 where they are a colour.
    pub channels: usize,
    values_of_cell: usize,
    fill: Bytes,
    /// Whether the fill value tells that there is nothing.
    is_fill_told: bool,
    values: Vec<u8>,
    validity: Option<Vec<bool>>,
    written: Vec<bool>,
    /// Cells from one row, column and channel to the next.
    steps: [usize; 3],
    _held: Grant,
}

impl Picture {
    /// Pixels in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.positions.len()
    }

    /// Rows of pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.rows.as_ref().map_or(1, |rows| rows.positions.len())
    }

    /// Whether cells lie between those that are shown.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.columns.is_sampled() || self.rows.as_ref().is_some_and(PictureAxis::is_sampled)
    }

    /// The stored bytes of a value, null or not.
    #[must_use]
    pub fn stored(&self, row: usize, column: usize, channel: usize) -> Option<&[u8]> {
        let size = self.datatype.size();
        let start = self.place(row, column, channel)?.checked_mul(size)?;
        self.values.get(start..start.checked_add(size)?)
    }

    /// What a pixel shows; `None` outside of the picture.
    #[must_use]
    pub fn pixel(&self, row: usize, column: usize) -> Option<Pixel> {
        let at = row.checked_mul(self.width())?.checked_add(column)?;
        let is_written = *self.written.get(at)?;
        if !is_written {
            return Some(Pixel::Empty);
        }
        if let Some(validity) = &self.validity {
            let cell = self
                .place(row, column, 0)?
                .checked_div(self.values_of_cell)?;
            if !*validity.get(cell)? {
                return Some(Pixel::Null);
            }
        }
        if self.channels > 1 {
            let mut color = [u8::MAX; 4];
            for (channel, part) in color.iter_mut().enumerate().take(self.channels) {
                *part = *self.stored(row, column, channel)?.first()?;
            }
            return Some(Pixel::Color(color));
        }
        let stored = self.stored(row, column, 0)?;
        #[expect(clippy::unnecessary_cast, reason = "it is for one type of many")]
        let number = with_scalar!(self.datatype, T => T::read(stored).map(|value| value as f64))?;
        Some(match () {
            () if number.is_nan() => Pixel::NotANumber,
            () if self.is_fill_told && stored == self.fill => Pixel::Empty,
            () => Pixel::Number(number),
        })
    }

    /// The least and the greatest number that is shown; infinities and colours do not count.
    #[must_use]
    pub fn scale(&self) -> Option<(f64, f64)> {
        let rows = 0..self.height();
        let pixels = rows.flat_map(|row| (0..self.width()).map(move |column| (row, column)));
        let numbers = pixels.filter_map(|(row, column)| match self.pixel(row, column)? {
            Pixel::Number(number) if number.is_finite() => Some(number),
            _ => None,
        });
        numbers.fold(None, |ends, number| match ends {
            None => Some((number, number)),
            Some((lo, hi)) => Some((number.min(lo), number.max(hi))),
        })
    }

    /// The number of the value in memory.
    fn place(&self, row: usize, column: usize, channel: usize) -> Option<usize> {
        let is_inside = row < self.height() && column < self.width() && channel < self.channels;
        let steps = [row, column, channel].into_iter().zip(self.steps);
        let mut places = steps.map(|(index, step)| index.checked_mul(step));
        is_inside.then(|| places.try_fold(0_usize, |sum, place| sum.checked_add(place?)))?
    }
}

impl ReadBuilder {
    /// Two dimensions of a dense array as a picture. Ranges choose the slice; without one, a dimension is drawn as far as
    /// anything is written. A third dimension of 3 or 4 cells of `uint8`, or as many values in a cell, is a colour.
    ///
    /// ```no_run
    /// use tdb::{Pixel, PictureOptions};
    ///
    /// let image = tdb::open("image")?;
    /// let picture = image.read().to_picture(&PictureOptions::within(800, 600))?;
    /// println!("{} by {}: {:?}", picture.width(), picture.height(), picture.pixel(0, 0));
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; a sparse array, a field without numbers, a slice of more dimensions than a picture.
    pub fn to_picture(self, options: &PictureOptions) -> Result<Picture> {
        let array = self.array().clone();
        let session = array.context().shared_session().clone();
        let picture = read_picture(&session, array.engine(), &self.options()?, options);
        picture.map_err(|error| error.at(array.uri()))
    }
}

/// As [`ReadBuilder::to_picture`], for an array of the engine. Of `read`, the ranges and the condition count.
///
/// # Errors
/// As [`ReadBuilder::to_picture`].
pub fn read_picture(
    session: &Session,
    array: &Arc<tdb_array::Array>,
    read: &ReadOptions,
    options: &PictureOptions,
) -> Result<Picture> {
    if !read.label_ranges.is_empty() {
        let error = Error::invalid("labels are not understood here");
        return Err(error.with_hint("ranges of dimensions choose what is drawn"));
    }
    let slice = Slice::new(array, read, options)?;
    let budget = &session.limits().budget;
    let bytes = slice.bytes().ok_or_else(too_large)?;
    let held = budget.take(bytes).map_err(CellsError::from)?;
    let mut picture = slice.empty_picture(array, held, read.condition.is_some())?;
    let request = ReadOptions {
        attributes: Some(vec![picture.attribute.clone()]),
        dimensions: Some(Vec::new()),
        ranges: slice.ranges()?,
        condition: read.condition.clone(),
        order: Some(ResultOrder::RowMajor),
        failing: Failing::Fill,
        enumeration_codes: true,
        ..ReadOptions::default()
    };
    let mut rows = 0;
    for batch in Reader::open(session, array, &request)? {
        let batch = batch?;
        let column = batch.columns.first();
        let column =
            column.ok_or_else(|| Bug::new("a batch without the field that was asked for"))?;
        picture.values.extend_from_slice(&column.values);
        if column.validity.is_some() || picture.validity.is_some() {
            let validity = picture.validity.get_or_insert_with(|| vec![true; rows]);
            validity.extend((0..batch.rows).map(|row| column.is_valid(row)));
        }
        rows = rows.saturating_add(batch.rows);
    }
    if picture.values.len() != slice.value_bytes().ok_or_else(too_large)? {
        return Err(Bug::new("a slice has other cells than its picture").into());
    }
    Ok(picture)
}

fn too_large() -> Error {
    Error::invalid("a picture of more pixels than can be counted")
}

/// Whether a field has numbers that can be drawn, and how many make up a pixel.
fn channels_of(datatype: Datatype, values: CellValNum) -> Option<usize> {
    let is_number =
        datatype.is_integer() || datatype.is_real() || datatype.is_datetime() || datatype.is_time();
    match values {
        CellValNum::Fixed(1) if is_number => Some(1),
        CellValNum::Fixed(3) if datatype == Datatype::UInt8 => Some(3),
        CellValNum::Fixed(4) if datatype == Datatype::UInt8 => Some(4),
        _ => None,
    }
}
