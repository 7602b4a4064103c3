//! Buffers of bytes, and lists of them.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::border::context::tiledb_ctx_t;
use crate::border::handles::give_shared;
use crate::border::pointers::{bytes, check_place, index, put};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes;

/// Bytes of the library, or those of the program at an address.
#[derive(Debug)]
enum Bytes {
    Own(Box<[u8]>),
    /// The program keeps them as long as the buffer, as the interface says.
    Given {
        address: usize,
        size: u64,
    },
}

/// A buffer with a datatype, which only the program looks at.
#[derive(Debug)]
pub(crate) struct Buffer {
    bytes: Bytes,
    datatype: tiledb_datatype_t,
}

impl Buffer {
    fn of(bytes: Box<[u8]>) -> Self {
        Self {
            bytes: Bytes::Own(bytes),
            datatype: TILEDB_UINT8,
        }
    }

    fn place(&self) -> (*mut c_void, u64) {
        match &self.bytes {
            Bytes::Own(bytes) if bytes.is_empty() => (std::ptr::null_mut(), 0),
            Bytes::Own(bytes) => (bytes.as_ptr().cast_mut().cast(), bytes.len() as u64),
            Bytes::Given { address, size } => {
                (std::ptr::with_exposed_provenance_mut(*address), *size)
            }
        }
    }

    /// Copies the bytes.
    ///
    /// # Safety
    /// Bytes that the program gave are still there.
    unsafe fn copied(&self) -> Result<Box<[u8]>> {
        let (place, size) = self.place();
        // SAFETY: the caller promises it.
        Ok(unsafe { bytes(place, size) }?.into())
    }
}

handle!(
    /// A buffer.
    tiledb_buffer_t => Mutex<Buffer>, "buffer"
);

/// Buffers, one after the other.
#[derive(Debug, Default)]
pub(crate) struct BufferList {
    buffers: Vec<Arc<Mutex<Buffer>>>,
}

handle!(
    /// A list of buffers.
    tiledb_buffer_list_t => BufferList, "buffer list"
);

fn locked(buffer: &Mutex<Buffer>) -> MutexGuard<'_, Buffer> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates an empty buffer.
///
/// # Safety
/// `buffer` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    call(ctx, |_| {
        check_place(buffer)?;
        put(buffer, give(Mutex::new(Buffer::of(Box::default()))))
    })
}

/// Frees a buffer. Bytes that the program gave stay.
///
/// # Safety
/// `buffer` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_free(buffer: *mut *mut tiledb_buffer_t) {
    free(buffer);
}

/// Sets the datatype.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    datatype: tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        let buffer = get(buffer)?;
        datatypes::datatype(datatype)?;
        locked(&buffer).datatype = datatype;
        Ok(())
    })
}

/// Returns the datatype.
///
/// # Safety
/// `datatype` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    datatype: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        let buffer = get(buffer)?;
        put(datatype, locked(&buffer).datatype)
    })
}

/// Returns a pointer to the bytes, and their number.
///
/// # Safety
/// `data` and `num_bytes` are null or point to variables. The bytes may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    data: *mut *mut c_void,
    num_bytes: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let buffer = get(buffer)?;
        let (place, size) = locked(&buffer).place();
        check_place(num_bytes)?;
        put(data, place)?;
        put(num_bytes, size)
    })
}

/// Sets the bytes, which stay the program's.
///
/// # Safety
/// `data` is null or points to as many bytes, which stay as long as the buffer or until others are set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    data: *mut c_void,
    size: u64,
) -> i32 {
    call(ctx, |_| {
        let buffer = get(buffer)?;
        // Checked as they would be read.
        bytes(data, size)?;
        let address = data.expose_provenance();
        locked(&buffer).bytes = Bytes::Given { address, size };
        Ok(())
    })
}

/// Creates an empty list.
///
/// # Safety
/// `buffer_list` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> i32 {
    call(ctx, |_| {
        check_place(buffer_list)?;
        put(buffer_list, give(BufferList::default()))
    })
}

/// Frees a list. Buffers that it returned stay.
///
/// # Safety
/// `buffer_list` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_free(buffer_list: *mut *mut tiledb_buffer_list_t) {
    free(buffer_list);
}

/// Returns the number of buffers.
///
/// # Safety
/// `num_buffers` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_num_buffers(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    num_buffers: *mut u64,
) -> i32 {
    call(ctx, |_| {
        put(num_buffers, get(buffer_list)?.buffers.len() as u64)
    })
}

