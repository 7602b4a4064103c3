//! Arrays and groups as objects in folders: what there is, moving it, and removing it.

use std::ffi::{CString, c_char, c_void};

use tdb::{FoundObject, ObjectType, WalkOrder};

use crate::border::codes::{TILEDB_ERR, TILEDB_OK};
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, Result, call};
use crate::constants::*;

/// Is told an object: its URI and its type. Returns 1 to go on, 0 to stop, and -1 if it failed.
type Callback =
    Option<unsafe extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32>;

fn failed(error: tdb::Error) -> Error {
    Error::short("Object", error.to_string())
}

/// Returns the number that stands for a type of objects.
pub(crate) fn number(object_type: ObjectType) -> tiledb_object_t {
    match object_type {
        ObjectType::Group => TILEDB_GROUP,
        ObjectType::Array => TILEDB_ARRAY,
        ObjectType::Invalid => TILEDB_INVALID,
    }
}

/// Tells a callback of objects until there are no more, or until it wants no more. An exception that the callback throws
/// goes through here to the program, so this is not part of [`call`], which would end the process.
unsafe fn tell(
    ctx: *mut tiledb_ctx_t,
    callback: Callback,
    data: *mut c_void,
    mut next: impl FnMut() -> tdb::Result<Option<FoundObject>>,
) -> i32 {
    let Some(callback) = callback else {
        return TILEDB_ERR;
    };
    loop {
        let mut found = None;
        let rc = call(ctx, |_| {
            if let Some(object) = next().map_err(failed)? {
                let text = CString::new(object.uri);
                let uri = text.map_err(|_| Error::argument("a URI with a zero byte inside"))?;
                found = Some((uri, number(object.object_type)));
            }
            Ok(())
        });
        let (TILEDB_OK, Some((uri, kind))) = (rc, found) else {
            return rc;
        };
        // SAFETY: the program gave the callback and its data for this.
        match unsafe { callback(uri.as_ptr(), kind, data) } {
            1 => {}
            -1 => {
                let failure = Error::short("ObjectIter", "Error in user callback");
                return call(ctx, |_| Err(failure));
            }
            _ => return TILEDB_OK,
        }
    }
}

fn check_callback(callback: Callback) -> Result<()> {
    if callback.is_some() {
        return Ok(());
    }
    let text = "Cannot initiate walk; Invalid callback function";
    Err(Error::argument(text))
}

/// Returns whether a URI leads to an array, a group, or neither.
///
/// # Safety
/// `path` is null or a text; `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    kind: *mut tiledb_object_t,
) -> i32 {
    call(ctx, |context| {
        check_place(kind)?;
        let found = context.engine()?.found_type(text(path)?);
        put(kind, number(found.map_err(failed)?))
    })
}

/// Removes an array or a group with everything in its folder.
///
/// # Safety
/// `path` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_remove(ctx: *mut tiledb_ctx_t, path: *const c_char) -> i32 {
    call(ctx, |context| {
        let removed = context.engine()?.remove_folder(text(path)?);
        removed.map_err(failed)
    })
}

/// Moves an array or a group with everything in its folder.
///
/// # Safety
/// `old_path` and `new_path` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_move(
    ctx: *mut tiledb_ctx_t,
    old_path: *const c_char,
    new_path: *const c_char,
) -> i32 {
    call(ctx, |context| {
        let (old, new) = (text(old_path)?, text(new_path)?);
        context.engine()?.move_folder(old, new).map_err(failed)
    })
}

/// Calls `callback` with the arrays and groups in a folder, those in their folders, and so on. It may call into the
/// library.
///
/// # Safety
/// `path` is null or a text; `callback` takes what `data` points to.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tiledb_object_walk(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    order: tiledb_walk_order_t,
    callback: Callback,
    data: *mut c_void,
) -> i32 {
    let mut walk = None;
    let rc = call(ctx, |context| {
        check_callback(callback)?;
        let order = match order {
            TILEDB_PREORDER => WalkOrder::Pre,
            TILEDB_POSTORDER => WalkOrder::Post,
            order => return Err(Error::argument(format!("Invalid walk order {order}"))),
        };
        let begun = context.engine()?.walk_objects(text(path)?, order);
        walk = Some(begun.map_err(failed)?);
        Ok(())
    });
    match walk {
        Some(mut walk) => tell(ctx, callback, data, || walk.next().transpose()),
        None => rc,
    }
}

