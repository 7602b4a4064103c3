//! What is wrong with a schema, in TileDB's words.

use tdb::engine::schema::{
    ArraySchema as Fields, ArrayType, Attribute, CellValNum, DataOrder, Dimension, DimensionLabel,
};

use crate::border::{Error, Result};
use crate::constants::*;
use crate::datatypes::title;
use crate::filter_list;

/// Prefix of the names that are TileDB's own.
pub(super) const RESERVED: &str = "__";

pub(super) fn failed(text: impl Into<String>) -> Error {
    Error::short("ArraySchema", text)
}

/// Creates the error of an attribute whose enumeration is not there.
pub(crate) fn unknown_enumeration(name: &str) -> Error {
    failed(format!(
        "Cannot add attribute; Attribute refers to an unknown enumeration named '{name}'."
    ))
}

/// Creates the error of a label that is not there.
pub(crate) fn no_label(name: &str) -> Error {
    failed(format!("No dimension label with the name '{name}'."))
}

/// Checks a label that is added.
pub(super) fn check_label(fields: &Fields, label: &DimensionLabel) -> Result<()> {
    let start = "Cannot add dimension label";
    let (name, index) = (&label.name, label.dimension);
    if label.order == DataOrder::Unordered {
        return Err(failed(format!(
            "{start}; Unordered dimension labels are not yet supported."
        )));
    }
    if fields.dimensions.is_empty() {
        return Err(failed(format!(
            "{start}; Must set domain before adding dimension labels."
        )));
    }
    let Some(dimension) = fields.dimensions.get(index as usize) else {
        return Err(failed(format!(
            "Cannot add a label to dimension {index}; Invalid dimension index. "
        )));
    };
    if name.is_empty() || names(fields).contains(&name.as_str()) {
        return Err(failed(format!(
            "Cannot add a dimension label with name '{name}'. An attribute, a dimension or another label with that \
             name already exists, or the name is empty."
        )));
    }
    if !dimension.is_integral() {
        return Err(failed(format!(
            "Failed to add dimension label '{name}'. Currently labels are not support on dimensions with datatype \
             Datatype::{}",
            title(dimension.datatype)
        )));
    }
    Ok(())
}

pub(super) fn check_dimensions(array_type: ArrayType, dimensions: &[Dimension]) -> Result<()> {
    let Some(first) = dimensions.first().map(|d| d.datatype) else {
        return Err(failed(
            "Cannot set domain; Domain must contain at least one dimension",
        ));
    };
    if array_type == ArrayType::Sparse {
        return Ok(());
    }
    if dimensions.iter().any(|d| d.datatype != first) {
        return Err(failed(
            "Cannot set domain; In dense arrays, all dimensions must have the same datatype",
        ));
    }
    if !dimensions.iter().all(Dimension::is_integral) {
        return Err(failed(format!(
            "Cannot set domain; Dense arrays do not support dimension datatype '{}'",
            title(first)
        )));
    }
    Ok(())
}

pub(super) fn check_enumerated(attribute: &Attribute) -> Result<()> {
    if !attribute.datatype.is_integer() {
        return Err(failed(format!(
            "Unable to use enumeration with attribute '{}', attribute must have an integral data type, not {}",
            attribute.name,
            title(attribute.datatype)
        )));
    }
    if attribute.cell_val_num != CellValNum::Fixed(1) {
        let text = "Attributes with enumerations must have a cell_val_num of 1.";
        return Err(failed(text));
    }
    Ok(())
}

/// Checks filters that dimensions without filters get.
pub(super) fn check_coords_filters(fields: &Fields) -> Result<()> {
    let filters = &fields.coords_filters;
    let codes = filters.filters.iter().map(|filter| u32::from(filter.code));
    let has_double_delta = codes
        .into_iter()
        .any(|code| code == TILEDB_FILTER_DOUBLE_DELTA);
    for dimension in fields.dimensions.iter().filter(|d| d.filters.is_empty()) {
        if has_double_delta && dimension.datatype.is_real() {
            return Err(failed(
                "Real dimension cannot inherit coordinate filters with DOUBLE DELTA compression",
            ));
        }
        filter_list::check_first(filters, dimension.datatype, dimension.is_var())?;
    }
    Ok(())
}

/// Checks, in TileDB's words, what programs get wrong most.
pub(super) fn check(fields: &Fields) -> Result<()> {
    let start = "Array schema check failed";
    if fields.dimensions.is_empty() {
        return Err(failed(format!("{start}; Domain not set")));
    }
    if fields.is_dense() && fields.attributes.is_empty() {
        return Err(failed(format!("{start}; No attributes provided")));
    }
    check_coords_filters(fields)?;
    let is_sorted = |attribute: &Attribute| attribute.order != DataOrder::Unordered;
    let may_be_sorted = fields.is_dense() && fields.dimensions.len() == 1;
    if !may_be_sorted && fields.attributes.iter().any(is_sorted) {
        return Err(failed(format!(
            "{start}; Ordered attributes are only supported on dense arrays with 1 dimension."
        )));
    }
    let mut names = names(fields);
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    if names.len() != all {
        return Err(failed(format!(
            "{start}; Attributes, dimensions and dimension labels must have unique names"
        )));
    }
    Ok(())
}

fn names(fields: &Fields) -> Vec<&str> {
    let attributes = fields.attributes.iter().map(|a| &a.name);
    let dimensions = fields.dimensions.iter().map(|d| &d.name);
    let labels = fields
        .labels
        .iter()
        .map(|label: &DimensionLabel| &label.name);
    let all = attributes.chain(dimensions).chain(labels);
    all.map(String::as_str).collect()
}
