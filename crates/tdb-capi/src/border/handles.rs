//! Handles: what C programs hold instead of objects.
//!
//! A handle looks like a pointer, but is a key of a table and is never followed. Keys are not used twice. So a handle
//! that was freed, that belongs to another kind of object, or that a program made up is told by looking it up, and an
//! object that one thread frees while another one uses it lives until the other one is done with it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::{Error, Result};

/// Number of parts of a table, each with its own lock: threads seldom wait for each other.
const SHARDS: usize = 16;

/// Distance between keys. Programs expect pointers to be aligned.
const STEP: usize = 16;

/// The first key. Smaller ones are those of constant objects, such as the aggregates.
const FIRST: usize = 1 << 16;

/// The next key, of all kinds: a key belongs to one kind.
static NEXT: AtomicUsize = AtomicUsize::new(FIRST);

/// A type of handles: an opaque type of the C interface.
pub(crate) trait Handle: Sized + 'static {
    /// The object that a handle stands for.
    type Object: Send + Sync + 'static;

    /// What errors call such a handle.
    const KIND: &'static str;

    /// Returns the table of the live handles of this type.
    fn table() -> &'static Table<Self::Object>;
}

/// Declares an opaque type of C and its table: `handle!(tiledb_string_t => String, "string")`.
macro_rules! handle {
    ($(#[$docs:meta])* $name:ident => $object:ty, $kind:literal) => {
        $(#[$docs])*
        #[allow(non_camel_case_types, reason = "it has this name in C")]
        #[derive(Debug)]
        pub struct $name {
            _opaque: (),
        }

        impl $crate::border::Handle for $name {
            type Object = $object;
            const KIND: &'static str = $kind;

            fn table() -> &'static $crate::border::handles::Table<$object> {
                static TABLE: $crate::border::handles::Table<$object> =
                    $crate::border::handles::Table::new();
                &TABLE
            }
        }
    };
}
pub(crate) use handle;

/// The live objects of a kind, by key.
pub(crate) struct Table<T> {
    shards: [RwLock<Shard<T>>; SHARDS],
}

type Shard<T> = HashMap<usize, Arc<T>, BuildHasherDefault<DefaultHasher>>;

impl<T> Table<T> {
    pub(crate) const fn new() -> Self {
        Self {
            shards: [const { RwLock::new(HashMap::with_hasher(BuildHasherDefault::new())) };
                SHARDS],
        }
    }

    fn shard(&self, key: usize) -> Option<&RwLock<Shard<T>>> {
        self.shards.get(key / STEP % SHARDS)
    }

    fn insert(&self, object: Arc<T>) -> usize {
        let key = NEXT.fetch_add(STEP, Ordering::Relaxed);
        if let Some(shard) = self.shard(key) {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            shard.insert(key, object);
        }
        key
    }

    fn find(&self, key: usize) -> Option<Arc<T>> {
        let guard = self.shard(key)?.read();
        let shard = guard.unwrap_or_else(PoisonError::into_inner);
        shard.get(&key).map(Arc::clone)
    }

    fn remove(&self, key: usize) -> Option<Arc<T>> {
        let shard = self.shard(key)?.write();
        shard.unwrap_or_else(PoisonError::into_inner).remove(&key)
    }
}

/// Looks up a handle that the program gave.
///
/// # Errors
/// Fails if the handle is null, or not one of this kind that lives.
pub(crate) fn get<H: Handle>(handle: *const H) -> Result<Arc<H::Object>> {
    if handle.is_null() {
        return Err(Error::new(
            "C API",
            format!("Invalid TileDB {} object; the handle is null", H::KIND),
        ));
    }
    H::table().find(handle.addr()).ok_or_else(|| {
        let kind = H::KIND;
        let text =
            format!("Invalid TileDB {kind} object; it was freed before, or is of another kind");
        Error::new("C API", text)
    })
}

/// Looks up a handle that may be null.
///
/// # Errors
/// Fails if the handle is not null and not one of this kind that lives.
pub(crate) fn get_optional<H: Handle>(handle: *const H) -> Result<Option<Arc<H::Object>>> {
    if handle.is_null() {
        return Ok(None);
    }
    get(handle).map(Some)
}

/// Makes a handle of an object, which lives until the program frees it.
pub(crate) fn give<H: Handle>(object: H::Object) -> *mut H {
    give_shared(Arc::new(object))
}

/// Makes a handle of an object that other handles share.
pub(crate) fn give_shared<H: Handle>(object: Arc<H::Object>) -> *mut H {
    std::ptr::without_provenance_mut(H::table().insert(object))
}

/// Frees the handle in the program's variable, and sets the variable to null. Null, and what was freed before, is left
/// alone.
///
/// # Safety
/// `variable` is null or points to a pointer.
pub(crate) unsafe fn free<H: Handle>(variable: *mut *mut H) {
    // SAFETY: the caller promises that it points to a pointer, or is null.
    if let Some(variable) = unsafe { variable.as_mut() } {
        // The object may be large, and must not be dropped under the lock: `remove` returns it.
        drop(H::table().remove(variable.addr()));
        *variable = std::ptr::null_mut();
    }
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "`handle!` makes public types")]
mod tests {
    use super::*;

    handle!(
        /// A handle of text.
        text_t => String, "text"
    );
    handle!(
        /// A handle of a number.
        number_t => u64, "number"
    );

    #[test]
    fn handles_are_found_until_they_are_freed() {
        let mut handle: *mut text_t = give("a".to_owned());
        let stale = handle;
        assert_eq!(*get(handle).unwrap(), "a");
        // SAFETY: a pointer to a local variable.
        unsafe { free(&raw mut handle) };
        assert!(handle.is_null());
        assert!(get(stale).is_err());
        assert!(get(handle).is_err());
        let next: *mut text_t = give("b".to_owned());
        assert_ne!(next, stale);
    }

    #[test]
    fn handles_of_another_kind_are_refused() {
        let number: *mut number_t = give(7);
        let error = get(number.cast::<text_t>()).unwrap_err();
        assert!(error.to_string().contains("text"), "{error}");
    }
}
