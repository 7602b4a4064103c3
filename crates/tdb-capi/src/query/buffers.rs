//! The buffers of a query: the program's memory, and its variables for sizes.

use std::ffi::c_void;

use tdb::engine::query::{FieldBuffers, FilledBytes, OffsetFormat};
use tdb::{Settings, engine::schema::Field};

use crate::border::pointers::{bytes, bytes_mut, put, take};
use crate::border::{Error, Result};

/// A buffer of the program, and its variable for the size in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) pointer: *mut c_void,
    pub(crate) size: *mut u64,
    /// The size when the buffer was set: what a read may fill, however much it filled before.
    capacity: u64,
}

// SAFETY: the program promises that the memory may be used until the query is freed, from whichever thread submits it.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Takes a buffer.
    ///
    /// # Errors
    /// Fails if the variable for the size is null, or the pointer is although there is a size.
    ///
    /// # Safety
    /// `size` is null or points to the number of bytes of the buffer.
    pub(crate) unsafe fn new(pointer: *mut c_void, size: *mut u64) -> Result<Self> {
        let capacity = take(size)?;
        if pointer.is_null() && capacity != 0 {
            return Err(Error::new("Query", "Cannot set buffer; the buffer is null"));
        }
        Ok(Self {
            pointer,
            size,
            capacity,
        })
    }

    /// Borrows the memory that a read may fill.
    unsafe fn memory<'a>(&self) -> Result<&'a mut [u8]> {
        bytes_mut(self.pointer, self.capacity)
    }

    /// Returns the number of bytes that a read may fill.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Borrows what a write takes: as many bytes as the program says now.
    pub(crate) unsafe fn given<'a>(&self) -> Result<&'a [u8]> {
        bytes(self.pointer, take(self.size)?)
    }

    unsafe fn set_size(&self, size: usize) -> Result<()> {
        put(self.size, size as u64)
    }
}

/// The buffers of a field.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedBuffers {
    pub(crate) name: String,
    pub(crate) values: Option<Buffer>,
    pub(crate) offsets: Option<Buffer>,
    pub(crate) validity: Option<Buffer>,
}

impl NamedBuffers {
    /// Fails unless there is a buffer for everything that the field has.
    pub(crate) fn check(&self, field: &Field<'_>) -> Result<()> {
        let missing = |what: &str| {
            let text = format!(
                "Data buffer check failed; field '{}' has no {what} buffer",
                self.name
            );
            Err(Error::new("Query", text))
        };
        if self.values.is_none() {
            return missing("data");
        }
        if field.is_var() && self.offsets.is_none() {
            return missing("offsets");
        }
        if field.nullable && self.validity.is_none() {
            return missing("validity");
        }
        Ok(())
    }

    /// Borrows the memory for a read.
    ///
    /// # Safety
    /// The program's buffers may be written, and do not overlap.
    pub(crate) unsafe fn memory(&self) -> Result<FieldBuffers<'_>> {
        let memory =
            |buffer: &Option<Buffer>| buffer.as_ref().map(|buffer| buffer.memory()).transpose();
        Ok(FieldBuffers {
            name: &self.name,
            values: memory(&self.values)?.unwrap_or(&mut []),
            offsets: memory(&self.offsets)?,
            validity: memory(&self.validity)?,
        })
    }

    /// Tells the program how much of its buffers was filled.
    ///
    /// # Safety
    /// The variables for sizes may be written.
    pub(crate) unsafe fn set_sizes(&self, filled: FilledBytes) -> Result<()> {
        let sizes = [
            (&self.values, filled.values),
            (&self.offsets, filled.offsets),
            (&self.validity, filled.validity),
        ];
        for (buffer, size) in sizes {
            if let Some(buffer) = buffer {
                buffer.set_size(size)?;
            }
        }
        Ok(())
    }
}

/// Returns the format of offsets that settings ask for.
///
/// # Errors
/// Fails for values that TileDB does not have.
pub(crate) fn offset_format(settings: &Settings) -> Result<OffsetFormat> {
    let invalid = |name: &str, value: &str| {
        let text =
            format!("Cannot initialize reader; Unsupported {name} '{value}' in configuration");
        Error::new("Reader", text)
    };
    let value = |name: &str| settings.get(name).unwrap_or("").to_owned();
    let bits = value("sm.var_offsets.bitsize");
    let narrow = match bits.as_str() {
        "32" => true,
        "64" => false,
        _ => return Err(invalid("offsets bitsize", &bits)),
    };
    let mode = value("sm.var_offsets.mode");
    let counts_values = match mode.as_str() {
        "elements" => true,
        "bytes" => false,
        _ => return Err(invalid("offsets format", &mode)),
    };
    let mut format = OffsetFormat::WIDE;
    format.narrow = narrow;
    format.counts_values = counts_values;
    format.has_end = value("sm.var_offsets.extra_element") == "true";
    Ok(format)
}
