//! Several changes in one commit. See `docs/format/directory.md`, "Commits".

use bytes::Bytes;
use tdb_fragment::ConditionTree;
use tdb_store::join;
use tdb_tile::FormatVersion;

use crate::commits::encode_consolidated;
use crate::directory::COMMITS_FOLDER;
use crate::{
    Array, ArrayError, At, ChangeOptions, CommittedNames, SealedFragment, TimestampedName,
};

impl Array {
    /// Commits several fragments at once with one `.con` object: readers see all of them or none.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] in format versions before 12, which have no `.con` objects, or any error of the store.
    pub fn commit_together(
        &self,
        sealed: Vec<SealedFragment>,
    ) -> Result<Vec<TimestampedName>, ArrayError> {
        let (commits, version) = commits_of(&sealed)?;
        match version {
            Some(version) => self.put_list(sealed, &commits, version),
            None => Ok(Vec::new()),
        }
    }

    /// Commits fragments and deletes cells at once. Deleted are the cells written up to the time of the change, except
    /// those that match `kept`. Readers see both changes or neither.
    ///
    /// # Errors
    /// As [`Array::delete_cells`], before anything is stored, or any error of the store.
    pub fn commit_with_delete(
        &self,
        sealed: Vec<SealedFragment>,
        kept: &ConditionTree,
        change: &ChangeOptions,
    ) -> Result<CommittedNames, ArrayError> {
        self.check_delete_cells(kept, change)?;
        let (mut commits, version) = commits_of(&sealed)?;
        let Some(version) = version else {
            return Ok(CommittedNames {
                fragments: Vec::new(),
                delete: Some(self.delete_cells(kept, change)?),
            });
        };
        let delete = self.delete_object(kept, change)?;
        let (key, name, bytes) = delete;
        commits.push(Commit {
            key,
            times: (name.start(), name.end()),
            delete: Some(bytes),
        });
        Ok(CommittedNames {
            fragments: self.put_list(sealed, &commits, version)?,
            delete: Some(name),
        })
    }

    fn put_list(
        &self,
        sealed: Vec<SealedFragment>,
        commits: &[Commit],
        version: FormatVersion,
    ) -> Result<Vec<TimestampedName>, ArrayError> {
        let span = commits
            .iter()
            .map(|commit| commit.times)
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let committed: Vec<TimestampedName> = sealed
            .iter()
            .map(|fragment| fragment.name().clone())
            .collect();
        let (Some(span), Some(first)) = (span, committed.first()) else {
            return Ok(committed);
        };
        let records = commits
            .iter()
            .map(|commit| (commit.key.as_str(), commit.delete.as_deref()));
        let bytes = encode_consolidated(records);
        // The name distinguishes this list from one into which commits were consolidated: see `Array::merged_commits`.
        let name = first.of_list(span, version).at("name")?;
        let list = format!("{COMMITS_FOLDER}/{name}.con");
        // From here on the fragments may be committed, so their files must stay.
        sealed.into_iter().for_each(SealedFragment::keep);
        self.store()
            .put(&join(self.prefix(), &list), Bytes::from(bytes))?;
        Ok(committed)
    }
}

/// One record of a list of commits.
struct Commit {
    key: String,
    times: (u64, u64),
    /// The bytes of the delete object; `None` for a fragment.
    delete: Option<Vec<u8>>,
}

/// Returns the commits of fragments, and the newest format version among them.
fn commits_of(
    sealed: &[SealedFragment],
) -> Result<(Vec<Commit>, Option<FormatVersion>), ArrayError> {
    let version = sealed.iter().map(|f| f.name().version()).max();
    if let Some(version) = version.filter(|version| !version.has_fragment_folder()) {
        return Err(ArrayError::Invalid {
            what: "a commit of several fragments",
            name: format!("in format version {version}"),
            why: "this version cannot commit several fragments at once: set no size for them",
        });
    }
    let commits = sealed.iter().map(|fragment| Commit {
        key: format!("{COMMITS_FOLDER}/{}.wrt", fragment.name()),
        times: (fragment.name().start(), fragment.name().end()),
        delete: None,
    });
    Ok((commits.collect(), version))
}
