//! Options of a picture: the attribute, and the size.

use tdb_open::Error;
use tdb_schema::CellValNum;
use tdb_tile::Datatype;

/// Options of a picture: the attribute, and the size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PictureOptions {
    /// Name of the attribute; `None` for the first that can be drawn.
    pub attribute: Option<String>,
    /// Maximum number of pixels along the columns; 0 for one per cell.
    pub width: u64,
    /// Maximum number of pixels along the rows; 0 for one per cell.
    pub height: u64,
    /// Height of a displayed pixel divided by its width, as for characters in a terminal; 0 counts as 1.
    pub pixel_height: u64,
    /// True to draw the first cells that fit, false to sample at equal distances.
    pub is_cropped: bool,
}

impl PictureOptions {
    /// Limits the picture to a box of pixels.
    #[must_use]
    pub fn within(width: u64, height: u64) -> Self {
        Self {
            width,
            height,
            ..Self::default()
        }
    }

    /// Sets the attribute.
    #[must_use]
    pub fn attribute(mut self, name: &str) -> Self {
        self.attribute = Some(name.to_owned());
        self
    }

    /// Draws the first cells that fit, instead of sampling at equal distances.
    #[must_use]
    pub fn cropped(mut self) -> Self {
        self.is_cropped = true;
        self
    }

    /// Sets the height of a displayed pixel divided by its width.
    #[must_use]
    pub fn pixel_height(mut self, times: u64) -> Self {
        self.pixel_height = times;
        self
    }
}

pub(super) fn too_large() -> Error {
    Error::invalid("a picture of more pixels than can be counted")
}

/// Returns the number of values per pixel; `None` if the field cannot be drawn.
pub(super) fn channels_of(datatype: Datatype, values: CellValNum) -> Option<usize> {
    let is_number =
        datatype.is_integer() || datatype.is_real() || datatype.is_datetime() || datatype.is_time();
    match values {
        CellValNum::Fixed(1) if is_number => Some(1),
        CellValNum::Fixed(3) if datatype == Datatype::UInt8 => Some(3),
        CellValNum::Fixed(4) if datatype == Datatype::UInt8 => Some(4),
        _ => None,
    }
}
