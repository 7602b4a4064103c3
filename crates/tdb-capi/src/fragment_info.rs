//! Facts of the fragments of an array: names, times, sizes and boxes.

pub mod boxes;
mod object;

use std::ffi::{CString, c_char};

use tdb::engine::schema::ArraySchema as Fields;

use crate::array_schema::{ArraySchema, tiledb_array_schema_t};
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::config::{Config, tiledb_config_t};
use crate::string::{Text, tiledb_string_t};
use object::{FragmentInfo, failed};

handle!(
    /// Facts of the fragments of an array.
    tiledb_fragment_info_t => FragmentInfo, "fragment info"
);

/// Creates facts of the fragments of an array, which are not loaded yet.
///
/// # Safety
/// `array_uri` is null or a text; `fragment_info` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_info: *mut *mut tiledb_fragment_info_t,
) -> i32 {
    call(ctx, |context| {
        check_place(fragment_info)?;
        let (engine, settings) = (context.engine()?.clone(), context.settings().clone());
        put(
            fragment_info,
            give(FragmentInfo::new(text(array_uri)?, engine, settings)),
        )
    })
}

/// Frees facts.
///
/// # Safety
/// `fragment_info` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_free(
    fragment_info: *mut *mut tiledb_fragment_info_t,
) {
    free(fragment_info);
}

/// Sets settings, such as a key, before the facts are loaded.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_set_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        get(fragment_info)?.inherit(&get(config)?.settings())
    })
}

/// Returns a copy of the settings.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?;
        check_place(config)?;
        put(config, give(Config::of(info.settings())))
    })
}

/// Reads the facts as they are now.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_load(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    call(ctx, |_| get(fragment_info)?.load())
}

/// Returns the number of fragments.
///
/// # Safety
/// `fragment_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fragment_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(fragment_num, count(info.array.fragments().len())?)
    })
}

fn count(number: usize) -> Result<u32> {
    u32::try_from(number).map_err(|_| failed("more than 2^32 fragments"))
}

/// Returns the number of cells of a fragment; in a dense one, of its tiles.
///
/// # Safety
/// `cell_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_cell_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    cell_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(cell_num, info.fragment(fid)?.metadata.cell_count())
    })
}

/// Returns the number of cells of all fragments together.
///
/// # Safety
/// `count` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_total_cell_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    count: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(count, info.total_cells()?)
    })
}

/// Returns the size of a fragment in bytes.
///
/// # Safety
/// `size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_size(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(size, info.size(fid)?)
    })
}

/// Says whether a fragment is dense.
///
/// # Safety
/// `dense` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_dense(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dense: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(dense, i32::from(info.fragment(fid)?.metadata.dense))
    })
}

/// Says whether a fragment is sparse.
///
/// # Safety
/// `sparse` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_sparse(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    sparse: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(sparse, i32::from(!info.fragment(fid)?.metadata.dense))
    })
}

/// Returns the format version of a fragment.
///
/// # Safety
/// `version` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_version(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    version: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(version, info.fragment(fid)?.metadata.version.number())
    })
}

/// Says whether the footer of a fragment was read from an object with many footers.
///
/// # Safety
/// `has` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_has_consolidated_metadata(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    has: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(has, i32::from(info.fragment(fid)?.has_merged_footer()))
    })
}

/// Returns the number of fragments whose footers are in no object with many footers.
///
/// # Safety
/// `unconsolidated` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_unconsolidated_metadata_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    unconsolidated: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(unconsolidated, count(info.unmerged_footers())?)
    })
}

/// Returns the number of fragments that a merge has replaced.
///
/// # Safety
/// `to_vacuum_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    to_vacuum_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(to_vacuum_num, count(info.replaced.len())?)
    })
}

/// Returns the first and the last time of the cells of a fragment.
///
/// # Safety
/// `start` and `end` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    start: *mut u64,
    end: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        let (first, last) = info.fragment(fid)?.timestamps();
        check_place(end)?;
        put(start, first)?;
        put(end, last)
    })
}

/// Returns the whole URI of a fragment.
///
/// # Safety
/// `uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let object = get(fragment_info)?;
        let info = object.loaded()?;
        put(uri, object.lent.text(&info.uri(fid)?)?)
    })
}

/// Returns the whole URI of a fragment that a merge has replaced.
///
/// # Safety
/// `uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_uri(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let object = get(fragment_info)?;
        let info = object.loaded()?;
        put(uri, object.lent.text(info.replaced_uri(fid)?)?)
    })
}

/// Returns the name of the schema with which a fragment was written.
///
/// # Safety
/// `schema_name` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_array_schema_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    schema_name: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let object = get(fragment_info)?;
        let info = object.loaded()?;
        put(schema_name, object.lent.text(info.schema_name(fid)?)?)
    })
}

/// Returns the name of a fragment.
///
/// # Safety
/// `name` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_name_v2(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    name: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        Text::put(name, info.fragment(fid)?.name.as_str())
    })
}

/// Returns the schema with which a fragment was written.
///
/// # Safety
/// `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_array_schema(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        check_place(array_schema)?;
        let schema = Fields::clone(&info.fragment(fid)?.schema);
        let written_with = ArraySchema::of(schema, Vec::new());
        let schema = written_with.stored(
            info.array_uri(),
            info.enumerations(),
            Some(info.schema_times(fid)?),
        );
        put(array_schema, give(schema))
    })
}

/// Returns the number of boxes of tiles of a fragment; 0 for a dense one.
///
/// # Safety
/// `mbr_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mbr_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let info = get(fragment_info)?.loaded()?;
        put(mbr_num, info.boxes(fid)?)
    })
}

/// Returns the facts as text, in TileDB's layout.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump_str(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| {
        Text::put(out, get(fragment_info)?.loaded()?.describe()?)
    })
}

/// Writes the facts as text to a file of C; null stands for standard output.
///
/// # Safety
/// `out` is null or an open file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut libc::FILE,
) -> i32 {
    call(ctx, |_| {
        let text = get(fragment_info)?.loaded()?.describe()?;
        let text = CString::new(text).map_err(|_| Error::argument("a text with a zero byte"))?;
        // SAFETY: the program gave an open file, or null for standard output; the text ends with a zero byte.
        let written = unsafe {
            if out.is_null() {
                libc::printf(c"%s".as_ptr(), text.as_ptr())
            } else {
                libc::fputs(text.as_ptr(), out)
            }
        };
        if written < 0 {
            return Err(failed("Cannot write to the file"));
        }
        Ok(())
    })
}
