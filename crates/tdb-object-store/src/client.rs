//! The HTTP client: its timeouts, its redirects, and its limits on the size of answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest,
    HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientOptions, Error};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Proxy};

use crate::Service;
use crate::answer_check::SentRequest;
use crate::lookup::Lookup;
use crate::rejected_answer::RejectedAnswer;
use crate::server_message::{self, is_of_credentials};

/// Maximum bytes of a page of a listing, or of any other answer that is kept whole and is not an object.
const PAGE: usize = 16 << 20;
/// Maximum bytes of a listing by an HTTP file server, which sends a whole folder at once.
const FOLDER: usize = 64 << 20;
/// Maximum bytes kept of the body of an error.
const ERROR: usize = 64 << 10;
/// Total timeout of a request, however steadily its answer arrives.
const IN_ALL: Duration = Duration::from_secs(600);
/// Connect timeout of the instance metadata service, which may have credentials.
const MACHINE: Duration = Duration::from_secs(1);
/// Maximum number of redirects followed by requests without credentials.
const REDIRECTS: usize = 5;

/// Network settings of a store, and the factory of its HTTP clients.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// Connect timeout.
    pub(crate) connect: Duration,
    /// Read timeout: the longest time without a byte of the answer.
    pub(crate) silence: Duration,
    /// True if certificates of servers are not verified.
    pub(crate) believes_all: bool,
    pub(crate) certificates: Vec<Certificate>,
    /// The URL of the proxy for all requests.
    pub(crate) proxy: Option<String>,
    /// The kind of store that the requests go to.
    pub(crate) service: Service,
    /// Headers added to every request.
    pub(crate) headers: HeaderMap,
    /// The region for which requests are signed.
    pub(crate) region: Option<String>,
    /// True if credentials are requested by IMDSv1 where the metadata service denies IMDSv2.
    pub(crate) asks_twice: bool,
}

impl Network {
    /// Returns the options for clients of `object_store`; `is_open` allows plain HTTP.
    pub(crate) fn options(&self, is_open: bool) -> ClientOptions {
        let options = ClientOptions::new()
            .with_allow_http(is_open)
            .with_default_headers(self.headers.clone());
        options
            .with_timeout(IN_ALL)
            .with_connect_timeout(self.connect)
    }

    fn client(&self, connect: Duration, is_open: bool) -> Result<reqwest::Client, reqwest::Error> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("tdb/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(connect)
            .dns_resolver(Arc::new(Lookup::default()))
            .read_timeout(self.silence)
            .timeout(IN_ALL)
            // Signed requests go only to the server that the settings name.
            .redirect(if self.service == Service::Http {
                Policy::limited(REDIRECTS)
            } else {
                Policy::none()
            })
            .danger_accept_invalid_certs(self.believes_all)
            .https_only(!is_open)
            // Without compression: the announced length must be that of the object.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate();
        for certificate in &self.certificates {
            builder = builder.add_root_certificate(certificate.clone());
        }
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(Proxy::all(proxy)?);
        }
        builder.build()
    }
}

impl HttpConnector for Network {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let value = |options: &ClientOptions, key| options.get_config_value(&key);
        let is_open = value(options, ClientConfigKey::AllowHttp).as_deref() == Some("true");
        // The metadata service is asked with other options, recognizable by their connect timeout.
        let usual = self.options(is_open);
        let is_machine = value(options, ClientConfigKey::ConnectTimeout)
            != value(&usual, ClientConfigKey::ConnectTimeout);
        let connect = if is_machine { MACHINE } else { self.connect };
        let client = self
            .client(connect.min(self.connect), is_open)
            .map_err(|error| Error::Generic {
                store: "HTTP",
                source: Box::new(error),
            })?;
        Ok(HttpClient::new(Client {
            client: HttpClient::new(client),
            asks_for_objects: !is_machine,
            network: self.clone(),
        }))
    }
}

/// An HTTP client that bounds the size of answers. Exception: the caller bounds the bytes of an object while reading
/// it.
#[derive(Debug)]
struct Client {
    client: HttpClient,
    asks_for_objects: bool,
    network: Network,
}

