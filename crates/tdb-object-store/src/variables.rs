//! The environment variables for S3, as AWS's and other programs define them.

use std::ffi::OsString;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};

/// Settings of S3 from the variables of an environment.
pub(crate) struct S3Variables {
    pub(crate) builder: AmazonS3Builder,
    /// The variable that names the server, and its value.
    pub(crate) endpoint: Option<(&'static str, String)>,
    /// True if the metadata service must not be asked for credentials.
    pub(crate) machine_is_off: bool,
}

/// Variables that name the server; an earlier one takes precedence.
const ENDPOINTS: [&str; 3] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
/// The variable that forbids AWS's programs to ask the metadata service for credentials.
const MACHINE_IS_OFF: &str = "AWS_EC2_METADATA_DISABLED";

/// Reads the variables of S3. An empty value counts as missing. White space around a value, such as a final newline,
/// is removed.
///
/// # Errors
/// A message with the name of the variable; invalid secrets are not repeated.
pub(crate) fn read(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<S3Variables, String> {
    let mut said = S3Variables {
        builder: AmazonS3Builder::new(),
        endpoint: None,
        machine_is_off: false,
    };
    let mut rank = ENDPOINTS.len();
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with("AWS_")) else {
            continue;
        };
        let endpoint = ENDPOINTS.iter().position(|endpoint| *endpoint == name);
        let key: Option<AmazonS3ConfigKey> = name.to_ascii_lowercase().parse().ok();
        if endpoint.is_none() && key.is_none() && name != MACHINE_IS_OFF {
            continue;
        }
        let value = value
            .to_str()
            .ok_or_else(|| format!("{name} is not text in UTF-8"))?
            .trim();
        if value.is_empty() {
            continue;
        }
        if name == MACHINE_IS_OFF {
            said.machine_is_off = truth(name, value)?;
        } else if let Some(at) = endpoint {
            if let Some(name) = ENDPOINTS.get(at).filter(|_| at < rank) {
                said.endpoint = Some((name, value.to_owned()));
                rank = at;
            }
        } else if let Some(key) = key {
            said.builder = with(said.builder, name, key, value)?;
        }
    }
    Ok(said)
}

fn with(
    builder: AmazonS3Builder,
    name: &str,
    key: AmazonS3ConfigKey,
    value: &str,
) -> Result<AmazonS3Builder, String> {
    use AmazonS3ConfigKey as Key;
    Ok(match key {
        // Network options come from the settings only.
        Key::Client(_) | Key::Bucket => builder,
        Key::RequestPayer => {
            // The value of the HTTP header, which GDAL's variable uses as well.
            let pays = value.eq_ignore_ascii_case("requester");
            builder.with_config(key, (pays || truth(name, value)?).to_string())
        }
        Key::SkipSignature
        | Key::VirtualHostedStyleRequest
        | Key::S3Express
        | Key::ImdsV1Fallback
        | Key::UnsignedPayload
        | Key::DisableTagging => {
            let is_set = truth(name, value)?.to_string();
            builder.with_config(key, is_set)
        }
        Key::ConditionalPut if !matches!(value, "etag" | "disabled") => {
            return Err(format!(
                "{name} is {value:?}, and neither etag nor disabled"
            ));
        }
        Key::AccessKeyId | Key::Token | Key::Region | Key::DefaultRegion => {
            builder.with_config(key, sent(name, value)?)
        }
        _ => builder.with_config(key, value),
    })
}

/// Checks a value that becomes part of a header: only visible ASCII characters are allowed.
///
/// # Errors
/// A message without the value, which may be a secret.
pub(crate) fn sent<'a>(name: &str, value: &'a str) -> Result<&'a str, String> {
    let value = value.trim();
    if value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(value);
    }
    Err(format!(
        "{name} has a blank, an end of line or another character in it that can be no part of it"
    ))
}

/// Parses a boolean in any of the usual spellings.
fn truth(name: &str, value: &str) -> Result<bool, String> {
    match &*value.to_ascii_lowercase() {
        "true" | "1" | "yes" | "y" | "on" => Ok(true),
        "false" | "0" | "no" | "n" | "off" => Ok(false),
        _ => Err(format!("{name} is {value:?}, and not true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<S3Variables, String> {
        let variables = variables.iter();
        read(variables.map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }

    #[test]
    fn names_of_other_programs_are_taken() {
        let said = of(&[
            ("AWS_ACCESS_KEY_ID", "k\n"),
            ("AWS_SESSION_TOKEN", " t \n"),
            ("AWS_REQUEST_PAYER", "requester"),
            ("AWS_ENDPOINT_URL", "http://all"),
            ("AWS_ENDPOINT_URL_S3", "http://s3"),
            ("AWS_ENDPOINT", "http://old"),
            ("AWS_REGION", ""),
            ("AWS_EC2_METADATA_DISABLED", "TRUE"),
            ("OTHER", "x y\n"),
        ])
        .unwrap();
        let value = |key| said.builder.get_config_value(&key);
        assert_eq!(value(AmazonS3ConfigKey::AccessKeyId).as_deref(), Some("k"));
        assert_eq!(value(AmazonS3ConfigKey::Token).as_deref(), Some("t"));
        assert_eq!(
            value(AmazonS3ConfigKey::RequestPayer).as_deref(),
            Some("true")
        );
        assert_eq!(value(AmazonS3ConfigKey::Region), None);
        assert_eq!(
            said.endpoint,
            Some(("AWS_ENDPOINT_URL_S3", "http://s3".to_owned()))
        );
        assert!(said.machine_is_off);
    }

    #[test]
    fn what_cannot_be_is_told_with_its_name_and_no_secret() {
        for (name, value, told) in [
            ("AWS_ACCESS_KEY_ID", "a\nb", "AWS_ACCESS_KEY_ID has a blank"),
            ("AWS_SESSION_TOKEN", "a b", "AWS_SESSION_TOKEN has a blank"),
            ("AWS_REQUEST_PAYER", "me", "AWS_REQUEST_PAYER is \"me\""),
            (
                "AWS_SKIP_SIGNATURE",
                "maybe",
                "AWS_SKIP_SIGNATURE is \"maybe\"",
            ),
            ("AWS_CONDITIONAL_PUT", "no", "neither etag nor disabled"),
        ] {
            let Err(error) = of(&[(name, value)]) else {
                panic!("{name} is taken")
            };
            assert!(error.contains(told), "{error}");
        }
    }
}
