//! Filter 15: numbers as integers: less an offset, divided by a factor, rounded. Loses precision.
//!
//! Options: `f64` factor, `f64` offset, `u64` bytes of the integers (1, 2, 4 or 8). Acts on any type
//! of four or eight bytes, taken for `f32` or `f64`; what follows sees signed integers. Metadata:
//! `u32` part count, `u32` *stored* length of each part.
//!
//! What does not fit becomes the nearest integer that does, NaN becomes 0; TileDB leaves both open. Writers ask
//! [`Filter::first_unfit`] first.
//!
//! `[1, 2.5, -1.5, 0.5, 3.49]` with factor 2 and offset 1 in two bytes is `[0, 1, -1, 0, 1]`.

use tdb_tile::{Datatype, FormatVersion, Scalar};
use zerocopy::little_endian::{F32, F64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::header::{self, Reader, put_parts};
use crate::word::Word;
use crate::{
    BrokenValues, Chunk, Description, Entry, Filter, FilterError, OptionValue, Options, Out, Stage,
    Unfit, delta,
};

const NAME: &str = "scale_float";

pub(crate) static ENTRY: Entry = Entry::new(15, NAME, parse, build).since(15);

fn parse(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let factor = reader.scalar("scale")?;
    let offset = reader.scalar("offset")?;
    let width: u64 = reader.scalar("byte width")?;
    reader.finish("options")?;
    ScaleFloat::try_new(factor, offset, width)
}

fn build(description: &Description) -> Result<Box<dyn Filter>, FilterError> {
    let factor = description.real(NAME, "scale", 1.0)?;
    let offset = description.real(NAME, "offset", 0.0)?;
    let width = description.integer(NAME, "byte_width", 8)?;
    ScaleFloat::try_new(factor, offset, width)
}

#[derive(Debug)]
struct ScaleFloat {
    factor: f64,
    offset: f64,
    width: Width,
}

#[derive(Clone, Copy, Debug)]
enum Width {
    One = 1,
    Two = 2,
    Four = 4,
    Eight = 8,
}

impl ScaleFloat {
    fn try_new(factor: f64, offset: f64, width: u64) -> Result<Box<dyn Filter>, FilterError> {
        let width = match width {
            1 => Width::One,
            2 => Width::Two,
            4 => Width::Four,
            8 => Width::Eight,
            _ => {
                return Err(FilterError::Options {
                    filter: NAME,
                    why: "byte width is none of 1, 2, 4 and 8",
                });
            }
        };
        Ok(Box::new(Self {
            factor,
            offset,
            width,
        }))
    }
}

/// Whether values are taken for `f64` (true) or `f32`.
fn is_double(datatype: Datatype) -> Result<bool, FilterError> {
    match datatype.size() {
        4 => Ok(false),
        8 => Ok(true),
        _ => Err(FilterError::InvalidPipeline {
            filter: NAME,
            why: "it takes values of four or eight bytes",
        }),
    }
}

impl Filter for ScaleFloat {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let (is_double, width) = (is_double(stage.datatype)?, self.width as usize);
        let size = stage.datatype.size();
        if chunk
            .data
            .iter()
            .any(|part| !part.len().is_multiple_of(size))
        {
            return Err(delta::cut_value(NAME));
        }
        let scaled = |len: usize| len.checked_div(size).unwrap_or(0).saturating_mul(width);
        let total = scaled(chunk.data.bytes().len());
        let (header, room) = out.header_and_data(total)?;
        put_parts(
            NAME,
            header,
            chunk.data.iter().map(|part| scaled(part.len())),
        )?;
        let values = chunk.data.bytes();
        match (is_double, self.width) {
            (false, Width::One) => self.scale_all::<f32, u8>(values, room)?,
            (false, Width::Two) => self.scale_all::<f32, u16>(values, room)?,
            (false, Width::Four) => self.scale_all::<f32, u32>(values, room)?,
            (false, Width::Eight) => self.scale_all::<f32, u64>(values, room)?,
            (true, Width::One) => self.scale_all::<f64, u8>(values, room)?,
            (true, Width::Two) => self.scale_all::<f64, u16>(values, room)?,
            (true, Width::Four) => self.scale_all::<f64, u32>(values, room)?,
            (true, Width::Eight) => self.scale_all::<f64, u64>(values, room)?,
        }
        out.keep_metadata(0);
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let (is_double, width) = (is_double(stage.datatype)?, self.width as usize);
        let stored = chunk.data.bytes();
        let mut reader = Reader::new(NAME, chunk.metadata.bytes());
        let mut lengths = header::parts(NAME, &mut reader, stored.len())?;
        if lengths.any(|length| !length.is_multiple_of(width)) {
            let finding = "is not a whole number of integers";
            return Err(FilterError::invalid(NAME, "part length", finding));
        }
        let count = stored.len().checked_div(width).unwrap_or(0);
        let room = out.data(count.saturating_mul(stage.datatype.size()))?;
        match (is_double, self.width) {
            (false, Width::One) => self.restore_all::<f32, u8>(stored, room)?,
            (false, Width::Two) => self.restore_all::<f32, u16>(stored, room)?,
            (false, Width::Four) => self.restore_all::<f32, u32>(stored, room)?,
            (false, Width::Eight) => self.restore_all::<f32, u64>(stored, room)?,
            (true, Width::One) => self.restore_all::<f64, u8>(stored, room)?,
            (true, Width::Two) => self.restore_all::<f64, u16>(stored, room)?,
            (true, Width::Four) => self.restore_all::<f64, u32>(stored, room)?,
            (true, Width::Eight) => self.restore_all::<f64, u64>(stored, room)?,
        }
        out.keep_metadata(reader.position());
        Ok(())
    }

    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        let mut out = Vec::with_capacity(24);
        self.factor.write(&mut out);
        self.offset.write(&mut out);
        (self.width as u64).write(&mut out);
        out
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        vec![
            ("scale", OptionValue::Real(self.factor)),
            ("offset", OptionValue::Real(self.offset)),
            ("byte_width", OptionValue::Integer(self.width as i64)),
        ]
    }

    fn output(&self, _: Datatype) -> Datatype {
        match self.width {
            Width::One => Datatype::Int8,
            Width::Two => Datatype::Int16,
            Width::Four => Datatype::Int32,
            Width::Eight => Datatype::Int64,
        }
    }

    fn accepts(&self, input: Datatype) -> bool {
        matches!(input.size(), 4 | 8)
    }

    fn is_lossy(&self) -> bool {
        true
    }

    fn broken_values(&self) -> BrokenValues {
        BrokenValues::Lost
    }

    fn first_unfit(&self, values: &[u8], input: Datatype) -> Option<Unfit> {
        if is_double(input).ok()? {
            self.first_beyond::<f64>(values)
        } else {
            self.first_beyond::<f32>(values)
        }
    }
}

