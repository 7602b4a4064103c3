//! The client of HTTP: how long it waits, where it goes, and how much of an answer it keeps.

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
use crate::elsewhere::Elsewhere;
use crate::lookup::Lookup;
use crate::said::{self, is_of_credentials};
use crate::stranger::Asked;

/// Bytes of a page of a listing, and of whatever else is kept whole and is no object.
const PAGE: usize = 16 << 20;
/// The same of a server of files, which tells all of a folder at once.
const FOLDER: usize = 64 << 20;
/// Bytes that are kept of an error.
const ERROR: usize = 64 << 10;
/// How long a request may take in all, however steadily it comes.
const IN_ALL: Duration = Duration::from_secs(600);
/// How long the machine itself, which may know credentials, may take to take a call.
const MACHINE: Duration = Duration::from_secs(1);
/// How often a request that holds no secret goes where it is sent on to.
const REDIRECTS: usize = 5;

/// What the settings say of connections, and makes clients as they say.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// How long a server may take to take a call.
    pub(crate) connect: Duration,
    /// How long nothing may come.
    pub(crate) silence: Duration,
    /// Whether servers need no certificate to be believed.
    pub(crate) believes_all: bool,
    pub(crate) certificates: Vec<Certificate>,
    /// The address of the server that all requests go through.
    pub(crate) proxy: Option<String>,
    /// What is asked.
    pub(crate) service: Service,
    /// What is sent with each request.
    pub(crate) headers: HeaderMap,
    /// The region that requests are signed for.
    pub(crate) region: Option<String>,
    /// Whether the machine is asked for credentials in a second way where it forbids the first.
    pub(crate) asks_twice: bool,
}

impl Network {
    /// What the services are told of it.
    pub(crate) fn options(&self, is_open: bool) -> ClientOptions {
        let options = ClientOptions::new().with_allow_http(is_open);
        let options = options.with_default_headers(self.headers.clone());
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
            // Signed requests go to the server that the settings name, and nowhere else.
            .redirect(if self.service == Service::Http {
                Policy::limited(REDIRECTS)
            } else {
                Policy::none()
            })
            .danger_accept_invalid_certs(self.believes_all)
            .https_only(!is_open)
            // The length that a server says is that of the object.
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
        // The machine is asked with options of its own.
        let usual = self.options(is_open);
        let is_machine = value(options, ClientConfigKey::ConnectTimeout)
            != value(&usual, ClientConfigKey::ConnectTimeout);
        let connect = if is_machine { MACHINE } else { self.connect };
        let client = self.client(connect.min(self.connect), is_open);
        let client = client.map_err(|error| Error::Generic {
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

/// A client whose answers are bounded: who reads an object bounds its bytes, all else is bounded here.
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
        let asked = Asked::new(request.method(), request.uri(), self.network.service);
        let again = Again::of(&request);
        let trouble = request.extensions().get::<Trouble>().cloned();
        let answer = self.client.execute(request).await;
        let answer = answer.map_err(|error| {
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
    /// Whether the machine says that it knows no credentials. An older way to them may be open where it forbids the usual one.
    fn has_none(&self, status: StatusCode) -> bool {
        let is_later = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
        );
        let goes_on = status == StatusCode::FORBIDDEN && self.network.asks_twice;
        status.is_client_error() && !is_later && !goes_on
    }

    /// Adds what is to be sent with each request and is not: listings are made without. What Amazon wants signed stays away.
    fn add_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.network.headers {
            if !name.as_str().starts_with("x-amz-") && !headers.contains_key(name) {
                headers.insert(name.clone(), value.clone());
            }
        }
    }

    /// That the machine, which is asked last, knows no credentials. It is not asked again.
    fn no_credentials(&self) -> HttpError {
        let service = self.network.service;
        HttpError::new(HttpErrorKind::Unknown, Elsewhere::NoCredentials { service })
    }

    /// An answer that says that all is well: bounded, and checked for whether an object store gives it.
    async fn success(
        &self,
        answer: HttpResponse,
        asked: &Asked,
        again: Again,
    ) -> Result<HttpResponse, HttpError> {
        let stranger = |told| HttpError::new(HttpErrorKind::Unknown, told);
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
            return Err(stranger(asked.told(&page)));
        }
        let (parts, body) = answer.into_parts();
        let most = if asked.is_folder() { FOLDER } else { PAGE };
        let body = whole(body, most).await;
        let body = body.map_err(|error| again.failed(error))?;
        match asked.stranger(&body).filter(|_| self.asks_for_objects) {
            Some(told) => Err(stranger(told)),
            None => Ok(HttpResponse::from_parts(parts, body.into())),
        }
    }

    /// Whether an answer says that something else is to be asked.
    fn elsewhere(
        &self,
        asked: &Asked,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<Elsewhere> {
        let is_unknown = matches!(
            status,
            StatusCode::NOT_IMPLEMENTED | StatusCode::METHOD_NOT_ALLOWED
        );
        if asked.is_folder() && is_unknown {
            let asked = asked.in_words();
            return Some(Elsewhere::NoListing { status, asked });
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
                Some(Elsewhere::Region { region, used })
            }
            _ if is_redirect => Some(Elsewhere::Redirect {
                status,
                to: value(header::LOCATION),
                said: String::from_utf8_lossy(body).into_owned(),
            }),
            _ => None,
        }
    }
}

/// Whether the server failed at any of the tries of a request, which then may have been done although a later one was refused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trouble {
    is_met: Arc<AtomicBool>,
}

impl Trouble {
    pub(crate) fn is_met(&self) -> bool {
        self.is_met.load(Ordering::Relaxed)
    }
}

/// What it means to send a request again that may have been heard.
#[derive(Clone, Copy, Debug)]
enum Again {
    /// It is as the services take it.
    Usual,
    /// What is removed twice is removed.
    Removes,
    /// An object that replaces none: the second time, it would be in its own way.
    Makes,
}

impl Again {
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

