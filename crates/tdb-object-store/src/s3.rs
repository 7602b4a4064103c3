//! Opens an S3 bucket from the settings, the environment and a profile.

use std::sync::Arc;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use url::Url;

use crate::endpoint;
use crate::markers::Signer;
use crate::messages::in_words;
use crate::network::{OpenedBucket, connected, network, retries};
use crate::profile::Profile;
use crate::rejected_answer::RejectedAnswer;
use crate::variables::{self, S3Variables, sent};
use crate::{Service, Settings};

pub(crate) fn connect(bucket: &str, settings: &Settings) -> Result<OpenedBucket, String> {
    let S3Access {
        builder,
        address,
        machine_is_off,
        ..
    } = access(bucket, settings)?;
    if machine_is_off && is_left_to_machine(&builder) {
        let service = Service::S3;
        return Err(RejectedAnswer::NoCredentials { service }.to_string());
    }
    let is_open = address
        .as_ref()
        .is_some_and(|url| url.starts_with("http://"));
    let value = |key| builder.get_config_value(&key);
    let is_set = |key| value(key).as_deref() == Some("true");
    let is_signed = !is_set(AmazonS3ConfigKey::SkipSignature);
    let pays = is_set(AmazonS3ConfigKey::RequestPayer);
    let mut network = network(settings, Service::S3)?;
    network.region = value(AmazonS3ConfigKey::Region);
    network.asks_twice = is_set(AmazonS3ConfigKey::ImdsV1Fallback);
    let region = network.region.clone();
    let store = builder
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network.clone())
        .build()
        .map_err(|error| in_words(&error))?;
    let signer = if is_signed {
        Signer::S3 {
            credentials: Arc::clone(store.credentials()),
            region: region.unwrap_or_else(|| "us-east-1".to_owned()),
            pays,
        }
    } else {
        Signer::Nothing
    };
    connected(store, &network, address, signer)
}

/// Access to a bucket.
pub(crate) struct S3Access {
    pub(crate) builder: AmazonS3Builder,
    /// The address of the bucket; `None` for S3 Express, where it depends on the zone.
    pub(crate) address: Option<String>,
    /// The profile from which the keys come, if any.
    pub(crate) profile: Option<String>,
    /// True if the metadata service must not be asked for credentials.
    machine_is_off: bool,
}

/// True if only the metadata service can have credentials.
fn is_left_to_machine(builder: &AmazonS3Builder) -> bool {
    use AmazonS3ConfigKey as Key;
    let value = |key| builder.get_config_value(&key);
    let ways = [
        Key::AccessKeyId,
        Key::SecretAccessKey,
        Key::WebIdentityTokenFile,
        Key::ContainerCredentialsRelativeUri,
        Key::ContainerCredentialsFullUri,
    ];
    let is_signed = value(Key::SkipSignature).as_deref() != Some("true");
    is_signed && ways.into_iter().all(|key| value(key).is_none())
}

/// Collects the access to a bucket: from the settings, then the environment, then a profile.
pub(crate) fn access(bucket: &str, settings: &Settings) -> Result<S3Access, String> {
    let S3Variables {
        builder,
        endpoint,
        machine_is_off,
    } = variables::read(std::env::vars_os())?;
    let mut builder = builder.with_bucket_name(bucket);
    for (name, key) in [
        ("s3.region", AmazonS3ConfigKey::Region),
        ("s3.aws_access_key_id", AmazonS3ConfigKey::AccessKeyId),
        (
            "s3.aws_secret_access_key",
            AmazonS3ConfigKey::SecretAccessKey,
        ),
        ("s3.aws_session_token", AmazonS3ConfigKey::Token),
    ] {
        if let Some(value) = settings.get(name) {
            builder = builder.with_config(key, sent(&format!("vfs.{name}"), value)?);
        }
    }
    for (name, key) in [
        ("s3.no_sign_request", AmazonS3ConfigKey::SkipSignature),
        (
            "s3.use_virtual_addressing",
            AmazonS3ConfigKey::VirtualHostedStyleRequest,
        ),
        ("s3.requester_pays", AmazonS3ConfigKey::RequestPayer),
    ] {
        if let Some(is_set) = settings.is_set(name)? {
            builder = builder.with_config(key, is_set.to_string());
        }
    }
    let mut server = match settings.get("s3.endpoint_override") {
        Some(endpoint) => Some(of_setting(endpoint, settings)?),
        None => endpoint
            .map(|(name, value)| endpoint::server(&value, name))
            .transpose()?,
    };
    let chosen = Profile::chosen(|name| std::env::var(name).ok())?;
    let mut named = None;
    if let Some(profile) = &chosen {
        (builder, named) = with_profile(builder, profile)?;
        if let (None, Some(value)) = (&server, profile.get("endpoint_url")) {
            let name = format!("endpoint_url of the AWS profile {:?}", profile.name);
            server = Some(endpoint::server(value, &name)?);
        }
    }
    let (builder, address) = addressed(builder, bucket, server)?;
    Ok(S3Access {
        builder,
        address,
        profile: named,
        machine_is_off,
    })
}

