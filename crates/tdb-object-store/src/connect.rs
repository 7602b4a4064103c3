//! From a URI and settings to a store.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::list::PaginatedListStore;
use object_store::{ObjectStore, RetryConfig};
use reqwest::Certificate;

use crate::client::Network;
use crate::profile::Profile;
use crate::ranges::Tails;
use crate::remote::Remote;
use crate::store::RemoteStore;
use crate::words::in_words;
use crate::{OpenError, RemoteUri, Runtime, Service, Settings};

/// How long nothing may come of a request that is under way.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a server may take to take a call.
const CONNECT: Duration = Duration::from_secs(5);
/// How often a request is sent again, and for how long.
const RETRIES: usize = 5;
const RETRYING: Duration = Duration::from_secs(60);

/// Opens the folder that a URI names as a store. Nothing is asked of the server yet, so whether there is one is not known.
///
/// # Errors
/// A URI that names no folder; settings that do not lead to a store.
pub fn open(uri: &str, settings: &Settings, runtime: &Runtime) -> Result<RemoteStore, OpenError> {
    let parsed = RemoteUri::parse(uri)?;
    let (store, pages) = connect(uri, &parsed, settings)?;
    let remote = Remote {
        store,
        pages,
        root: parsed.folder,
        tails: if parsed.service == Service::Azure {
            Tails::BySize
        } else {
            Tails::Answered
        },
        is_writable: parsed.service != Service::Http,
    };
    Ok(RemoteStore::new(remote, runtime.clone()))
}

/// The bucket, container or server of a URI as the crate `object_store` has it, for what reads and writes files by that crate. A folder
/// in the URI is no part of it. Requests run on the runtime of whoever sends them.
///
/// # Errors
/// As [`open`].
pub fn objects(uri: &str, settings: &Settings) -> Result<Arc<dyn ObjectStore>, OpenError> {
    let (store, _) = connect(uri, &RemoteUri::parse(uri)?, settings)?;
    Ok(store)
}

fn connect(uri: &str, parsed: &RemoteUri, settings: &Settings) -> Result<Connected, OpenError> {
    let connected = match parsed.service {
        Service::S3 => s3(&parsed.root, settings),
        Service::Gcs => gcs(&parsed.root, settings),
        Service::Azure => azure(&parsed.root, settings),
        Service::Http => http(&parsed.root, settings),
    };
    connected.map_err(|reason| OpenError::Settings {
        uri: uri.to_owned(),
        reason,
    })
}

type Connected = (Arc<dyn ObjectStore>, Option<Arc<dyn PaginatedListStore>>);

fn s3(bucket: &str, settings: &Settings) -> Result<Connected, String> {
    let S3Access { builder, .. } = s3_access(bucket, settings)?;
    let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
    let is_open = endpoint.is_some_and(|url| url.starts_with("http://"));
    let mut network = network(settings)?;
    network.region = builder.get_config_value(&AmazonS3ConfigKey::Region);
    let store = builder
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network)
        .build();
    connected(store.map_err(|error| in_words(&error))?)
}

/// How a bucket is reached.
pub(crate) struct S3Access {
    pub(crate) builder: AmazonS3Builder,
    /// The profile that the keys are of, if they are of one.
    pub(crate) profile: Option<String>,
}

/// What the settings, and where they say nothing the environment and a profile, make of a bucket.
pub(crate) fn s3_access(bucket: &str, settings: &Settings) -> Result<S3Access, String> {
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
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
            builder = builder.with_config(key, value);
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
    if let Some(endpoint) = settings.get("s3.endpoint_override") {
        builder = builder.with_endpoint(with_scheme(endpoint, settings.get("s3.scheme")));
    }
    of_profile(builder)
}

/// What nothing else says is taken from the profile that the environment chooses.
fn of_profile(mut builder: AmazonS3Builder) -> Result<S3Access, String> {
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
    let Some(profile) = Profile::chosen(|name| std::env::var(name).ok())? else {
        return Ok(S3Access {
            builder,
            profile: None,
        });
    };
    let keys = if is_signed { profile.keys()? } else { None };
    let named = keys.as_ref().map(|_| profile.name.clone());
    if let Some(keys) = keys {
        builder = builder
            .with_access_key_id(keys.id)
            .with_secret_access_key(keys.secret);
        if let Some(token) = keys.token {
            builder = builder.with_token(token);
        }
    }
    for (key, said_by, name) in [
        (
            AmazonS3ConfigKey::Region,
            &[AmazonS3ConfigKey::Region, AmazonS3ConfigKey::DefaultRegion][..],
            "region",
        ),
        (
            AmazonS3ConfigKey::Endpoint,
            &[AmazonS3ConfigKey::Endpoint],
            "endpoint_url",
        ),
    ] {
        if let (false, Some(value)) = (is_said(&builder, said_by), profile.get(name)) {
            builder = builder.with_config(key, value);
        }
    }
    Ok(S3Access {
        builder,
        profile: named,
    })
}

fn azure(container: &str, settings: &Settings) -> Result<Connected, String> {
    let builder = azure_builder(container, settings);
    let value = |key| builder.get_config_value(&key);
    let network = network(settings)?;
    let is_open = value(AzureConfigKey::Endpoint).is_some_and(|url| url.starts_with("http://"));
    let is_emulator = value(AzureConfigKey::UseEmulator).as_deref() == Some("true");
    if value(AzureConfigKey::AccountName).is_none() && !is_emulator {
        return Err(
            "which storage account is not said: vfs.azure.storage_account_name or AZURE_STORAGE_ACCOUNT_NAME names it"
                .to_owned(),
        );
    }
    let store = builder
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network)
        .build();
    connected(store.map_err(|error| in_words(&error))?)
}

