//! Files in arrays.

use std::ffi::{c_char, c_void};

use tdb::{FileFacts, file_schema};

use crate::array_schema::{ArraySchema, tiledb_array_schema_t};
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, bytes_mut, check_place, optional_text, put, text};
use crate::border::{Error, Result, call, give};
use crate::constants::*;

fn failed(error: tdb::Error) -> Error {
    Error::short("Filestore", error.to_string())
}

/// Returns the MIME type as text. It is not looked for in the bytes of the file, as in TileDB.
fn mime_type(number: tiledb_mime_type_t) -> Result<&'static str> {
    match number {
        TILEDB_MIME_PDF => Ok("application/pdf"),
        TILEDB_MIME_TIFF => Ok("image/tiff"),
        TILEDB_MIME_AUTODETECT => Ok("application/octet-stream"),
        _ => Err(Error::argument("Invalid mime type")),
    }
}

/// Returns the name and the extension of a file, as TileDB does: one without a dot has its whole URI as extension.
fn name_and_extension(uri: &str) -> (&str, &str) {
    let name = uri.rsplit_once('/').map_or(uri, |(_, name)| name);
    match uri.rsplit_once('.') {
        None => (name, uri),
        Some((_, extension)) => {
            let stem_length = name.len().checked_sub(extension.len() + 1);
            let stem = stem_length.and_then(|end| name.get(..end));
            (stem.unwrap_or(name), extension)
        }
    }
}

/// Creates the schema of an array for a file, which may be null: then for one of any size.
///
/// # Safety
/// `uri` is null or a text; `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_schema_create(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |context| {
        check_place(array_schema)?;
        let size = match optional_text(uri)? {
            Some(uri) => context.engine()?.files().size(uri).map_err(failed)?,
            None => 0,
        };
        let schema = file_schema(size).map_err(failed)?;
        let schema = tdb::engine::schema::ArraySchema::clone(&schema);
        put(array_schema, give(ArraySchema::of(schema, Vec::new())))
    })
}

/// Stores a file in an array.
///
/// # Safety
/// `filestore_array_uri` and `file_uri` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    file_uri: *const c_char,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    call(ctx, |context| {
        let (uri, file) = (text(filestore_array_uri)?, text(file_uri)?);
        let (name, extension) = name_and_extension(file);
        let facts = FileFacts {
            name,
            extension,
            mime_type: self::mime_type(mime_type)?,
        };
        let engine = context.engine()?;
        let stored = engine.store_file(uri, &engine.files(), file, &facts);
        stored.map_err(failed)
    })
}

/// Writes the file that an array has.
///
/// # Safety
/// `file_uri` and `filestore_array_uri` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_export(
    ctx: *mut tiledb_ctx_t,
    file_uri: *const c_char,
    filestore_array_uri: *const c_char,
) -> i32 {
    call(ctx, |context| {
        let (file, uri) = (text(file_uri)?, text(filestore_array_uri)?);
        let engine = context.engine()?;
        let stored = engine.stored_file(uri).map_err(failed)?;
        stored.copy_to(&engine.files(), file).map_err(failed)
    })
}

/// Stores bytes as a file in an array.
///
/// # Safety
/// `filestore_array_uri` is null or a text; `buf` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    buf: *mut c_void,
    size: usize,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    call(ctx, |context| {
        let uri = text(filestore_array_uri)?;
        check_place(buf)?;
        let facts = FileFacts {
            mime_type: self::mime_type(mime_type)?,
            ..FileFacts::default()
        };
        let bytes = bytes(buf, size as u64)?;
        let stored = context.engine()?.store_bytes(uri, bytes, &facts);
        stored.map_err(failed)
    })
}

/// Reads a part of the file that an array has.
///
/// # Safety
/// `filestore_array_uri` is null or a text; `buf` is null or has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_export(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    offset: usize,
    buf: *mut c_void,
    size: usize,
) -> i32 {
    call(ctx, |context| {
        let uri = text(filestore_array_uri)?;
        check_place(buf)?;
        let stored = context.engine()?.stored_file(uri).map_err(failed)?;
        let into = bytes_mut(buf, size as u64)?;
        stored.read_at(offset as u64, into).map_err(failed)
    })
}

