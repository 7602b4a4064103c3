//! Dimension labels: names of the coordinates of a dimension, stored in an array of their own.

use std::ffi::{c_char, c_void};

use tdb::engine::schema::value::holds_bytes;
use tdb::engine::schema::{ArraySchema as Fields, CellValNum, DataOrder, DimensionLabel as Label};
use tdb::engine::tile::Code as _;

use crate::array_schema::{ArraySchema, tiledb_array_schema_t};
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{self, check_place, put, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle, not_offered};
use crate::constants::*;
use crate::datatypes::{code, datatype};
use crate::filter_list::tiledb_filter_list_t;

/// A label of a schema, copied out of it.
#[derive(Debug)]
pub(crate) struct DimensionLabel {
    label: Label,
    kept: LentValues,
}

handle!(
    /// A label of a dimension.
    tiledb_dimension_label_t => DimensionLabel, "dimension label"
);

impl DimensionLabel {
    fn of(label: Label) -> Self {
        Self {
            label,
            kept: LentValues::default(),
        }
    }
}

fn failed(text: impl Into<String>) -> Error {
    Error::new("ArraySchema", text)
}

fn find(schema: &ArraySchema, name: &str) -> Option<Label> {
    let labels = schema.fields().labels;
    labels.into_iter().find(|label| label.name == name)
}

/// Adds a label to the fields of a schema.
fn add(
    fields: &mut Fields,
    name: &str,
    dimension: u32,
    order: DataOrder,
    values: tdb::Datatype,
) -> Result<()> {
    if fields.dimensions.get(dimension as usize).is_none() {
        return Err(failed(format!(
            "Cannot add dimension label '{name}'; there is no dimension {dimension}"
        )));
    }
    if fields.labels.iter().any(|label| label.name == name) || fields.field(name).is_some() {
        return Err(failed(format!(
            "Cannot add dimension label '{name}'; the name is taken"
        )));
    }
    let cell_val_num = if holds_bytes(values) {
        CellValNum::Var
    } else {
        CellValNum::Fixed(1)
    };
    let number = fields.labels.len();
    fields.labels.push(Label {
        name: name.to_owned(),
        dimension,
        relative: true,
        uri: format!("__labels/l{number}"),
        attribute: "label".to_owned(),
        order,
        datatype: values,
        cell_val_num,
        is_external: false,
    });
    Ok(())
}

/// Adds a label of a dimension to a schema.
///
/// # Safety
/// `name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_index: u32,
    name: *const c_char,
    label_order: tiledb_data_order_t,
    label_type: tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        let order = u8::try_from(label_order)
            .ok()
            .and_then(DataOrder::from_code);
        let order_of_labels = order.ok_or_else(|| failed("Invalid order of labels"))?;
        let (values, name) = (datatype(label_type)?, text(name)?);
        get(array_schema)?.change(|fields| add(fields, name, dim_index, order_of_labels, values))
    })
}

/// Says whether a schema has a label of this name.
///
/// # Safety
/// `name` is null or a text; `has_dim_label` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_dim_label: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let found = find(&*get(array_schema)?, text(name)?);
        put(has_dim_label, i32::from(found.is_some()))
    })
}

/// Returns the number of labels of a schema.
///
/// # Safety
/// `dim_label_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        put(
            dim_label_num,
            get(array_schema)?.fields().labels.len() as u64,
        )
    })
}

/// Returns a label of a schema by its number.
///
/// # Safety
/// `dim_label` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_index: u64,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> i32 {
    call(ctx, |_| {
        check_place(dim_label)?;
        let labels = get(array_schema)?.fields().labels;
        let found = labels.into_iter().nth(pointers::index(dim_label_index)?);
        let label = found
            .ok_or_else(|| failed(format!("there is no dimension label {dim_label_index}")))?;
        put(dim_label, give(DimensionLabel::of(label)))
    })
}

/// Returns a label of a schema by its name.
///
/// # Safety
/// `label_name` is null or a text; `dim_label` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> i32 {
    call(ctx, |_| {
        check_place(dim_label)?;
        let name = text(label_name)?;
        let found = find(&*get(array_schema)?, name);
        let label = found
            .ok_or_else(|| failed(format!("No dimension label with the name '{name}' exists.")))?;
        put(dim_label, give(DimensionLabel::of(label)))
    })
}

/// Not offered yet: the labels of new arrays have the default filters.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_filter_list(
    ctx: *mut tiledb_ctx_t,
    _array_schema: *mut tiledb_array_schema_t,
    _label_name: *const c_char,
    _filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_dimension_label_filter_list")
}

/// Not offered yet: the labels of new arrays have tiles as long as those of their dimension.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_tile_extent(
    ctx: *mut tiledb_ctx_t,
    _array_schema: *mut tiledb_array_schema_t,
    _label_name: *const c_char,
    _type: tiledb_datatype_t,
    _tile_extent: *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_dimension_label_tile_extent")
}

/// Frees a label.
///
/// # Safety
/// `dim_label` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_free(
    dim_label: *mut *mut tiledb_dimension_label_t,
) {
    free(dim_label);
}

/// Returns the number of the dimension that a label belongs to.
///
/// # Safety
/// `dim_index` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_dimension_index(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    dim_index: *mut u32,
) -> i32 {
    call(ctx, |_| put(dim_index, get(dim_label)?.label.dimension))
}

/// Returns the name of the attribute of the label's array that holds the labels.
///
/// # Safety
/// `label_attr_name` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_attr_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_attr_name: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let object = get(dim_label)?;
        put(label_attr_name, object.kept.text(&object.label.attribute)?)
    })
}

/// Returns the number of values of each label.
///
/// # Safety
/// `label_cell_val_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_cell_val_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let values = match get(dim_label)?.label.cell_val_num {
            CellValNum::Fixed(values) => values,
            CellValNum::Var => u32::MAX,
        };
        put(label_cell_val_num, values)
    })
}

/// Returns the order of the labels.
///
/// # Safety
/// `label_order` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_order(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_order: *mut tiledb_data_order_t,
) -> i32 {
    call(ctx, |_| {
        put(label_order, u32::from(get(dim_label)?.label.order.code()))
    })
}

/// Returns the datatype of the labels.
///
/// # Safety
/// `label_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_type(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_type: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        put(label_type, code(get(dim_label)?.label.datatype))
    })
}

/// Returns the name of a label.
///
/// # Safety
/// `name` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    name: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let object = get(dim_label)?;
        put(name, object.kept.text(&object.label.name)?)
    })
}

/// Returns the URI of a label's array, relative to its own.
///
/// # Safety
/// `uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_uri(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let object = get(dim_label)?;
        put(uri, object.kept.text(&object.label.uri)?)
    })
}
