//! What variables of the environment say of S3, read as AWS's programs and those of others write them.

use std::ffi::OsString;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};

/// What an environment says.
pub(crate) struct Said {
    pub(crate) builder: AmazonS3Builder,
    /// The address of the server, and the variable that it stands in.
    pub(crate) endpoint: Option<(&'static str, String)>,
    /// Whether the machine is not to be asked for credentials.
    pub(crate) machine_is_off: bool,
}

/// Variables that name the server, the first before the others.
const ENDPOINTS: [&str; 3] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
/// The variable by which AWS's programs are told not to ask the machine for credentials.
const MACHINE_IS_OFF: &str = "AWS_EC2_METADATA_DISABLED";

/// Reads the variables of S3. What is empty is not said; blanks and ends of lines around a value, which files leave there, are none
/// of it.
///
/// # Errors
/// A value that cannot be one, with the name of its variable; of secrets no more than that.
pub(crate) fn read(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Said, String> {
    let mut said = Said {
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
        // Connections are as the settings say.
        Key::Client(_) | Key::Bucket => builder,
        Key::RequestPayer => {
            // As the request itself has it, and GDAL's variable.
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

/// A value that goes into the head of requests: its characters have to be such as may stand there.
///
/// # Errors
/// Other characters, told without the value, which may be secret.
pub(crate) fn sent<'a>(name: &str, value: &'a str) -> Result<&'a str, String> {
    let value = value.trim();
    if value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(value);
    }
    Err(format!(
        "{name} has a blank, an end of line or another character in it that can be no part of it"
    ))
}

/// A value that is true or false, by any of the words that programs write for that.
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

    fn of(variables: &[(&str, &str)]) -> Result<Said, String> {
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
