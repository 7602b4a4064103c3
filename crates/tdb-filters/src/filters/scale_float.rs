//! Filter 15: real numbers as integers: `(value - offset) / factor`, rounded. Lossy.
//!
//! Options: `f64` factor, `f64` offset, `u64` bytes of the integers (1, 2, 4 or 8). Applies to any
//! type of four or eight bytes, interpreted as `f32` or `f64`; later filters see signed integers.
//! Metadata: `u32` part count, `u32` *stored* length of each part.
//!
//! A number outside the integer range becomes the nearest integer in it, and NaN becomes 0; TileDB
//! leaves both undefined. Writers call [`Filter::first_unfit`] first.
//!
//! `[1, 2.5, -1.5, 0.5, 3.49]` with factor 2 and offset 1 in two bytes is `[0, 1, -1, 0, 1]`.

use tdb_tile::{Datatype, Exact, FormatVersion, Scalar};
use zerocopy::FromBytes;

use crate::float::{Float, whole, whole_of_32};
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

/// True if values are interpreted as `f64`, false for `f32`; fails for other sizes.
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
        #[expect(
            clippy::arithmetic_side_effects,
            reason = "floats have 4 or 8 bytes, integers at most 8: no more than twice what is in memory"
        )]
        let scaled = |values: &[u8]| values.chunks_exact(size).len() * width;
        let total = scaled(chunk.data.bytes());
        let (header, room) = out.header_and_data(total)?;
        put_parts(NAME, header, chunk.data.iter().map(scaled))?;
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
        let count = stored.chunks_exact(width).len();
        let room = out.data(count.exact_mul(stage.datatype.size())?)?;
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
        let end = match self.width {
            Width::One => -f64::from(i8::MIN),
            Width::Two => -f64::from(i16::MIN),
            Width::Four => -f64::from(i32::MIN),
            Width::Eight => -(i64::MIN as f64),
        };
        let index = self.position_beyond::<F>(slice::<F>(values).ok()?, end)?;
        let ends = [-end, end - 1.0].map(|scaled| scaled * self.factor + self.offset);
        let [a, b] = ends;
        Some(Unfit {
            index,
            filter: NAME,
            range: (a.min(b), a.max(b)),
        })
    }

    /// Returns the index of the first value whose scaled and rounded form is outside `-end..end`.
    /// Only blocks that contain a value near the limits or a NaN are examined value by value, so
    /// that the common case is one vectorised comparison per block.
    fn position_beyond<F: Float>(&self, values: &[F::Stored], end: f64) -> Option<usize> {
        let scaled = |value: &F::Stored| F::load(*value).scaled(self.factor, self.offset);
        let is_near = |value: &F::Stored| scaled(value).past_half().abs() < end - 1.0;
        let beyond = |value: &F::Stored| {
            let rounded = scaled(value).rounded();
            !(-end <= rounded && rounded < end)
        };
        let starts = (0..values.len()).step_by(64);
        for (start, values) in starts.zip(values.chunks(64)) {
            if values.iter().fold(true, |all, value| all & is_near(value)) {
                continue;
            }
            if let Some(place) = values.iter().position(beyond) {
                return start.checked_add(place);
            }
        }
        None
    }

    fn scale_all<F: Float, W: Word>(
        &self,
        values: &[u8],
        room: &mut [u8],
    ) -> Result<(), FilterError> {
        let most = W::LARGEST;
        let least = !most;
        let values = slice::<F>(values)?;
        let places = values.iter().zip(W::slice_mut(NAME, room)?);
        if W::SIZE > 4 {
            for (value, place) in places {
                let scaled = F::load(*value).scaled(self.factor, self.offset);
                *place = W::from_u64(whole(scaled.past_half()).cast_unsigned()).store();
            }
            return Ok(());
        }
        // With at most 32 bits, the limits are exact as floats, and clamping needs no wider
        // integers.
        let (least, most) = (least as f64, most as f64);
        for (value, place) in places {
            let scaled = F::load(*value).scaled(self.factor, self.offset);
            let scaled = whole_of_32(scaled.past_half().clamp(least, most));
            *place = W::from_u64(i64::from(scaled).cast_unsigned()).store();
        }
        Ok(())
    }

    fn restore_all<F: Float, W: Word>(
        &self,
        stored: &[u8],
        room: &mut [u8],
    ) -> Result<(), FilterError> {
        let stored = W::slice(NAME, stored)?;
        for (scaled, place) in stored.iter().zip(slice_mut::<F>(room)?) {
            let scaled = W::load(*scaled).sign_extended().cast_signed();
            *place = F::restore(scaled, self.factor, self.offset).store();
        }
        Ok(())
    }
}

