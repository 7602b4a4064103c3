/// An enumeration that is stored as one byte.
pub trait Code: Copy + Sized + Default {
    /// What the codes name, for errors: `datatype`, `cell order`.
    const WHAT: &'static str;

    /// The member that `code` stands for.
    fn from_code(code: u8) -> Option<Self>;

    /// The byte that is stored.
    fn code(self) -> u8;

    /// The name as the format and the command line spell it.
    fn name(self) -> &'static str;
}
