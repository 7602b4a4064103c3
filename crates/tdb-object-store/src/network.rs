//! Network settings and retries, common to all services.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use object_store::client::HttpConnector;
use object_store::list::PaginatedListStore;
use object_store::{ObjectStore, RetryConfig};
use reqwest::Certificate;

use crate::client::Network;
use crate::markers::{Markers, Signer};
use crate::messages::in_words;
use crate::{Service, Settings};

/// Default read timeout: the longest time without a byte of the answer.
const SILENCE: Duration = Duration::from_secs(30);
/// Default connect timeout.
const CONNECT: Duration = Duration::from_secs(5);
/// Default number of retries of a request, and the time within which they are made.
const RETRIES: usize = 5;
const RETRYING: Duration = Duration::from_secs(60);

/// An opened bucket, container or server.
pub(crate) struct OpenedBucket {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The same store, if it can list in pages.
    pub(crate) pages: Option<Arc<dyn PaginatedListStore>>,
    /// Removes folder markers; `None` if the address of the bucket is unknown.
    pub(crate) markers: Option<Markers>,
}

/// Combines a store with the removal of folder markers at the address of its bucket.
pub(crate) fn connected<S: ObjectStore + PaginatedListStore>(
    store: S,
    network: &Network,
    address: Option<String>,
    signer: Signer,
) -> Result<OpenedBucket, String> {
    let store = Arc::new(store);
    let markers = address.map(|address| {
        let is_open = address.starts_with("http://");
        let client = network
            .connect(&network.options(is_open))
            .map_err(|error| in_words(&error))?;
        Ok::<_, String>(Markers::new(client, address, signer))
    });
    Ok(OpenedBucket {
        store: Arc::clone(&store) as _,
        pages: Some(store),
        markers: markers.transpose()?,
    })
}

pub(crate) fn retries(settings: &Settings) -> Result<RetryConfig, String> {
    let tries = settings.number("s3.connect_max_tries")?;
    let max_retries = match tries {
        Some(tries) => usize::try_from(tries.max(1) - 1)
            .map_err(|_| "vfs.s3.connect_max_tries is too large".to_owned())?,
        None => RETRIES,
    };
    Ok(RetryConfig {
        max_retries,
        retry_timeout: RETRYING,
        ..RetryConfig::default()
    })
}

pub(crate) fn network(settings: &Settings, service: Service) -> Result<Network, String> {
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
        service,
        headers: headers(settings, service)?,
        region: None,
        asks_twice: false,
    })
}

/// Returns the headers that the settings add to each request to S3.
fn headers(settings: &Settings, service: Service) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in settings.headers().filter(|_| service == Service::S3) {
        let wrong =
            |what| format!("vfs.s3.custom_headers.{name}: its {what} can be no head of a request");
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("name"))?;
        let value = HeaderValue::from_str(value).map_err(|_| wrong("value"))?;
        headers.insert(key, value);
    }
    Ok(headers)
}

/// Reads the certificates of the file that `vfs.s3.ca_file` names.
fn certificates(settings: &Settings) -> Result<Vec<Certificate>, String> {
    let Some(file) = settings.get("s3.ca_file") else {
        return Ok(Vec::new());
    };
    let failed = |error: &dyn std::error::Error| format!("vfs.s3.ca_file {file}: {error}");
    #[expect(clippy::disallowed_methods, reason = "certificates are no objects")]
    let bundle = fs::read(file).map_err(|error| failed(&error))?;
    Certificate::from_pem_bundle(&bundle).map_err(|error| failed(&error))
}

/// Returns the URL of the proxy; `None` if no setting names one.
fn proxy(settings: &Settings) -> Result<Option<String>, String> {
    let Some(host) = settings.get("s3.proxy_host") else {
        return Ok(None);
    };
    let scheme = settings.get("s3.proxy_scheme").unwrap_or("http");
    let wrong = |_| format!("vfs.s3.proxy_host is {host:?}, and not the name of a server");
    let mut url = url::Url::parse(&format!("{scheme}://{host}")).map_err(wrong)?;
    let port = settings
        .number("s3.proxy_port")?
        .filter(|port| *port > 0)
        .map(u16::try_from)
        .transpose()
        .map_err(|_| "vfs.s3.proxy_port is too large".to_owned())?;
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