#[async_trait::async_trait]
impl HttpService for Client {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if self.asks_for_objects {
            self.add_headers(request.headers_mut());
        }
        let asked = SentRequest::new(request.method(), request.uri(), self.network.service);
        let again = RepeatRule::of(&request);
        let trouble = request.extensions().get::<ServerFailureFlag>().cloned();
        let answer = self.client.execute(request).await.map_err(|error| {
            if self.asks_for_objects {
                again.failed(error)
            } else {
                self.no_credentials()
            }
        })?;
        if answer.status().is_success() {
            return self.success(answer, &asked, again).await;
        }
        let status = answer.status();
        if !self.asks_for_objects && self.has_none(status) {
            return Err(self.no_credentials());
        }
        let (parts, body) = answer.into_parts();
        let body = if asked.method == Method::HEAD {
            Bytes::new()
        } else {
            beginning(body, self.network.silence).await
        };
        if let (Some(trouble), true) = (trouble, status.is_server_error()) {
            trouble.is_met.store(true, Ordering::Relaxed);
        }
        let elsewhere = self.elsewhere(&asked, status, &parts.headers, &body);
        match elsewhere.or_else(|| again.refused(status, &body)) {
            Some(elsewhere) => Err(HttpError::new(HttpErrorKind::Unknown, elsewhere)),
            None => Ok(HttpResponse::from_parts(parts, body.into())),
        }
    }
}

impl Client {
    /// True if this status of the metadata service means that it has no credentials. If IMDSv1 may be tried next
    /// (`asks_twice`), FORBIDDEN does not mean that.
    fn has_none(&self, status: StatusCode) -> bool {
        let is_later = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
        );
        let goes_on = status == StatusCode::FORBIDDEN && self.network.asks_twice;
        status.is_client_error() && !is_later && !goes_on
    }

    /// Adds the configured headers that a request lacks: `object_store` omits them from listings. `x-amz-` headers are
    /// left out, since they would have to be signed.
    fn add_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.network.headers {
            if !name.as_str().starts_with("x-amz-") && !headers.contains_key(name) {
                headers.insert(name.clone(), value.clone());
            }
        }
    }

    /// Returns the error for missing credentials. The metadata service is the last source asked; this error is not
    /// retried.
    fn no_credentials(&self) -> HttpError {
        let service = self.network.service;
        HttpError::new(
            HttpErrorKind::Unknown,
            RejectedAnswer::NoCredentials { service },
        )
    }

    /// Handles a successful answer: bounds its size, and checks that it comes from an object store.
    async fn success(
        &self,
        answer: HttpResponse,
        asked: &SentRequest,
        again: RepeatRule,
    ) -> Result<HttpResponse, HttpError> {
        let failure = |rejection| HttpError::new(HttpErrorKind::Unknown, rejection);
        let is_head = asked.method == Method::HEAD;
        let is_object = asked.method == Method::GET && !asked.is_listing();
        if self.asks_for_objects && (is_head || is_object) {
            if !asked.is_page(answer.headers()) {
                return Ok(answer);
            }
            let body = beginning(answer.into_body(), self.network.silence).await;
            let page = String::from_utf8_lossy(&body);
            let page = if page.trim().is_empty() {
                "<html>".into()
            } else {
                page
            };
            return Err(failure(asked.rejection(&page)));
        }
        let (parts, body) = answer.into_parts();
        let most = if asked.is_folder() { FOLDER } else { PAGE };
        let body = whole(body, most)
            .await
            .map_err(|error| again.failed(error))?;
        match asked.check(&body).filter(|_| self.asks_for_objects) {
            Some(rejection) => Err(failure(rejection)),
            None => Ok(HttpResponse::from_parts(parts, body.into())),
        }
    }

    /// Returns an error if the answer means that the request must go elsewhere: to another region, another address, or
    /// a server that lists folders.
    fn elsewhere(
        &self,
        asked: &SentRequest,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<RejectedAnswer> {
        let is_unknown = matches!(
            status,
            StatusCode::NOT_IMPLEMENTED | StatusCode::METHOD_NOT_ALLOWED
        );
        if asked.is_folder() && is_unknown {
            let asked = asked.in_words();
            return Some(RejectedAnswer::NoListing { status, asked });
        }
        let is_redirect = status.is_redirection() && status != StatusCode::NOT_MODIFIED;
        if !is_redirect && status != StatusCode::BAD_REQUEST {
            return None;
        }
        let value = |name| headers.get(name)?.to_str().ok().map(str::to_owned);
        let used = self.network.region.clone();
        let region = value(header::HeaderName::from_static("x-amz-bucket-region"));
        match region {
            Some(region) if used.as_ref() != Some(&region) => {
                Some(RejectedAnswer::Region { region, used })
            }
            _ if is_redirect => Some(RejectedAnswer::Redirect {
                status,
                to: value(header::LOCATION),
                said: String::from_utf8_lossy(body).into_owned(),
            }),
            _ => None,
        }
    }
}

