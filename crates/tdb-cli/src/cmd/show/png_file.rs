//! Writes a picture as a PNG file.

use std::io::{BufWriter, Error, Write};
use std::path::Path;

use png::{BitDepth, ColorType, Encoder, EncodingError};
use tdb::{Picture, Pixel, WholeFile};

use super::colors::Palette;
use crate::failure::Failure;

/// Writes a picture; the file appears complete or not at all.
pub(super) fn write(picture: &Picture, palette: &Palette, name: &Path) -> Result<(), Failure> {
    let ending = name.extension().map(|ending| ending.to_ascii_lowercase());
    if let Some(ending) = ending.filter(|ending| ending != "png") {
        let what = format!(
            "{}: the picture is written as PNG: use the extension .png, not .{}",
            name.display(),
            ending.display()
        );
        return Err(Failure::invalid(what));
    }
    let (file, out) = WholeFile::begin(name)?;
    let mut out = BufWriter::new(out);
    encode(picture, palette, &mut out).map_err(|error| match error {
        EncodingError::IoError(error) => error.into(),
        other => Failure::from(Error::other(other)),
    })?;
    out.flush()?;
    drop(out);
    Ok(file.finish()?)
}

fn encode(picture: &Picture, palette: &Palette, out: &mut dyn Write) -> Result<(), EncodingError> {
    let side = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
    let colors = |row: usize| {
        let pixel = move |column: usize| picture.pixel(row, column).unwrap_or(Pixel::Empty);
        (0..picture.width()).map(move |column| palette.color(pixel(column)))
    };
    let mut rows = 0..picture.height();
    let is_opaque = rows.all(|row| colors(row).all(|[_, _, _, opacity]| opacity == u8::MAX));
    let mut encoder = Encoder::new(out, side(picture.width()), side(picture.height()));
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(if is_opaque {
        ColorType::Rgb
    } else {
        ColorType::Rgba
    });
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    for row in 0..picture.height() {
        let bytes: Vec<u8> = if is_opaque {
            colors(row).flat_map(|[r, g, b, _]| [r, g, b]).collect()
        } else {
            colors(row).flatten().collect()
        };
        stream.write_all(&bytes)?;
    }
    stream.finish()?;
    writer.finish()
}
