//! Opens a store from a URI and settings.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use object_store::ObjectStore;
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;

use crate::endpoint;
use crate::markers::Signer;
use crate::messages::in_words;
use crate::network::{OpenedBucket, connected, network, retries};
use crate::ranges::TailReads;
use crate::remote::Remote;
use crate::s3;
use crate::store::RemoteStore;
use crate::under_way::at_a_time;
use crate::{OpenError, RemoteUri, Runtime, Service, Settings};

/// Opens the folder that a URI names as a store. No request is sent yet, so the folder or the server may not exist.
///
/// # Errors
/// [`OpenError::Uri`] if the URI names no folder, [`OpenError::Settings`] if the settings are incomplete or invalid.
pub fn open(uri: &str, settings: &Settings, runtime: &Runtime) -> Result<RemoteStore, OpenError> {
    let parsed = RemoteUri::parse(uri)?;
    let OpenedBucket {
        store,
        pages,
        markers,
    } = connect(uri, &parsed, settings)?;
    let remote = Remote {
        store,
        pages,
        markers,
        root: parsed.folder,
        tails: if parsed.service == Service::Azure {
            TailReads::BySize
        } else {
            TailReads::Answered
        },
        is_writable: parsed.service != Service::Http,
        at_a_time: at_a_time(parsed.service),
        is_unconditional: AtomicBool::new(false),
    };
    Ok(RemoteStore::new(remote, runtime.clone()))
}

/// Returns the bucket, container or server of a URI as a store of the crate `object_store`, for libraries that use
/// that crate. The folder of the URI is ignored. Requests run on the caller's runtime.
///
/// # Errors
/// As [`open`].
pub fn objects(uri: &str, settings: &Settings) -> Result<Arc<dyn ObjectStore>, OpenError> {
    Ok(connect(uri, &RemoteUri::parse(uri)?, settings)?.store)
}

fn connect(uri: &str, parsed: &RemoteUri, settings: &Settings) -> Result<OpenedBucket, OpenError> {
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

fn azure(container: &str, settings: &Settings) -> Result<OpenedBucket, String> {
    let mut builder = azure_builder(container, settings);
    if let Some(server) = builder.get_config_value(&AzureConfigKey::Endpoint) {
        // TileDB accepts addresses without a scheme.
        let server = with_scheme(&server);
        endpoint::server(&server, "vfs.azure.blob_endpoint or AZURE_ENDPOINT")?;
        builder = builder.with_endpoint(server);
    }
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
    let is_signed = value(AzureConfigKey::SkipSignature).as_deref() != Some("true");
    // For an emulator, `object_store` itself chooses the address.
    let account = value(AzureConfigKey::AccountName).filter(|_| !is_emulator);
    let address = account.as_ref().map(|account| {
        let server = value(AzureConfigKey::Endpoint)
            .unwrap_or_else(|| format!("https://{account}.blob.core.windows.net"));
        format!("{}/{container}", server.trim_end_matches('/'))
    });
    let store = builder
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network.clone())
        .build()
        .map_err(|error| in_words(&error))?;
    let signer = match account.filter(|_| is_signed) {
        Some(account) => Signer::Azure {
            credentials: Arc::clone(store.credentials()),
            account,
        },
        None => Signer::Nothing,
    };
    connected(store, &network, address, signer)
}

/// Creates the builder of a container from the settings, and from the environment where they are silent.
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

fn gcs(bucket: &str, settings: &Settings) -> Result<OpenedBucket, String> {
    let network = network(settings, Service::Gcs)?;
    let mut builder = gcs_builder(bucket, settings);
    if let Some(server) = builder.get_config_value(&GoogleConfigKey::BaseUrl) {
        let server = with_scheme(&server);
        endpoint::server(&server, "vfs.gcs.endpoint or GOOGLE_BASE_URL")?;
        builder = builder.with_base_url(&server);
    }
    let value = |key| builder.get_config_value(&key);
    let is_signed = value(GoogleConfigKey::SkipSignature).as_deref() != Some("true");
    let server = value(GoogleConfigKey::BaseUrl)
        .unwrap_or_else(|| "https://storage.googleapis.com".to_owned());
    let is_open = server.starts_with("http://");
    let address = format!("{}/{bucket}", server.trim_end_matches('/'));
    let store = builder
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network.clone())
        .build()
        .map_err(|error| in_words(&error))?;
    let signer = if is_signed {
        Signer::Gcs(Arc::clone(store.credentials()))
    } else {
        Signer::Nothing
    };
    connected(store, &network, Some(address), signer)
}

/// Creates the builder of a bucket from the settings, and from the environment where they are silent.
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

fn http(root: &str, settings: &Settings) -> Result<OpenedBucket, String> {
    let network = network(settings, Service::Http)?;
    let is_open = root.starts_with("http://");
    let store = HttpBuilder::new()
        .with_url(root)
        .with_client_options(network.options(is_open))
        .with_retry(retries(settings)?)
        .with_http_connector(network)
        .build();
    Ok(OpenedBucket {
        store: Arc::new(store.map_err(|error| in_words(&error))?),
        pages: None,
        markers: None,
    })
}

/// Returns the address of a server, with `https://` in front if it has no scheme.
fn with_scheme(server: &str) -> String {
    let server = server.trim();
    if server.contains("://") {
        return server.to_owned();
    }
    format!("https://{server}")
}
