//! Aggregates of queries, and what a query says of its fields.

use std::ffi::c_char;
use std::sync::Arc;

use tdb::engine::schema::{CellValNum, Field, FieldKind};
use tdb::{Aggregate, Datatype, Function};

use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes;
use crate::query::aggregates::{NamedAggregate, result_form};
use crate::query::{Query, tiledb_query_t};

/// A field of a query's result.
#[derive(Debug)]
pub(crate) struct QueryField {
    query: Arc<Query>,
    origin: tiledb_field_origin_t,
    pub(crate) datatype: Datatype,
    pub(crate) values: CellValNum,
    pub(crate) nullable: bool,
}

impl QueryField {
    /// Describes a field of the array, or the result of an aggregate.
    pub(crate) fn of(query: &Arc<Query>, name: &str) -> Result<Self> {
        let schema = query.opened.array.schema();
        if let Some(field) = schema.field(name) {
            let is_dimension = matches!(field.kind, FieldKind::Dimension(_));
            return Ok(Self {
                query: Arc::clone(query),
                origin: if is_dimension {
                    TILEDB_DIMENSION_FIELD
                } else {
                    TILEDB_ATTRIBUTE_FIELD
                },
                datatype: field.datatype,
                values: field.cell_val_num,
                nullable: field.nullable,
            });
        }
        let Some(aggregate) = query.aggregate(name) else {
            let text = format!("Cannot get field; There is no query field named '{name}'");
            return Err(Error::new("Query", text));
        };
        let (values, nullable) = result_form(&aggregate, schema);
        Ok(Self {
            query: Arc::clone(query),
            origin: TILEDB_AGGREGATE_FIELD,
            datatype: aggregate.datatype(schema),
            values,
            nullable,
        })
    }
}

handle!(
    /// An aggregate that was made for a query.
    tiledb_channel_operation_t => Aggregate, "channel operation"
);

handle!(
    /// An aggregate function; there are constants only.
    tiledb_channel_operator_t => Function, "channel operator"
);

handle!(
    /// The channel of a query that aggregates read: all cells of its result.
    tiledb_query_channel_t => Arc<Query>, "query channel"
);

handle!(
    /// A field of a query's result.
    tiledb_query_field_t => QueryField, "query field"
);

/// A constant of the interface: a handle that is never freed.
#[repr(transparent)]
#[derive(Debug)]
pub struct Constant<T>(*const T);

// SAFETY: the pointer is a key of a table and never followed.
unsafe impl<T> Sync for Constant<T> {}

impl<T> Constant<T> {
    /// The keys of constants are smaller than those of all handles.
    const fn new(number: usize) -> Self {
        Self(std::ptr::without_provenance(number * 16))
    }
}

/// The sum of the values of a field.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_sum: Constant<tiledb_channel_operator_t> = Constant::new(1);

/// The least value of a field.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_min: Constant<tiledb_channel_operator_t> = Constant::new(2);

/// The greatest value of a field.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_max: Constant<tiledb_channel_operator_t> = Constant::new(3);

/// The mean of the values of a field.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_mean: Constant<tiledb_channel_operator_t> = Constant::new(4);

/// The number of null cells of a field.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_null_count: Constant<tiledb_channel_operator_t> =
    Constant::new(5);

/// The number of cells.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_aggregate_count: Constant<tiledb_channel_operation_t> = Constant::new(6);

/// Returns the function that a constant stands for.
fn function_of(operator: *const tiledb_channel_operator_t) -> Result<Function> {
    let constants = [
        (&tiledb_channel_operator_sum, Function::Sum),
        (&tiledb_channel_operator_min, Function::Min),
        (&tiledb_channel_operator_max, Function::Max),
        (&tiledb_channel_operator_mean, Function::Mean),
        (&tiledb_channel_operator_null_count, Function::NullCount),
    ];
    let found = constants
        .iter()
        .find(|(constant, _)| constant.0 == operator);
    let function = found.map(|(_, function)| *function);
    function.ok_or_else(|| Error::argument("Invalid TileDB channel operator object"))
}

/// Returns the aggregate of a handle or of the constant.
fn operation_of(operation: *const tiledb_channel_operation_t) -> Result<Aggregate> {
    if operation == tiledb_aggregate_count.0 {
        return Ok(Aggregate::count());
    }
    Ok(Aggregate::clone(&*get(operation)?))
}

/// Checks that a function can be computed of the values of a field.
fn check_type(function: Function, field: &Field<'_>) -> Result<()> {
    let datatype = field.datatype;
    let is_number = datatype.is_real()
        || datatype.is_datetime()
        || datatype.is_time()
        || (datatype.is_integer() && datatype != Datatype::Bool);
    let is_text = datatype == Datatype::StringAscii;
    let name = &field.name;
    match function {
        Function::Sum | Function::Mean | Function::Min | Function::Max => {}
        _ => return Ok(()),
    }
    if !is_number && !is_text {
        let text = format!("{datatype} is not a type whose values of '{name}' can be aggregated");
        return Err(Error::new("QueryChannel", text));
    }
    if is_text && matches!(function, Function::Sum | Function::Mean) {
        let text = format!("sums and means are of numbers; '{name}' is of text");
        return Err(Error::new("QueryChannel", text));
    }
    if is_number && field.cell_val_num != CellValNum::Fixed(1) {
        let text = format!("'{name}' has cells of several numbers, which are not aggregated");
        return Err(Error::new("QueryChannel", text));
    }
    Ok(())
}

