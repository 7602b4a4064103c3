//! Labels of dimensions, in schemas: other values that stand for coordinates.

use std::ffi::{c_char, c_void};

use tdb::Datatype;
use tdb::engine::schema::{CellValNum, DataOrder, DimensionLabel as Label};
use tdb::engine::tile::Code as _;

use crate::array_schema::{ArraySchema, tiledb_array_schema_t};
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, check_place, index, put, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::{code, datatype, title};
use crate::dimension::check_axis;
use crate::filter_list::{check_filters, tiledb_filter_list_t};
use crate::schema_object::no_label;

/// A label of a schema.
#[derive(Debug)]
pub(crate) struct DimensionLabel {
    label: Label,
    uri: String,
    lent: LentValues,
}

handle!(
    /// A label of a dimension.
    tiledb_dimension_label_t => DimensionLabel, "dimension label"
);

/// Name of the attribute of a label's array.
const ATTRIBUTE: &str = "label";

/// Returns a label that is kept in the array of the schema.
fn inner(
    schema: &ArraySchema,
    dimension: u32,
    name: &str,
    order: DataOrder,
    kind: Datatype,
) -> Label {
    let number = schema.fields().labels.len();
    Label {
        name: name.to_owned(),
        dimension,
        relative: true,
        uri: format!("__labels/l{number}"),
        attribute: ATTRIBUTE.to_owned(),
        order,
        datatype: kind,
        cell_val_num: if kind == Datatype::StringAscii {
            CellValNum::Var
        } else {
            CellValNum::Fixed(1)
        },
        is_external: false,
    }
}

/// Writes a handle of a label into the program's variable.
///
/// # Safety
/// `place` is null or points to a pointer.
unsafe fn put_label(
    schema: &ArraySchema,
    label: Label,
    place: *mut *mut tiledb_dimension_label_t,
) -> Result<()> {
    let uri = match schema.uri() {
        "" => label.uri.clone(),
        _ if !label.relative => label.uri.clone(),
        array => format!("{}/{}", array.trim_end_matches('/'), label.uri),
    };
    let label = DimensionLabel {
        label,
        uri,
        lent: LentValues::default(),
    };
    // SAFETY: the caller promises it.
    unsafe { put(place, give(label)) }
}

/// Adds a label of a dimension, which is kept in the array.
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
        let schema = get(array_schema)?;
        let (name, kind) = (text(name)?, datatype(label_type)?);
        let known = u8::try_from(label_order)
            .ok()
            .and_then(DataOrder::from_code);
        let order = known.ok_or_else(|| Error::short("ArraySchema", "Invalid data order"))?;
        schema.add_label(inner(&schema, dim_index, name, order, kind))
    })
}

/// Returns a copy of a label.
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
        let schema = get(array_schema)?;
        check_place(dim_label)?;
        let mut labels = schema.fields().labels.into_iter();
        let Some(label) = labels.nth(index(dim_label_index)?) else {
            return Err(no_label(&dim_label_index.to_string()));
        };
        put_label(&schema, label, dim_label)
    })
}

/// Returns a copy of the label with a name.
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
        let schema = get(array_schema)?;
        check_place(dim_label)?;
        let name = text(label_name)?;
        let labels = schema.fields().labels;
        let label = labels.into_iter().find(|label| label.name == name);
        put_label(&schema, label.ok_or_else(|| no_label(name))?, dim_label)
    })
}

/// Returns the number of labels.
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
        let count = get(array_schema)?.fields().labels.len();
        put(dim_label_num, count as u64)
    })
}

/// Says whether there is a label with a name.
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
        let labels = get(array_schema)?.fields().labels;
        check_place(has_dim_label)?;
        let name = text(name)?;
        let found = labels.iter().any(|label| label.name == name);
        put(has_dim_label, i32::from(found))
    })
}

/// Sets the filters of a label that was added.
///
/// # Safety
/// `label_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        let filters = get(filter_list)?.filters();
        schema.change_label(text(label_name)?, |parts, _, label| {
            check_filters(&filters, label.datatype, label.cell_val_num.is_var())?;
            parts.filters = filters;
            Ok(())
        })
    })
}

/// Sets the tile extent of the array of a label that was added, of the datatype of the labelled dimension.
///
/// # Safety
/// `label_name` is null or a text; `tile_extent` is null or points to a number of the datatype.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_tile_extent(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    kind: tiledb_datatype_t,
    tile_extent: *const c_void,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        let (name, kind) = (text(label_name)?, datatype(kind)?);
        schema.change_label(name, |parts, dimension, _| {
            if dimension.datatype != kind {
                return Err(Error::short(
                    "ArraySchema",
                    format!(
                        "Cannot set tile extent for dimension label '{name}; The dimension the label is set on has \
                         type '{}'which does not match the provided datatype '{}'.",
                        title(dimension.datatype),
                        title(kind)
                    ),
                ));
            }
            let extent = bytes(tile_extent, kind.size() as u64)?.to_vec();
            let mut axis = dimension.clone();
            axis.extent = Some(extent.into());
            check_axis(&axis)?;
            parts.extent = axis.extent;
            Ok(())
        })
    })
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

/// Returns the index of the labelled dimension.
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

/// Returns the name of the attribute that holds the labels in their array.
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
        let label = get(dim_label)?;
        put(label_attr_name, label.lent.text(&label.label.attribute)?)
    })
}

/// Returns the number of values per label; 2^32 - 1 for strings.
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
        put(
            label_cell_val_num,
            get(dim_label)?.label.cell_val_num.into(),
        )
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
        put(label_order, get(dim_label)?.label.order.code().into())
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

/// Returns the name.
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
        let label = get(dim_label)?;
        put(name, label.lent.text(&label.label.name)?)
    })
}

/// Returns the URI of the array that holds the labels: within the array if the schema is of no array yet.
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
        let label = get(dim_label)?;
        put(uri, label.lent.text(&label.uri)?)
    })
}
