//! Settings with the names of TileDB: `vfs.s3.region`, `TILEDB_VFS_S3_REGION`.

use std::collections::BTreeMap;

/// Settings of TileDB that have an effect here, without the prefix `vfs.`.
const UNDERSTOOD: [&str; 26] = [
    "azure.blob_endpoint",
    "azure.storage_account_key",
    "azure.storage_account_name",
    "azure.storage_sas_token",
    "gcs.endpoint",
    "gcs.service_account_key",
    "max_parallel_ops",
    "s3.aws_access_key_id",
    "s3.aws_secret_access_key",
    "s3.aws_session_token",
    "s3.ca_file",
    "s3.connect_max_tries",
    "s3.connect_timeout_ms",
    "s3.endpoint_override",
    "s3.no_sign_request",
    "s3.proxy_host",
    "s3.proxy_password",
    "s3.proxy_port",
    "s3.proxy_scheme",
    "s3.proxy_username",
    "s3.region",
    "s3.request_timeout_ms",
    "s3.requester_pays",
    "s3.scheme",
    "s3.use_virtual_addressing",
    "s3.verify_ssl",
];

/// Settings of TileDB for all connections, and the names under which they are stored here.
const OF_ALL: [(&str, &str); 2] = [
    ("ssl.ca_file", "s3.ca_file"),
    ("ssl.verify", "s3.verify_ssl"),
];

/// Prefix of settings that are headers of requests to S3: `vfs.s3.custom_headers.x-name`.
const HEADERS: &str = "s3.custom_headers.";

/// Settings of object stores, with the names of TileDB. Missing ones are taken from the environment, by the variables
/// of each service (`AWS_ACCESS_KEY_ID`, `AZURE_STORAGE_ACCOUNT_NAME`, `GOOGLE_SERVICE_ACCOUNT`, and so on).
/// Credentials found nowhere are requested from the machine (its metadata service).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, String>,
}

impl Settings {
    /// Creates empty settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the settings from variables of an environment, such as [`std::env::vars_os`]: `TILEDB_VFS_S3_REGION` is
    /// `vfs.s3.region`.
    #[must_use]
    pub fn of_environment<K, V>(variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<std::ffi::OsStr>,
        V: AsRef<std::ffi::OsStr>,
    {
        let mut settings = Self::new();
        for (name, value) in variables {
            let (Some(name), Some(value)) = (name.as_ref().to_str(), value.as_ref().to_str())
            else {
                continue;
            };
            let known = UNDERSTOOD.iter().find(|known| variable(known) == name);
            if let Some(known) = known {
                settings
                    .values
                    .insert((*known).to_owned(), value.to_owned());
            }
        }
        settings
    }

    /// Stores a setting if its name begins with `vfs.` or `ssl.` and it has an effect here; returns whether it has.
    ///
    /// ```
    /// use tdb_object_store::Settings;
    ///
    /// let mut settings = Settings::new();
    /// assert!(settings.set("vfs.s3.region", "eu-central-1"));
    /// assert!(!settings.set("vfs.s3.sse", "aes256"));
    /// ```
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let of_all = OF_ALL.iter().find(|(known, _)| *known == name);
        let name = of_all.map_or_else(|| name.strip_prefix("vfs."), |(_, here)| Some(*here));
        let Some(name) = name else {
            return false;
        };
        let header = name.strip_prefix(HEADERS);
        let is_header = header.is_some_and(|header| !header.is_empty());
        let has_effect = is_header || UNDERSTOOD.contains(&name);
        if has_effect {
            self.values.insert(name.to_owned(), value.to_owned());
        }
        has_effect
    }

    /// Returns a setting by its name without `vfs.`; `None` if it is missing or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self.values.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// Returns the names and values of the headers for each request to S3.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix(HEADERS)?, value.as_str())))
    }

    /// Returns a boolean setting; `None` if it is missing.
    pub(crate) fn is_set(&self, name: &str) -> Result<Option<bool>, String> {
        match self.get(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(format!("vfs.{name} is {other:?}, and not true or false")),
        }
    }

    /// Returns a setting that is a whole number; `None` if it is missing.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value.parse();
        number
            .map(Some)
            .map_err(|_| format!("vfs.{name} is {value:?}, and not a whole number"))
    }
}

/// Returns the environment variable of a setting.
fn variable(name: &str) -> String {
    format!("TILEDB_VFS_{}", name.replace('.', "_").to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_environment_are_settings() {
        let settings = Settings::of_environment([
            ("TILEDB_VFS_S3_ENDPOINT_OVERRIDE", "127.0.0.1:5555"),
            ("TILEDB_VFS_S3_SSE", "aes256"),
            ("AWS_REGION", "x"),
        ]);
        assert_eq!(settings.get("s3.endpoint_override"), Some("127.0.0.1:5555"));
        assert_eq!(settings.values.len(), 1);
    }

    #[test]
    fn values_that_are_none_are_told_with_their_name() {
        let mut settings = Settings::new();
        settings.set("vfs.s3.verify_ssl", "no");
        settings.set("vfs.s3.connect_max_tries", "-1");
        settings.set("vfs.s3.region", "");
        let told = settings.is_set("s3.verify_ssl").unwrap_err();
        assert_eq!(told, "vfs.s3.verify_ssl is \"no\", and not true or false");
        assert!(settings.number("s3.connect_max_tries").is_err());
        assert_eq!(settings.get("s3.region"), None);
    }
}
