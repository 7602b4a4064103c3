use tdb_tile::{Code, Datatype, FormatVersion, Physical, WireErrorKind};

use crate::codec::{self, Codec, Compression};
use crate::filter::Options;
use crate::{BrokenValues, Chunk, Description, Filter, FilterError, OptionValue, Out, Stage};

/// What the two delta filters share: compression framing, and an option that says which type
/// the values are to be taken for.
#[derive(Debug)]
pub(crate) struct Delta<C> {
    level: i32,
    /// `any` where the values are what they come as.
    reinterpret: Datatype,
    codec: Compression<C>,
}

/// A delta codec that reads the type of its values from [`Stage::datatype`].
pub(crate) trait DeltaCodec: Codec + Default + Copy + 'static {
    const NAME: &'static str;
    /// The compressor id that the options begin with.
    const ID: u8;
    /// Whether records of this version store the reinterpreted type.
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
        match self.reinterpret {
            Datatype::Any => input,
            reinterpret => reinterpret,
        }
    }
}

/// Reads the options: compressor id, level, and from some version on the type.
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

/// Reads the options as people write them.
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

/// How the values of a type are laid out for deltas: text of any kind is bytes.
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

/// Bytes of a value of this layout.
pub(crate) const fn size(physical: Physical) -> usize {
    match physical {
        Physical::I8 | Physical::U8 => 1,
        Physical::I16 | Physical::U16 => 2,
        Physical::I32 | Physical::U32 | Physical::F32 => 4,
        Physical::I64 | Physical::U64 | Physical::F64 => 8,
    }
}

/// The bytes that as many values take as a piece is said to have: exactly those of `out`.
pub(crate) fn check_count(
    filter: &'static str,
    count: u64,
    size: usize,
    out: &[u8],
) -> Result<(), FilterError> {
    let (wanted, found) = (out.len() as u64, count.saturating_mul(size as u64));
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

/// A part that does not consist of whole values: TileDB drops its end without a word.
pub(crate) fn cut_value(filter: &'static str) -> FilterError {
    FilterError::InvalidPipeline {
        filter,
        why: "the filters before it leave no whole number of values",
    }
}
