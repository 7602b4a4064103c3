//! Folder markers: empty objects by which other programs make folders visible. Consoles and rclone name them like the
//! folder with a slash at the end; others without (Azure's `hdi_isfolder`, which is kept in the metadata).

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use object_store::aws::{AwsAuthorizer, AwsCredentialProvider};
use object_store::azure::{AzureAuthorizer, AzureCredentialProvider};
use object_store::client::{HttpClient, HttpRequest, HttpRequestBody};
use object_store::gcp::GcpCredentialProvider;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tdb_store::StoreError;

use crate::error::{broken, failed};
use crate::messages::in_words;

/// Characters of a key that are not escaped in a URL.
const KEPT: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');
/// How often a removal is attempted, and the pause before the next attempt.
const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(200);

/// Removes objects whose names end in a slash, which `object_store` cannot express as paths.
#[derive(Debug)]
pub(crate) struct Markers {
    client: HttpClient,
    /// The address of the bucket or container.
    address: String,
    signer: Signer,
}

/// Credentials that sign the requests.
#[derive(Debug)]
pub(crate) enum Signer {
    Nothing,
    S3 {
        credentials: AwsCredentialProvider,
        region: String,
        pays: bool,
    },
    Gcs(GcpCredentialProvider),
    Azure {
        credentials: AzureCredentialProvider,
        account: String,
    },
}

impl Markers {
    pub(crate) fn new(client: HttpClient, address: String, signer: Signer) -> Self {
        Self {
            client,
            address,
            signer,
        }
    }

    /// Removes the object `folder/`.
    async fn remove(&self, folder: &str) -> Result<(), StoreError> {
        let named = utf8_percent_encode(folder, &KEPT);
        let address = format!("{}/{named}/", self.address.trim_end_matches('/'));
        let told = |error: &dyn std::fmt::Display| broken(folder, error.to_string());
        let mut tries = 0_usize;
        loop {
            let mut request = http::Request::builder()
                .method(Method::DELETE)
                .uri(&address)
                .body(HttpRequestBody::empty())
                .map_err(|error| told(&error))?;
            let signed = self.signer.sign(&mut request).await;
            signed.map_err(|error| failed(folder, error))?;
            let answer = self
                .client
                .execute(request)
                .await
                .map_err(|error| broken(folder, in_words(&error)))?;
            tries += 1;
            match answer.status() {
                status if status.is_success() || status == StatusCode::NOT_FOUND => return Ok(()),
                status if status.is_server_error() && tries < TRIES => {
                    tokio::time::sleep(PAUSE).await;
                }
                status => {
                    let what = format!("the server answers {status} to DELETE {address}");
                    return Err(broken(folder, what));
                }
            }
        }
    }
}

impl Signer {
    async fn sign(&self, request: &mut HttpRequest) -> Result<(), Error> {
        match self {
            Self::Nothing => {}
            Self::S3 {
                credentials,
                region,
                pays,
            } => {
                let credential = credentials.get_credential().await?;
                AwsAuthorizer::new(&credential, "s3", region)
                    .with_request_payer(*pays)
                    .authorize(request, None);
            }
            Self::Gcs(credentials) => {
                let credential = credentials.get_credential().await?;
                let value = format!("Bearer {}", credential.bearer)
                    .parse()
                    .map_err(|_| Error::Generic {
                        store: "GCS",
                        source: "the token has characters in it that no request can have".into(),
                    })?;
                if !credential.bearer.is_empty() {
                    request
                        .headers_mut()
                        .insert(http::header::AUTHORIZATION, value);
                }
            }
            Self::Azure {
                credentials,
                account,
            } => {
                let credential = credentials.get_credential().await?;
                AzureAuthorizer::new(&credential, account).authorize(request);
            }
        }
        Ok(())
    }
}

/// Removes the markers of a folder, if it is otherwise empty.
pub(crate) async fn remove(
    store: &Arc<dyn ObjectStore>,
    pages: &Arc<dyn PaginatedListStore>,
    markers: Option<&Markers>,
    folder: &str,
) -> Result<(), StoreError> {
    let within = format!("{folder}/");
    let options = PaginatedListOptions {
        delimiter: Some("/".into()),
        // Two entries suffice: the marker and one more.
        max_keys: Some(2),
        ..PaginatedListOptions::default()
    };
    let found = pages
        .list_paginated(Some(&within), options)
        .await
        .map_err(|error| failed(folder, error))?
        .result;
    let mut objects = found.objects.iter();
    if objects.any(|object| object.location.as_ref() != folder) || !found.common_prefixes.is_empty()
    {
        return Ok(());
    }
    // For Azure, `object_store` leaves the marker of the listed folder out of the listing.
    let may_be_there = |markers: &&Markers| {
        !found.objects.is_empty() || matches!(markers.signer, Signer::Azure { .. })
    };
    if let Some(markers) = markers.filter(may_be_there) {
        markers.remove(folder).await?;
    }
    let path = Path::parse(folder).map_err(|error| broken(folder, error.to_string()))?;
    match store.head(&path).await {
        Ok(object) if object.size == 0 => match store.delete(&path).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(folder, error)),
        },
        Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(failed(folder, error)),
    }
}
