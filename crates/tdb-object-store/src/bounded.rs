//! Answers that are kept in memory whole are bounded: a listing, an error. What is read of objects is bounded by who reads it.

use std::io;

use http_body_util::{BodyExt, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService, ReqwestConnector,
};

/// Bytes of a page of a listing, of an error, of anything but the bytes of an object.
const MOST: usize = 64 << 20;

/// Makes clients whose answers are bounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedConnector;

impl HttpConnector for BoundedConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(BoundedClient(client)))
    }
}

#[derive(Debug)]
struct BoundedClient(HttpClient);

#[async_trait::async_trait]
impl HttpService for BoundedClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_object = request.method() == http::Method::GET && !is_listing(request.uri());
        let answer = self.0.execute(request).await?;
        if is_object && answer.status().is_success() {
            return Ok(answer);
        }
        Ok(answer.map(|body| {
            let body = Limited::new(body, MOST);
            let failed = |error| HttpError::new(HttpErrorKind::Decode, io::Error::other(error));
            HttpResponseBody::new(body.map_err(failed))
        }))
    }
}

/// Whether an address asks for what lies in a folder, as the three services spell it.
fn is_listing(address: &http::Uri) -> bool {
    let asks = ["list-type=", "comp=list", "delimiter="];
    let query = address.query();
    query.is_some_and(|query| asks.iter().any(|part| query.contains(part)))
}
