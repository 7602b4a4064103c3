//! Constants of the interface as types of the engine, and back.

use tdb::engine::schema::value::holds_bytes;
use tdb::engine::tile::Code as _;
use tdb::{Datatype, Scalar as _};

use crate::border::{Error, Result};
use crate::constants::tiledb_datatype_t;

/// Returns the datatype with this number.
///
/// # Errors
/// Fails if there is none.
pub(crate) fn datatype(code: tiledb_datatype_t) -> Result<Datatype> {
    let datatype = u8::try_from(code).ok().and_then(Datatype::from_code);
    datatype.ok_or_else(|| {
        Error::argument(format!(
            "Invalid datatype; no datatype has the number {code}"
        ))
    })
}

/// Returns the number of a datatype.
pub(crate) fn code(datatype: Datatype) -> tiledb_datatype_t {
    u32::from(datatype.code())
}

/// Returns a datatype's name in TileDB's texts: `INT32`.
pub(crate) fn title(datatype: Datatype) -> String {
    datatype.name().to_uppercase()
}

/// Returns a number of things as C programs get it.
///
/// # Errors
/// Fails if there are more than 2^32.
pub(crate) fn count(count: usize) -> Result<u32> {
    u32::try_from(count)
        .map_err(|_| Error::argument(format!("there are {count}, too many to count")))
}

/// Returns a stored integer, date or time as a number; `None` for floats and texts, and for bytes of another size.
pub(crate) fn integer(datatype: Datatype, bytes: &[u8]) -> Option<i128> {
    if datatype.is_real() || datatype.size() != bytes.len() {
        return None;
    }
    let mut wide = [0_u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    if !datatype.is_signed() {
        return Some(i128::from(unsigned));
    }
    let unused = 64_usize.checked_sub(bytes.len().checked_mul(8)?)?;
    Some(i128::from(unsigned.cast_signed() << unused >> unused))
}

/// Returns a stored value as text.
pub(crate) fn shown(datatype: Datatype, bytes: &[u8]) -> String {
    if let Some(number) = integer(datatype, bytes).filter(|_| !holds_bytes(datatype)) {
        return number.to_string();
    }
    let is_wide = datatype.size() == f64::SIZE;
    let real = if is_wide {
        f64::read(bytes)
    } else {
        f32::read(bytes).map(f64::from)
    };
    match real.filter(|_| datatype.is_real()) {
        Some(number) => number.to_string(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}
