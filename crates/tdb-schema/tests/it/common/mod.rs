//! Schemas that several tests use.
#![allow(
    clippy::indexing_slicing,
    reason = "helpers of tests; each uses its own part"
)]

use bytes::Bytes;
use tdb_filters::{FilterList, FilterRecord};
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellValNum, Dimension, DimensionLabel, EnumerationRef,
};
use tdb_tile::{Datatype, FormatVersion, Range, Scalar};

/// Returns the stored form of a number.
pub(crate) fn raw<T: Scalar>(value: T) -> Bytes {
    let mut out = Vec::new();
    value.write(&mut out);
    out.into()
}

/// Creates a dimension of numbers.
pub(crate) fn dimension<T: Scalar>(
    name: &str,
    datatype: Datatype,
    lo: T,
    hi: T,
    extent: T,
) -> Dimension {
    Dimension::numbers(name, datatype, (lo, hi), extent)
}

/// Creates a dimension of strings.
pub(crate) fn strings(name: &str) -> Dimension {
    Dimension::strings(name)
}

/// The default pipeline of coordinates in TileDB.
pub(crate) fn zstd() -> FilterList {
    FilterList::new(vec![FilterRecord::new(2, &[2, 255, 255, 255, 255][..])])
}

/// Creates a sparse array of these dimensions, with one attribute.
pub(crate) fn sparse(dimensions: Vec<Dimension>) -> ArraySchema {
    let attributes = vec![Attribute::new("a", Datatype::Float64)];
    ArraySchema {
        capacity: 100,
        validity_filters: FilterList::default(),
        ..ArraySchema::new(ArrayType::Sparse, dimensions, attributes)
    }
}

/// Creates a dense array of these dimensions, with one attribute.
pub(crate) fn dense(dimensions: Vec<Dimension>) -> ArraySchema {
    ArraySchema {
        array_type: ArrayType::Dense,
        ..sparse(dimensions)
    }
}

/// Creates a dense array of two dimensions.
pub(crate) fn plane() -> ArraySchema {
    dense(vec![
        dimension("y", Datatype::Int32, 1, 10, 4),
        dimension("x", Datatype::Int32, -5, 5, 3),
    ])
}

/// Creates a schema that uses every feature of the version.
pub(crate) fn full(version: u32) -> ArraySchema {
    let mut schema = sparse(vec![
        dimension("y", Datatype::Int64, -100_i64, 100, 10),
        dimension("x", Datatype::Int64, 0_i64, 9, 10),
    ]);
    schema.version = FormatVersion::new(version);
    schema
        .attributes
        .push(Attribute::new("text", Datatype::StringUtf8).with_cell_val_num(CellValNum::Var));
    if version >= 5 {
        schema.dimensions.push(strings("s"));
        schema.allows_duplicates = true;
    }
    if version >= 6 {
        schema.attributes[0].fill = raw(1.5);
    }
    if version >= 7 {
        schema.validity_filters = zstd();
        schema.attributes[1].nullable = true;
    }
    if version >= 18 {
        schema.labels.push(DimensionLabel {
            name: "l".to_owned(),
            dimension: 1,
            relative: true,
            uri: "__labels/l0".to_owned(),
            attribute: "label".to_owned(),
            order: tdb_schema::DataOrder::Increasing,
            datatype: Datatype::StringAscii,
            cell_val_num: CellValNum::Var,
            is_external: false,
        });
    }
    if version >= 20 {
        schema.enumerations.push(EnumerationRef {
            name: "e".to_owned(),
            file: "__0123_0".to_owned(),
        });
        let mut indices = Attribute::new("i", Datatype::UInt8);
        indices.enumeration = Some("e".to_owned());
        schema.attributes.push(indices);
    }
    if version >= 22 {
        schema.current_domain = Some(vec![
            Range::of(-10_i64, 10),
            Range::of(0_i64, 9),
            Range::new("a", "zz"),
        ]);
    }
    schema
}
