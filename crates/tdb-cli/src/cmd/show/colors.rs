//! Maps numbers to colours.

use clap::ValueEnum;
use tdb::Pixel;

/// How numbers become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Colors {
    /// From black to white
    Gray,
    /// From dark blue over green to yellow; even steps to the eye
    Viridis,
    /// From black over purple to light yellow; even steps to the eye
    Magma,
    /// All colours, from blue to red
    Turbo,
}

/// Colours at equal distances; colours between them are interpolated.
const GRAY: [[u8; 3]; 2] = [[0; 3], [255; 3]];
#[rustfmt::skip]
const VIRIDIS: [[u8; 3]; 9] = [
    [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141],
    [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37],
];
#[rustfmt::skip]
const MAGMA: [[u8; 3]; 9] = [
    [0, 0, 4], [28, 16, 68], [79, 18, 123], [129, 37, 129], [181, 54, 122],
    [229, 80, 100], [251, 135, 97], [254, 194, 135], [252, 253, 191],
];
#[rustfmt::skip]
const TURBO: [[u8; 3]; 9] = [
    [48, 18, 59], [70, 107, 227], [40, 187, 236], [49, 242, 153], [162, 252, 60],
    [237, 208, 58], [251, 128, 34], [210, 49, 5], [122, 4, 3],
];

/// Colours that occur in no map, for null cells and for NaN.
pub(super) const NULL: [u8; 3] = [255, 0, 0];
pub(super) const NOT_A_NUMBER: [u8; 3] = [0, 255, 255];

/// Red, green, blue, opacity.
pub(super) type Rgba = [u8; 4];

impl Colors {
    /// The colour at a position from 0 to 1.
    pub(super) fn at(self, place: f64) -> [u8; 3] {
        let anchors: &[[u8; 3]] = match self {
            Self::Gray => &GRAY,
            Self::Viridis => &VIRIDIS,
            Self::Magma => &MAGMA,
            Self::Turbo => &TURBO,
        };
        let steps = anchors.len().saturating_sub(1);
        let along = place.clamp(0.0, 1.0) * steps as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most the number of anchors"
        )]
        let from = (along as usize).min(steps.saturating_sub(1));
        let part = along - from as f64;
        let anchor = |at: usize| anchors.get(at).copied().unwrap_or(NULL);
        let (lo, hi) = (anchor(from), anchor(from + 1));
        let mix = |(lo, hi): (u8, u8)| {
            let mixed = f64::from(lo) + (f64::from(hi) - f64::from(lo)) * part;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between two bytes"
            )]
            let byte = mixed.round() as u8;
            byte
        };
        [
            mix((lo[0], hi[0])),
            mix((lo[1], hi[1])),
            mix((lo[2], hi[2])),
        ]
    }
}

/// A colour map, and the numbers at its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    pub(super) colors: Colors,
    /// Numbers at both ends; `None` if the picture contains no numbers.
    pub(super) scale: Option<(f64, f64)>,
}

impl Palette {
    /// Position of a number between the ends, from 0 to 1.
    fn place(&self, number: f64) -> f64 {
        let (lo, hi) = self.scale.unwrap_or((0.0, 0.0));
        // Both are halved, since the difference of the ends may overflow.
        let (above, all) = (number / 2.0 - lo / 2.0, hi / 2.0 - lo / 2.0);
        match () {
            () if number <= lo => 0.0,
            () if number >= hi => 1.0,
            () => above / all,
        }
    }

    /// The colour of a pixel; empty pixels are transparent.
    pub(super) fn color(&self, pixel: Pixel) -> Rgba {
        let opaque = |[r, g, b]: [u8; 3]| [r, g, b, u8::MAX];
        match pixel {
            Pixel::Number(number) => opaque(self.colors.at(self.place(number))),
            Pixel::Color(color) => color,
            Pixel::Null => opaque(NULL),
            Pixel::NotANumber => opaque(NOT_A_NUMBER),
            Pixel::Empty => [0; 4],
        }
    }

    /// Brightness of a pixel from 0 to 1, for output without colours; `None` if it is not a number.
    pub(super) fn brightness(&self, pixel: Pixel) -> Option<f64> {
        match pixel {
            Pixel::Number(number) => Some(self.place(number)),
            Pixel::Color([_, _, _, opacity]) if opacity < 128 => None,
            Pixel::Color([r, g, b, _]) => {
                let weighted = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
                Some(weighted / 255.0)
            }
            Pixel::Null | Pixel::NotANumber | Pixel::Empty => None,
        }
    }
}

/// Index of the nearest colour in the 256-colour palette of terminals: a cube with six steps per channel, and grays.
pub(super) fn of_256([r, g, b]: [u8; 3]) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |part: u8| {
        let steps = STEPS.iter().enumerate();
        let nearest = steps.min_by_key(|(_, step)| step.abs_diff(part));
        nearest.map_or((0, 0), |(at, step)| (at, *step))
    };
    let distance = |other: [u8; 3]| {
        let parts = [r, g, b].into_iter().zip(other);
        parts
            .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
            .sum::<u32>()
    };
    let [(red, r1), (green, g1), (blue, b1)] = [r, g, b].map(nearest);
    let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    let gray = (mean.saturating_sub(3) / 10).min(23);
    let level = u8::try_from(8 + 10 * gray).unwrap_or(u8::MAX);
    let number = if distance([level; 3]) < distance([r1, g1, b1]) {
        232 + usize::from(gray)
    } else {
        16 + 36 * red + 6 * green + blue
    };
    u8::try_from(number).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_go_through_their_anchors() {
        assert_eq!(Colors::Gray.at(0.5), [128; 3]);
        assert_eq!(Colors::Viridis.at(0.0), [68, 1, 84]);
        assert_eq!(Colors::Viridis.at(0.5), [33, 144, 141]);
        assert_eq!(Colors::Turbo.at(1.0), [122, 4, 3]);
        assert_eq!(Colors::Magma.at(1.0 / 16.0), [14, 8, 36]);
        for colors in Colors::value_variants() {
            for step in 0..=1000 {
                let color = colors.at(f64::from(step) / 1000.0);
                assert!(![NULL, NOT_A_NUMBER].contains(&color), "{colors:?} {step}");
            }
        }
    }

    #[test]
    fn numbers_stand_between_the_ends() {
        let palette = |lo, hi| Palette {
            colors: Colors::Gray,
            scale: Some((lo, hi)),
        };
        assert_eq!(palette(-1.0, 1.0).place(0.0), 0.5);
        assert_eq!(palette(-f64::MAX, f64::MAX).place(0.0), 0.5);
        assert_eq!(palette(3.0, 3.0).place(3.0), 0.0);
        assert_eq!(palette(0.0, 1.0).place(f64::INFINITY), 1.0);
    }

    #[test]
    fn the_nearest_of_256_colours() {
        let of = [
            [0, 0, 0],
            [255, 255, 255],
            [255, 0, 0],
            [8, 8, 8],
            [128, 128, 128],
            [95, 135, 175],
        ];
        assert_eq!(of.map(of_256), [16, 231, 196, 232, 244, 67]);
    }
}
