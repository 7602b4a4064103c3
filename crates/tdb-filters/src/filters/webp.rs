//! Filter 18: images as WebP, for dense two-dimensional `uint8` attributes.
//!
//! A tile is one image: `y_extent` rows of `x_extent` bytes, which are pixels of three (`rgb`,
//! `bgr`) or four (`rgba`, `bgra`) bytes. Options: `f32` quality, `u8` format (0 none, 1 `rgb`, 2
//! `bgr`, 3 `rgba`, 4 `bgra`), `u8` lossless, `u16` y extent, `u16` x extent, two bytes of padding.
//! The extents are the tile extents of the two dimensions, set when the schema is created.
//! Metadata: `u32` part count, `u32` length of each encoded image. Data: WebP files.
//!
//! Lossless and lossy images can be decoded. Encoding lossless images needs the feature `webp`,
//! lossy ones `webp-lossy`, which compiles a C library.

mod format;

use tdb_tile::{Bug, Datatype, Exact, FormatVersion, Scalar};

use format::Format;

use crate::header::{self, Reader, put_parts};
use crate::room::{cut, cut_ref};
use crate::{
    Chunk, Description, Entry, Filter, FilterError, FilteredField, Misfit, OptionValue, Options,
    Out, Stage, TileKind,
};

const NAME: &str = "webp";

pub(crate) static ENTRY: Entry = Entry::new(18, NAME, parse, build)
    .since(16)
    .behind("webp", cfg!(feature = "webp"));

fn parse(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let filter = Webp {
        quality: reader.scalar("quality")?,
        format: Format::from_code(reader.scalar("format")?)
            .ok_or_else(|| options.fail("format is none of 0 to 4"))?,
        is_lossless: reader.scalar::<u8>("lossless")? != 0,
        rows: reader.scalar("y extent")?,
        row: reader.scalar("x extent")?,
    };
    // Padding of a C structure, of any content.
    reader.take("padding", 2)?;
    reader.finish("options")?;
    Ok(Box::new(filter))
}

fn build(description: &Description) -> Result<Box<dyn Filter>, FilterError> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a quality is between 0 and 100"
    )]
    let quality = description.real(NAME, "quality", 100.0)? as f32;
    Ok(Box::new(Webp {
        quality,
        format: Format::from_name(description.text(NAME, "format", "none")?).ok_or(
            FilterError::Options {
                filter: NAME,
                why: "format is none of none, rgb, bgr, rgba and bgra",
            },
        )?,
        is_lossless: description.flag(NAME, "lossless", false)?,
        rows: description.integer(NAME, "y_extent", 0)?,
        row: description.integer(NAME, "x_extent", 0)?,
    }))
}

#[derive(Debug)]
struct Webp {
    quality: f32,
    format: Format,
    is_lossless: bool,
    /// Number of rows of an image.
    rows: u16,
    /// Number of bytes of a row.
    row: u16,
}

/// Largest side of a WebP image in pixels.
const LARGEST: u16 = 16383;

/// The shape of the images, in pixels.
#[derive(Clone, Copy, Debug)]
struct Shape {
    width: u16,
    height: u16,
    depth: u16,
}

impl Shape {
    fn bytes(self) -> Result<usize, Bug> {
        usize::from(self.width)
            .exact_mul(self.depth.into())?
            .exact_mul(self.height.into())
    }
}

impl Webp {
    fn shape(&self) -> Result<Shape, FilterError> {
        let fail = |why| FilterError::InvalidPipeline { filter: NAME, why };
        let depth = self
            .format
            .depth()
            .ok_or_else(|| fail("the image format was not set"))?;
        let is_whole = self.row.checked_rem(depth) == Some(0);
        let width = self.row.checked_div(depth).filter(|_| is_whole);
        let cut = || fail("the x extent is not a whole number of pixels");
        let shape = Shape {
            width: width.ok_or_else(cut)?,
            height: self.rows,
            depth,
        };
        if shape.width > LARGEST || shape.height > LARGEST {
            return Err(fail("an extent is beyond 16383 pixels"));
        }
        Ok(shape)
    }
}

