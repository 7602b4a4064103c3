//! Subarrays: ranges of dimensions and labels.

mod object;

use std::ffi::{c_char, c_int, c_void};

use tdb::engine::tile::Range;

pub(crate) use self::object::{LabelRanges, Ranges, Subarray};
use crate::array::tiledb_array_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{self, bytes, bytes_mut, check_place, put, take, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle};
use crate::config::tiledb_config_t;

handle!(
    /// Ranges in an array.
    tiledb_subarray_t => Subarray, "subarray"
);

/// Creates a subarray: the whole array, until ranges are added.
///
/// # Safety
/// `subarray` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    call(ctx, |_| {
        check_place(subarray)?;
        let array = get(array)?;
        let opened = array.opened()?;
        put(subarray, give(Subarray::new(opened)))
    })
}

/// Frees a subarray.
///
/// # Safety
/// `subarray` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_free(subarray: *mut *mut tiledb_subarray_t) {
    free(subarray);
}

/// Accepts settings; none of them has an effect on a subarray.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_config(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        let (subarray, config) = (get(subarray)?, get(config)?);
        let settings = config.settings();
        subarray.lock().cuts = settings.get("sm.read_range_oob") != Some("error");
        Ok(())
    })
}

/// Sets whether ranges that follow each other become one.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_coalesce_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    coalesce_ranges: c_int,
) -> i32 {
    call(ctx, |_| {
        get(subarray)?.lock().coalesce = coalesce_ranges != 0;
        Ok(())
    })
}

/// Sets a range for each dimension: its ends, one after the other, of one datatype of fixed size.
///
/// # Safety
/// `subarray_v` is null or points to two coordinates for each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_subarray(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    subarray_v: *const c_void,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let count = object.schema().dimensions.len();
        let mut ranges = Vec::new();
        let mut place = subarray_v;
        for (number, _) in (0_u32..).zip(0..count) {
            let size = object.coordinate_size(number)?;
            let ends = bytes(place, 2 * size)?;
            place = place.byte_add(ends.len());
            let (lo, hi) = ends.split_at(ends.len() / 2);
            ranges.push(Range::new(lo.to_vec(), hi.to_vec()));
        }
        let empty = Ranges::whole(object.schema());
        object.lock().dimensions = empty.dimensions;
        for (number, range) in (0..).zip(ranges) {
            object.add(number, range)?;
        }
        Ok(())
    })
}

/// Reads a range of fixed size of the program.
unsafe fn fixed_range(start: *const c_void, end: *const c_void, size: u64) -> Result<Range> {
    Ok(Range::new(
        bytes(start, size)?.to_vec(),
        bytes(end, size)?.to_vec(),
    ))
}

pub(crate) fn no_stride(stride: *const c_void) -> Result<()> {
    if stride.is_null() {
        return Ok(());
    }
    let text = "Cannot add range; Setting range stride is currently unsupported";
    Err(Error::new("C API", text))
}

/// Adds a range of a dimension of fixed size.
///
/// # Safety
/// `start` and `end` are null or point to coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> i32 {
    call(ctx, |_| {
        no_stride(stride)?;
        let object = get(subarray)?;
        let size = object.coordinate_size(dim_idx)?;
        object.add(dim_idx, fixed_range(start, end, size)?)
    })
}

/// As [`tiledb_subarray_add_range`], by the name of the dimension.
///
/// # Safety
/// As there; `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> i32 {
    call(ctx, |_| {
        no_stride(stride)?;
        let object = get(subarray)?;
        let dimension = object.dimension(text(dim_name)?)?;
        let size = object.coordinate_size(dimension)?;
        object.add(dimension, fixed_range(start, end, size)?)
    })
}

/// Adds a range of a dimension of text. Ends of no bytes stand for the ends of the dimension.
///
/// # Safety
/// `start` and `end` are null or point to as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> i32 {
    call(ctx, |_| {
        let range = Range::new(
            bytes(start, start_size)?.to_vec(),
            bytes(end, end_size)?.to_vec(),
        );
        get(subarray)?.add(dim_idx, range)
    })
}

/// As [`tiledb_subarray_add_range_var`], by the name of the dimension.
///
/// # Safety
/// As there; `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> i32 {
    call(ctx, |_| {
        let range = Range::new(
            bytes(start, start_size)?.to_vec(),
            bytes(end, end_size)?.to_vec(),
        );
        let object = get(subarray)?;
        object.add(object.dimension(text(dim_name)?)?, range)
    })
}

