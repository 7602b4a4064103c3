//! Errors that the client itself detects: the request should go elsewhere, or the answer is unusable.

use http::StatusCode;
use object_store::client::HttpError;

use crate::{Service, server_message};

/// A reason to reject an answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RejectedAnswer {
    /// The bucket is in another region.
    #[error("the bucket lies in the region {region}, and {}; vfs.s3.region or AWS_REGION says which region is asked", asked(used.as_deref()))]
    Region {
        region: String,
        used: Option<String>,
    },
    /// The server redirects a request whose signature must not reach another server.
    #[error("the server answers {status} and sends requests on{}{}; signed requests go only to the server that the settings name", to_where(to.as_deref()), server_message::of_server(said).map_or(String::new(), |said| format!(" ({said})")))]
    Redirect {
        status: StatusCode,
        to: Option<String>,
        said: String,
    },
    /// The answer is longer than that of any object store.
    #[error("the server's answer is longer than {} MiB, which that of no object store is", most >> 20)]
    Endless { most: usize },
    /// The answer does not come from an object store.
    #[error(
        "the server answers {asked} with {what}, and not as an object store does: look at the server that the settings name; a console and a page to sign in have other addresses than the store"
    )]
    Stranger { asked: String, what: String },
    /// No source has credentials, not even the machine.
    #[error("there are no credentials: {}", ways_to_credentials(*service))]
    NoCredentials { service: Service },
    /// The HTTP server does not list folders.
    #[error(
        "the server answers {status} to {asked}: arrays are read from servers that list folders as WebDAV does (PROPFIND), as those of `rclone serve webdav FOLDER` and of Apache with mod_dav do"
    )]
    NoListing { status: StatusCode, asked: String },
    /// The server rejects the condition "create only if absent", which not every server supports.
    #[error("the server answers {status} to a new object{}", said.as_ref().map_or(String::new(), |said| format!(": {said}")))]
    Unconditional {
        status: StatusCode,
        said: Option<String>,
    },
    /// It is unknown whether the object was created. A repeated request could not tell: it would find the object of
    /// this one.
    #[error("whether the object is made is not known")]
    Lost(#[source] HttpError),
}

/// Returns where credentials were looked for, and how to read a public bucket without them.
fn ways_to_credentials(service: Service) -> &'static str {
    match service {
        Service::S3 | Service::Http => {
            "the settings (vfs.s3.aws_access_key_id), the environment (AWS_ACCESS_KEY_ID, AWS_PROFILE) and the profile name none, and the machine has no role; vfs.s3.no_sign_request=true reads a public bucket without any"
        }
        Service::Azure => {
            "the settings (vfs.azure.storage_account_key) and the environment (AZURE_STORAGE_ACCOUNT_KEY) name none, and the machine has no identity; AZURE_SKIP_SIGNATURE=true reads a public container without any"
        }
        Service::Gcs => {
            "the settings (vfs.gcs.service_account_key) and the environment (GOOGLE_APPLICATION_CREDENTIALS) name none, and the machine has no account; GOOGLE_SKIP_SIGNATURE=true reads a public bucket without any"
        }
    }
}

fn asked(used: Option<&str>) -> String {
    used.map_or("none is asked".to_owned(), |used| {
        format!("{used} is asked")
    })
}

/// Formats the target of a redirect, without the query, which may contain secrets.
fn to_where(address: Option<&str>) -> String {
    let shown = address.map(|address| address.split('?').next().unwrap_or(address));
    shown.map_or(String::new(), |address| {
        format!(" to {}", server_message::short(address))
    })
}
