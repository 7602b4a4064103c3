//! From a URI and settings to a store.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use object_store::ObjectStore;
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;

use crate::network::{Connected, connected, network, retries};
use crate::ranges::Tails;
use crate::remote::Remote;
use crate::s3;
use crate::store::RemoteStore;
use crate::words::in_words;
use crate::{OpenError, RemoteUri, Runtime, Service, Settings};

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
        is_unconditional: AtomicBool::new(false),
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
        Service::S3 => s3::connect(&parsed.root, settings),
        Service::Gcs => gcs(&parsed.root, settings),
        Service::Azure => azure(&parsed.root, settings),
        Service::Http => http(&parsed.root, settings),
    };
    connected.map_err(|reason| OpenError::Settings {
        uri: uri.to_owned(),
        reason,
    })
}

fn azure(container: &str, settings: &Settings) -> Result<Connected, String> {
    let builder = azure_builder(container, settings);
    let value = |key| builder.get_config_value(&key);
    let network = network(settings, Service::Azure)?;
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
    let network = network(settings, Service::Gcs)?;
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
    let network = network(settings, Service::Http)?;
    let is_open = root.starts_with("http://");
    let store = HttpBuilder::new()
        .with_url(root)
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network)
        .build();
    Ok((Arc::new(store.map_err(|error| in_words(&error))?), None))
}