/// Returns the address of the server from TileDB's two settings, the endpoint and the scheme.
fn of_setting(value: &str, settings: &Settings) -> Result<Url, String> {
    let scheme = settings
        .get("s3.scheme")
        .unwrap_or("https")
        .to_ascii_lowercase();
    if !matches!(&*scheme, "http" | "https") {
        return Err(format!(
            "vfs.s3.scheme is {scheme:?}, and not http or https"
        ));
    }
    let value = value.trim();
    let value = if value.contains("://") {
        value.to_owned()
    } else {
        format!("{scheme}://{value}")
    };
    endpoint::server(&value, "vfs.s3.endpoint_override")
}

/// Sets the address of the bucket, and returns it. The builder is always told that the endpoint is a virtual-hosted
/// address, because only then does it use the address as it is, whether the bucket is in the host or in the path.
fn addressed(
    builder: AmazonS3Builder,
    bucket: &str,
    server: Option<Url>,
) -> Result<(AmazonS3Builder, Option<String>), String> {
    let value = |key| builder.get_config_value(&key);
    let is_set = |key| value(key).as_deref() == Some("true");
    let is_virtual = is_set(AmazonS3ConfigKey::VirtualHostedStyleRequest);
    let address = match server {
        Some(server) => endpoint::of_bucket(&server, bucket, is_virtual)?,
        None if is_set(AmazonS3ConfigKey::S3Express) => return Ok((builder, None)),
        None => {
            let region = value(AmazonS3ConfigKey::Region).unwrap_or_else(|| "us-east-1".to_owned());
            let server = format!("https://s3.{region}.amazonaws.com");
            let server = endpoint::server(&server, "the address of the region")?;
            endpoint::of_bucket(&server, bucket, is_virtual)?
        }
    };
    let builder = builder
        .with_virtual_hosted_style_request(true)
        .with_endpoint(address.clone());
    Ok((builder, Some(address)))
}

/// Takes keys and region from a profile if nothing else specifies them. Returns the name of the profile if its keys
/// are used.
fn with_profile(
    mut builder: AmazonS3Builder,
    profile: &Profile,
) -> Result<(AmazonS3Builder, Option<String>), String> {
    let is_said = |builder: &AmazonS3Builder, keys: &[AmazonS3ConfigKey]| {
        let mut values = keys.iter().filter_map(|key| builder.get_config_value(key));
        values.any(|value| !value.is_empty())
    };
    let is_unsigned = builder
        .get_config_value(&AmazonS3ConfigKey::SkipSignature)
        .as_deref()
        == Some("true");
    let keys = [
        AmazonS3ConfigKey::AccessKeyId,
        AmazonS3ConfigKey::WebIdentityTokenFile,
    ];
    let is_signed = !is_unsigned && !is_said(&builder, &keys);
    let keys = if is_signed { profile.keys()? } else { None };
    let named = keys.as_ref().map(|_| profile.name.clone());
    if let Some(keys) = keys {
        let of = |key| format!("{key} of the AWS profile {:?}", profile.name);
        builder = builder
            .with_access_key_id(sent(&of("aws_access_key_id"), keys.id)?)
            .with_secret_access_key(keys.secret);
        if let Some(token) = keys.token {
            builder = builder.with_token(sent(&of("aws_session_token"), token)?);
        }
    }
    let regions = [AmazonS3ConfigKey::Region, AmazonS3ConfigKey::DefaultRegion];
    if let (false, Some(region)) = (is_said(&builder, &regions), profile.get("region")) {
        builder = builder.with_config(AmazonS3ConfigKey::Region, region);
    }
    Ok((builder, named))
}
