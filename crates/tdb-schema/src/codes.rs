use tdb_tile::Code;

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$member:meta])* $variant:ident = $code:literal, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$member])* $variant,)*
        }

        impl Code for $name {
            const WHAT: &'static str = $what;

            fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }

            fn code(self) -> u8 {
                match self { $(Self::$variant => $code,)* }
            }

            fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl $name {
            /// Returns the member with this name, in the command line's spelling; `None` if there
            /// is none.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

codes! {
    /// The way in which the cells of an array are addressed.
    ArrayType, "array type" {
        /// By position; every cell of the domain exists.
        #[default]
        Dense = 0, "dense";
        /// By coordinates stored with the cells.
        Sparse = 1, "sparse";
    }
}

codes! {
    /// The order of tiles or cells: which dimension varies fastest.
    Order, "tile order" {
        /// The last dimension varies fastest.
        #[default]
        RowMajor = 0, "row-major";
        /// The first dimension varies fastest.
        ColumnMajor = 1, "col-major";
    }
}

codes! {
    /// The order of the cells within a space tile or, with a Hilbert curve, within the array.
    CellOrder, "cell order" {
        /// The last dimension varies fastest.
        #[default]
        RowMajor = 0, "row-major";
        /// The first dimension varies fastest.
        ColumnMajor = 1, "col-major";
        /// Along a Hilbert curve through the domain; sparse arrays only.
        Hilbert = 4, "hilbert";
    }
}

codes! {
    /// The order of an attribute's values along a one-dimensional dense array.
    DataOrder, "data order" {
        /// The values are not sorted.
        #[default]
        Unordered = 0, "unordered";
        /// Each value is at least the one before.
        Increasing = 1, "increasing";
        /// Each value is at most the one before.
        Decreasing = 2, "decreasing";
    }
}

codes! {
    /// The shape of a current domain.
    CurrentDomainType, "current domain type" {
        /// A box: one range per dimension.
        #[default]
        Rectangle = 0, "rectangle";
    }
}

impl CellOrder {
    /// Returns the order of cells by their coordinates; cells at the same position of a Hilbert
    /// curve are in row-major order.
    #[must_use]
    pub fn of_coordinates(self) -> Order {
        match self {
            Self::ColumnMajor => Order::ColumnMajor,
            Self::RowMajor | Self::Hilbert => Order::RowMajor,
        }
    }
}

/// The number of values per cell of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellValNum {
    /// The same number in every cell.
    Fixed(u32),
    /// Any number; an offsets tile stores the start of each cell.
    Var,
}

impl CellValNum {
    const VAR: u32 = u32::MAX;

    /// True if the number differs from cell to cell.
    #[must_use]
    pub fn is_var(self) -> bool {
        self == Self::Var
    }

    /// The number, if it is the same for all cells.
    #[must_use]
    pub fn fixed(self) -> Option<u32> {
        match self {
            Self::Fixed(n) => Some(n),
            Self::Var => None,
        }
    }
}

impl Default for CellValNum {
    fn default() -> Self {
        Self::Fixed(1)
    }
}

impl From<u32> for CellValNum {
    fn from(stored: u32) -> Self {
        match stored {
            Self::VAR => Self::Var,
            n => Self::Fixed(n),
        }
    }
}

impl From<CellValNum> for u32 {
    fn from(number: CellValNum) -> Self {
        match number {
            CellValNum::Var => CellValNum::VAR,
            CellValNum::Fixed(n) => n,
        }
    }
}
