//! Settings by the names that TileDB gives them.

mod meaning;
mod table;
mod typed;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use tdb_schema::names::UnknownName;

use crate::{Error, Result};
use meaning::Meaning;
use table::{DefaultValue, KNOWN, TableEntry, find};
pub use typed::MergeSettings;

/// Prefix of settings that are headers of requests to S3: `vfs.s3.custom_headers.x-name`.
const HEADERS: &str = "vfs.s3.custom_headers.";

/// Settings whose values give access to something.
const SECRET: [&str; 9] = [
    "rest.password",
    "rest.token",
    "sm.encryption_key",
    "vfs.azure.storage_account_key",
    "vfs.azure.storage_sas_token",
    "vfs.gcs.service_account_key",
    "vfs.s3.aws_secret_access_key",
    "vfs.s3.aws_session_token",
    "vfs.s3.proxy_password",
];

/// Number of processors as text, the default of settings for threads.
static PROCESSORS: LazyLock<String> =
    LazyLock::new(|| available_parallelism().map_or(1, usize::from).to_string());

/// The effect that a setting has in tdb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingEffect {
    /// The setting has an effect.
    Used,
    /// TileDB has this setting; it has no effect in tdb.
    Unused,
    /// TileDB has no such setting.
    Unknown,
}

/// A setting with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<'a> {
    /// The name, such as `vfs.s3.region`.
    pub name: &'a str,
    /// The value as text.
    pub value: &'a str,
}

impl<'a> Setting<'a> {
    /// Parses `NAME=VALUE`. The value may contain more equals signs.
    ///
    /// # Errors
    /// Fails if there is no equals sign.
    pub fn parse(text: &'a str) -> Result<Self> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Error::invalid(format!("{text}: not of the form KEY=VALUE")));
        };
        Ok(Self { name, value })
    }
}

/// Settings by the names that TileDB gives them: threads, memory, encryption, merging, and the settings of object
/// stores. [`Context::settings`](crate::Context::settings) applies them.
///
/// A setting that was not given has the default of TileDB 2.30 as text, for programs that ask, but no effect: a context
/// has defaults of its own.
///
/// ```
/// use tdb_open::{Context, SettingEffect, Settings};
///
/// let mut settings = Settings::of_environment(std::env::vars_os());
/// assert_eq!(settings.set("sm.mem.total_budget", "536870912")?, SettingEffect::Used);
/// assert_eq!(settings.set("sm.dedup_coords", "true")?, SettingEffect::Unused);
/// assert_eq!(settings.set("sm.dedup_cords", "true")?, SettingEffect::Unknown);
/// assert_eq!(settings.get("sm.consolidation.steps"), Some("4294967295"));
/// assert_eq!(settings.iter("sm.mem.reader.").count(), 6);
///
/// let context = Context::new().settings(&settings)?;
/// assert_eq!(context.shared_session().limits().budget.limit(), 512 << 20);
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Settings {
    of_environment: BTreeMap<String, String>,
    set: BTreeMap<String, String>,
}

impl Settings {
    /// Creates settings none of which is given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes settings of object stores from variables of an environment, such as [`std::env::vars_os`]:
    /// `TILEDB_VFS_S3_REGION` is `vfs.s3.region`. Other variables of TileDB are not looked at.
    #[must_use]
    pub fn of_environment<K, V>(variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        let mut settings = Self::new();
        for (variable, value) in variables {
            let texts = (variable.as_ref().to_str(), value.as_ref().to_str());
            let (Some(variable), Some(value)) = texts else {
                continue;
            };
            if let Some(known) = of_variable(variable) {
                let (name, value) = (known.name.to_owned(), value.to_owned());
                settings.of_environment.insert(name, value);
            }
        }
        settings
    }

