//! The header of a `.npy` file: type of the values, and shape.

use std::io::Read;

use tdb_cells::files::InputError;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The header is padded so that the values begin at a multiple of this number of bytes.
const ALIGNMENT: usize = 64;

/// Maximum size of a header, in bytes.
const MOST: u32 = 1 << 20;

/// The shape of a `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyShape {
    /// Number of cells along each axis.
    pub axes: Vec<u64>,
    /// Whether the first axis varies fastest.
    pub is_column_major: bool,
}

/// The header of a file.
#[derive(Debug)]
pub(super) struct Header {
    /// NumPy's name of the type of the values.
    pub(super) descr: String,
    pub(super) shape: NpyShape,
}

/// Returns the error for a file that cannot be read.
pub(super) fn unfit(what: String) -> InputError {
    InputError::Unfit {
        what,
        hint: "numpy.save writes arrays of numbers, bool, datetime64, timedelta64, S, U and V as .npy files",
    }
}

/// Reads the header, up to the start of the values.
pub(super) fn read_header(file: &mut impl Read) -> Result<Header, InputError> {
    let wrong = |what: &str| unfit(format!("no .npy file: {what}"));
    let mut start = [0; 8];
    file.read_exact(&mut start)
        .map_err(|_| wrong("too short"))?;
    let [magic @ .., major, _] = start;
    if magic != MAGIC {
        return Err(wrong("it does not begin as one"));
    }
    let len = match major {
        1 => {
            let mut len = [0; 2];
            file.read_exact(&mut len)?;
            u32::from(u16::from_le_bytes(len))
        }
        2 | 3 => {
            let mut len = [0; 4];
            file.read_exact(&mut len)?;
            u32::from_le_bytes(len)
        }
        _ => return Err(wrong("a version that is not known")),
    };
    if len > MOST {
        return Err(wrong("a header too large"));
    }
    let mut text = Vec::new();
    file.take(len.into()).read_to_end(&mut text)?;
    let text = String::from_utf8(text).map_err(|_| wrong("a header that is not UTF-8"))?;
    if is_structured(&text) {
        let what = "structured types are not read: save each of their fields as a file of its own";
        return Err(unfit(what.to_owned()));
    }
    parse_header(&text).ok_or_else(|| wrong("a header that says neither type nor shape"))
}

/// Whether values are structured: then the header has a list of fields instead of a type.
fn is_structured(text: &str) -> bool {
    let descr = text.split_once("'descr':");
    descr.is_some_and(|(_, descr)| descr.trim_start().starts_with('['))
}

/// Parses the header, which is a Python dictionary in the form that NumPy writes.
fn parse_header(text: &str) -> Option<Header> {
    let after = |key: &str| {
        let (_, rest) = text.split_once(&format!("'{key}':"))?;
        Some(rest.trim_start())
    };
    let descr = after("descr")?.strip_prefix('\'')?.split('\'').next()?;
    let (sides, _) = after("shape")?.strip_prefix('(')?.split_once(')')?;
    let sides = sides
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty());
    Some(Header {
        descr: descr.to_owned(),
        shape: NpyShape {
            axes: sides.map(|side| side.parse().ok()).collect::<Option<_>>()?,
            is_column_major: after("fortran_order")?.starts_with("True"),
        },
    })
}

/// Builds the header: magic bytes, version 1.0, and the dictionary, padded up to the start of the values. `None` if it
/// is longer than version 1.0 allows, 64 KiB; NumPy itself reads at most 64 axes.
pub(super) fn header(dtype: &str, axes: &[u64]) -> Option<Vec<u8>> {
    let sides: String = axes.iter().map(|side| format!("{side}, ")).collect();
    // A Python tuple of one element needs a comma after it; longer ones must not end with more than one.
    let sides = match axes {
        [_] => sides.trim_end(),
        _ => sides.trim_end_matches(", "),
    };
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({sides}), }}");
    // The length takes two bytes, and a line feed ends the text.
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    let len = u16::try_from(whole - before).ok()?;

    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&len.to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header.resize(whole - 1, b' ');
    header.push(b'\n');
    Some(header)
}
