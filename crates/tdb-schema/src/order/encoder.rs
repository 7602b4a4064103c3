use crate::hilbert::HilbertSpace;
use crate::order::comparator::by_significance;
use crate::order::pack::{Free, KeyPlace, Span, Word, pack_text};
use crate::order::{Column, SortOrder, TextOrder, WriterRule};
use crate::{ArraySchema, CellOrder, Order};

/// An integer type of sort keys: `u64` or `u128`.
pub trait Key: Word {}

impl Key for u64 {}
impl Key for u128 {}

/// The width of sort keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyWidth {
    /// 64 bits.
    U64,
    /// 128 bits.
    U128,
}

/// Sort keys in the narrowest type that holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Keys of 64 bits.
    U64(Vec<u64>),
    /// Keys of 128 bits.
    U128(Vec<u128>),
}

/// The reasons why cells cannot be encoded as keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A coordinate lies outside the domain, which a writer may have been told not to check. Such
    /// cells must be compared by a [`CellComparator`](crate::order::CellComparator).
    #[error("dimension {dimension} has a coordinate outside the domain")]
    OutsideDomain {
        /// The index of the dimension.
        dimension: usize,
    },
    /// A column does not suit its dimension, or has another length than the others.
    #[error("the column of dimension {dimension} has another type or length")]
    Columns {
        /// The index of the first such dimension.
        dimension: usize,
    },
    /// The keys need 128 bits, but 64-bit keys were requested.
    #[error("keys of 64 bits are too narrow")]
    TooNarrow,
}

/// Encodes columns of coordinates as keys: integers that compare as the cells do, so that cells are
/// sorted as integers.
///
/// From its highest bit down, a key has the tile indices, then the coordinates within the tile,
/// each in as few bits as the domain needs, the most significant dimension first. A string
/// contributes as many of its first bytes as fit; nothing follows it. With a Hilbert curve, the
/// position on the curve takes the place of the tile indices.
///
/// If [`KeyEncoder::is_exact`] is true, keys decide the order completely. Otherwise, cells with
/// equal keys must be compared by a [`CellComparator`](crate::order::CellComparator).
///
/// ```
/// use tdb_schema::order::{Column, KeyEncoder, Keys, SortOrder};
/// use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
/// use tdb_tile::Datatype;
///
/// let dimension = |name| Dimension::numbers(name, Datatype::UInt8, (0_u8, 99), 10);
/// let dimensions = vec![dimension("y"), dimension("x")];
/// let schema = ArraySchema::new(ArrayType::Sparse, dimensions, vec![]);
/// let keys = KeyEncoder::new(&schema, SortOrder::Global);
/// assert!(keys.is_exact());
///
/// // (0, 11) lies in the second tile of the first row, (9, 9) in the first.
/// let cells = [Column::Fixed(&[0, 9]), Column::Fixed(&[11, 9])];
/// let Keys::U64(keys) = keys.encode(&cells)? else { unreachable!() };
/// assert!(keys[0] > keys[1]);
/// # Ok::<(), tdb_schema::order::KeyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeyEncoder {
    /// The size of a coordinate of each dimension in bytes; `None` for strings.
    sizes: Vec<Option<usize>>,
    parts: Vec<Part>,
    hilbert: Option<(HilbertSpace, KeyPlace)>,
    width: KeyWidth,
    is_exact: bool,
    text: TextOrder,
}

/// The part of the keys that comes from one dimension.
#[derive(Clone, Debug)]
enum Part {
    Number {
        span: Span,
        tile: Option<KeyPlace>,
        cell: Option<KeyPlace>,
    },
    Text {
        /// The number of leading bytes in the key, and the shift from the lowest bit; `None` if
        /// there is no room.
        prefix: Option<(usize, u32)>,
    },
}

