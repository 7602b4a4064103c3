/// A coarse classification of errors, for callers that handle kinds of errors differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong: option, name, expression, data that does not fit the schema.
    Invalid,
    /// The array, group or object does not exist.
    NotFound,
    /// An object already exists at the target.
    Exists,
    /// Stored data breaks the format.
    Corrupt,
    /// A URI points outside the array or group.
    EscapesRoot,
    /// Groups contain each other in a cycle.
    Cycle,
    /// Data cannot be decrypted, or a key is missing or was given for data that is not encrypted.
    Crypto,
    /// The data needs a newer version, a removed filter or a feature that is not compiled in.
    Unsupported,
    /// The store or the network failed, or denied permission.
    Store,
    /// A cap on sizes, depths or counts was exceeded: the request, or stored data, is larger than supported.
    Limit,
    /// The memory budget was exceeded: the same request succeeds with more memory.
    Memory,
    /// An invariant is broken: a defect of this library, to be reported.
    Bug,
}