unsafe fn put_operator(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
    constant: &Constant<tiledb_channel_operator_t>,
) -> i32 {
    call(ctx, |_| put(op, constant.0))
}

/// Returns [`tiledb_aggregate_count`].
///
/// # Safety
/// `operation` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_count_get(
    ctx: *mut tiledb_ctx_t,
    operation: *mut *const tiledb_channel_operation_t,
) -> i32 {
    call(ctx, |_| put(operation, tiledb_aggregate_count.0))
}

/// Returns [`tiledb_channel_operator_sum`].
///
/// # Safety
/// `op` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_sum_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    put_operator(ctx, op, &tiledb_channel_operator_sum)
}

/// Returns [`tiledb_channel_operator_min`].
///
/// # Safety
/// `op` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_min_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    put_operator(ctx, op, &tiledb_channel_operator_min)
}

/// Returns [`tiledb_channel_operator_max`].
///
/// # Safety
/// `op` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_max_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    put_operator(ctx, op, &tiledb_channel_operator_max)
}

/// Returns [`tiledb_channel_operator_mean`].
///
/// # Safety
/// `op` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_mean_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    put_operator(ctx, op, &tiledb_channel_operator_mean)
}

/// Returns [`tiledb_channel_operator_null_count`].
///
/// # Safety
/// `op` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_null_count_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    put_operator(ctx, op, &tiledb_channel_operator_null_count)
}

/// Makes an aggregate of a field for a query.
///
/// # Safety
/// `input_field_name` is null or a text; `operation` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_create_unary_aggregate(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    op: *const tiledb_channel_operator_t,
    input_field_name: *const c_char,
    operation: *mut *mut tiledb_channel_operation_t,
) -> i32 {
    call(ctx, |_| {
        check_place(operation)?;
        let (query, function, name) = (get(query)?, function_of(op)?, text(input_field_name)?);
        let Some(field) = query.opened.array.schema().field(name) else {
            let text = format!("Cannot create aggregate; there is no field '{name}'");
            return Err(Error::new("QueryChannel", text));
        };
        if function == Function::NullCount && !field.nullable {
            let text =
                format!("NullCount aggregate is not supported for non-nullable field '{name}'");
            return Err(Error::new("QueryChannel", text));
        }
        check_type(function, &field)?;
        put(operation, give(Aggregate::of(function, name)))
    })
}

/// Frees an aggregate; a constant is left alone.
///
/// # Safety
/// `op` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_free(
    _unused: *mut tiledb_ctx_t,
    op: *mut *mut tiledb_channel_operation_t,
) -> i32 {
    free(op);
    TILEDB_OK
}

/// Adds an aggregate to a query, whose result is a field of this name.
///
/// # Safety
/// `output_field_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_apply_aggregate(
    ctx: *mut tiledb_ctx_t,
    channel: *mut tiledb_query_channel_t,
    output_field_name: *const c_char,
    operation: *const tiledb_channel_operation_t,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(channel)?, text(output_field_name)?);
        query.add_aggregate(NamedAggregate {
            name: name.to_owned(),
            aggregate: operation_of(operation)?,
        })
    })
}

/// Returns the channel of all cells of a query's result.
///
/// # Safety
/// `channel` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_default_channel(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    call(ctx, |_| {
        check_place(channel)?;
        put(channel, give(get(query)?))
    })
}

/// Frees a channel.
///
/// # Safety
/// `channel` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_channel_free(
    _unused: *mut tiledb_ctx_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    free(channel);
    TILEDB_OK
}

/// Returns a field of a query's result: of the array, or of an aggregate.
///
/// # Safety
/// `field_name` is null or a text; `field` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_field(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    field: *mut *mut tiledb_query_field_t,
) -> i32 {
    call(ctx, |_| {
        check_place(field)?;
        put(
            field,
            give(QueryField::of(&get(query)?, text(field_name)?)?),
        )
    })
}

/// Frees a field.
///
/// # Safety
/// `field` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_field_free(
    _unused: *mut tiledb_ctx_t,
    field: *mut *mut tiledb_query_field_t,
) -> i32 {
    free(field);
    TILEDB_OK
}

/// Returns the channel of a field.
///
/// # Safety
/// `channel` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_channel(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    call(ctx, |_| {
        check_place(channel)?;
        put(channel, give(Arc::clone(&get(field)?.query)))
    })
}

/// Returns the number of values per cell of a field.
///
/// # Safety
/// `cell_val_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    cell_val_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let values = match get(field)?.values {
            CellValNum::Fixed(values) => values,
            CellValNum::Var => u32::MAX,
        };
        put(cell_val_num, values)
    })
}

/// Returns the datatype of a field.
///
/// # Safety
/// `datatype` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_datatype(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    datatype: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        put(datatype, datatypes::code(get(field)?.datatype))
    })
}

/// Says whether cells of a field can be null.
///
/// # Safety
/// `nullable` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_get_nullable(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    nullable: *mut u8,
) -> i32 {
    call(ctx, |_| put(nullable, u8::from(get(field)?.nullable)))
}

/// Returns what a field is: an attribute, a dimension or an aggregate.
///
/// # Safety
/// `origin` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_origin(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    origin: *mut tiledb_field_origin_t,
) -> i32 {
    call(ctx, |_| put(origin, get(field)?.origin))
}
