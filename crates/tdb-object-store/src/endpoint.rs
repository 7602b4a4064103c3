//! Addresses of servers and buckets.

use url::{Host, Url};

/// Parses the address of a server; `named_by` is the setting or variable that contains it.
///
/// # Errors
/// A message that names `named_by` and shows what an address should look like.
pub(crate) fn server(value: &str, named_by: &str) -> Result<Url, String> {
    let value = value.trim();
    let wrong = |what: &str| Err(format!("{named_by} is {value:?}, and {what}"));
    if value.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return wrong("no address has a blank in it: it should be like https://host:port");
    }
    if !value.contains("://") {
        return wrong(&format!(
            "lacks its beginning: it should be https://{value}, or http://{value} where nothing is encrypted"
        ));
    }
    let Ok(url) = Url::parse(value) else {
        return wrong("not an address: it should be like https://host:port");
    };
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return wrong("not an address of HTTP: it should be like https://host:port");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "{named_by} has a name or a password in it, which belong into settings of their own"
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return wrong("an address of a server has no ? or #");
    }
    Ok(url)
}

/// Returns the address of a bucket: `http://bucket.server/path` if `is_virtual`, else `http://server/path/bucket`. The
/// second form is also used if the bucket's name cannot be part of a host name, and if the server is an IP address.
///
/// # Errors
/// The resulting host name is invalid.
pub(crate) fn of_bucket(server: &Url, bucket: &str, is_virtual: bool) -> Result<String, String> {
    let mut url = server.clone();
    let host = match url.host() {
        Some(Host::Domain(host)) if is_virtual && is_of_host(bucket, server.scheme()) => {
            Some(format!("{bucket}.{host}"))
        }
        _ => None,
    };
    if let Some(host) = host {
        url.set_host(Some(&host))
            .map_err(|error| format!("{host} is no name of a server: {error}"))?;
        return Ok(url.as_str().trim_end_matches('/').to_owned());
    }
    Ok(format!("{}/{bucket}", url.as_str().trim_end_matches('/')))
}

/// True if the name of a bucket can be the first part of a host name. With `https`, a name with dots cannot: a
/// wildcard certificate covers only one level.
pub(crate) fn is_of_host(bucket: &str, scheme: &str) -> bool {
    let is_label = |label: &str| {
        let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = label.as_bytes();
        is_end(bytes.first())
            && is_end(bytes.last())
            && bytes
                .iter()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    let has_length = (3..=63).contains(&bucket.len());
    let has_levels = scheme == "http" || !bucket.contains('.');
    has_length && has_levels && bucket.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_the_host_or_the_first_folder() {
        for (address, bucket, is_virtual, expected) in [
            (
                "http://server:9000",
                "mine",
                false,
                "http://server:9000/mine",
            ),
            (
                "http://server:9000",
                "mine",
                true,
                "http://mine.server:9000",
            ),
            ("https://server/", "mine", true, "https://mine.server"),
            ("http://server/a/b/", "mine", true, "http://mine.server/a/b"),
            (
                "http://server/a/b/",
                "mine",
                false,
                "http://server/a/b/mine",
            ),
            // A host that begins with the bucket's name is treated like any other.
            (
                "http://mine.server",
                "mine",
                true,
                "http://mine.mine.server",
            ),
            // IP addresses, and names that cannot be part of a host name.
            (
                "http://127.0.0.1:9000",
                "mine",
                true,
                "http://127.0.0.1:9000/mine",
            ),
            ("http://[::1]:9000", "mine", true, "http://[::1]:9000/mine"),
            ("http://server", "Mine_x", true, "http://server/Mine_x"),
            ("http://server", "mi.ne", true, "http://mi.ne.server"),
            ("https://server", "mi.ne", true, "https://server/mi.ne"),
        ] {
            let server = server(address, "x").unwrap();
            let found = of_bucket(&server, bucket, is_virtual).unwrap();
            assert_eq!(found, expected, "{address} {bucket}");
        }
    }

    #[test]
    fn what_is_no_address_is_told_with_its_name() {
        for (value, told) in [
            (
                "127.0.0.1:9000",
                "it should be https://127.0.0.1:9000, or http://127.0.0.1:9000",
            ),
            ("localhost:9000", "it should be https://localhost:9000"),
            ("http://host :9000", "no address has a blank in it"),
            ("ftp://host", "not an address of HTTP"),
            ("http://", "not an address"),
            ("http://host?x", "no ? or #"),
        ] {
            let error = server(value, "AWS_ENDPOINT_URL").unwrap_err();
            assert!(error.starts_with("AWS_ENDPOINT_URL is \""), "{error}");
            assert!(error.contains(told), "{error}");
        }
        let secret = server("http://me:secret@host", "AWS_ENDPOINT_URL").unwrap_err();
        assert!(!secret.contains("secret@"), "{secret}");
        assert_eq!(
            server(" http://host:1\n", "x").unwrap().as_str(),
            "http://host:1/"
        );
    }
}
