//! Array schemas.

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use tdb::engine::array::OpenOptions;
use tdb::engine::filters::FilterList as Filters;
use tdb::engine::schema::{ArraySchema as Fields, ArrayType, CellOrder, Order};
use tdb::engine::tile::Code as _;

use crate::attribute::{Attribute, tiledb_attribute_t};
use crate::border::context::{tiledb_ctx_t, with_settings};
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::config::tiledb_config_t;
use crate::constants::*;
use crate::datatypes::count;
use crate::domain::{Domain, tiledb_domain_t};
use crate::filter_list::{FilterList, tiledb_filter_list_t};
pub(crate) use crate::schema_object::{ArraySchema, Source};
use crate::string::{Text, tiledb_string_t};

handle!(
    /// The schema of an array.
    tiledb_array_schema_t => ArraySchema, "array schema"
);

fn failed(text: impl Into<String>) -> Error {
    Error::short("ArraySchema", text)
}

fn array_type(code: tiledb_array_type_t) -> Result<ArrayType> {
    let array_type = u8::try_from(code).ok().and_then(ArrayType::from_code);
    array_type.ok_or_else(|| failed("Invalid array type"))
}

fn no_order(what: &str) -> Error {
    failed(format!(
        "Cannot set {what} order; Cannot create ArraySchema with UNORDERED {what} order, or one that is not known"
    ))
}

/// Loads the newest schema of an array, without its enumerations.
fn load(context: &tdb::Context, uri: &str) -> Result<ArraySchema> {
    let stored = context.stored_schema(uri, OpenOptions::default())?;
    let fields = Fields::clone(stored.schema());
    let times = stored.times();
    let source = Source::Stored(Arc::new(stored));
    Ok(ArraySchema::of(fields, Vec::new()).stored(uri, source, times))
}

/// Writes a copy of one of a schema's lists of filters into the program's variable.
///
/// # Safety
/// `filter_list` is null or points to a pointer.
unsafe fn put_filters(
    schema: *const tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
    choose: impl FnOnce(Fields) -> Filters,
) -> Result<()> {
    let filters = choose(get(schema)?.fields());
    check_place(filter_list)?;
    // SAFETY: the caller promises it.
    unsafe { put(filter_list, give(FilterList::of(filters))) }
}

/// Adds a copy of an attribute at the end.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attr: *mut tiledb_attribute_t,
) -> i32 {
    call(ctx, |_| {
        get(array_schema)?.add_attribute(get(attr)?.field())
    })
}

/// Creates a schema without dimensions and attributes, with defaults for the rest.
///
/// # Safety
/// `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc(
    ctx: *mut tiledb_ctx_t,
    kind: tiledb_array_type_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |_| {
        check_place(array_schema)?;
        put(
            array_schema,
            give(ArraySchema::new(array_type(kind)?, None)),
        )
    })
}

/// Creates a schema as [`tiledb_array_schema_alloc`] does, of an array that begins at a time.
///
/// # Safety
/// `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc_at_timestamp(
    ctx: *mut tiledb_ctx_t,
    kind: tiledb_array_type_t,
    timestamp: u64,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |_| {
        check_place(array_schema)?;
        if timestamp == 0 {
            return Err(Error::short("C API", "timestamp cannot be 0"));
        }
        let schema = ArraySchema::new(array_type(kind)?, Some(timestamp));
        put(array_schema, give(schema))
    })
}

/// Fails if no array can be created from the schema.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_check(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |_| get(array_schema)?.check())
}

/// Describes a schema.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_dump_str(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| Text::put(out, get(array_schema)?.describe()))
}

/// Frees a schema.
///
/// # Safety
/// `array_schema` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t) {
    free(array_schema);
}

/// Says whether several cells may have the same coordinates.
///
/// # Safety
/// `allows_dups` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: *mut c_int,
) -> i32 {
    call(ctx, |_| {
        let allowed = get(array_schema)?.fields().allows_duplicates;
        put(allows_dups, c_int::from(allowed))
    })
}

