//! URIs of folders in object stores.

use crate::{OpenError, Service};

/// A folder in an object store.
///
/// ```
/// use tdb_object_store::{RemoteUri, Service};
///
/// let uri = RemoteUri::parse("s3://weather/2024/stations/")?;
/// assert_eq!((uri.service, uri.root.as_str(), uri.folder.as_str()), (Service::S3, "weather", "2024/stations"));
/// # Ok::<(), tdb_object_store::OpenError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RemoteUri {
    /// The kind of store.
    pub service: Service,
    /// The bucket or container; for HTTP, the scheme, host and port: `https://host:8080`.
    pub root: String,
    /// The folder in it, without leading or trailing slash; empty for the root.
    pub folder: String,
}

impl RemoteUri {
    /// True if the scheme of a URI is one of an object store.
    #[must_use]
    pub fn is_remote(uri: &str) -> bool {
        scheme(uri).is_some()
    }

    /// Returns the URI of the bucket, container or server: `s3://weather`.
    #[must_use]
    pub fn root_uri(&self) -> String {
        match self.service {
            Service::S3 => format!("s3://{}", self.root),
            Service::Gcs => format!("gs://{}", self.root),
            Service::Azure => format!("azure://{}", self.root),
            Service::Http => self.root.clone(),
        }
    }

    /// Parses a URI.
    ///
    /// # Errors
    /// [`OpenError::Uri`] if the scheme is another one, a bucket or host is missing, or the folder is not a valid key.
    pub fn parse(uri: &str) -> Result<Self, OpenError> {
        let wrong = |what| OpenError::Uri {
            uri: uri.to_owned(),
            what,
        };
        let (service, rest) = scheme(uri).ok_or_else(|| wrong("not a URI of an object store"))?;
        let (root, folder) = rest.split_once('/').unwrap_or((rest, ""));
        if root.is_empty() {
            return Err(wrong(match service {
                Service::Http => "there is no host in it",
                Service::Azure => "there is no container in it",
                Service::S3 | Service::Gcs => "there is no bucket in it",
            }));
        }
        let folder = folder.trim_matches('/');
        if service == Service::Http {
            return Self::http(uri, folder);
        }
        if root.contains(['@', '?', '#', ':']) {
            return Err(wrong(
                "a bucket or container is needed here; the account and the server are settings",
            ));
        }
        // Like TileDB, treat several slashes in an S3 URI as one.
        let folder = match service {
            Service::S3 => {
                let parts = folder.split('/').filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join("/")
            }
            Service::Gcs | Service::Azure | Service::Http => folder.to_owned(),
        };
        tdb_store::check_prefix(&folder).map_err(|_| wrong("no folder can have this name"))?;
        Ok(Self {
            service,
            root: root.to_owned(),
            folder,
        })
    }

    /// Parses the URI of an HTTP server, whose folder is percent-encoded.
    fn http(uri: &str, folder: &str) -> Result<Self, OpenError> {
        let wrong = |what| OpenError::Uri {
            uri: uri.to_owned(),
            what,
        };
        let url = url::Url::parse(uri).map_err(|_| wrong("not the address of a server"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("names and passwords do not belong into addresses"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("a folder is needed here, without ? or #"));
        }
        let folder = percent_encoding::percent_decode_str(folder)
            .decode_utf8()
            .map_err(|_| wrong("its folder is not UTF-8"))?;
        tdb_store::check_prefix(&folder).map_err(|_| wrong("no folder can have this name"))?;
        let root = url.origin().ascii_serialization();
        Ok(Self {
            service: Service::Http,
            root,
            folder: folder.into_owned(),
        })
    }
}

/// Returns the kind of store for the scheme of a URI, and the rest of the URI.
fn scheme(uri: &str) -> Option<(Service, &str)> {
    let (scheme, rest) = uri.split_once("://")?;
    let service = match scheme {
        "s3" | "s3a" => Service::S3,
        "gs" | "gcs" => Service::Gcs,
        "az" | "azure" => Service::Azure,
        "http" | "https" => Service::Http,
        _ => return None,
    };
    Some((service, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_have_a_root_and_a_folder() {
        for (uri, service, root, folder) in [
            ("s3://b", Service::S3, "b", ""),
            ("s3a://b/", Service::S3, "b", ""),
            ("s3://b//p///a//", Service::S3, "b", "p/a"),
            ("gs://b/a/b", Service::Gcs, "b", "a/b"),
            ("gcs://b/a b/", Service::Gcs, "b", "a b"),
            ("azure://c/ü", Service::Azure, "c", "ü"),
            ("http://h:8080/a%20b", Service::Http, "http://h:8080", "a b"),
            ("https://h", Service::Http, "https://h", ""),
        ] {
            let found = RemoteUri::parse(uri).unwrap();
            assert_eq!(
                (found.service, found.root.as_str(), found.folder.as_str()),
                (service, root, folder),
                "{uri}"
            );
        }
    }

    #[test]
    fn uris_that_name_no_folder_are_refused() {
        for uri in [
            "s3://",
            "s3:///a",
            "gs://b/a//b",
            "az://b/../c",
            "az://c@account/a",
            "https://user:secret@h/a",
            "https://h/a?b",
            "http://h/%ff",
            "ftp://h/a",
            "a/b",
        ] {
            let error = RemoteUri::parse(uri).unwrap_err();
            assert!(error.to_string().starts_with(uri), "{error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