impl KeyEncoder {
    /// Creates an encoder for this order as current writers understand it.
    #[must_use]
    pub fn new(schema: &ArraySchema, order: SortOrder) -> Self {
        let spans: Vec<Option<Span>> = schema.dimensions.iter().map(Span::new).collect();
        let sizes: Vec<Option<usize>> = schema
            .dimensions
            .iter()
            .map(|dimension| (!dimension.is_var()).then(|| dimension.datatype.size()))
            .collect();
        let is_global = order == SortOrder::Global;
        if is_global && schema.cell_order == CellOrder::Hilbert {
            return Self::hilbert(schema, sizes, spans);
        }
        let n = spans.len();
        let tiles = if is_global {
            by_significance(n, schema.tile_order)
        } else {
            Vec::new()
        };
        let cells = by_significance(
            n,
            match order {
                SortOrder::Global => schema.cell_order.of_coordinates(),
                SortOrder::RowMajor => Order::RowMajor,
                SortOrder::ColumnMajor => Order::ColumnMajor,
            },
        );
        let keys = Self::narrowest(sizes, |free| Self::plan(&spans, &tiles, &cells, free));
        Self {
            text: TextOrder::of(order),
            ..keys
        }
    }

    /// Assigns the bits of the keys, which are as narrow as possible: 64 bits if everything fits.
    fn narrowest(sizes: Vec<Option<usize>>, plan: impl Fn(Free) -> (Vec<Part>, Free)) -> Self {
        let needed = plan(Free::unbounded()).1.taken();
        let bits = needed.map_or(u128::BITS, |needed| needed.min(u128::BITS));
        let (parts, free) = plan(Free::new(bits));
        Self {
            sizes,
            parts,
            hilbert: None,
            width: if bits <= u64::BITS {
                KeyWidth::U64
            } else {
                KeyWidth::U128
            },
            is_exact: free.is_exact(),
            text: TextOrder::Signed,
        }
    }

    fn plan(
        spans: &[Option<Span>],
        tiles: &[usize],
        cells: &[usize],
        mut free: Free,
    ) -> (Vec<Part>, Free) {
        let mut parts: Vec<Part> = spans
            .iter()
            .map(|span| match span {
                Some(span) => Part::Number {
                    span: span.clone(),
                    tile: None,
                    cell: None,
                },
                None => Part::Text { prefix: None },
            })
            .collect();
        for &i in tiles {
            if let Some(Part::Number { span, tile, .. }) = parts.get_mut(i) {
                *tile = free.take(span.tile_bits());
            }
        }
        for &i in cells {
            match parts.get_mut(i) {
                Some(Part::Number { span, cell, .. }) if tiles.is_empty() => {
                    *cell = free.take(span.cell_bits());
                }
                Some(Part::Number { span, cell, .. }) => *cell = free.take(span.bits_within_tile()),
                Some(Part::Text { prefix }) => *prefix = free.take_text(),
                None => {}
            }
        }
        (parts, free)
    }

    /// Creates an encoder for the Hilbert order: keys of the position on the curve, followed by the
    /// coordinates in row-major order if positions are shared. Keys have only the position if both
    /// do not fit.
    fn hilbert(schema: &ArraySchema, sizes: Vec<Option<usize>>, spans: Vec<Option<Span>>) -> Self {
        let space = HilbertSpace::new(schema, WriterRule::Current);
        let is_injective = space.as_ref().is_some_and(HilbertSpace::is_injective);
        let place_bits = space.as_ref().map_or(0, |space| space.curve().place_bits());
        let cells = by_significance(spans.len(), Order::RowMajor);
        let keys = Self::narrowest(sizes, |mut free| {
            free.take(place_bits);
            Self::plan(&spans, &[], &cells, free)
        });
        if keys.is_exact && !is_injective {
            // Exact keys have no strings, so the low bits are the coordinates of all dimensions.
            let left = spans.iter().flatten().map(Span::cell_bits).sum();
            let place = KeyPlace { left, drop: 0 };
            let hilbert = space.map(|space| (space, place));
            return Self { hilbert, ..keys };
        }
        Self {
            parts: Vec::new(),
            hilbert: space.map(|space| (space, KeyPlace { left: 0, drop: 0 })),
            width: KeyWidth::U64,
            is_exact: is_injective,
            ..keys
        }
    }

