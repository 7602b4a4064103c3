//! Filter 11: AES-256 in Galois/counter mode, under the array's key.
//!
//! The pipelines of a schema never contain it: [`Pipeline::new`](crate::Pipeline::new) appends it
//! when it is given a key. The pipelines of generic tiles contain it, without options.
//!
//! Metadata: `u32` number of metadata parts, `u32` number of data parts, then for each part `u32`
//! plain length, `u32` stored length (the same), 12 bytes of initialization vector, 16 bytes of
//! tag. Data: the encrypted parts. Every part gets a new random vector.

use tdb_tile::{Datatype, Exact};

use crate::header::{Reader, put_length};
use crate::room::cut;
use crate::{Chunk, EncryptionKey, Entry, Filter, FilterError, Out, Stage};

const NAME: &str = "aes_256_gcm";
const VECTOR: usize = 12;
const TAG: usize = 16;
const RECORD: usize = 8 + VECTOR + TAG;

pub(crate) const NO_KEY: FilterError =
    FilterError::Crypto("the array is encrypted and no key was given");

pub(crate) static ENTRY: Entry = Entry::new(
    11,
    NAME,
    |options| {
        options.none()?;
        Ok(Box::new(Encryption::new(options.key)?))
    },
    |_| Ok(Box::new(Encryption::new(None)?)),
)
.behind("encryption", cfg!(feature = "encryption"))
.encrypting();

#[derive(Debug)]
pub(crate) struct Encryption {
    key: Option<library::Key>,
}

impl Encryption {
    pub(crate) fn new(key: Option<&EncryptionKey>) -> Result<Self, FilterError> {
        let key = key.map(library::Key::new).transpose()?;
        Ok(Self { key })
    }

    fn key(&self) -> Result<&library::Key, FilterError> {
        self.key.as_ref().ok_or(NO_KEY)
    }
}

impl Filter for Encryption {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let key = self.key()?;
        let parts = chunk.metadata.iter().chain(chunk.data.iter());
        let total = parts.clone().map(<[u8]>::len).sum();
        let (header, mut room) = out.header_and_data(total)?;
        put_length(NAME, header, chunk.metadata.len())?;
        put_length(NAME, header, chunk.data.len())?;
        for part in parts {
            let sealed = cut(&mut room, part.len())?;
            sealed.copy_from_slice(part);
            let (vector, tag) = key.seal(sealed)?;
            put_length(NAME, header, part.len())?;
            put_length(NAME, header, part.len())?;
            header.extend_from_slice(&vector);
            header.extend_from_slice(&tag);
        }
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let key = self.key()?;
        let mut header = Reader::new(NAME, chunk.metadata.bytes());
        let metadata = header.length("metadata part count")?;
        let data = header.count("data part count", RECORD)?;
        let mut parts = |n: usize| header.take_records("parts", n, RECORD);
        let (metadata, data) = (parts(metadata)?, parts(data)?);
        header.finish("header")?;
        let mut stored = Reader::new(NAME, chunk.data.bytes());
        if !metadata.is_empty() {
            open(key, metadata, &mut stored, out.metadata(total(metadata)?)?)?;
        }
        open(key, data, &mut stored, out.data(total(data)?)?)?;
        stored.finish("parts")
    }

    fn output(&self, _: Datatype) -> Datatype {
        Datatype::Blob
    }

    fn breaks_values(&self, _: Datatype) -> bool {
        true
    }
}

/// Returns the sum of the plain lengths of all parts.
fn total(records: &[u8]) -> Result<usize, FilterError> {
    records
        .chunks_exact(RECORD)
        .try_fold(0_usize, |sum, record| {
            let plain = Reader::new(NAME, record).length("plain length")?;
            Ok(sum.exact_add(plain)?)
        })
}

fn open(
    key: &library::Key,
    records: &[u8],
    stored: &mut Reader<'_>,
    mut out: &mut [u8],
) -> Result<(), FilterError> {
    for record in records.chunks_exact(RECORD) {
        let mut record = Reader::new(NAME, record);
        let plain = record.length("plain length")?;
        let length = record.length("stored length")?;
        if plain != length {
            return Err(FilterError::mismatch(NAME, "stored length", plain, length));
        }
        let vector = record.take("vector", VECTOR)?;
        let tag = record.take("tag", TAG)?;
        let sealed = stored.take("part", length)?;
        let opened = cut(&mut out, plain)?;
        opened.copy_from_slice(sealed);
        key.open(vector, tag, opened)?;
    }
    Ok(())
}

#[cfg(feature = "encryption")]
mod library {
    use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, Tag, UnboundKey};
    use ring::rand::{SecureRandom, SystemRandom};

    use super::{TAG, VECTOR};
    use crate::{EncryptionKey, FilterError};

    const WRONG: FilterError =
        FilterError::Crypto("does not decrypt: the key is another one, or the data is damaged");

    pub(super) struct Key(LessSafeKey);

    impl std::fmt::Debug for Key {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("redacted")
        }
    }

    impl Key {
        pub(super) fn new(key: &EncryptionKey) -> Result<Self, FilterError> {
            UnboundKey::new(&AES_256_GCM, key.expose())
                .map(|key| Self(LessSafeKey::new(key)))
                .map_err(|_| FilterError::Crypto("the key cannot be used"))
        }

        pub(super) fn seal(
            &self,
            bytes: &mut [u8],
        ) -> Result<([u8; VECTOR], [u8; TAG]), FilterError> {
            let mut vector = [0; VECTOR];
            SystemRandom::new()
                .fill(&mut vector)
                .map_err(|_| FilterError::Crypto("the system has no random numbers"))?;
            let nonce = Nonce::assume_unique_for_key(vector);
            let tag = self
                .0
                .seal_in_place_separate_tag(nonce, Aad::empty(), bytes)
                .map_err(|_| FilterError::Crypto("does not encrypt"))?;
            Ok((vector, tag.as_ref().try_into().map_err(|_| WRONG)?))
        }

        /// Decrypts in place; overwrites the bytes with zeros if the tag does not match.
        pub(super) fn open(
            &self,
            vector: &[u8],
            tag: &[u8],
            bytes: &mut [u8],
        ) -> Result<(), FilterError> {
            let nonce = Nonce::try_assume_unique_for_key(vector).map_err(|_| WRONG)?;
            let tag = Tag::try_from(tag).map_err(|_| WRONG)?;
            let opened = self
                .0
                .open_in_place_separate_tag(nonce, Aad::empty(), tag, bytes, 0..)
                .is_ok();
            if !opened {
                bytes.fill(0);
                return Err(WRONG);
            }
            Ok(())
        }
    }
}

#[cfg(not(feature = "encryption"))]
mod library {
    use super::{ENTRY, TAG, VECTOR};
    use crate::{EncryptionKey, FilterError};

    /// A key that cannot exist: encryption is not compiled in.
    #[derive(Debug)]
    pub(super) enum Key {}

    impl Key {
        pub(super) fn new(_: &EncryptionKey) -> Result<Self, FilterError> {
            ENTRY.available()?;
            Err(FilterError::Crypto("the key cannot be used"))
        }

        pub(super) fn seal(&self, _: &mut [u8]) -> Result<([u8; VECTOR], [u8; TAG]), FilterError> {
            match *self {}
        }

        pub(super) fn open(&self, _: &[u8], _: &[u8], _: &mut [u8]) -> Result<(), FilterError> {
            match *self {}
        }
    }
}
