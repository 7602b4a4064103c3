//! Filters and their options.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tdb::engine::filters::{Description, FilterRecord, OptionValue, Registry, describe};
use tdb::engine::tile::{Code as _, Datatype, FormatVersion};

use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{check_place, put, take};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;

/// A filter, in the form in which schemas store it.
#[derive(Debug)]
pub(crate) struct Filter(Mutex<FilterRecord>);

impl Filter {
    /// Wraps a filter of a list.
    pub(crate) fn of(record: FilterRecord) -> Self {
        Self(Mutex::new(record))
    }

    /// Creates a filter with the options that it has if none is set.
    fn new(code: tiledb_filter_type_t) -> Result<Self> {
        let number = u8::try_from(code).ok();
        let Some(entry) = number.and_then(|number| Registry::builtin().entry(number)) else {
            return Err(Error::short(
                "FilterCreate",
                format!("Invalid filter type {code}"),
            ));
        };
        record_of(&Description::new(entry.name)).map(Self::of)
    }

    /// Returns a copy of the filter.
    pub(crate) fn record(&self) -> FilterRecord {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, FilterRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

handle!(
    /// A filter with its options.
    tiledb_filter_t => Filter, "filter"
);

fn record_of(description: &Description) -> Result<FilterRecord> {
    let record = description.record(FormatVersion::WRITTEN, Registry::builtin());
    record.map_err(|error| Error::new("Filter", error.to_string()))
}

fn description_of(record: &FilterRecord) -> Result<Description> {
    let description = describe(record, FormatVersion::WRITTEN, Registry::builtin());
    description.map_err(|error| Error::new("Filter", error.to_string()))
}

/// How a C program gives the value of an option.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Level,
    Window,
    Bytes,
    Real,
    Quality,
    Flag,
    Format,
    Type,
}

/// An option of a filter: its number in C, its name in the engine, and its form.
type Setting = (tiledb_filter_option_t, &'static str, Shape);

const LEVEL: Setting = (TILEDB_COMPRESSION_LEVEL, "level", Shape::Level);

/// The formats of WebP images, by their numbers.
const FORMATS: [&str; 5] = ["none", "rgb", "bgr", "rgba", "bgra"];

/// Returns how errors call a filter with options, and the options; `None` if it has none.
fn settings(code: u8) -> Option<(&'static str, &'static [Setting])> {
    const REINTERPRET: tiledb_filter_option_t = TILEDB_COMPRESSION_REINTERPRET_DATATYPE;
    Some(match tiledb_filter_type_t::from(code) {
        TILEDB_FILTER_DELTA | TILEDB_FILTER_DOUBLE_DELTA => (
            "Compression",
            &[LEVEL, (REINTERPRET, "reinterpret", Shape::Type)],
        ),
        TILEDB_FILTER_GZIP
        | TILEDB_FILTER_ZSTD
        | TILEDB_FILTER_LZ4
        | TILEDB_FILTER_RLE
        | TILEDB_FILTER_BZIP2
        | TILEDB_FILTER_DICTIONARY => ("Compression", &[LEVEL]),
        TILEDB_FILTER_BIT_WIDTH_REDUCTION => (
            "Bit width reduction",
            &[(TILEDB_BIT_WIDTH_MAX_WINDOW, "window", Shape::Window)],
        ),
        TILEDB_FILTER_POSITIVE_DELTA => (
            "Positive delta",
            &[(TILEDB_POSITIVE_DELTA_MAX_WINDOW, "window", Shape::Window)],
        ),
        TILEDB_FILTER_SCALE_FLOAT => (
            "Float scaling",
            &[
                (TILEDB_SCALE_FLOAT_BYTEWIDTH, "byte_width", Shape::Bytes),
                (TILEDB_SCALE_FLOAT_FACTOR, "scale", Shape::Real),
                (TILEDB_SCALE_FLOAT_OFFSET, "offset", Shape::Real),
            ],
        ),
        TILEDB_FILTER_WEBP => (
            "Webp",
            &[
                (TILEDB_WEBP_QUALITY, "quality", Shape::Quality),
                (TILEDB_WEBP_INPUT_FORMAT, "format", Shape::Format),
                (TILEDB_WEBP_LOSSLESS, "lossless", Shape::Flag),
            ],
        ),
        _ => return None,
    })
}

/// Finds an option of a filter; `None` if the filter accepts the option and does nothing with it.
fn setting(code: u8, option: tiledb_filter_option_t) -> Result<Option<Setting>> {
    let Some((family, known)) = settings(code) else {
        return Err(Error::new("Filter", "Filter does not support options."));
    };
    if let Some(setting) = known.iter().find(|setting| setting.0 == option) {
        return Ok(Some(*setting));
    }
    if family == "Compression" && option == TILEDB_COMPRESSION_REINTERPRET_DATATYPE {
        return Ok(None);
    }
    Err(refused(code, "unknown option"))
}

/// Creates the error of a filter that does not take an option or its value.
fn refused(code: u8, why: &str) -> Error {
    let family = settings(code).map_or("", |(family, _)| family);
    Error::new("Filter", format!("{family} filter error; {why}"))
}

/// Reads the value of an option.
///
/// # Safety
/// `value` is null or points to a value of the option's type.
unsafe fn read(code: u8, shape: Shape, value: *const c_void) -> Result<OptionValue> {
    // SAFETY: the caller promises it.
    unsafe {
        Ok(match shape {
            Shape::Level => OptionValue::Integer(take(value.cast::<i32>())?.into()),
            Shape::Window => OptionValue::Integer(take(value.cast::<u32>())?.into()),
            Shape::Bytes => {
                let width = take(value.cast::<u64>())?;
                let width = i64::try_from(width)
                    .ok()
                    .filter(|width| [1, 2, 4, 8].contains(width));
                OptionValue::Integer(
                    width.ok_or_else(|| refused(code, "invalid byte width value."))?,
                )
            }
            Shape::Real => OptionValue::Real(take(value.cast::<f64>())?),
            Shape::Quality => {
                let quality = take(value.cast::<f32>())?;
                if !(0.0..=100.0).contains(&quality) {
                    return Err(refused(code, "Quality must be in range [0.0, 100.0]"));
                }
                OptionValue::Real(quality.into())
            }
            Shape::Flag => match take(value.cast::<u8>())? {
                0 => OptionValue::Flag(false),
                1 => OptionValue::Flag(true),
                _ => {
                    let why = "Lossless compression must be either enabled (1) or disabled (0)";
                    return Err(refused(code, why));
                }
            },
            Shape::Format => {
                let format = FORMATS.get(usize::from(take(value.cast::<u8>())?));
                let unknown = || refused(code, "Invalid input format option setting");
                OptionValue::Text((*format.ok_or_else(unknown)?).to_owned())
            }
            Shape::Type => {
                let datatype = Datatype::from_code(take(value.cast::<u8>())?);
                let unknown = || refused(code, "invalid datatype");
                OptionValue::Text(datatype.ok_or_else(unknown)?.name().to_owned())
            }
        })
    }
}

/// Checks a value that the engine takes and TileDB does not.
fn check_real(code: u8, option: tiledb_filter_option_t, value: &OptionValue) -> Result<()> {
    match (option, value) {
        (TILEDB_SCALE_FLOAT_FACTOR, OptionValue::Real(v)) if !v.is_normal() => {
            Err(refused(code, "invalid scale value."))
        }
        (TILEDB_SCALE_FLOAT_OFFSET, OptionValue::Real(v)) if !v.is_finite() => {
            Err(refused(code, "invalid offset value."))
        }
        _ => Ok(()),
    }
}

/// Writes the value of an option.
///
/// # Safety
/// `place` is null or points to memory for a value of the option's type.
unsafe fn write(shape: Shape, value: &OptionValue, place: *mut c_void) -> Result<()> {
    let odd = || Error::new("Filter", "the option has an unexpected value");
    let fits = |_| odd();
    // SAFETY: the caller promises it.
    unsafe {
        match (shape, value) {
            (Shape::Level, OptionValue::Integer(v)) => {
                put(place.cast(), i32::try_from(*v).map_err(fits)?)
            }
            (Shape::Window, OptionValue::Integer(v)) => {
                put(place.cast(), u32::try_from(*v).map_err(fits)?)
            }
            (Shape::Bytes, OptionValue::Integer(v)) => {
                put(place.cast(), u64::try_from(*v).map_err(fits)?)
            }
            (Shape::Real, OptionValue::Real(v)) => put(place.cast(), *v),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it was a number of 32 bits"
            )]
            (Shape::Quality, OptionValue::Real(v)) => put(place.cast(), *v as f32),
            (Shape::Flag, OptionValue::Flag(v)) => put(place.cast(), u8::from(*v)),
            (Shape::Format, OptionValue::Text(v)) => {
                let format = FORMATS
                    .iter()
                    .position(|known| known == v)
                    .ok_or_else(odd)?;
                put(place.cast(), u8::try_from(format).map_err(|_| odd())?)
            }
            (Shape::Type, OptionValue::Text(v)) => {
                put(place.cast(), Datatype::from_name(v).ok_or_else(odd)?.code())
            }
            _ => Err(odd()),
        }
    }
}

