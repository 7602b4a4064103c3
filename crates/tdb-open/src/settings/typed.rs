//! Settings as what they mean.

use std::num::NonZeroUsize;
use std::str::FromStr;

use tdb_filters::EncryptionKey;

use super::Settings;
use super::meaning::{Encryption, Strictness};
use crate::{Error, Result};

const KEY: &str = "sm.encryption_key";

/// How fragments are merged, as far as settings say. The crates that merge have defaults of their own for the rest,
/// which are not those of TileDB.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MergeSettings {
    /// `steps`: maximum number of merges.
    pub steps: Option<u32>,
    /// `step_min_frags`: minimum number of fragments of a merge.
    pub min_fragments: Option<u32>,
    /// `step_max_frags`: maximum number of fragments of a merge.
    pub max_fragments: Option<u32>,
    /// `step_size_ratio`: minimum ratio of the sizes of two adjacent fragments.
    pub size_ratio: Option<f64>,
    /// `amplification`: maximum growth of dense arrays.
    pub amplification: Option<f64>,
    /// `max_fragment_size`: maximum bytes of a merged fragment.
    pub max_fragment_bytes: Option<u64>,
    /// `purge_deleted_cells`: whether deleted cells are left out.
    pub purges_deleted: Option<bool>,
    /// `timestamp_start`: only fragments of this time or later.
    pub since: Option<u64>,
    /// `timestamp_end`: only fragments of this time or earlier.
    pub until: Option<u64>,
}

/// Each of these functions looks only at settings that were given: TileDB's defaults are not those of tdb.
impl Settings {
    /// Returns the number of threads: `sm.compute_concurrency_level` or, without it, `sm.io_concurrency_level`.
    ///
    /// # Errors
    /// Fails if a value is no number of threads, which [`set`](Self::set) does not let in.
    pub fn threads(&self) -> Result<Option<NonZeroUsize>> {
        self.first_of(["sm.compute_concurrency_level", "sm.io_concurrency_level"])
    }

    /// Returns the bytes of memory: `sm.mem.total_budget` or, without it, `sm.memory_budget`.
    ///
    /// # Errors
    /// As for [`threads`](Self::threads).
    pub fn memory(&self) -> Result<Option<u64>> {
        self.first_of(["sm.mem.total_budget", "sm.memory_budget"])
    }

    /// Returns whether a range that reaches out of the domain is an error: `sm.read_range_oob`.
    ///
    /// # Errors
    /// As for [`threads`](Self::threads).
    pub fn refuses_ranges_outside(&self) -> Result<bool> {
        self.is_strict("sm.read_range_oob")
    }

    /// Returns whether a time of which something can no longer be read is an error: `tdb.incomplete_history`, which
    /// TileDB does not have.
    ///
    /// # Errors
    /// As for [`threads`](Self::threads).
    pub fn refuses_incomplete_history(&self) -> Result<bool> {
        self.is_strict("tdb.incomplete_history")
    }

    /// Returns how fragments are merged: the settings under `sm.consolidation.`.
    ///
    /// # Errors
    /// As for [`threads`](Self::threads).
    pub fn merging(&self) -> Result<MergeSettings> {
        Ok(MergeSettings {
            steps: self.parsed("sm.consolidation.steps")?,
            min_fragments: self.parsed("sm.consolidation.step_min_frags")?,
            max_fragments: self.parsed("sm.consolidation.step_max_frags")?,
            size_ratio: self.parsed("sm.consolidation.step_size_ratio")?,
            amplification: self.parsed("sm.consolidation.amplification")?,
            max_fragment_bytes: self.parsed("sm.consolidation.max_fragment_size")?,
            purges_deleted: self.parsed("sm.consolidation.purge_deleted_cells")?,
            since: self.parsed("sm.consolidation.timestamp_start")?,
            until: self.parsed("sm.consolidation.timestamp_end")?,
        })
    }

    /// Returns the key for encrypted arrays: `sm.encryption_key`, whose 32 bytes are the key, if `sm.encryption_type`
    /// is `AES_256_GCM`.
    ///
    /// # Errors
    /// Fails if encryption is on without a key of 32 bytes.
    pub fn key(&self) -> Result<Option<EncryptionKey>> {
        if self.parsed("sm.encryption_type")? != Some(Encryption::Aes256Gcm) {
            return Ok(None);
        }
        let key = self.given(KEY).unwrap_or("");
        EncryptionKey::new(key.as_bytes())
            .map(Some)
            .map_err(|error| Error::invalid(format!("{KEY}: {error}")))
    }

    /// Returns the settings of object stores.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn stores(&self) -> tdb_object_store::Settings {
        let mut settings = tdb_object_store::Settings::new();
        // Those that were set come last, since two names may mean the same to a store.
        for (name, value) in self.of_environment.iter().chain(&self.set) {
            settings.set(name, value);
        }
        settings
    }

    fn is_strict(&self, name: &str) -> Result<bool> {
        Ok(self.parsed(name)? == Some(Strictness::Error))
    }

    fn first_of<T: FromStr>(&self, names: [&str; 2]) -> Result<Option<T>> {
        let [first, second] = names;
        match self.parsed(first)? {
            None => self.parsed(second),
            found => Ok(found),
        }
    }

    /// Returns the value that was given to a setting; `None` if none was.
    fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.given(name) else {
            return Ok(None);
        };
        let parsed = value.parse().map(Some);
        parsed
            .map_err(|_| Error::invalid(format!("{name}={value}: invalid value for this setting")))
    }
}