    /// Sets a setting, and returns which effect it has. A setting that TileDB does not have is kept all the same, as
    /// TileDB does; [`unknown`](Self::unknown) is the error for programs that refuse it.
    ///
    /// # Errors
    /// Fails if the setting has an effect, but not with this value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<SettingEffect> {
        let complaint = meaning_of(name).and_then(|meaning| meaning.complaint(value));
        if let Some(complaint) = complaint {
            return Err(Error::invalid(format!("{name}={value}: {complaint}")));
        }
        self.set.insert(name.to_owned(), value.to_owned());
        Ok(Self::effect(name))
    }

    /// Takes over what was set in other settings.
    pub fn inherit(&mut self, other: &Self) {
        let others = other.set.iter();
        self.set
            .extend(others.map(|(name, value)| (name.clone(), value.clone())));
    }

    /// Takes a setting back: it has its value of the environment again, or its default.
    pub fn unset(&mut self, name: &str) {
        self.set.remove(name);
    }

    /// Returns a setting; without a value given, TileDB's default. `None` if it has none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given(name)
            .or_else(|| find(name).and_then(default_text))
    }

    /// Returns a setting that was set, or given by the environment.
    #[must_use]
    pub fn given(&self, name: &str) -> Option<&str> {
        let given = self.set.get(name);
        given
            .or_else(|| self.of_environment.get(name))
            .map(String::as_str)
    }

    /// Returns the settings whose names begin with a prefix, such as `sm.` or nothing, ordered by name: those that have
    /// a default, and all that were given.
    pub fn iter(&self, prefix: &str) -> impl Iterator<Item = Setting<'_>> {
        let defaults = KNOWN.iter().filter_map(|known| {
            let value = default_text(known)?;
            Some((known.name, value))
        });
        let given = self.of_environment.iter().chain(&self.set);
        let texts = given.map(|(name, value)| (name.as_str(), value.as_str()));
        // Later values replace earlier ones.
        let all: BTreeMap<&str, &str> = defaults
            .chain(texts)
            .filter(|(name, _)| name.starts_with(prefix))
            .collect();
        all.into_iter().map(|(name, value)| Setting { name, value })
    }

    /// Returns the effect of a setting, whatever its value. Settings of object stores have one only with the feature
    /// `object-store`.
    #[must_use]
    pub fn effect(name: &str) -> SettingEffect {
        match meaning_of(name) {
            None => SettingEffect::Unknown,
            Some(Meaning::Ignored) => SettingEffect::Unused,
            Some(Meaning::OfStores) if cfg!(not(feature = "object-store")) => SettingEffect::Unused,
            Some(_) => SettingEffect::Used,
        }
    }

    /// Returns whether the value of a setting gives access to something, and should be neither printed nor saved.
    #[must_use]
    pub fn is_secret(name: &str) -> bool {
        SECRET.contains(&name) || name.starts_with(HEADERS)
    }

    /// Returns the names of all settings that TileDB has, ordered. One ends with `*`, which stands for the name of a
    /// header.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let before = KNOWN.partition_point(|known| known.name < HEADERS);
        let (before, after) = KNOWN.split_at(before);
        let names = |part: &'static [TableEntry]| part.iter().map(|known| known.name);
        names(before)
            .chain(["vfs.s3.custom_headers.*"])
            .chain(names(after))
    }

    /// Creates the error for a setting that TileDB does not have; its hint is the name that was probably meant.
    #[must_use]
    pub fn unknown(name: &str) -> Error {
        let unknown = UnknownName::new("setting", name, Self::names());
        // Listing all names would fill the screen.
        let nearest = unknown.hint().split_once("? ").map(|(nearest, _)| nearest);
        let hint = nearest.map_or_else(
            || {
                "settings begin with sm., vfs., rest. or ssl., such as sm.mem.total_budget"
                    .to_owned()
            },
            |nearest| format!("{nearest}?"),
        );
        Error::invalid(format!("{name}: TileDB has no such setting")).with_hint(hint)
    }
}

/// Lists what was given, without secrets.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = self
            .iter("")
            .filter(|setting| self.given(setting.name).is_some());
        let shown = given.map(|Setting { name, value }| {
            let value = if Self::is_secret(name) { "…" } else { value };
            (name, value)
        });
        f.debug_map().entries(shown).finish()
    }
}

/// Returns what a setting means; `None` if TileDB has no such setting.
fn meaning_of(name: &str) -> Option<Meaning> {
    let header = name.strip_prefix(HEADERS);
    if header.is_some_and(|header| !header.is_empty()) {
        return Some(Meaning::OfStores);
    }
    find(name).map(|known| known.meaning)
}

fn default_text(known: &'static TableEntry) -> Option<&'static str> {
    match known.default {
        DefaultValue::Text(text) => Some(text),
        DefaultValue::Processors => Some(&PROCESSORS),
        DefaultValue::Missing => None,
    }
}

/// Returns the setting of object stores that a variable of the environment sets.
fn of_variable(variable: &str) -> Option<&'static TableEntry> {
    let rest = variable.strip_prefix("TILEDB_VFS_")?;
    let is_named = |entry: &&TableEntry| {
        let name = entry.name.strip_prefix("vfs.");
        entry.meaning == Meaning::OfStores
            && name.is_some_and(|name| name.replace('.', "_").to_ascii_uppercase() == rest)
    };
    KNOWN.iter().find(is_named)
}

#[cfg(test)]
mod tests;