fn slice<F: Float>(bytes: &[u8]) -> Result<&[F::Stored], FilterError> {
    <[F::Stored]>::ref_from_bytes(bytes).map_err(|_| delta::cut_value(NAME))
}

fn slice_mut<F: Float>(bytes: &mut [u8]) -> Result<&mut [F::Stored], FilterError> {
    <[F::Stored]>::mut_from_bytes(bytes).map_err(|_| delta::cut_value(NAME))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use zerocopy::IntoBytes;

    use super::*;

    /// Whole numbers and halves of any size, their neighbours, and arbitrary bits.
    fn doubles() -> impl Strategy<Value = f64> {
        let half = (any::<i64>(), 0_u32..64).prop_map(|(n, by)| (n >> by) as f64 / 2.0);
        let near = (half, -2_i64..3).prop_map(|(half, steps)| {
            let bits = half.to_bits().cast_signed().wrapping_add(steps);
            f64::from_bits(bits.cast_unsigned())
        });
        prop_oneof![near, any::<u64>().prop_map(f64::from_bits)]
    }

    fn floats() -> impl Strategy<Value = f32> {
        let half = (any::<i32>(), 0_u32..32).prop_map(|(n, by)| (n >> by) as f32 / 2.0);
        let near = (half, -2_i32..3).prop_map(|(half, steps)| {
            let bits = half.to_bits().cast_signed().wrapping_add(steps);
            f32::from_bits(bits.cast_unsigned())
        });
        prop_oneof![near, any::<u32>().prop_map(f32::from_bits)]
    }

    /// The reference implementation: rounds, then clamps.
    fn plain<F: Float, W: Word>(filter: &ScaleFloat, values: &[F]) -> Vec<u8> {
        let most = i64::MAX >> (64 - W::SIZE * 8);
        let mut out = Vec::new();
        for value in values {
            let rounded = value.scaled(filter.factor, filter.offset).rounded();
            let stored = whole(rounded).clamp(!most, most).cast_unsigned();
            out.extend_from_slice(W::from_u64(stored).store().as_bytes());
        }
        out
    }

    fn check<F: Float, W: Word>(filter: &ScaleFloat, values: &[F]) {
        let stored: Vec<F::Stored> = values.iter().map(|value| value.store()).collect();
        let mut room = vec![0; values.len() * W::SIZE];
        let bytes = stored.as_slice().as_bytes();
        filter.scale_all::<F, W>(bytes, &mut room).unwrap();
        assert_eq!(room, plain::<F, W>(filter, values));
        let end = 2_f64.powi(i32::from(W::BITS) - 1);
        let beyond = values.iter().position(|value| {
            let rounded = value.scaled(filter.factor, filter.offset).rounded();
            !(-end <= rounded && rounded < end)
        });
        assert_eq!(filter.position_beyond::<F>(&stored, end), beyond);
    }

    proptest! {
        #[test]
        fn values_are_scaled_as_in_the_plain_form(
            doubles in proptest::collection::vec(doubles(), 0..150),
            floats in proptest::collection::vec(floats(), 0..150),
            factor in prop_oneof![Just(1.0), Just(0.5), Just(-3.0), any::<f64>()],
            offset in prop_oneof![Just(0.0), Just(0.5), any::<f64>()],
        ) {
            let filter = ScaleFloat { factor, offset, width: Width::One };
            check::<f64, u8>(&filter, &doubles);
            check::<f64, u16>(&filter, &doubles);
            check::<f64, u32>(&filter, &doubles);
            check::<f64, u64>(&filter, &doubles);
            check::<f32, u8>(&filter, &floats);
            check::<f32, u16>(&filter, &floats);
            check::<f32, u32>(&filter, &floats);
            check::<f32, u64>(&filter, &floats);
        }
    }
}