/// Returns a buffer by its number, as a handle to be freed.
///
/// # Safety
/// `buffer` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_buffer(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    buffer_idx: u64,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    call(ctx, |_| {
        let list = get(buffer_list)?;
        check_place(buffer)?;
        let looked_up = list.buffers.get(index(buffer_idx)?).cloned();
        let found = looked_up.ok_or_else(|| {
            let text = "Cannot get buffer; the index is out of bounds";
            Error::new("BufferList", text)
        })?;
        put(buffer, give_shared(found))
    })
}

/// Returns the number of bytes of all buffers.
///
/// # Safety
/// `total_size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_total_size(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    total_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let list = get(buffer_list)?;
        let sizes = list.buffers.iter().map(|buffer| locked(buffer).place().1);
        put(total_size, sizes.sum())
    })
}

/// Returns a buffer with a copy of the bytes of all buffers.
///
/// # Safety
/// `buffer` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_flatten(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut tiledb_buffer_list_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    call(ctx, |_| {
        let list = get(buffer_list)?;
        check_place(buffer)?;
        let mut all = Vec::new();
        for part in &list.buffers {
            all.extend_from_slice(&locked(part).copied()?);
        }
        put(buffer, give(Mutex::new(Buffer::of(all.into()))))
    })
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;
    use crate::context::{tiledb_ctx_alloc, tiledb_ctx_free};

    #[test]
    fn buffers_give_back_what_the_program_gave() {
        let (mut ctx, mut buffer, mut data) = (null_mut(), null_mut(), null_mut());
        let (mut size, mut datatype, mut given) = (9, 9, *b"abc");
        // SAFETY: pointers to local variables, and handles.
        unsafe {
            assert_eq!(tiledb_ctx_alloc(null_mut(), &raw mut ctx), 0);
            assert_eq!(tiledb_buffer_alloc(ctx, &raw mut buffer), 0);
            let read = |data, size| tiledb_buffer_get_data(ctx, buffer, data, size);
            assert_eq!(read(&raw mut data, &raw mut size), 0);
            assert!(data.is_null() && size == 0);
            let place = given.as_mut_ptr().cast();
            assert_eq!(tiledb_buffer_set_data(ctx, buffer, place, 3), 0);
            assert_eq!(read(&raw mut data, &raw mut size), 0);
            assert_eq!((data, size), (place, 3));
            assert_eq!(tiledb_buffer_set_data(ctx, buffer, null_mut(), 3), -1);
            assert_eq!(read(null_mut(), &raw mut size), -1);
            assert_eq!(tiledb_buffer_set_type(ctx, buffer, TILEDB_INT32), 0);
            assert_eq!(tiledb_buffer_set_type(ctx, buffer, 200), -1);
            assert_eq!(tiledb_buffer_get_type(ctx, buffer, &raw mut datatype), 0);
            assert_eq!(datatype, TILEDB_INT32);
            let freed = buffer;
            tiledb_buffer_free(&raw mut buffer);
            assert_eq!(tiledb_buffer_get_type(ctx, freed, &raw mut datatype), -1);
            tiledb_ctx_free(&raw mut ctx);
        }
    }

    #[test]
    fn lists_return_their_buffers_and_all_bytes() {
        let of = |text: &[u8]| Arc::new(Mutex::new(Buffer::of(text.into())));
        let buffers = vec![of(b"ab"), of(b""), of(b"cde")];
        let mut list = give(BufferList { buffers });
        let (mut ctx, mut buffer, mut data) = (null_mut(), null_mut(), null_mut());
        let (mut count, mut size) = (0, 0);
        // SAFETY: pointers to local variables, and handles.
        unsafe {
            assert_eq!(tiledb_ctx_alloc(null_mut(), &raw mut ctx), 0);
            assert_eq!(
                tiledb_buffer_list_get_num_buffers(ctx, list, &raw mut count),
                0
            );
            assert_eq!(
                tiledb_buffer_list_get_total_size(ctx, list, &raw mut size),
                0
            );
            assert_eq!((count, size), (3, 5));
            assert_eq!(
                tiledb_buffer_list_get_buffer(ctx, list, 3, &raw mut buffer),
                -1
            );
            assert_eq!(tiledb_buffer_list_flatten(ctx, list, &raw mut buffer), 0);
            tiledb_buffer_list_free(&raw mut list);
            assert_eq!(
                tiledb_buffer_get_data(ctx, buffer, &raw mut data, &raw mut size),
                0
            );
            assert_eq!(bytes(data, size).unwrap(), b"abcde");
            tiledb_buffer_free(&raw mut buffer);
            assert_eq!(tiledb_buffer_list_flatten(ctx, list, &raw mut buffer), -1);
            tiledb_ctx_free(&raw mut ctx);
        }
    }
}
