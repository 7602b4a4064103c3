/// The format for which cells are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    #[cfg_attr(
        not(feature = "csv"),
        expect(dead_code, reason = "without the writer nobody asks for it")
    )]
    Csv,
    Json,
    /// Text for people.
    Plain,
}

/// Represents null in plain text; no UTF-8 text contains this byte.
pub(super) const NULL: u8 = 0xff;

/// Appends the text for null.
pub(super) fn null(syntax: Syntax, out: &mut Vec<u8>) {
    match syntax {
        Syntax::Csv => {}
        Syntax::Json => out.extend_from_slice(b"null"),
        Syntax::Plain => out.push(NULL),
    }
}
