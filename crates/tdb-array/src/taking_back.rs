//! Removal of what was committed.

use std::collections::HashSet;

use tdb_store::list_all;

use crate::directory::{COMMITS_FOLDER, fragment_key};
use crate::{ArrayError, CommittedNames, Location, TimestampedName};

impl Location {
    /// Removes what was committed: first the commit, then its fragments.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn take_back(&self, committed: &CommittedNames) -> Result<(), ArrayError> {
        let store = self.store();
        let names = committed.fragments.iter();
        let own: HashSet<String> = names
            .map(|name| format!("{name}.wrt"))
            .chain(committed.delete.iter().map(|name| format!("{name}.del")))
            .collect();
        let first = committed.fragments.first().and_then(|name| name.id().ok());
        let listing = list_all(&**store, &self.full(COMMITS_FOLDER))?;
        let keys = listing.objects.iter().map(|object| object.key.as_str());
        let is_own = |key: &&str| {
            // A list that commits several changes has the id of its first fragment.
            let is_list = || {
                let list = key.ends_with(".con").then(|| TimestampedName::of_key(key));
                list.is_some_and(|name| name.is_ok_and(|name| name.id().ok() == first))
            };
            own.contains(tdb_store::name(key)) || (first.is_some() && is_list())
        };
        let mut commits: Vec<String> = keys.filter(is_own).map(str::to_owned).collect();
        let of_root = committed
            .fragments
            .iter()
            .filter(|name| !name.version().has_fragment_folder());
        commits.extend(of_root.map(|name| self.full(&format!("{name}.ok"))));
        self.remove_all(&commits)?;
        for name in &committed.fragments {
            let folder = self.full(&fragment_key(name));
            let objects = store.list_recursive(&folder)?;
            let keys: Vec<String> = objects.into_iter().map(|object| object.key).collect();
            self.remove_all(&keys)?;
        }
        Ok(())
    }
}