impl Filter for Webp {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        ENTRY.available()?;
        let shape = self.shape()?;
        let mut images = Vec::new();
        let mut lengths = Vec::new();
        let mut pixels = Vec::new();
        for part in chunk.data.iter() {
            let before = images.len();
            if !part.is_empty() {
                if part.len() != shape.bytes()? {
                    return Err(FilterError::Values {
                        filter: NAME,
                        why: "a tile is no image of the extents that were set",
                    });
                }
                pixels.clear();
                pixels.extend_from_slice(part);
                reverse(self.format, &mut pixels);
                library::encode(shape, self, &pixels, &mut images)?;
            }
            lengths.push(images.len().exact_sub(before)?);
        }
        let (header, room) = out.header_and_data(images.len())?;
        put_parts(NAME, header, lengths.iter().copied())?;
        room.copy_from_slice(&images);
        out.keep_metadata(0);
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        ENTRY.available()?;
        let shape = self.shape()?;
        let mut stored = chunk.data.bytes();
        let mut reader = Reader::new(NAME, chunk.metadata.bytes());
        let lengths = header::parts(NAME, &mut reader, stored.len())?;
        let images = lengths.clone().filter(|length| *length > 0).count();
        let size = shape.bytes()?;
        let mut room = out.data(images.exact_mul(size)?)?;
        for length in lengths.filter(|length| *length > 0) {
            // Cannot fail: the lengths add up to that of the data.
            let image = cut_ref(&mut stored, length)?;
            let pixels = cut(&mut room, size)?;
            library::decode(shape, image, pixels, stage)?;
            reverse(self.format, pixels);
        }
        out.keep_metadata(reader.position());
        Ok(())
    }

    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        let mut out = Vec::with_capacity(12);
        self.quality.write(&mut out);
        out.extend_from_slice(&[self.format.code(), u8::from(self.is_lossless)]);
        self.rows.write(&mut out);
        self.row.write(&mut out);
        out.extend_from_slice(&[0; 2]);
        out
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        let format = self.format.name().to_owned();
        vec![
            ("quality", OptionValue::Real(self.quality.into())),
            ("format", OptionValue::Text(format)),
            ("lossless", OptionValue::Flag(self.is_lossless)),
            ("y_extent", OptionValue::Integer(self.rows.into())),
            ("x_extent", OptionValue::Integer(self.row.into())),
        ]
    }

    fn accepts(&self, input: Datatype) -> bool {
        input == Datatype::UInt8
    }

    fn unites_chunks(&self, tile: &TileKind) -> bool {
        !tile.is_var_text()
    }

    fn check_field(&self, field: &FilteredField<'_>) -> Result<(), Misfit> {
        if !self.accepts(field.tile.datatype) {
            return Err(Misfit::Datatype("the pixels of an image are uint8"));
        }
        let counts = |d: Datatype| !d.is_real() && d != Datatype::StringAscii;
        // The first dimension is the rows, the second the columns.
        match *field.dimensions {
            [y, x] if field.is_dense && y == x && counts(y) => Ok(()),
            _ => Err(Misfit::Array(
                "webp takes dense arrays of two dimensions of whole numbers",
            )),
        }
    }

    fn is_lossy(&self) -> bool {
        !self.is_lossless
    }

    fn breaks_values(&self, _: Datatype) -> bool {
        true
    }
}

/// Swaps red and blue if the format stores blue first.
fn reverse(format: Format, pixels: &mut [u8]) {
    let depth = format.depth().filter(|_| format.is_reversed());
    let Some(depth) = depth else { return };
    for pixel in pixels.chunks_exact_mut(depth.into()) {
        if let [first, _, third, ..] = pixel {
            std::mem::swap(first, third);
        }
    }
}

#[cfg(feature = "webp")]
mod library {
    use std::io::Cursor;

    use image_webp::{ColorType, WebPDecoder, WebPEncoder};
    use tdb_tile::Exact;

