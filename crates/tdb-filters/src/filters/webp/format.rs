/// The colour channels of a pixel, in stored order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    None,
    Rgb,
    Bgr,
    Rgba,
    Bgra,
}

impl Format {
    const ALL: [(Self, &'static str); 5] = [
        (Self::None, "none"),
        (Self::Rgb, "rgb"),
        (Self::Bgr, "bgr"),
        (Self::Rgba, "rgba"),
        (Self::Bgra, "bgra"),
    ];

    pub(super) fn from_code(code: u8) -> Option<Self> {
        let format = Self::ALL.get(usize::from(code));
        format.map(|(format, _)| *format)
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let format = Self::ALL.iter().find(|(_, known)| *known == name);
        format.map(|(format, _)| *format)
    }

    pub(super) fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(format, _)| *format == self);
        known.map_or("none", |(_, name)| *name)
    }

    pub(super) const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Rgb => 1,
            Self::Bgr => 2,
            Self::Rgba => 3,
            Self::Bgra => 4,
        }
    }

    /// The number of bytes of a pixel; `None` if the format was not set.
    pub(super) const fn depth(self) -> Option<u16> {
        match self {
            Self::None => None,
            Self::Rgb | Self::Bgr => Some(3),
            Self::Rgba | Self::Bgra => Some(4),
        }
    }

    /// True if blue comes first; in the library's images, red does.
    pub(super) const fn is_reversed(self) -> bool {
        matches!(self, Self::Bgr | Self::Bgra)
    }
}