/// Adds a range of one coordinate for each of `count` coordinates.
///
/// # Safety
/// `start` is null or points to as many coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    count: u64,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let size = object.coordinate_size(dim_idx)?;
        let too_many = || Error::argument("more points than memory has");
        let total = size.checked_mul(count).ok_or_else(too_many)?;
        let size = pointers::index(size)?;
        for point in bytes(start, total)?.chunks_exact(size) {
            object.add(dim_idx, Range::new(point.to_vec(), point.to_vec()))?;
        }
        Ok(())
    })
}

/// Adds a range of one text for each of the texts, which lie one after the other.
///
/// # Safety
/// `start` is null or points to as many bytes, `start_offsets` to as many bytes of offsets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    start_offsets: *const u64,
    start_offsets_size: u64,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let texts = bytes(start, start_size)?;
        let count = pointers::index(start_offsets_size)?;
        let end_of = |number: usize| -> Result<usize> {
            if number >= count {
                return Ok(texts.len());
            }
            pointers::index(take(start_offsets.add(number))?)
        };
        for number in 0..count {
            let found = texts.get(end_of(number)?..end_of(number + 1)?);
            let point = found.ok_or_else(|| Error::argument("offsets beyond the texts"))?;
            object.add(dim_idx, Range::new(point.to_vec(), point.to_vec()))?;
        }
        Ok(())
    })
}

/// Returns the number of ranges of a dimension; the whole dimension is one.
///
/// # Safety
/// `range_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        put(range_num, get(subarray)?.range_count(dim_idx)?)
    })
}

/// As [`tiledb_subarray_get_range_num`], by the name of the dimension.
///
/// # Safety
/// As there; `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let dimension = object.dimension(text(dim_name)?)?;
        put(range_num, object.range_count(dimension)?)
    })
}

/// The program's variables for a range.
#[derive(Clone, Copy)]
pub(crate) struct RangePlaces {
    pub(crate) start: *mut *const c_void,
    pub(crate) end: *mut *const c_void,
    pub(crate) stride: *mut *const c_void,
}

impl RangePlaces {
    /// Writes pointers to the ends of a range, which are valid as long as `lent` is.
    ///
    /// # Errors
    /// Fails if a place is null.
    ///
    /// # Safety
    /// The places are null or point to pointers.
    pub(crate) unsafe fn put(self, range: &Range, lent: &LentValues) -> Result<()> {
        put(self.start, lent.bytes(&range.lo).cast())?;
        put(self.end, lent.bytes(&range.hi).cast())?;
        if !self.stride.is_null() {
            put(self.stride, std::ptr::null())?;
        }
        Ok(())
    }
}

/// Returns pointers to the ends of a range; they are valid until the handle is freed.
///
/// # Safety
/// The last three arguments are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let range = object.range(dim_idx, range_idx)?;
        RangePlaces { start, end, stride }.put(&range, &object.lent)
    })
}

/// As [`tiledb_subarray_get_range`], by the name of the dimension.
///
/// # Safety
/// As there; `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let range = object.range(object.dimension(text(dim_name)?)?, range_idx)?;
        RangePlaces { start, end, stride }.put(&range, &object.lent)
    })
}

/// Copies the ends of a range of text.
pub(crate) unsafe fn copy_ends(range: &Range, start: *mut c_void, end: *mut c_void) -> Result<()> {
    bytes_mut(start, range.lo.len() as u64)?.copy_from_slice(&range.lo);
    bytes_mut(end, range.hi.len() as u64)?.copy_from_slice(&range.hi);
    Ok(())
}

/// Copies the ends of a range of a dimension of text.
///
/// # Safety
/// `start` and `end` are null or have room for the sizes that the function for sizes gives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        copy_ends(&get(subarray)?.range(dim_idx, range_idx)?, start, end)
    })
}

/// As [`tiledb_subarray_get_range_var`], by the name of the dimension.
///
/// # Safety
/// As there; `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let range = object.range(object.dimension(text(dim_name)?)?, range_idx)?;
        copy_ends(&range, start, end)
    })
}

/// Returns the sizes in bytes of the ends of a range of a dimension of text.
///
/// # Safety
/// `start_size` and `end_size` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let range = get(subarray)?.range(dim_idx, range_idx)?;
        put(start_size, range.lo.len() as u64)?;
        put(end_size, range.hi.len() as u64)
    })
}

/// As [`tiledb_subarray_get_range_var_size`], by the name of the dimension.
///
/// # Safety
/// As there; `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let range = object.range(object.dimension(text(dim_name)?)?, range_idx)?;
        put(start_size, range.lo.len() as u64)?;
        put(end_size, range.hi.len() as u64)
    })
}
