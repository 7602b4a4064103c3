//! Which field is drawn, and how large.

use tdb_schema::CellValNum;
use tdb_tile::Datatype;

use crate::Error;

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

pub(super) fn too_large() -> Error {
    Error::invalid("a picture of more pixels than can be counted")
}

/// Whether a field has numbers that can be drawn, and how many make up a pixel.
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
