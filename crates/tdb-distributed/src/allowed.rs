//! The places that a worker may read.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use url::Url;

use crate::ClusterError;

/// The folders, files and stores below which a worker reads arrays and files. Clients can neither read nor probe
/// anything else.
#[derive(Clone, Debug)]
pub struct Allowed {
    places: Arc<[Place]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A local folder or file; symbolic links are resolved.
    Local(PathBuf),
    /// A location in a store; everything below this prefix is allowed.
    Remote(Remote),
}

/// A location in a store, split into its parts, so that the prefix `s3://bucket/weather` does not match
/// `s3://bucket/weather2`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Remote {
    scheme: String,
    authority: String,
    folders: Vec<String>,
}

/// Refusal of a place that the worker may not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Outside {
    #[error(
        "the worker may not read {0}: it is outside of the allowed places\nthe worker's owner can allow it: tdb worker --allow PLACE"
    )]
    NotAllowed(String),
    #[error("the worker may not read {0}: {1}")]
    Odd(String, &'static str),
}

impl Allowed {
    /// Allows only these places: local paths and URIs of stores. Symbolic links are resolved once, here.
    ///
    /// # Errors
    /// A local path that does not exist, or text that is neither a path nor a URI.
    pub fn new<P: AsRef<str>>(places: impl IntoIterator<Item = P>) -> Result<Self, ClusterError> {
        let places = places.into_iter().map(|place| {
            let place = place.as_ref();
            Place::of(place).map_err(|what| ClusterError::Place {
                place: place.to_owned(),
                what,
            })
        });
        Ok(Self {
            places: places.collect::<Result<_, _>>()?,
        })
    }

    /// Resolves a URI to the form in which the array is opened, if it lies within an allowed place.
    pub(crate) fn uri(&self, uri: &str) -> Result<String, Outside> {
        let Some(path) = local(uri) else {
            let remote = Remote::of(uri).map_err(|what| Outside::Odd(uri.to_owned(), what))?;
            let is_within =
                |place: &Place| matches!(place, Place::Remote(place) if place.holds(&remote));
            if !self.places.iter().any(is_within) {
                return Err(Outside::NotAllowed(uri.to_owned()));
            }
            return Ok(uri.to_owned());
        };
        let path = self.path(path)?;
        let text = path
            .to_str()
            .ok_or_else(|| Outside::Odd(uri.to_owned(), "its name is not UTF-8"))?;
        Ok(format!("file://{text}"))
    }

    /// Checks that a file, given by the URL of its store and its path in that store, lies within an allowed place.
    pub(crate) fn file(&self, store: &str, path: &str) -> Result<(), Outside> {
        let shown = || format!("{}/{path}", store.trim_end_matches('/'));
        let odd = |what| Outside::Odd(shown(), what);
        let url = Url::parse(store).map_err(|_| odd("its store is not a URL"))?;
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(odd("its store is more than a scheme and a host"));
        }
        if url.scheme() == "file" {
            if url.has_host() {
                return Err(odd("its URL names another host"));
            }
            self.path(Path::new("/").join(path).as_path())?;
            return Ok(());
        }
        self.uri(&shown())?;
        Ok(())
    }

    /// Resolves the symbolic links of an absolute path and checks that the result lies within an allowed place.
    fn path(&self, path: &Path) -> Result<PathBuf, Outside> {
        let not_allowed = || Outside::NotAllowed(path.display().to_string());
        if !path.is_absolute() {
            let what = "it is not absolute";
            return Err(Outside::Odd(path.display().to_string(), what));
        }
        let resolved = resolve(path).ok_or_else(not_allowed)?;
        let holds =
            |place: &Place| matches!(place, Place::Local(place) if resolved.starts_with(place));
        if !self.places.iter().any(holds) {
            return Err(not_allowed());
        }
        Ok(resolved)
    }
}

/// Resolves the symbolic links of a path. If the path does not exist, its longest existing ancestor is resolved and
/// the missing names are appended, so that a path outside the allowed places is refused in the same way whether or
/// not it exists. `None` if the path cannot be resolved safely.
fn resolve(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut there = path;
    loop {
        match there.canonicalize() {
            Ok(mut resolved) => {
                resolved.extend(missing.into_iter().rev());
                return Some(resolved);
            }
            Err(_) => match there.components().next_back()? {
                Component::Normal(name) => missing.push(name),
                // `..` after a missing name has no defined target.
                _ => return None,
            },
        }
        // A dangling link may point somewhere else a moment later.
        if there.is_symlink() {
            return None;
        }
        there = there.parent()?;
    }
}

/// The local path of a URI; `None` if the URI names a store. All URIs of tdb follow this rule.
fn local(uri: &str) -> Option<&Path> {
    match uri.split_once("://") {
        None => Some(Path::new(uri)),
        Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => Some(Path::new(path)),
        Some(_) => None,
    }
}

impl Place {
    fn of(place: &str) -> Result<Self, String> {
        match local(place) {
            Some(path) if path.as_os_str().is_empty() => Err("the path is empty".to_owned()),
            Some(path) => Ok(Self::Local(
                path.canonicalize().map_err(|error| error.to_string())?,
            )),
            None => Ok(Self::Remote(Remote::of(place)?)),
        }
    }
}