    /// True if cells with equal keys have equal coordinates.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The width of the keys.
    #[must_use]
    pub fn width(&self) -> KeyWidth {
        self.width
    }

    /// Encodes cells as keys, given the columns of all dimensions in the order of the schema.
    ///
    /// # Errors
    /// [`KeyError::OutsideDomain`], or [`KeyError::Columns`] if the columns do not suit the
    /// dimensions.
    pub fn encode(&self, columns: &[Column<'_>]) -> Result<Keys, KeyError> {
        match self.width {
            KeyWidth::U64 => {
                let mut keys = Vec::new();
                self.encode_into(columns, &mut keys)?;
                Ok(Keys::U64(keys))
            }
            KeyWidth::U128 => {
                let mut keys = Vec::new();
                self.encode_into(columns, &mut keys)?;
                Ok(Keys::U128(keys))
            }
        }
    }

    /// Like [`KeyEncoder::encode`], into a vector that the caller reuses.
    ///
    /// # Errors
    /// As for [`KeyEncoder::encode`], and [`KeyError::TooNarrow`].
    pub fn encode_into<K: Key>(
        &self,
        columns: &[Column<'_>],
        keys: &mut Vec<K>,
    ) -> Result<(), KeyError> {
        self.check_width::<K>()?;
        keys.clear();
        keys.resize(self.rows(columns)?, K::ZERO);
        self.encode_rows(columns, keys)
    }

    fn check_width<K: Key>(&self) -> Result<(), KeyError> {
        if self.width == KeyWidth::U128 && K::BITS < u128::BITS {
            return Err(KeyError::TooNarrow);
        }
        Ok(())
    }

    /// Like [`KeyEncoder::encode`], into a slice with one zero per cell. Threads can encode parts
    /// of the columns ([`Column::part`]) this way.
    ///
    /// # Errors
    /// As for [`KeyEncoder::encode_into`].
    pub fn encode_rows<K: Key>(
        &self,
        columns: &[Column<'_>],
        keys: &mut [K],
    ) -> Result<(), KeyError> {
        self.check_width::<K>()?;
        let rows = self.rows(columns)?;
        if rows != keys.len() {
            return Err(KeyError::Columns { dimension: 0 });
        }
        if let Some((space, place)) = &self.hilbert {
            space
                .for_each_block(columns, rows, |first, places| {
                    // Cannot panic: there is one key per row, and `first` is a row.
                    let (_, keys) = keys.split_at_mut(first);
                    for (key, value) in keys.iter_mut().zip(places) {
                        key.set(*value, *place);
                    }
                })
                .map_err(|dimension| KeyError::OutsideDomain { dimension })?;
        }
        for (dimension, (part, column)) in self.parts.iter().zip(columns).enumerate() {
            let is_inside = match (part, column) {
                (Part::Number { span, tile, cell }, Column::Fixed(bytes)) => {
                    span.pack_tiles(bytes, *tile, *cell, keys)
                }
                (
                    Part::Text {
                        prefix: Some((bytes, left)),
                    },
                    _,
                ) => {
                    if !pack_text(column, *bytes, *left, self.text, keys) {
                        return Err(KeyError::Columns { dimension });
                    }
                    true
                }
                _ => true,
            };
            if !is_inside {
                return Err(KeyError::OutsideDomain { dimension });
            }
        }
        Ok(())
    }

    /// Returns the number of cells; fails if the columns do not suit the dimensions.
    fn rows(&self, columns: &[Column<'_>]) -> Result<usize, KeyError> {
        let mut rows = None;
        for (dimension, size) in self.sizes.iter().enumerate() {
            let found = match (columns.get(dimension), size) {
                (Some(Column::Fixed(bytes)), Some(size)) if bytes.len().is_multiple_of(*size) => {
                    bytes.len().checked_div(*size)
                }
                (Some(Column::Var { offsets, .. }), None) => Some(offsets.len()),
                _ => None,
            };
            if found.is_none() || rows.is_some_and(|rows| Some(rows) != found) {
                return Err(KeyError::Columns { dimension });
            }
            rows = found;
        }
        Ok(rows.unwrap_or(0))
    }
}
