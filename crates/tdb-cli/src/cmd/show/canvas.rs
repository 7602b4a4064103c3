//! Draws a picture with characters.

use std::env;
use std::io::Write;

use tdb::{Picture, Pixel};

use super::colors::{Palette, of_256};
use crate::failure::Failure;
use crate::output::Output;

/// Characters from dark to bright.
pub(super) const RAMP: [char; 9] = ['.', ':', '-', '=', '+', '*', '#', '%', '@'];
pub(super) const NULL: char = '~';
pub(super) const NOT_A_NUMBER: char = '?';

const RESET: &str = "\x1b[0m";

/// Draws a picture. With colours, a line of text shows two rows of pixels; without, one.
pub(super) fn write(picture: &Picture, palette: &Palette, out: &mut Output) -> Result<(), Failure> {
    let (width, height) = (picture.width(), picture.height());
    let pixel = |row: usize, column: usize| picture.pixel(row, column).unwrap_or(Pixel::Empty);
    if !out.look.color {
        for row in 0..height {
            let line: String = (0..width)
                .map(|column| character(palette, pixel(row, column)))
                .collect();
            writeln!(out, "{}", line.trim_end_matches(' '))?;
        }
        return Ok(());
    }
    let depth = Depth::of_terminal();
    for row in (0..height).step_by(2) {
        let halves = (0..width).map(|column| {
            let color = |row: usize| shown(palette, pixel(row, column));
            [color(row), color(row + 1)]
        });
        writeln!(out, "{}", line(depth, halves))?;
    }
    Ok(())
}

/// The character for a pixel without colours.
fn character(palette: &Palette, pixel: Pixel) -> char {
    match pixel {
        Pixel::Null => NULL,
        Pixel::NotANumber => NOT_A_NUMBER,
        pixel => palette.brightness(pixel).map_or(' ', ramp),
    }
}

/// The character for a brightness from 0 to 1.
fn ramp(brightness: f64) -> char {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of characters"
    )]
    let at = (brightness * RAMP.len() as f64) as usize;
    RAMP.get(at).copied().unwrap_or('@')
}

/// The colour of a pixel; `None` for transparent pixels, where the terminal's background shows.
fn shown(palette: &Palette, pixel: Pixel) -> Option<[u8; 3]> {
    let [r, g, b, opacity] = palette.color(pixel);
    (opacity >= 128).then_some([r, g, b])
}

/// Number of colours that a terminal supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    True,
    Of256,
}

impl Depth {
    /// Detects the depth from `COLORTERM`.
    pub(super) fn of_terminal() -> Self {
        let said = env::var("COLORTERM").unwrap_or_else(|_| String::new());
        if ["truecolor", "24bit"].contains(&said.as_str()) {
            Self::True
        } else {
            Self::Of256
        }
    }

    /// The escape sequence that sets a colour. A `ground` of 38 is the foreground, 48 the background.
    pub(super) fn code(self, ground: u8, [r, g, b]: [u8; 3]) -> String {
        match self {
            Self::True => format!("\x1b[{ground};2;{r};{g};{b}m"),
            Self::Of256 => format!("\x1b[{ground};5;{}m", of_256([r, g, b])),
        }
    }
}

/// Draws a line of characters, each showing an upper and a lower pixel.
fn line(depth: Depth, halves: impl Iterator<Item = [Option<[u8; 3]>; 2]>) -> String {
    let mut text = String::new();
    let mut before = None;
    for [upper, lower] in halves {
        let (front, back, block) = match (upper, lower) {
            (None, None) => (None, None, ' '),
            (Some(upper), lower) => (Some(upper), lower, '▀'),
            (None, Some(lower)) => (Some(lower), None, '▄'),
        };
        if before != Some((front, back)) {
            if before.is_some() {
                text += RESET;
            }
            text.extend(front.map(|color| depth.code(38, color)));
            text.extend(back.map(|color| depth.code(48, color)));
            before = Some((front, back));
        }
        text.push(block);
    }
    text + RESET
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_two_pixels() {
        let (red, blue) = (Some([255, 0, 0]), Some([0, 0, 255]));
        let halves = [
            [red, blue],
            [red, blue],
            [red, None],
            [None, blue],
            [None, None],
        ];
        let text = line(Depth::True, halves.into_iter());
        insta::assert_snapshot!(text.replace('\x1b', "^"), @"^[38;2;255;0;0m^[48;2;0;0;255m▀▀^[0m^[38;2;255;0;0m▀^[0m^[38;2;0;0;255m▄^[0m ^[0m");
        let text = line(Depth::Of256, halves.into_iter());
        insta::assert_snapshot!(text.replace('\x1b', "^"), @"^[38;5;196m^[48;5;21m▀▀^[0m^[38;5;196m▀^[0m^[38;5;21m▄^[0m ^[0m");
    }
}
