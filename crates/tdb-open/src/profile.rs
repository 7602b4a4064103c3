//! Profiles: settings of servers that TileDB's clients keep in a file of the user.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use tdb_array::ErrorKind;
use tdb_store::{LocalStore, Store, StoreError, read_whole};

use crate::{Error, Result};

/// The name of a profile without one.
const DEFAULT_NAME: &str = "default";

/// The folder of profiles in the user's home.
const FOLDER: &str = ".tiledb";

/// The file of profiles in their folder.
const FILE: &str = "profiles.json";

/// The version of the file.
const VERSION: u64 = 1;

/// Most bytes of a file of profiles.
const MOST: u64 = 16 << 20;

/// The profiles of a file by name, and its version; ordered whatever the features of `serde_json` are.
type Profiles = BTreeMap<String, Json>;

/// A set of settings with a name, in TileDB's file of profiles: `profiles.json`.
///
/// ```
/// use tdb_open::Profile;
///
/// let folder = tempfile::tempdir()?;
/// let folder = folder.path().to_str();
/// let mut profile = Profile::new(Some("work"), folder, None)?;
/// profile.set("rest.token", "secret")?;
/// profile.save(false)?;
/// let mut loaded = Profile::new(Some("work"), folder, None)?;
/// loaded.load()?;
/// assert_eq!(loaded.get("rest.token"), Some("secret"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    name: String,
    folder: PathBuf,
    values: BTreeMap<String, String>,
}

impl Profile {
    /// Creates a profile without settings. Without a name it is called `default`; without a folder it is kept in
    /// `.tiledb` in the home folder, which is then needed.
    ///
    /// # Errors
    /// Fails if neither a folder nor the home folder is given.
    pub fn new(name: Option<&str>, folder: Option<&str>, home: Option<&Path>) -> Result<Self> {
        let given_name = name.filter(|name| !name.is_empty());
        let given_folder = folder
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from);
        let place = given_folder.or_else(|| Some(home?.join(FOLDER)));
        Ok(Self {
            name: given_name.unwrap_or(DEFAULT_NAME).to_owned(),
            folder: place
                .ok_or_else(|| Error::invalid("Failed to create RestProfile; $HOME is not set."))?,
            values: BTreeMap::new(),
        })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the folder of the file.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets a setting.
    ///
    /// # Errors
    /// Fails if the name is empty.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        if name.is_empty() {
            let text = "Failed to retrieve parameter; parameter name must not be empty.";
            return Err(Error::invalid(text));
        }
        self.values.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Returns a setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// True if there is a file of profiles.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.folder.join(FILE).exists()
    }

    /// Takes the settings that the file has for this name.
    ///
    /// # Errors
    /// Fails if there is no file, if it has no such profile, or if it cannot be read.
    pub fn load(&mut self) -> Result<()> {
        let Some(file) = self.read()? else {
            let text = "Failed to load profile; file does not exist.";
            return Err(Error::new(ErrorKind::NotFound, text));
        };
        let name = &self.name;
        let found = file.get(name).ok_or_else(|| {
            let text = format!("Failed to load profile; profile '{name}' does not exist.");
            Error::new(ErrorKind::NotFound, text)
        })?;
        for (name, value) in found.as_object().into_iter().flatten() {
            let value = match value {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            self.values.insert(name.clone(), value);
        }
        Ok(())
    }

    /// Writes the settings into the file, beside those of other profiles.
    ///
    /// # Errors
    /// Fails if there is a profile of this name and it is not to be replaced, if there is a user without a password or a
    /// password without a user, or if the file cannot be written.
    pub fn save(&self, replaces: bool) -> Result<()> {
        let has = |name| self.values.contains_key(name);
        if has("rest.username") != has("rest.password") {
            return Err(Error::invalid(
                "Failed to save profile: 'rest.username' and 'rest.password' must either both be set or both remain \
                 unset. Mixing a default username with a custom password (or vice versa) is not allowed.",
            ));
        }
        let mut file = self.read()?.unwrap_or_else(Profiles::new);
        let version = file.get("version").map_or(Some(VERSION), Json::as_u64);
        if version.is_none_or(|version| version < VERSION) {
            let text = "The version of your local profile.json file is out of date.";
            return Err(Error::invalid(text));
        }
        if file.contains_key(&self.name) && !replaces {
            return Err(Error::new(
                ErrorKind::Exists,
                format!(
                    "Failed to save '{}'; This profile already exists. Use the overwrite parameter to replace it.",
                    self.name
                ),
            ));
        }
        file.entry("version".to_owned())
            .or_insert_with(|| VERSION.into());
        file.insert(self.name.clone(), self.json());
        self.write(file)
    }

    /// Removes the profile from the file.
    ///
    /// # Errors
    /// Fails if there is no file, if it has no such profile, or if it cannot be written.
    pub fn remove(&self) -> Result<()> {
        let missing = |what| {
            Error::new(
                ErrorKind::NotFound,
                format!("Failed to remove profile; {what}"),
            )
        };
        let read_file = self.read()?;
        let mut file = read_file.ok_or_else(|| missing("file does not exist."))?;
        let removed = file.remove(&self.name);
        removed.ok_or_else(|| missing("profile does not exist."))?;
        self.write(file)
    }

    /// Returns the profile as JSON, as in the file.
    ///
    /// # Errors
    /// Never fails: all texts have a form in JSON.
    pub fn to_json(&self) -> Result<String> {
        let mut file = Profiles::new();
        file.insert(self.name.clone(), self.json());
        shown(&file)
    }

    fn json(&self) -> Json {
        // TileDB writes null for a profile without settings.
        if self.values.is_empty() {
            return Json::Null;
        }
        let pairs = self.values.iter();
        let values = pairs.map(|(name, value)| (name.clone(), Json::from(value.as_str())));
        values.collect()
    }

    /// Returns what the file has; `None` if there is none.
    fn read(&self) -> Result<Option<Profiles>> {
        let read = LocalStore::open(&self.folder).and_then(|store| read_whole(&store, FILE, MOST));
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(Error::of_store(error)),
        };
        if bytes.is_empty() {
            return Ok(Some(Profiles::new()));
        }
        let file = serde_json::from_slice(&bytes).map_err(|error| {
            let path = self.folder.join(FILE);
            Error::invalid(format!("Error parsing file '{}': {error}", path.display()))
        })?;
        Ok(Some(file))
    }

    /// Replaces the file at once, so that another program sees either the old or the new one.
    fn write(&self, file: Profiles) -> Result<()> {
        let store = LocalStore::create_root(&self.folder).map_err(Error::of_store)?;
        let draft = format!("{FILE}.{}", std::process::id());
        match store.remove(&draft) {
            Ok(()) | Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(Error::of_store(error)),
        }
        let text = shown(&file)?;
        let written = store.put(&draft, text.into());
        written.map_err(Error::of_store)?;
        let renamed = std::fs::rename(self.folder.join(draft), self.folder.join(FILE));
        renamed.map_err(|error| Error::of_store(StoreError::from_io(FILE, error)))
    }
}

