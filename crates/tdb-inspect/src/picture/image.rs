//! A picture in memory.

use bytes::Bytes;
use tdb_schema::grid::GridAxis;
use tdb_tile::{Datatype, Grant, Scalar, with_scalar};

/// The dimension along which the rows or the columns of a picture run.
#[derive(Clone, Debug)]
pub struct PictureAxis {
    /// Name of the dimension.
    pub dimension: String,
    /// Datatype of its coordinates.
    pub datatype: Datatype,
    /// Number of cells of the slice along the dimension; only [`positions`](Self::positions) are drawn.
    pub cells: u64,
    /// Cell of each pixel, counted from the start of the domain.
    pub positions: Vec<u64>,
    pub(super) grid: GridAxis,
    pub(super) first: u64,
}

impl PictureAxis {
    /// Returns the stored coordinate of a cell.
    #[must_use]
    pub fn coordinate(&self, position: u64) -> Option<Bytes> {
        self.grid.value(position)
    }

    /// Returns the coordinates of the first and the last cell of the slice.
    #[must_use]
    pub fn ends(&self) -> Option<(Bytes, Bytes)> {
        let last = self.first.checked_add(self.cells.checked_sub(1)?)?;
        Some((self.grid.value(self.first)?, self.grid.value(last)?))
    }

    /// True if there are cells between those that are drawn.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        (self.positions.len() as u64) < self.cells
    }
}

/// Content of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pixel {
    /// A number.
    Number(f64),
    /// A colour: red, green, blue, opacity.
    Color([u8; 4]),
    /// A null cell.
    Null,
    /// A floating-point NaN.
    NotANumber,
    /// The cell was not written or has the fill value. For 8-bit fields without a condition: only cells that were not
    /// written, since 255 is both the fill value and white.
    Empty,
}

/// A slice of a dense array, complete or sampled.
#[derive(Debug)]
pub struct Picture {
    /// Name of the attribute that is drawn.
    pub attribute: String,
    /// Datatype of its values.
    pub datatype: Datatype,
    /// Dimension along the rows; `None` if the slice is a single row.
    pub rows: Option<PictureAxis>,
    /// Dimension along the columns.
    pub columns: PictureAxis,
    /// The other dimensions, each fixed at a single cell.
    pub fixed: Vec<PictureAxis>,
    /// Number of values per pixel: 1, or 3 or 4 for a colour.
    pub channels: usize,
    pub(super) values_of_cell: usize,
    pub(super) fill: Bytes,
    /// True if a cell with the fill value counts as empty.
    pub(super) is_fill_told: bool,
    pub(super) values: Vec<u8>,
    pub(super) validity: Option<Vec<bool>>,
    pub(super) written: Vec<bool>,
    /// Distance in `values` from one row, column and channel to the next.
    pub(super) steps: [usize; 3],
    pub(super) _held: Grant,
}

impl Picture {
    /// Returns the number of pixels per row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.positions.len()
    }

    /// Returns the number of rows of pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.rows.as_ref().map_or(1, |rows| rows.positions.len())
    }

    /// True if there are cells between those that are drawn.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.columns.is_sampled() || self.rows.as_ref().is_some_and(PictureAxis::is_sampled)
    }

    /// Returns the stored bytes of a value, even if it is null; `None` outside of the picture.
    #[must_use]
    pub fn stored(&self, row: usize, column: usize, channel: usize) -> Option<&[u8]> {
        let size = self.datatype.size();
        let start = self.place(row, column, channel)?.checked_mul(size)?;
        self.values.get(start..start.checked_add(size)?)
    }

    /// Returns the content of a pixel; `None` outside of the picture.
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

    /// Returns the smallest and the largest number drawn, ignoring infinities and colours; `None` if there is none.
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

    /// Returns the index in `values` of a value; `None` outside of the picture.
    fn place(&self, row: usize, column: usize, channel: usize) -> Option<usize> {
        let is_inside = row < self.height() && column < self.width() && channel < self.channels;
        let steps = [row, column, channel].into_iter().zip(self.steps);
        let mut places = steps.map(|(index, step)| index.checked_mul(step));
        is_inside.then(|| places.try_fold(0_usize, |sum, place| sum.checked_add(place?)))?
    }
}