/// Returns whether arrays are dense or sparse.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_array_type(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    kind: *mut tiledb_array_type_t,
) -> i32 {
    call(ctx, |_| {
        let array_type = get(array_schema)?.fields().array_type;
        put(kind, array_type.code().into())
    })
}

/// Returns a copy of an attribute; null if there is none at all.
///
/// # Safety
/// `attr` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    index: u32,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        let attributes = schema.fields().attributes;
        check_place(attr)?;
        if attributes.is_empty() {
            return put(attr, std::ptr::null_mut());
        }
        let Some(attribute) = attributes.get(index as usize) else {
            let count = attributes.len();
            let uri = schema.uri();
            let text = format!(
                "Attribute index: {index} out of bounds given {count} attributes in array {uri}"
            );
            return Err(Error::short("C API", text));
        };
        put(attr, give(Attribute::of(attribute.clone())))
    })
}

/// Returns a copy of the attribute with a name; null if there is none at all.
///
/// # Safety
/// `name` is null or a text; `attr` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        let mut attributes = schema.fields().attributes;
        check_place(attr)?;
        let name = text(name)?;
        if attributes.is_empty() {
            return put(attr, std::ptr::null_mut());
        }
        let Some(index) = attributes.iter().rposition(|a| a.name == name) else {
            let name = if name.is_empty() { "<anonymous>" } else { name };
            let uri = schema.uri();
            let text = format!("Attribute name: {name} does not exist for array {uri}");
            return Err(Error::short("C API", text));
        };
        put(attr, give(Attribute::of(attributes.swap_remove(index))))
    })
}

/// Returns the number of attributes.
///
/// # Safety
/// `attribute_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    attribute_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let attributes = get(array_schema)?.fields().attributes;
        put(attribute_num, count(attributes.len())?)
    })
}

/// Returns the number of cells of a tile of a sparse array.
///
/// # Safety
/// `capacity` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    capacity: *mut u64,
) -> i32 {
    call(ctx, |_| put(capacity, get(array_schema)?.fields().capacity))
}

/// Returns the order of cells within a tile.
///
/// # Safety
/// `cell_order` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    cell_order: *mut tiledb_layout_t,
) -> i32 {
    call(ctx, |_| {
        let order = get(array_schema)?.fields().cell_order;
        put(cell_order, order.code().into())
    })
}

/// Returns a copy of the filters of dimensions without filters of their own.
///
/// # Safety
/// `filter_list` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        put_filters(array_schema, filter_list, |fields| fields.coords_filters)
    })
}

/// Returns a copy of the filters of offsets.
///
/// # Safety
/// `filter_list` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        put_filters(array_schema, filter_list, |fields| fields.offsets_filters)
    })
}

/// Returns a copy of the filters of the bytes that say which cells are null.
///
/// # Safety
/// `filter_list` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        put_filters(array_schema, filter_list, |fields| fields.validity_filters)
    })
}

/// Returns a copy of the domain.
///
/// # Safety
/// `domain` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    call(ctx, |_| {
        let axes = get(array_schema)?.fields().dimensions;
        check_place(domain)?;
        put(domain, give(Domain::of(axes)))
    })
}

/// Returns the order of tiles.
///
/// # Safety
/// `tile_order` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    tile_order: *mut tiledb_layout_t,
) -> i32 {
    call(ctx, |_| {
        let order = get(array_schema)?.fields().tile_order;
        put(tile_order, order.code().into())
    })
}

/// Returns the format version.
///
/// # Safety
/// `version` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_version(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    version: *mut u32,
) -> i32 {
    call(ctx, |_| {
        put(version, get(array_schema)?.fields().version.number())
    })
}

/// Says whether there is an attribute with a name.
///
/// # Safety
/// `name` is null or a text; `has_attr` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_attr: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let fields = get(array_schema)?.fields();
        check_place(has_attr)?;
        let found = fields.attribute_index(text(name)?).is_some();
        put(has_attr, i32::from(found))
    })
}

