/// An enumeration that is stored as one byte.
pub trait Code: Copy + Sized + Default {
    /// The kind of thing that the codes name, for error messages: `datatype`, `cell order`.
    const WHAT: &'static str;

    /// Returns the member with this code; `None` if the code is unknown.
    fn from_code(code: u8) -> Option<Self>;

    /// The byte that stands for this member in stored data.
    fn code(self) -> u8;

    /// The name of this member in TileDB's format and on the command line.
    fn name(self) -> &'static str;
}
