//! Formats numbers.

use std::io::Write;

use tdb_tile::Scalar;

use super::syntax::Syntax;

/// Appends a number, given its bytes.
pub(super) fn append_number<T: Digits>(bytes: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    if let Some(number) = T::read(bytes) {
        number.append(syntax, out);
    }
}

/// Numbers formatted with the fewest digits that identify them.
pub(super) trait Digits: Scalar {
    fn append(self, syntax: Syntax, out: &mut Vec<u8>);
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Digits for $t {
            fn append(self, _: Syntax, out: &mut Vec<u8>) {
                out.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty, $beyond:literal)*) => {$(
        impl Digits for $t {
            fn append(self, syntax: Syntax, out: &mut Vec<u8>) {
                let size = self.abs();
                if size == 0.0 || (1e-4..$beyond).contains(&size) {
                    out.extend_from_slice(zmij::Buffer::new().format_finite(self).as_bytes());
                    return;
                }
                // zmij writes exponents in another form than the rest of the program.
                let quote: &[u8] = if syntax == Syntax::Json && !size.is_finite() { b"\"" } else { b"" };
                out.extend_from_slice(quote);
                // Writing to memory cannot fail.
                let _ = match (self.is_nan(), size.is_infinite()) {
                    (true, _) => out.write_all(b"NaN"),
                    (_, true) if self > 0.0 => out.write_all(b"Infinity"),
                    (_, true) => out.write_all(b"-Infinity"),
                    _ => write!(out, "{self:?}"),
                };
                out.extend_from_slice(quote);
            }
        }
    )*};
}

floats!(f32, 1e12 f64, 1e16);
