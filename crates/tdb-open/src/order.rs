/// Order of the cells of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row-major: by coordinates, the last dimension varies fastest.
    Row,
    /// Column-major: by coordinates, the first dimension varies fastest.
    Col,
    /// Global order: as the array stores its cells.
    Global,
    /// The order that is fastest to read.
    Any,
}