/// Creates a filter.
///
/// # Safety
/// `filter` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_alloc(
    ctx: *mut tiledb_ctx_t,
    kind: tiledb_filter_type_t,
    filter: *mut *mut tiledb_filter_t,
) -> i32 {
    call(ctx, |_| {
        check_place(filter)?;
        put(filter, give(Filter::new(kind)?))
    })
}

/// Frees a filter.
///
/// # Safety
/// `filter` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_free(filter: *mut *mut tiledb_filter_t) {
    free(filter);
}

/// Returns an option of a filter.
///
/// # Safety
/// `value` is null or points to memory for a value of the option's type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        let record = get(filter)?.record();
        check_place(value)?;
        let Some((_, name, shape)) = setting(record.code, option)? else {
            return put(value.cast(), Datatype::Any.code());
        };
        let options = description_of(&record)?.options;
        let found = options.iter().find(|(known, _)| known == name);
        let (_, found) = found.ok_or_else(|| refused(record.code, "unknown option"))?;
        write(shape, found, value)
    })
}

/// Returns the type of a filter.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_type(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    kind: *mut tiledb_filter_type_t,
) -> i32 {
    call(ctx, |_| put(kind, get(filter)?.record().code.into()))
}

/// Sets an option of a filter.
///
/// # Safety
/// `value` is null or points to a value of the option's type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_set_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *const c_void,
) -> i32 {
    call(ctx, |_| {
        let filter = get(filter)?;
        let mut record = filter.lock();
        if value.is_null() && settings(record.code).is_some() {
            return Err(refused(record.code, "invalid option value"));
        }
        let Some((_, name, shape)) = setting(record.code, option)? else {
            return Ok(());
        };
        let value = read(record.code, shape, value)?;
        check_real(record.code, option, &value)?;
        *record = record_of(&description_of(&record)?.with(name, value))?;
        Ok(())
    })
}
