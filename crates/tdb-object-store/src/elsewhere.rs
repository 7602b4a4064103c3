//! Answers that the client itself takes for errors: they say that something else is to be asked, or are no answers.

use http::StatusCode;
use object_store::client::HttpError;

use crate::{Service, said};

/// What is said to be asked instead, or is wrong with an answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Elsewhere {
    /// The bucket is one of another region.
    #[error("the bucket lies in the region {region}, and {}; vfs.s3.region or AWS_REGION says which region is asked", asked(used.as_deref()))]
    Region {
        region: String,
        used: Option<String>,
    },
    /// A request is sent on, which would take what it is signed with to another server.
    #[error("the server answers {status} and sends requests on{}{}; signed requests go only to the server that the settings name", to_where(to.as_deref()), said::of_server(said).map_or(String::new(), |said| format!(" ({said})")))]
    Redirect {
        status: StatusCode,
        to: Option<String>,
        said: String,
    },
    /// An answer that is longer than any that a server should give.
    #[error("the server's answer is longer than {} MiB, which that of no object store is", most >> 20)]
    Endless { most: usize },
    /// An answer that no object store gives.
    #[error(
        "the server answers {asked} with {what}, and not as an object store does: look at the server that the settings name; a console and a page to sign in have other addresses than the store"
    )]
    Stranger { asked: String, what: String },
    /// Nobody knows credentials, not even the machine.
    #[error("there are no credentials: {}", ways_to_credentials(*service))]
    NoCredentials { service: Service },
    /// A server of files that does not list folders.
    #[error(
        "the server answers {status} to {asked}: arrays are read from servers that list folders as WebDAV does (PROPFIND), as those of `rclone serve webdav FOLDER` and of Apache with mod_dav do"
    )]
    NoListing { status: StatusCode, asked: String },
    /// A new object is refused that is to replace none: not every server knows that condition.
    #[error("the server answers {status} to a new object{}", said.as_ref().map_or(String::new(), |said| format!(": {said}")))]
    Unconditional {
        status: StatusCode,
        said: Option<String>,
    },
    /// An object may have been made, or not: asked again, a server says that there is one.
    #[error("whether the object is made is not known")]
    Lost(#[source] HttpError),
}

/// Where credentials are looked for, and how a bucket is read that needs none.
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

/// Where to, without what may be secret in it.
fn to_where(address: Option<&str>) -> String {
    let shown = address.map(|address| address.split('?').next().unwrap_or(address));
    shown.map_or(String::new(), |address| {
        format!(" to {}", said::short(address))
    })
}
