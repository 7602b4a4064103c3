use tdb_tile::{Code, Datatype, FormatVersion, Physical, WireErrorKind};

use crate::codec::{self, Codec, Compression};
use crate::filter::Options;
use crate::{BrokenValues, Chunk, Description, Filter, FilterError, OptionValue, Out, Stage};

/// The common part of the two delta filters: compression framing, and an option that selects the
/// datatype that values are reinterpreted as.
#[derive(Debug)]
pub(crate) struct Delta<C> {
    level: i32,
    /// `any` if values keep their own datatype.
    reinterpret: Datatype,
    codec: Compression<C>,
}

/// A delta codec; takes the datatype of its values from [`Stage::datatype`].
pub(crate) trait DeltaCodec: Codec + Default + Copy + 'static {
    const NAME: &'static str;
    /// The compressor id at the start of the options.
    const ID: u8;
    /// True if records of this version store the reinterpreted datatype.
    fn stores_reinterpretation(version: FormatVersion) -> bool;
}

impl<C: DeltaCodec> Delta<C> {
    fn new(level: i32, reinterpret: Datatype) -> Self {
        Self {
            level,
            reinterpret,
            codec: Compression(C::default()),
        }
    }

    fn datatype(&self, input: Datatype) -> Datatype {
        if self.reinterpret == Datatype::Any {
            return input;
        }
        self.reinterpret
    }
}

/// Reads the stored options: compressor id, level, and in newer versions the datatype.
pub(crate) fn parse<C: DeltaCodec>(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let level = codec::read_level(options, &mut reader, C::ID)?;
    let mut reinterpret = Datatype::Any;
    if !reader.rest().is_empty() {
        let code = reader.scalar::<u8>("reinterpret datatype")?;
        reinterpret = Datatype::from_code(code).ok_or_else(|| {
            let kind = WireErrorKind::UnknownCode {
                what: Datatype::WHAT,
                code: u64::from(code),
            };
            FilterError::corrupt(C::NAME, "reinterpret datatype", kind)
        })?;
    }
    reader.finish("options")?;
    Ok(Box::new(Delta::<C>::new(level, reinterpret)))
}

/// Reads the options of a description.
pub(crate) fn build<C: DeltaCodec>(
    description: &Description,
) -> Result<Box<dyn Filter>, FilterError> {
    let level = description.integer(C::NAME, "level", -1)?;
    let name = description.text(C::NAME, "reinterpret", Datatype::Any.name())?;
    let reinterpret = Datatype::from_name(name).ok_or(FilterError::Options {
        filter: C::NAME,
        why: "reinterpret is no datatype",
    })?;
    Ok(Box::new(Delta::<C>::new(level, reinterpret)))
}

impl<C: DeltaCodec> Filter for Delta<C> {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        stage.datatype = self.datatype(stage.datatype);
        self.codec.encode(chunk, out, stage)
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        stage.datatype = self.datatype(stage.datatype);
        self.codec.decode(chunk, out, stage)
    }

    fn options(&self, version: FormatVersion) -> Vec<u8> {
        let mut out = codec::write_level(C::ID, self.level);
        if C::stores_reinterpretation(version) {
            out.push(self.reinterpret.code());
        }
        out
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        let reinterpret = self.reinterpret.name().to_owned();
        vec![
            ("level", OptionValue::Integer(self.level.into())),
            ("reinterpret", OptionValue::Text(reinterpret)),
        ]
    }

    fn output(&self, input: Datatype) -> Datatype {
        self.datatype(input)
    }

    fn accepts(&self, input: Datatype) -> bool {
        let datatype = self.datatype(input);
        !datatype.is_real() && input.size().is_multiple_of(datatype.size())
    }

    fn breaks_values(&self, _: Datatype) -> bool {
        true
    }

    fn compresses(&self) -> bool {
        true
    }

    fn broken_values(&self) -> BrokenValues {
        BrokenValues::Lost
    }
}

/// Returns the layout of a datatype's values for deltas: strings of any kind are bytes.
pub(crate) fn physical(filter: &'static str, datatype: Datatype) -> Result<Physical, FilterError> {
    if datatype.is_real() {
        return Err(FilterError::InvalidPipeline {
            filter,
            why: "it takes no floating-point numbers",
        });
    }
    if datatype.is_string() {
        return Ok(Physical::U8);
    }
    Ok(datatype.physical())
}

/// Returns the size of one value in bytes.
pub(crate) const fn size(physical: Physical) -> usize {
    match physical {
        Physical::I8 | Physical::U8 => 1,
        Physical::I16 | Physical::U16 => 2,
        Physical::I32 | Physical::U32 | Physical::F32 => 4,
        Physical::I64 | Physical::U64 | Physical::F64 => 8,
    }
}

/// Fails unless `count` values of `size` bytes, the number stored in a piece, fill `out` exactly.
pub(crate) fn check_count(
    filter: &'static str,
    count: u64,
    size: usize,
    out: &[u8],
) -> Result<(), FilterError> {
    let wanted = out.len() as u64;
    let found = count.checked_mul(size as u64).ok_or_else(|| {
        FilterError::invalid(filter, "count", "is of more than 2^64 bytes of values")
    })?;
    if found == wanted {
        return Ok(());
    }
    let kind = WireErrorKind::Mismatch {
        what: "length by count",
        wanted,
        found,
    };
    Err(FilterError::corrupt(filter, "data", kind))
}

/// The error for a part that is not a whole number of values: TileDB silently drops its end.
pub(crate) fn cut_value(filter: &'static str) -> FilterError {
    FilterError::InvalidPipeline {
        filter,
        why: "the filters before it leave no whole number of values",
    }
}
