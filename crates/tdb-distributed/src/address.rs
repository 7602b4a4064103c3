//! Addresses of workers, as text and as URLs.

use url::Url;

use crate::ClusterError;

/// Parses `HOST:PORT` into the URL of a worker.
pub(crate) fn url(address: &str) -> Result<Url, ClusterError> {
    let wrong = || ClusterError::Address {
        address: address.to_owned(),
    };
    let (host, port) = address.trim().rsplit_once(':').ok_or_else(wrong)?;
    let port: u16 = port.parse().map_err(|_| wrong())?;
    if host.is_empty() || host.contains(['/', '@', '?', '#']) {
        return Err(wrong());
    }
    Url::parse(&format!("http://{host}:{port}")).map_err(|_| wrong())
}

/// Formats the URL of a worker as `HOST:PORT`.
pub(crate) fn text(url: &Url) -> String {
    // A URL omits the default port of its scheme.
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        _ => url.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_a_host_and_a_port() {
        for address in [
            "127.0.0.1:7000",
            "localhost:80",
            "[::1]:7000",
            "worker-1.example:7000",
        ] {
            let url = url(address).unwrap();
            assert_eq!(text(&url), address);
        }
        for wrong in [
            "",
            "host",
            "host:",
            ":7000",
            "host:70000",
            "http://host:70",
            "a/b:1",
            "me@host:1",
        ] {
            assert!(url(wrong).is_err(), "{wrong}");
        }
    }
}
