use std::fmt;

use zeroize::Zeroizing;

use crate::FilterError;

/// The key of an encrypted array: 32 bytes. It is wiped from memory when dropped, and never
/// printed.
#[derive(Clone)]
pub struct EncryptionKey(Zeroizing<[u8; 32]>);

impl EncryptionKey {
    /// Creates a key from exactly 32 bytes.
    ///
    /// # Errors
    /// [`FilterError::Crypto`] for any other length.
    pub fn new(bytes: &[u8]) -> Result<Self, FilterError> {
        let key = bytes
            .try_into()
            .map_err(|_| FilterError::Crypto("an encryption key is 32 bytes long"))?;
        Ok(Self(Zeroizing::new(key)))
    }

    /// The bytes of the key, for a filter that encrypts.
    #[must_use]
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptionKey(redacted)")
    }
}
