//! Ranges of dimension labels in subarrays.

use std::ffi::{c_char, c_void};

use tdb::engine::schema::DimensionLabel;
use tdb::engine::tile::Range;

use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, put, text};
use crate::border::{Error, Result, call, get};
use crate::subarray::{
    LabelRanges, RangePlaces, Subarray, copy_ends, no_stride, tiledb_subarray_t,
};

fn failed(why: impl std::fmt::Display) -> Error {
    Error::new("Subarray", why.to_string())
}

impl Subarray {
    fn label(&self, name: &str) -> Result<&DimensionLabel> {
        let mut labels = self.schema().labels.iter();
        labels.find(|label| label.name == name).ok_or_else(|| {
            failed(format_args!(
                "Cannot add label range; No dimension label with name '{name}'"
            ))
        })
    }

    /// Adds a range of a label. A dimension takes ranges of one label only, and none of its own beside them.
    fn add_label(&self, name: &str, range: Range) -> Result<()> {
        let dimension = self.label(name)?.dimension;
        let mut state = self.lock();
        let own = state.dimensions.get(dimension as usize);
        if own.is_some_and(|ranges| !ranges.is_empty()) {
            return Err(failed(
                "Cannot add label range; Dimension is already set to use dimension ranges",
            ));
        }
        if let Some(known) = state
            .labels
            .iter_mut()
            .find(|known| known.dimension == dimension)
        {
            if known.label != name {
                return Err(failed(
                    "Cannot add label range; Dimension is already set to use label ranges",
                ));
            }
            known.ranges.push(range);
            return Ok(());
        }
        state.labels.push(LabelRanges {
            label: name.to_owned(),
            dimension,
            ranges: vec![range],
        });
        Ok(())
    }

    fn label_range(&self, name: &str, number: u64) -> Result<Range> {
        self.label(name)?;
        let state = self.lock();
        let known = state.labels.iter().find(|known| known.label == name);
        let range = usize::try_from(number)
            .ok()
            .and_then(|number| known?.ranges.get(number));
        range
            .cloned()
            .ok_or_else(|| failed("Cannot get label range; Invalid range index"))
    }
}

/// Adds a range of a label of fixed size.
///
/// # Safety
/// `label_name` is null or a text; `start` and `end` are null or point to labels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_label_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    label_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> i32 {
    call(ctx, |_| {
        no_stride(stride)?;
        let (object, name) = (get(subarray)?, text(label_name)?);
        let label = object.label(name)?;
        if label.cell_val_num.is_var() {
            return Err(failed(
                "Cannot add label range; Cannot add a fixed-sized range to a variable sized dimension label",
            ));
        }
        let size = label.datatype.size() as u64;
        let range = Range::new(bytes(start, size)?.to_vec(), bytes(end, size)?.to_vec());
        object.add_label(name, range)
    })
}

/// Adds a range of a label of text.
///
/// # Safety
/// `label_name` is null or a text; `start` and `end` are null or point to as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_label_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    label_name: *const c_char,
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
        get(subarray)?.add_label(text(label_name)?, range)
    })
}

/// Returns the name of the label of which a dimension has ranges.
///
/// # Safety
/// `label_name` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    label_name: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let state = object.lock();
        let found = state.labels.iter().find(|known| known.dimension == dim_idx);
        let known = found.ok_or_else(|| {
            failed("Cannot get label name; there is no label range on this dimension")
        })?;
        put(label_name, object.lent.text(&known.label)?)
    })
}

/// Says whether a dimension has ranges of a label.
///
/// # Safety
/// `has_label_range` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_has_label_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    has_label_range: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let has = object
            .lock()
            .labels
            .iter()
            .any(|known| known.dimension == dim_idx);
        put(has_label_range, i32::from(has))
    })
}

/// Returns the number of ranges of a label.
///
/// # Safety
/// `label_name` is null or a text; `range_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (object, name) = (get(subarray)?, text(label_name)?);
        object.label(name)?;
        let state = object.lock();
        let known = state.labels.iter().find(|known| known.label == name);
        put(
            range_num,
            known.map_or(0, |known| known.ranges.len() as u64),
        )
    })
}

/// Returns pointers to the ends of a range of a label; they are valid until the handle is freed.
///
/// # Safety
/// `label_name` is null or a text; the last three arguments are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let object = get(subarray)?;
        let range = object.label_range(text(label_name)?, range_idx)?;
        RangePlaces { start, end, stride }.put(&range, &object.lent)
    })
}

/// Copies the ends of a range of a label of text.
///
/// # Safety
/// `label_name` is null or a text; `start` and `end` are null or have room for the sizes that the function for sizes
/// gives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        copy_ends(
            &get(subarray)?.label_range(text(label_name)?, range_idx)?,
            start,
            end,
        )
    })
}

/// Returns the sizes in bytes of the ends of a range of a label of text.
///
/// # Safety
/// `label_name` is null or a text; the last two arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_label_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    label_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let range = get(subarray)?.label_range(text(label_name)?, range_idx)?;
        put(start_size, range.lo.len() as u64)?;
        put(end_size, range.hi.len() as u64)
    })
}
