use tdb_query::ResultOrder;

/// The order of the cells of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By coordinates, the last dimension changing fastest: row-major.
    Row,
    /// By coordinates, the first dimension changing fastest: column-major.
    Col,
    /// As the array stores its cells.
    Global,
    /// Whichever is fastest.
    Any,
}

impl From<Order> for ResultOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::Row => Self::RowMajor,
            Order::Col => Self::ColumnMajor,
            Order::Global => Self::Global,
            Order::Any => Self::Unordered,
        }
    }
}
