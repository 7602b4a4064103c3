/// The format that cells are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    #[cfg_attr(
        not(feature = "csv"),
        expect(dead_code, reason = "without the writer nobody asks for it")
    )]
    Csv,
    Json,
    /// For people.
    Plain,
}

/// What stands for null among plain texts: no text holds this byte.
pub(super) const NULL: u8 = 0xff;

/// Appends what stands for null.
pub(super) fn null(syntax: Syntax, out: &mut Vec<u8>) {
    match syntax {
        Syntax::Csv => {}
        Syntax::Json => out.extend_from_slice(b"null"),
        Syntax::Plain => out.push(NULL),
    }
}
