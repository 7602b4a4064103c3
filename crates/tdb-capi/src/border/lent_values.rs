use std::collections::HashSet;
use std::ffi::{CString, c_char};
use std::sync::{Mutex, PoisonError};

use super::{Error, Result};

/// Texts and bytes to which a program was given pointers. They stay where they are as long as the object does, whatever
/// becomes of the object's own values; equal ones are kept once.
#[derive(Debug, Default)]
pub(crate) struct LentValues {
    texts: Mutex<HashSet<CString>>,
    bytes: Mutex<HashSet<Box<[u8]>>>,
}

impl LentValues {
    /// Returns a pointer to the text with a zero byte after it.
    ///
    /// # Errors
    /// Fails if the text has a zero byte inside.
    pub(crate) fn text(&self, text: &str) -> Result<*const c_char> {
        let text = CString::new(text)
            .map_err(|_| Error::argument("a text with a zero byte inside cannot be returned"))?;
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = texts.get(&text) {
            return Ok(known.as_ptr());
        }
        let pointer = text.as_ptr();
        texts.insert(text);
        Ok(pointer)
    }

    /// Returns a pointer to the bytes; aligned for no more than bytes.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> *const u8 {
        let mut kept = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(bytes) {
            return known.as_ptr();
        }
        let bytes: Box<[u8]> = bytes.into();
        let pointer = bytes.as_ptr();
        kept.insert(bytes);
        pointer
    }
}