    use super::{NAME, Shape, Webp};
    use crate::{FilterError, Stage};

    const BROKEN: FilterError = FilterError::Corrupt {
        filter: NAME,
        field: "image",
        kind: tdb_tile::WireErrorKind::Invalid("does not decode"),
    };

    pub(super) fn encode(
        shape: Shape,
        filter: &Webp,
        pixels: &[u8],
        images: &mut Vec<u8>,
    ) -> Result<(), FilterError> {
        if !filter.is_lossless {
            return encode_lossy(shape, filter.quality, pixels, images);
        }
        let color = if shape.depth == 4 {
            ColorType::Rgba8
        } else {
            ColorType::Rgb8
        };
        WebPEncoder::new(images)
            .encode(pixels, shape.width.into(), shape.height.into(), color)
            .map_err(|_| FilterError::Values {
                filter: NAME,
                why: "the library encodes no such image",
            })
    }

    #[cfg(feature = "webp-lossy")]
    fn encode_lossy(
        shape: Shape,
        quality: f32,
        pixels: &[u8],
        images: &mut Vec<u8>,
    ) -> Result<(), FilterError> {
        let (width, height) = (shape.width.into(), shape.height.into());
        let encoder = if shape.depth == 4 {
            webp::Encoder::from_rgba(pixels, width, height)
        } else {
            webp::Encoder::from_rgb(pixels, width, height)
        };
        let image = encoder
            .encode_simple(false, quality.clamp(0.0, 100.0))
            .map_err(|_| FilterError::Values {
                filter: NAME,
                why: "the library encodes no such image",
            })?;
        images.extend_from_slice(&image);
        Ok(())
    }

    #[cfg(not(feature = "webp-lossy"))]
    fn encode_lossy(_: Shape, _: f32, _: &[u8], _: &mut Vec<u8>) -> Result<(), FilterError> {
        Err(FilterError::NotCompiledIn {
            name: "lossy webp encoding",
            code: super::ENTRY.code,
            feature: "webp-lossy",
        })
    }

    /// Decodes an image into `pixels`, red first, with alpha if the shape has four bytes per pixel.
    pub(super) fn decode(
        shape: Shape,
        image: &[u8],
        pixels: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let mut decoder = WebPDecoder::new(Cursor::new(image)).map_err(|_| BROKEN)?;
        if decoder.dimensions() != (shape.width.into(), shape.height.into()) {
            return Err(FilterError::invalid(
                NAME,
                "image",
                "has another size than the tile",
            ));
        }
        decoder.set_memory_limit(pixels.len().exact_mul(8)?.exact_add(1 << 20)?);
        if decoder.has_alpha() == (shape.depth == 4) {
            return decoder.read_image(pixels).map_err(|_| BROKEN);
        }
        let size = decoder.output_buffer_size().ok_or(BROKEN)?;
        let _fits = stage.limits.budget.take(size as u64)?;
        let mut other = vec![0; size];
        decoder.read_image(&mut other).map_err(|_| BROKEN)?;
        if shape.depth == 4 {
            for (pixel, color) in pixels.chunks_exact_mut(4).zip(other.chunks_exact(3)) {
                if let Some((alpha, place)) = pixel.split_last_mut() {
                    place.copy_from_slice(color);
                    *alpha = u8::MAX;
                }
            }
        } else {
            let (pixels, _) = pixels.as_chunks_mut::<3>();
            let (colors, _) = other.as_chunks::<4>();
            for (pixel, [color @ .., _]) in pixels.iter_mut().zip(colors) {
                *pixel = *color;
            }
        }
        Ok(())
    }
}

#[cfg(not(feature = "webp"))]
mod library {
    use super::{ENTRY, Shape, Webp};
    use crate::{FilterError, Stage};

    pub(super) fn encode(_: Shape, _: &Webp, _: &[u8], _: &mut Vec<u8>) -> Result<(), FilterError> {
        ENTRY.available()
    }

    pub(super) fn decode(
        _: Shape,
        _: &[u8],
        _: &mut [u8],
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        ENTRY.available()
    }
}
