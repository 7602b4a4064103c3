//! The boxes around the cells of fragments and of their tiles.

use std::ffi::{c_char, c_void};

use super::object::{DimensionChoice, Ends, Part};
use super::tiledb_fragment_info_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes_mut, check_place, put, text};
use crate::border::{Result, call, get};

/// Writes the ends of a range of fixed size one after the other.
unsafe fn put_fixed(
    info: *mut tiledb_fragment_info_t,
    part: Part,
    which: DimensionChoice<'_>,
    place: *mut c_void,
) -> Result<()> {
    check_place(place)?;
    let Ends { low, high } = get(info)?.loaded()?.ends(part, which, false)?;
    let place = bytes_mut(place, low.len() as u64 + high.len() as u64)?;
    let (first, second) = place.split_at_mut(low.len());
    first.copy_from_slice(&low);
    second.copy_from_slice(&high);
    Ok(())
}

/// The program's variables for both ends of a range, or for their sizes.
struct Pair<T> {
    start: *mut T,
    end: *mut T,
}

unsafe fn put_sizes(
    info: *mut tiledb_fragment_info_t,
    part: Part,
    which: DimensionChoice<'_>,
    places: Pair<u64>,
) -> Result<()> {
    let Ends { low, high } = get(info)?.loaded()?.ends(part, which, true)?;
    check_place(places.end)?;
    put(places.start, low.len() as u64)?;
    put(places.end, high.len() as u64)
}

unsafe fn put_var(
    info: *mut tiledb_fragment_info_t,
    part: Part,
    which: DimensionChoice<'_>,
    places: Pair<c_void>,
) -> Result<()> {
    check_place(places.start)?;
    check_place(places.end)?;
    let Ends { low, high } = get(info)?.loaded()?.ends(part, which, true)?;
    bytes_mut(places.start, low.len() as u64)?.copy_from_slice(&low);
    bytes_mut(places.end, high.len() as u64)?.copy_from_slice(&high);
    Ok(())
}

/// Returns both ends of a dimension, by its number, in the box of a fragment.
///
/// # Safety
/// `domain` is null or has room for two values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    domain: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_fixed(
            fragment_info,
            Part::Whole { fid },
            DimensionChoice::Number(did),
            domain,
        )
    })
}

/// Returns the sizes in bytes of both ends of a dimension of text, by its number, in the box of a fragment.
///
/// # Safety
/// `start_size` and `end_size` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let sizes = Pair {
            start: start_size,
            end: end_size,
        };
        put_sizes(
            fragment_info,
            Part::Whole { fid },
            DimensionChoice::Number(did),
            sizes,
        )
    })
}

/// Returns both ends of a dimension of text, by its number, in the box of a fragment.
///
/// # Safety
/// `start` and `end` are null or have room for the ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_var(
            fragment_info,
            Part::Whole { fid },
            DimensionChoice::Number(did),
            Pair { start, end },
        )
    })
}

/// Returns both ends of a dimension, by its name, in the box of a fragment.
///
/// # Safety
/// `domain` is null or has room for two values. `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    domain: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_fixed(
            fragment_info,
            Part::Whole { fid },
            DimensionChoice::Name(text(dim_name)?),
            domain,
        )
    })
}

/// Returns the sizes in bytes of both ends of a dimension of text, by its name, in the box of a fragment.
///
/// # Safety
/// `start_size` and `end_size` are null or point to numbers. `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let sizes = Pair {
            start: start_size,
            end: end_size,
        };
        put_sizes(
            fragment_info,
            Part::Whole { fid },
            DimensionChoice::Name(text(dim_name)?),
            sizes,
        )
    })
}

/// Returns both ends of a dimension of text, by its name, in the box of a fragment.
///
/// # Safety
/// `start` and `end` are null or have room for the ends. `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_var(
            fragment_info,
            Part::Whole { fid },
            DimensionChoice::Name(text(dim_name)?),
            Pair { start, end },
        )
    })
}

/// Returns both ends of a dimension, by its number, in the box of a tile of a sparse fragment.
///
/// # Safety
/// `mbr` is null or has room for two values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    mbr: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_fixed(
            fragment_info,
            Part::Tile { fid, mid },
            DimensionChoice::Number(did),
            mbr,
        )
    })
}

/// Returns the sizes in bytes of both ends of a dimension of text, by its number, in the box of a tile of a sparse fragment.
///
/// # Safety
/// `start_size` and `end_size` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let sizes = Pair {
            start: start_size,
            end: end_size,
        };
        put_sizes(
            fragment_info,
            Part::Tile { fid, mid },
            DimensionChoice::Number(did),
            sizes,
        )
    })
}

/// Returns both ends of a dimension of text, by its number, in the box of a tile of a sparse fragment.
///
/// # Safety
/// `start` and `end` are null or have room for the ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_var(
            fragment_info,
            Part::Tile { fid, mid },
            DimensionChoice::Number(did),
            Pair { start, end },
        )
    })
}

/// Returns both ends of a dimension, by its name, in the box of a tile of a sparse fragment.
///
/// # Safety
/// `mbr` is null or has room for two values. `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    mbr: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_fixed(
            fragment_info,
            Part::Tile { fid, mid },
            DimensionChoice::Name(text(dim_name)?),
            mbr,
        )
    })
}

/// Returns the sizes in bytes of both ends of a dimension of text, by its name, in the box of a tile of a sparse fragment.
///
/// # Safety
/// `start_size` and `end_size` are null or point to numbers. `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let sizes = Pair {
            start: start_size,
            end: end_size,
        };
        put_sizes(
            fragment_info,
            Part::Tile { fid, mid },
            DimensionChoice::Name(text(dim_name)?),
            sizes,
        )
    })
}

/// Returns both ends of a dimension of text, by its name, in the box of a tile of a sparse fragment.
///
/// # Safety
/// `start` and `end` are null or have room for the ends. `dim_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    call(ctx, |_| {
        put_var(
            fragment_info,
            Part::Tile { fid, mid },
            DimensionChoice::Name(text(dim_name)?),
            Pair { start, end },
        )
    })
}