/// What the settings, and where they say nothing the environment, make of a container.
pub(crate) fn azure_builder(container: &str, settings: &Settings) -> MicrosoftAzureBuilder {
    let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(container);
    for (name, key) in [
        ("azure.storage_account_name", AzureConfigKey::AccountName),
        ("azure.storage_account_key", AzureConfigKey::AccessKey),
        ("azure.storage_sas_token", AzureConfigKey::SasKey),
        ("azure.blob_endpoint", AzureConfigKey::Endpoint),
    ] {
        if let Some(value) = settings.get(name) {
            builder = builder.with_config(key, value);
        }
    }
    builder
}

fn gcs(bucket: &str, settings: &Settings) -> Result<Connected, String> {
    let network = network(settings)?;
    let endpoint = settings.get("gcs.endpoint");
    let is_open = endpoint.is_some_and(|url| url.starts_with("http://"));
    let store = gcs_builder(bucket, settings)
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network)
        .build();
    connected(store.map_err(|error| in_words(&error))?)
}

/// What the settings, and where they say nothing the environment, make of a bucket.
pub(crate) fn gcs_builder(bucket: &str, settings: &Settings) -> GoogleCloudStorageBuilder {
    let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
    for (name, key) in [
        (
            "gcs.service_account_key",
            GoogleConfigKey::ServiceAccountKey,
        ),
        ("gcs.endpoint", GoogleConfigKey::BaseUrl),
    ] {
        if let Some(value) = settings.get(name) {
            builder = builder.with_config(key, value);
        }
    }
    builder
}

fn http(root: &str, settings: &Settings) -> Result<Connected, String> {
    let mut network = network(settings)?;
    network.is_signed = false;
    let is_open = root.starts_with("http://");
    let store = HttpBuilder::new()
        .with_url(root)
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network)
        .build();
    Ok((Arc::new(store.map_err(|error| in_words(&error))?), None))
}

fn connected<S: ObjectStore + PaginatedListStore>(store: S) -> Result<Connected, String> {
    let store = Arc::new(store);
    Ok((Arc::clone(&store) as _, Some(store)))
}

/// The address of a server, which TileDB has in two settings.
fn with_scheme(endpoint: &str, scheme: Option<&str>) -> String {
    if endpoint.contains("://") {
        return endpoint.to_owned();
    }
    format!("{}://{endpoint}", scheme.unwrap_or("https"))
}

fn retries(settings: &Settings) -> Result<RetryConfig, String> {
    let tries = settings.number("s3.connect_max_tries")?;
    let max_retries = match tries {
        Some(tries) => usize::try_from(tries.saturating_sub(1))
            .map_err(|_| "vfs.s3.connect_max_tries is too large".to_owned())?,
        None => RETRIES,
    };
    Ok(RetryConfig {
        max_retries,
        retry_timeout: RETRYING,
        ..RetryConfig::default()
    })
}

fn network(settings: &Settings) -> Result<Network, String> {
    let time = |name, usual| {
        let given = settings.number(name)?;
        Ok::<_, String>(given.map_or(usual, Duration::from_millis))
    };
    Ok(Network {
        connect: time("s3.connect_timeout_ms", CONNECT)?,
        silence: time("s3.request_timeout_ms", SILENCE)?,
        believes_all: settings.is_set("s3.verify_ssl")? == Some(false),
        certificates: certificates(settings)?,
        proxy: proxy(settings)?,
        is_signed: true,
        region: None,
    })
}

/// Those of the file that a setting names.
fn certificates(settings: &Settings) -> Result<Vec<Certificate>, String> {
    let Some(file) = settings.get("s3.ca_file") else {
        return Ok(Vec::new());
    };
    let failed = |error: &dyn std::error::Error| format!("vfs.s3.ca_file {file}: {error}");
    #[expect(clippy::disallowed_methods, reason = "certificates are no objects")]
    let bundle = fs::read(file).map_err(|error| failed(&error))?;
    Certificate::from_pem_bundle(&bundle).map_err(|error| failed(&error))
}

/// The address of the server that requests go through.
fn proxy(settings: &Settings) -> Result<Option<String>, String> {
    let Some(host) = settings.get("s3.proxy_host") else {
        return Ok(None);
    };
    let scheme = settings.get("s3.proxy_scheme").unwrap_or("http");
    let wrong = |_| format!("vfs.s3.proxy_host is {host:?}, and not the name of a server");
    let mut url = url::Url::parse(&format!("{scheme}://{host}")).map_err(wrong)?;
    let port = settings.number("s3.proxy_port")?.filter(|port| *port > 0);
    let port = port.map(u16::try_from).transpose();
    let port = port.map_err(|_| "vfs.s3.proxy_port is too large".to_owned())?;
    let is_set = url.set_port(port).is_ok()
        && url
            .set_username(settings.get("s3.proxy_username").unwrap_or(""))
            .is_ok()
        && url.set_password(settings.get("s3.proxy_password")).is_ok();
    if is_set {
        return Ok(Some(url.into()));
    }
    Err(format!(
        "vfs.s3.proxy_host is {host:?}, and takes no port or user"
    ))
}
