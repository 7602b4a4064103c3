//! Text in fixed-size cells, padded with NUL bytes.

use tdb_tile::Datatype;

use crate::CellValNum;

/// True if cells are fixed-size text: `char`, `string_ascii` or `string_utf8`. As in numpy, a
/// shorter text is followed by NUL bytes, which are not part of it.
#[must_use]
pub fn is_padded(datatype: Datatype, values: CellValNum) -> bool {
    let is_text = matches!(
        datatype,
        Datatype::Char | Datatype::StringAscii | Datatype::StringUtf8
    );
    is_text && !values.is_var()
}

/// Returns the text of a [fixed-size](is_padded) cell without the NUL bytes at its end; other cells
/// unchanged.
#[must_use]
pub fn unpadded(datatype: Datatype, values: CellValNum, cell: &[u8]) -> &[u8] {
    if !is_padded(datatype, values) {
        return cell;
    }
    let mut text = cell;
    while let [rest @ .., 0] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_of_fixed_size_ends_before_its_nul_bytes() {
        let (three, var) = (CellValNum::Fixed(3), CellValNum::Var);
        assert_eq!(unpadded(Datatype::Char, three, b"ab\0"), b"ab");
        assert_eq!(unpadded(Datatype::StringAscii, three, b"a\0b"), b"a\0b");
        assert_eq!(unpadded(Datatype::StringUtf8, three, b"\0\0\0"), b"");
        assert_eq!(unpadded(Datatype::StringUtf8, var, b"ab\0"), b"ab\0");
        assert_eq!(unpadded(Datatype::Blob, three, b"ab\0"), b"ab\0");
    }
}
