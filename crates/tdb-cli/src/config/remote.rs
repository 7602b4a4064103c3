//! Settings of object stores.

use crate::profile::Profile;

use super::names;

/// Result of looking up a setting.
pub(super) enum SettingUse {
    /// A setting that has an effect.
    Used,
    /// A TileDB setting without effect in tdb.
    Unused,
    /// Not a setting of TileDB.
    Unknown,
}

/// Settings with which remote stores are opened.
pub(super) struct RemoteSettings {
    #[cfg(feature = "object-store")]
    settings: tdb::StoreSettings,
}

#[cfg(feature = "object-store")]
impl RemoteSettings {
    pub(super) fn of_environment() -> Self {
        Self {
            settings: tdb::StoreSettings::of_environment(std::env::vars_os()),
        }
    }

    pub(super) fn set(&mut self, name: &str, value: &str) -> SettingUse {
        match self.settings.set(name, value) {
            tdb::TakenSetting::Understood => SettingUse::Used,
            tdb::TakenSetting::Unused => SettingUse::Unused,
            tdb::TakenSetting::Unknown => elsewhere(name),
        }
    }

    /// Names of all settings of object stores.
    pub(super) fn names() -> Vec<String> {
        tdb::StoreSettings::names().collect()
    }

    /// Opens remote stores with these settings from now on.
    pub(super) fn open_with(self, stores: &Profile) {
        let opened = std::sync::Arc::new(tdb::ObjectStores::new(self.settings));
        crate::interrupt::cancels_stores(opened.clone());
        stores.of_stores(opened);
    }
}

#[cfg(not(feature = "object-store"))]
impl RemoteSettings {
    pub(super) fn of_environment() -> Self {
        Self {}
    }

    pub(super) fn set(&mut self, name: &str, _value: &str) -> SettingUse {
        if name.starts_with("vfs.") || name.starts_with("ssl.") {
            return SettingUse::Unused;
        }
        elsewhere(name)
    }

    pub(super) fn names() -> Vec<String> {
        Vec::new()
    }

    pub(super) fn open_with(self, _stores: &Profile) {}
}

/// Looks up a setting that does not concern object stores.
fn elsewhere(name: &str) -> SettingUse {
    if names::SETTINGS.contains(&name) {
        SettingUse::Unused
    } else {
        SettingUse::Unknown
    }
}