impl Remote {
    /// Splits a URI into its parts. Text that stores or servers may interpret differently, such as encoded dots and
    /// slashes, is refused.
    fn of(uri: &str) -> Result<Self, &'static str> {
        let (scheme, rest) = uri.split_once("://").ok_or("it has no scheme")?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if scheme.is_empty() || authority.is_empty() {
            return Err("it names no bucket, container or server");
        }
        if authority.contains(['@', '\\', '%', '?', '#']) {
            return Err("the name of its bucket or server contains invalid characters");
        }
        if path.contains(['\\', '?', '#']) || path.chars().any(char::is_control) {
            return Err("its path contains characters that stores interpret differently");
        }
        let lower = path.to_ascii_lowercase();
        if ["%2e", "%2f", "%5c", "%25"]
            .iter()
            .any(|sign| lower.contains(sign))
        {
            return Err("its path contains an encoded dot, slash or percent sign");
        }
        let path = path.trim_end_matches('/');
        let folders: Vec<String> = match path {
            "" => Vec::new(),
            path => path.split('/').map(str::to_owned).collect(),
        };
        if folders
            .iter()
            .any(|name| matches!(name.as_str(), "" | "." | ".."))
        {
            return Err("its path contains an empty part, . or ..");
        }
        Ok(Self {
            scheme: scheme.to_ascii_lowercase(),
            authority: authority.to_owned(),
            folders,
        })
    }

    fn holds(&self, other: &Self) -> bool {
        self.scheme == other.scheme
            && self.authority == other.authority
            && other.folders.starts_with(&self.folders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_without_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name).display().to_string();
        std::fs::create_dir_all(at("in/array/__schema")).unwrap();
        std::fs::create_dir_all(at("inside")).unwrap();
        std::fs::write(at("secret"), "").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("secret"), at("in/link")).unwrap();
            std::os::unix::fs::symlink(at(""), at("in/up")).unwrap();
            std::os::unix::fs::symlink(at("nowhere"), at("in/dangling")).unwrap();
            std::os::unix::fs::symlink(at("in"), at("alias")).unwrap();
        }
        let allowed = Allowed::new([at("in")]).unwrap();
        for fine in [
            "in",
            "in/array",
            "in/array/",
            "in/nothing/there",
            "alias/array",
        ] {
            assert!(allowed.uri(&at(fine)).is_ok(), "{fine}");
            assert!(
                allowed.uri(&format!("FILE://{}", at(fine))).is_ok(),
                "{fine}"
            );
        }
        for outside in [
            "secret",
            "inside",
            "in/link",
            "in/up",
            "in/up/secret",
            "in/dangling",
            "in/../secret",
            "in/nothing/../../secret",
            "",
            "nothing",
        ] {
            let error = allowed.uri(&at(outside)).unwrap_err();
            assert!(
                matches!(error, Outside::NotAllowed(_)),
                "{outside}: {error}"
            );
            assert!(
                allowed.file("file:///", &at(outside)[1..]).is_err(),
                "{outside}"
            );
        }
        assert_eq!(
            allowed.uri(&at("alias/array")).unwrap(),
            format!("file://{}", at("in/array"))
        );
        assert!(allowed.uri("in/array").is_err());
        assert!(allowed.file("file://host/", &at("in/array")[1..]).is_err());
        assert!(allowed.file("file:///x", "y").is_err());
        assert!(Allowed::new([at("nothing")]).is_err());
        assert!(Allowed::new([""]).is_err());
    }

    #[test]
    fn stores_are_compared_by_whole_names() {
        let allowed = Allowed::new(["s3://bucket/a/b", "https://host:8443"]).unwrap();
        for fine in [
            "s3://bucket/a/b",
            "S3://bucket/a/b/c/",
            "https://host:8443/any/path",
        ] {
            assert!(allowed.uri(fine).is_ok(), "{fine}");
        }
        for outside in [
            "s3://bucket",
            "s3://bucket/a",
            "s3://bucket/a/bc",
            "s3://bucket2/a/b",
            "gs://bucket/a/b",
            "s3://bucket/a/b/../c",
            "s3://bucket/a/b/%2e%2E/c",
            "s3://bucket/a/b\\..\\..\\c",
            "s3://bucket/a/b?endpoint=x",
            "s3://u@bucket/a/b",
            "http://host:8443/x",
            "https://host/x",
            "s3://bucket/a/b/x%2f..",
            "s3://bucket/a//b",
            "s3:///a/b",
            "/etc/hostname",
        ] {
            assert!(allowed.uri(outside).is_err(), "{outside}");
        }
        assert!(allowed.file("s3://bucket/", "a/b/c.csv").is_ok());
        assert!(allowed.file("s3://bucket/", "a/c.csv").is_err());
        assert!(allowed.file("http://169.254.169.254/", "latest").is_err());
        assert!(allowed.file("https://me:pw@host:8443/", "x").is_err());
        assert!(Allowed::new(["s3://"]).is_err());
    }
}
