//! Resolution of URIs in groups.

/// The target of a URI: a folder in the store, or anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UriTarget {
    /// A folder in the store of the group, inside the group that was opened first.
    Inside(String),
    /// Any other target: its URI, resolved as far as possible.
    Outside(String),
}

/// The base against which URIs are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Base {
    /// The URI of the store's root; empty if it has none.
    store: String,
    /// The parts of the folder that URIs must not leave.
    root: Vec<String>,
}

impl Base {
    /// Creates a base for the folder `root` of the store at `store_uri`.
    pub(crate) fn new(store_uri: &str, root: &str) -> Self {
        Self {
            store: store_uri.trim_end_matches('/').to_owned(),
            root: parts(root),
        }
    }

    /// Returns the URI of a folder of the store.
    pub(crate) fn uri(&self, prefix: &str) -> String {
        match (self.store.as_str(), prefix) {
            ("", prefix) => prefix.to_owned(),
            (store, "") => store.to_owned(),
            (store, prefix) => format!("{store}/{prefix}"),
        }
    }

    /// Resolves an absolute URI, or a relative one in the folder `within`.
    pub(crate) fn resolve(&self, within: &str, uri: &str, relative: bool) -> UriTarget {
        let outside = || {
            UriTarget::Outside(if relative {
                format!("{}/{uri}", self.uri(within))
            } else {
                uri.to_owned()
            })
        };
        let (mut path, rest) = if relative {
            (parts(within), uri)
        } else {
            match self.below_store(uri) {
                Some(rest) => (Vec::new(), rest),
                None => return outside(),
            }
        };
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." if path.pop().is_none() => return outside(),
                ".." => {}
                part => path.push(part.to_owned()),
            }
        }
        let inside = path.starts_with(&self.root) && !uri.contains('\0');
        if inside {
            UriTarget::Inside(path.join("/"))
        } else {
            outside()
        }
    }

    /// Returns the part of an absolute URI after that of the store; `None` if it is not in the store.
    fn below_store<'a>(&self, uri: &'a str) -> Option<&'a str> {
        let scheme = |uri: &'a str| uri.strip_prefix("file://").unwrap_or(uri);
        let store = self.store.strip_prefix("file://").unwrap_or(&self.store);
        let rest = scheme(uri).strip_prefix(store)?;
        let known = !self.store.is_empty() && (rest.is_empty() || rest.starts_with('/'));
        known.then_some(rest)
    }
}

fn parts(prefix: &str) -> Vec<String> {
    let parts = prefix.split('/').filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Base, UriTarget};

    #[test]
    fn a_store_without_uri_knows_no_absolute_one() {
        let base = Base::new("", "group");
        let outside = UriTarget::Outside("/group/a".to_owned());
        assert_eq!(base.resolve("group", "/group/a", false), outside);
        assert_eq!(base.uri("group"), "group");
    }

    #[test]
    fn the_root_of_a_store_is_a_place_too() {
        let base = Base::new("s3://bucket/", "");
        let inside = |prefix: &str| UriTarget::Inside(prefix.to_owned());
        assert_eq!(base.resolve("", "a//b/.", true), inside("a/b"));
        assert_eq!(base.resolve("x", "s3://bucket/a", false), inside("a"));
        assert_eq!(base.resolve("x", "s3://bucket", false), inside(""));
        assert_eq!(
            (base.uri(""), base.uri("a")),
            ("s3://bucket".into(), "s3://bucket/a".into())
        );
    }

    proptest! {
        #[test]
        fn nothing_leads_out(uri in "[./ab]{0,12}", relative: bool) {
            let base = Base::new("file:///a", "a/b");
            if let UriTarget::Inside(prefix) = base.resolve("a/b", &uri, relative) {
                prop_assert!(prefix == "a/b" || prefix.starts_with("a/b/"), "{prefix}");
                prop_assert!(tdb_store::check_key(&prefix).is_ok());
            }
        }
    }
}