    /// That a server does not take the condition of an object that replaces none, as far as its answer tells: some answer so what
    /// has another cause.
    fn refused(self, status: StatusCode, body: &[u8]) -> Option<Elsewhere> {
        let is_refusal = matches!(
            status,
            StatusCode::NOT_IMPLEMENTED | StatusCode::BAD_REQUEST
        );
        if !matches!(self, Self::Makes) || !is_refusal {
            return None;
        }
        let said = said::of_server(&String::from_utf8_lossy(body));
        let is_other = said.as_ref().is_some_and(|said| is_of_credentials(said));
        (!is_other).then_some(Elsewhere::Unconditional { status, said })
    }

    /// An error by whose kind it is seen whether the request may be sent again.
    fn failed(self, error: HttpError) -> HttpError {
        let is_heard = !matches!(error.kind(), HttpErrorKind::Connect | HttpErrorKind::Decode);
        match self {
            Self::Makes if is_heard => {
                HttpError::new(HttpErrorKind::Unknown, Elsewhere::Lost(error))
            }
            Self::Removes if is_heard => HttpError::new(HttpErrorKind::Request, error),
            Self::Usual | Self::Removes | Self::Makes => error,
        }
    }
}

/// A body that is kept whole.
async fn whole(body: HttpResponseBody, most: usize) -> Result<Bytes, HttpError> {
    let collected = Limited::new(body, most).collect().await;
    let collected = collected.map_err(|error| match error.downcast::<HttpError>() {
        // One that is cut off can be asked for again.
        Ok(error) => *error,
        Err(error) if error.is::<LengthLimitError>() => {
            HttpError::new(HttpErrorKind::Decode, Elsewhere::Endless { most })
        }
        Err(error) => HttpError::new(HttpErrorKind::Decode, std::io::Error::other(error)),
    })?;
    Ok(collected.to_bytes())
}

/// The beginning of a body, as far as it comes: of an error, whose status says the most.
async fn beginning(mut body: HttpResponseBody, silence: Duration) -> Bytes {
    let mut kept = BytesMut::new();
    let all = async {
        while let Some(Ok(frame)) = body.frame().await {
            let room = ERROR.saturating_sub(kept.len());
            if let Ok(data) = frame.into_data() {
                kept.extend_from_slice(data.get(..room).unwrap_or(&data));
            }
            if kept.len() >= ERROR {
                break;
            }
        }
    };
    // What has come by then is what there is.
    let _ = tokio::time::timeout(silence, all).await;
    kept.freeze()
}