/// Returns the size in bytes of the file that an array has.
///
/// # Safety
/// `filestore_array_uri` is null or a text; `size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_size(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    size: *mut usize,
) -> i32 {
    call(ctx, |context| {
        check_place(size)?;
        let stored = context.engine()?.stored_file(text(filestore_array_uri)?);
        let size_in_memory = usize::try_from(stored.map_err(failed)?.size());
        let bytes =
            size_in_memory.map_err(|_| Error::argument("the file is larger than memory"))?;
        put(size, bytes)
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::ptr::{null, null_mut};

    use tdb::OpenMode;

    use super::*;
    use crate::array::tiledb_array_create;
    use crate::array_schema::tiledb_array_schema_free;
    use crate::context::{tiledb_ctx_alloc, tiledb_ctx_free};

    #[test]
    fn files_are_stored_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = folder.path().join(name);
            CString::new(path.to_str().unwrap()).unwrap()
        };
        let content: Vec<u8> = (0..5_000_u32).map(|at| at.to_le_bytes()[0]).collect();
        let (file, array, copy) = (path("a.bin"), path("array"), path("copy"));
        let files = tdb::Context::new().files();
        let mut source = files.open(file.to_str().unwrap(), OpenMode::Write).unwrap();
        source.write(&content).unwrap();
        source.close().unwrap();
        let (mut ctx, mut schema, mut size) = (null_mut(), null_mut(), 0);
        let mut part = [0_u8; 4];
        // SAFETY: texts, nulls, pointers to local variables, and buffers as large as said.
        unsafe {
            assert_eq!(tiledb_ctx_alloc(null_mut(), &raw mut ctx), 0);
            let place = &raw mut schema;
            assert_eq!(tiledb_filestore_schema_create(ctx, file.as_ptr(), place), 0);
            assert_eq!(tiledb_array_create(ctx, array.as_ptr(), schema), 0);
            tiledb_array_schema_free(place);
            assert_eq!(
                tiledb_filestore_schema_create(ctx, copy.as_ptr(), place),
                -1
            );
            let array = array.as_ptr();
            assert_eq!(tiledb_filestore_size(ctx, array, &raw mut size), -1);
            assert_eq!(
                tiledb_filestore_uri_import(ctx, array, file.as_ptr(), 9),
                -1
            );
            assert_eq!(tiledb_filestore_uri_import(ctx, array, file.as_ptr(), 0), 0);
            assert_eq!(tiledb_filestore_size(ctx, array, &raw mut size), 0);
            assert_eq!(size, 5_000);
            assert_eq!(tiledb_filestore_uri_export(ctx, copy.as_ptr(), array), 0);
            let mut written = vec![0; content.len()];
            let mut copied = files.open(copy.to_str().unwrap(), OpenMode::Read).unwrap();
            copied.read_at(0, &mut written).unwrap();
            assert_eq!(written, content);
            let into = part.as_mut_ptr().cast();
            assert_eq!(
                tiledb_filestore_buffer_export(ctx, array, 4_996, into, 4),
                0
            );
            assert_eq!(&part, &content[4_996..]);
            assert_eq!(
                tiledb_filestore_buffer_export(ctx, array, 4_997, into, 4),
                -1
            );
            assert_eq!(
                tiledb_filestore_buffer_export(ctx, array, 0, null_mut(), 4),
                -1
            );
            let bytes = b"bye".as_ptr().cast_mut().cast();
            assert_eq!(tiledb_filestore_buffer_import(ctx, array, bytes, 3, 1), 0);
            assert_eq!(tiledb_filestore_size(ctx, array, &raw mut size), 0);
            assert_eq!(size, 3);
            assert_eq!(tiledb_filestore_size(ctx, null(), &raw mut size), -1);
            tiledb_ctx_free(&raw mut ctx);
        }
    }

    #[test]
    fn names_are_split_as_in_tiledb() {
        assert_eq!(name_and_extension("/a/b.tar.gz"), ("b.tar", "gz"));
        assert_eq!(name_and_extension("/a/b"), ("b", "/a/b"));
        assert_eq!(name_and_extension("/a.b/c"), ("c", "b/c"));
    }
}