impl ScaleFloat {
    fn first_beyond<F: Float>(&self, values: &[u8]) -> Option<Unfit> {
        let bits = i32::from(self.width as u8).saturating_mul(8);
        let end = 2_f64.powi(bits.saturating_sub(1));
        let fits = |value: &F::Stored| {
            let scaled = F::load(*value).rounded(self.factor, self.offset);
            -end <= scaled && scaled < end
        };
        let index = F::slice(values)
            .ok()?
            .iter()
            .position(|value| !fits(value))?;
        let ends = [-end, end - 1.0].map(|scaled| scaled * self.factor + self.offset);
        let [a, b] = ends;
        Some(Unfit {
            index,
            filter: NAME,
            range: (a.min(b), a.max(b)),
        })
    }

    fn scale_all<F: Float, W: Word>(
        &self,
        values: &[u8],
        room: &mut [u8],
    ) -> Result<(), FilterError> {
        let most = i64::MAX >> 64_usize.saturating_sub(W::SIZE.saturating_mul(8));
        let least = !most;
        let values = F::slice(values)?;
        for (value, place) in values.iter().zip(W::slice_mut(NAME, room)?) {
            let scaled = whole(F::load(*value).rounded(self.factor, self.offset));
            let scaled = scaled.clamp(least, most).cast_unsigned();
            *place = W::from_u64(scaled).store();
        }
        Ok(())
    }

    fn restore_all<F: Float, W: Word>(
        &self,
        stored: &[u8],
        room: &mut [u8],
    ) -> Result<(), FilterError> {
        let stored = W::slice(NAME, stored)?;
        for (scaled, place) in stored.iter().zip(F::slice_mut(room)?) {
            let scaled = W::load(*scaled).sign_extended().cast_signed();
            *place = F::restore(scaled, self.factor, self.offset).store();
        }
        Ok(())
    }
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "saturating is what is wanted"
)]
fn whole(rounded: f64) -> i64 {
    rounded as i64
}

/// `f32` or `f64`; all arithmetic as TileDB does it, in that type or in `f64`.
trait Float: Copy {
    type Stored: Copy + FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned;

    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
    /// What is stored, if it fits.
    fn rounded(self, factor: f64, offset: f64) -> f64;
    fn restore(scaled: i64, factor: f64, offset: f64) -> Self;

    fn slice(bytes: &[u8]) -> Result<&[Self::Stored], FilterError> {
        <[Self::Stored]>::ref_from_bytes(bytes).map_err(|_| delta::cut_value(NAME))
    }

    fn slice_mut(bytes: &mut [u8]) -> Result<&mut [Self::Stored], FilterError> {
        <[Self::Stored]>::mut_from_bytes(bytes).map_err(|_| delta::cut_value(NAME))
    }
}

macro_rules! float {
    ($($native:ident, $stored:ident;)*) => {$(
        impl Float for $native {
            type Stored = $stored;

            #[inline]
            fn load(stored: $stored) -> Self {
                stored.get()
            }

            #[inline]
            fn store(self) -> $stored {
                $stored::new(self)
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
            fn rounded(self, factor: f64, offset: f64) -> f64 {
                f64::from(((self - offset as $native) / factor as $native).round())
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
            fn restore(scaled: i64, factor: f64, offset: f64) -> Self {
                (factor * f64::from(scaled as $native) + offset) as $native
            }
        }
    )*};
}

float! {
    f32, F32;
    f64, F64;
}