fn shown(file: &Profiles) -> Result<String> {
    serde_json::to_string_pretty(file).map_err(|error| Error::invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_stand_beside_each_other_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a").join("b");
        let new = |name| Profile::new(name, place.to_str(), None).unwrap();
        let (mut first, second) = (new(Some("first")), new(None));
        assert!(!first.has_file() && first.load().is_err() && first.remove().is_err());
        first.set("rest.token", "t\"").unwrap();
        first.save(false).unwrap();
        second.save(false).unwrap();
        let text = std::fs::read_to_string(place.join(FILE)).unwrap();
        let expected = "{\n  \"default\": null,\n  \"first\": {\n    \"rest.token\": \"t\\\"\"\n  },\n  \"version\": 1\n}";
        assert_eq!(text, expected);
        assert_eq!(first.save(false).unwrap_err().kind(), ErrorKind::Exists);
        first.set("rest.token", "u").unwrap();
        first.save(true).unwrap();
        let mut loaded = new(Some("first"));
        loaded.load().unwrap();
        assert_eq!(loaded, first);
        assert!(new(Some("none")).load().is_err());
        first.remove().unwrap();
        assert!(first.remove().is_err());
        new(None).load().unwrap();
    }

    #[test]
    fn a_user_needs_a_password() {
        let folder = tempfile::tempdir().unwrap();
        let mut profile = Profile::new(None, None, Some(folder.path())).unwrap();
        assert!(profile.folder().ends_with(".tiledb"));
        profile.set("rest.username", "me").unwrap();
        assert!(profile.save(false).is_err());
        profile.set("rest.password", "").unwrap();
        profile.save(false).unwrap();
        assert!(Profile::new(None, None, None).is_err());
        assert!(profile.set("", "x").is_err());
    }
}
