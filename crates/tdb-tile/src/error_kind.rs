/// The kinds of errors that the outer layers tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong: option, name, expression, data that does not fit the schema.
    Invalid,
    /// No such array, group or object.
    NotFound,
    /// Something is in the way.
    Exists,
    /// What is stored breaks the format.
    Corrupt,
    /// What is stored points outside.
    EscapesRoot,
    /// What is stored loops.
    Cycle,
    /// What is stored does not decrypt, or a key is missing or too many.
    Crypto,
    /// A newer version, a removed filter, a feature that is not compiled in.
    Unsupported,
    /// The store or the network failed, or denied permission.
    Store,
    /// A cap or the memory budget.
    Limit,
    /// What cannot happen: a defect of this library, to be reported.
    Bug,
}