/// Loads the newest schema of an array.
///
/// # Safety
/// `array_uri` is null or a text; `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |context| {
        check_place(array_schema)?;
        let schema = load(context.engine()?, text(array_uri)?)?;
        put(array_schema, give(schema))
    })
}

/// Loads the newest schema of an array with other settings than those of the context.
///
/// # Safety
/// `array_uri` is null or a text; `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load_with_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |context| {
        check_place(array_schema)?;
        let engine = with_settings(context.engine()?, &get(config)?.settings())?;
        put(array_schema, give(load(&engine, text(array_uri)?)?))
    })
}

/// Sets whether several cells may have the same coordinates; sparse arrays only.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: c_int,
) -> i32 {
    call(ctx, |_| {
        get(array_schema)?.change(|fields| {
            if allows_dups != 0 && fields.is_dense() {
                return Err(failed("Dense arrays cannot allow coordinate duplicates"));
            }
            fields.allows_duplicates = allows_dups != 0;
            Ok(())
        })
    })
}

/// Sets the number of cells of a tile of a sparse array.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    capacity: u64,
) -> i32 {
    call(ctx, |_| {
        get(array_schema)?.change(|fields| {
            if capacity == 0 && !fields.is_dense() {
                let text = "Sparse arrays cannot have their capacity equal to zero.";
                return Err(failed(text));
            }
            fields.capacity = capacity;
            Ok(())
        })
    })
}

/// Sets the order of cells within a tile: row-major, col-major, or, for sparse arrays, Hilbert.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    cell_order: tiledb_layout_t,
) -> i32 {
    call(ctx, |_| {
        let order = u8::try_from(cell_order).ok().and_then(CellOrder::from_code);
        get(array_schema)?.change(|fields| {
            if order == Some(CellOrder::Hilbert) && fields.is_dense() {
                return Err(failed(
                    "Cannot set cell order; Hilbert order is only applicable to sparse arrays",
                ));
            }
            fields.cell_order = order.ok_or_else(|| no_order("cell"))?;
            Ok(())
        })
    })
}

/// Sets the filters of dimensions without filters of their own.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        schema.set_coords_filters(get(filter_list)?.filters())
    })
}

/// Sets the dimensions.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    domain: *mut tiledb_domain_t,
) -> i32 {
    call(ctx, |_| {
        let (schema, domain) = (get(array_schema)?, get(domain)?);
        schema.set_dimensions(domain.axes())?;
        domain.set_extents(&schema.fields().dimensions);
        Ok(())
    })
}

/// Sets the filters of offsets.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let (schema, filters) = (get(array_schema)?, get(filter_list)?.filters());
        schema.change(|fields| {
            fields.offsets_filters = filters;
            Ok(())
        })
    })
}

/// Sets the filters of the bytes that say which cells are null.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let (schema, filters) = (get(array_schema)?, get(filter_list)?.filters());
        schema.change(|fields| {
            fields.validity_filters = filters;
            Ok(())
        })
    })
}

/// Sets the order of tiles: row-major or col-major.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    tile_order: tiledb_layout_t,
) -> i32 {
    call(ctx, |_| {
        if tile_order == TILEDB_HILBERT {
            let text = "Cannot set tile order; Hilbert order is not applicable to tiles";
            return Err(failed(text));
        }
        let known = u8::try_from(tile_order).ok().and_then(Order::from_code);
        let order = known.ok_or_else(|| no_order("tile"))?;
        get(array_schema)?.change(|fields| {
            fields.tile_order = order;
            Ok(())
        })
    })
}

/// Returns the times in the schema's name, in milliseconds since 1970; 0 for schemas of old versions.
///
/// # Safety
/// `lo` and `hi` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    lo: *mut u64,
    hi: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let times = get(array_schema)?.times();
        check_place(hi)?;
        let (first, last) = times.map_or((0, 0), |times| times);
        put(lo, first)?;
        put(hi, last)
    })
}