/// Records whether the server failed on any attempt of a request. If it did, that attempt may have taken effect,
/// although a later one was refused.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerFailureFlag {
    is_met: Arc<AtomicBool>,
}

impl ServerFailureFlag {
    pub(crate) fn is_met(&self) -> bool {
        self.is_met.load(Ordering::Relaxed)
    }
}

/// Whether a request may be repeated after its answer was lost: the server may have performed it.
#[derive(Clone, Copy, Debug)]
enum RepeatRule {
    /// Repeated or not as `object_store` decides.
    Usual,
    /// A removal: repeating it does no harm.
    Removes,
    /// Creation of an object that must not exist: a repetition would find the object of the first attempt.
    Makes,
}

impl RepeatRule {
    fn of(request: &HttpRequest) -> Self {
        let has = |name| request.headers().contains_key(name);
        let is_new = has("if-none-match") || has("x-goog-if-generation-match");
        if *request.method() == Method::PUT && is_new {
            Self::Makes
        } else if *request.method() == Method::POST && request.uri().query() == Some("delete") {
            Self::Removes
        } else {
            Self::Usual
        }
    }

    /// Returns an error if the answer seems to reject the condition "create only if absent". Some servers use the same
    /// status for other causes, so the guess can be wrong.
    fn refused(self, status: StatusCode, body: &[u8]) -> Option<RejectedAnswer> {
        let is_refusal = matches!(
            status,
            StatusCode::NOT_IMPLEMENTED | StatusCode::BAD_REQUEST
        );
        if !matches!(self, Self::Makes) || !is_refusal {
            return None;
        }
        let said = server_message::of_server(&String::from_utf8_lossy(body));
        let is_other = said.as_ref().is_some_and(|said| is_of_credentials(said));
        (!is_other).then_some(RejectedAnswer::Unconditional { status, said })
    }

    /// Changes the kind of the error, by which `object_store` decides whether to repeat the request.
    fn failed(self, error: HttpError) -> HttpError {
        let is_heard = !matches!(error.kind(), HttpErrorKind::Connect | HttpErrorKind::Decode);
        match self {
            Self::Makes if is_heard => {
                HttpError::new(HttpErrorKind::Unknown, RejectedAnswer::Lost(error))
            }
            Self::Removes if is_heard => HttpError::new(HttpErrorKind::Request, error),
            Self::Usual | Self::Removes | Self::Makes => error,
        }
    }
}

/// Reads a whole body of at most `most` bytes.
async fn whole(body: HttpResponseBody, most: usize) -> Result<Bytes, HttpError> {
    let collected = Limited::new(body, most).collect().await.map_err(|error| {
        match error.downcast::<HttpError>() {
            // A broken connection: the request may be repeated.
            Ok(error) => *error,
            Err(error) if error.is::<LengthLimitError>() => {
                HttpError::new(HttpErrorKind::Decode, RejectedAnswer::Endless { most })
            }
            Err(error) => HttpError::new(HttpErrorKind::Decode, std::io::Error::other(error)),
        }
    })?;
    Ok(collected.to_bytes())
}

/// Reads the beginning of an error's body, at most [`ERROR`] bytes. If it does not arrive, the status has to suffice.
async fn beginning(mut body: HttpResponseBody, silence: Duration) -> Bytes {
    let mut kept = BytesMut::new();
    let all = async {
        while let Some(Ok(frame)) = body.frame().await {
            let room = ERROR - kept.len();
            if let Ok(data) = frame.into_data() {
                kept.extend_from_slice(data.get(..room).unwrap_or(&data));
            }
            if kept.len() >= ERROR {
                break;
            }
        }
    };
    // After a timeout, the part that has arrived is used.
    let _ = tokio::time::timeout(silence, all).await;
    kept.freeze()
}