/// Calls `callback` with the arrays and groups directly in a folder, ordered. It may call into the library.
///
/// # Safety
/// `path` is null or a text; `callback` takes what `data` points to.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tiledb_object_ls(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    callback: Callback,
    data: *mut c_void,
) -> i32 {
    let mut found = None;
    let rc = call(ctx, |context| {
        check_callback(callback)?;
        let objects = context.engine()?.objects_in(text(path)?);
        found = Some(objects.map_err(failed)?.into_iter());
        Ok(())
    });
    match found {
        Some(mut found) => tell(ctx, callback, data, || Ok(found.next())),
        None => rc,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::ptr::{null, null_mut};

    use super::*;
    use crate::context::{tiledb_ctx_alloc, tiledb_ctx_free};

    /// What a callback of a walk knows: the context, to call into the library again, and the names that it has seen.
    struct Walk {
        ctx: *mut tiledb_ctx_t,
        seen: Vec<String>,
        answer: i32,
    }

    unsafe extern "C-unwind" fn remove(
        uri: *const c_char,
        kind: tiledb_object_t,
        data: *mut c_void,
    ) -> i32 {
        // SAFETY: the test gives a pointer to `Walk`, and the library a text.
        let (walk, text) = unsafe { (&mut *data.cast::<Walk>(), CStr::from_ptr(uri)) };
        assert_eq!(kind, TILEDB_GROUP);
        let name = text.to_str().unwrap().rsplit_once('/').unwrap().1;
        walk.seen.push(name.to_owned());
        // SAFETY: a text.
        assert_eq!(unsafe { tiledb_object_remove(walk.ctx, uri) }, 0);
        walk.answer
    }

    #[test]
    fn a_callback_may_remove_what_it_is_told() {
        let mut ctx = null_mut();
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = folder.path().join(name);
            CString::new(path.to_str().unwrap()).unwrap()
        };
        let engine = tdb::Context::new();
        for name in ["a", "a/b", "a/c", "d"] {
            engine.create_group(path(name).to_str().unwrap()).unwrap();
        }
        let mut kind = 9;
        // SAFETY: pointers to local variables, texts, and callbacks with their data.
        unsafe {
            assert_eq!(tiledb_ctx_alloc(null_mut(), &raw mut ctx), 0);
            let mut walk = Walk {
                ctx,
                seen: Vec::new(),
                answer: 1,
            };
            let data = (&raw mut walk).cast();
            let root = path("");
            let order = TILEDB_POSTORDER;
            let walked = tiledb_object_walk(ctx, root.as_ptr(), order, Some(remove), data);
            assert_eq!((walked, walk.seen.join(" ")), (0, "b c a d".to_owned()));
            assert_eq!(
                tiledb_object_type(ctx, path("a").as_ptr(), &raw mut kind),
                0
            );
            assert_eq!(kind, TILEDB_INVALID);
            engine.create_group(path("e").to_str().unwrap()).unwrap();
            walk.answer = -1;
            let listed = tiledb_object_ls(ctx, root.as_ptr(), Some(remove), data);
            assert_eq!((listed, walk.seen.len()), (-1, 5));
            assert_eq!(tiledb_object_ls(ctx, root.as_ptr(), None, data), -1);
            assert_eq!(
                tiledb_object_walk(ctx, root.as_ptr(), 7, Some(remove), data),
                -1
            );
            tiledb_ctx_free(&raw mut ctx);
        }
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let (mut ctx, mut kind) = (null_mut(), 9);
        let folder = tempfile::tempdir().unwrap();
        let path = CString::new(folder.path().to_str().unwrap()).unwrap();
        // SAFETY: nulls, texts and pointers to local variables.
        unsafe {
            assert_eq!(tiledb_ctx_alloc(null_mut(), &raw mut ctx), 0);
            assert_eq!(tiledb_object_type(ctx, null(), &raw mut kind), -1);
            assert_eq!(tiledb_object_type(ctx, path.as_ptr(), null_mut()), -1);
            assert_eq!(
                tiledb_object_type(null_mut(), path.as_ptr(), &raw mut kind),
                -3
            );
            assert_eq!(kind, 9);
            assert_eq!(tiledb_object_remove(ctx, path.as_ptr()), -1);
            assert_eq!(tiledb_object_move(ctx, path.as_ptr(), null()), -1);
            assert_eq!(tiledb_object_move(ctx, path.as_ptr(), path.as_ptr()), -1);
            tiledb_ctx_free(&raw mut ctx);
        }
        assert!(folder.path().exists());
    }
}
