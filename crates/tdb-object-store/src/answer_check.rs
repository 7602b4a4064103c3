//! Successful answers that do not come from an object store: login pages and consoles.

use http::{HeaderMap, Method, Uri, header};

use crate::Service;
use crate::rejected_answer::RejectedAnswer;
use crate::server_message;

/// Bytes at the beginning of an answer in which its first element is searched.
const LOOKED_AT: usize = 4096;
/// Endings of the names of objects that may be HTML pages.
const PAGES: [&str; 4] = [".html", ".htm", ".xhtml", ".shtml"];

/// The properties of a request by which its answer is validated.
#[derive(Clone, Debug)]
pub(crate) struct SentRequest {
    pub(crate) method: Method,
    address: Uri,
    service: Service,
}

impl SentRequest {
    pub(crate) fn new(method: &Method, address: &Uri, service: Service) -> Self {
        Self {
            method: method.clone(),
            address: address.clone(),
            service,
        }
    }

    /// True if the request lists a folder.
    pub(crate) fn is_listing(&self) -> bool {
        if self.method != Method::GET {
            return self.is_folder();
        }
        let asks = ["list-type=", "comp=list", "delimiter="];
        let query = self.address.query();
        query.is_some_and(|query| asks.iter().any(|part| query.contains(part)))
    }

    /// True if the request lists a folder of an HTTP server.
    pub(crate) fn is_folder(&self) -> bool {
        self.method.as_str() == "PROPFIND"
    }

    /// True if the headers of an answer for an object are those of a web page. An object may itself be a page: in an
    /// object store it then has an ETag; on an HTTP server its name says so.
    pub(crate) fn is_page(&self, headers: &HeaderMap) -> bool {
        let kind = headers
            .get(header::CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or("")
            .trim_start()
            .to_ascii_lowercase();
        if !kind.starts_with("text/html") && !kind.starts_with("application/xhtml") {
            return false;
        }
        if self.service == Service::Http {
            let name = self.address.path().to_ascii_lowercase();
            return !PAGES.iter().any(|ending| name.ends_with(ending));
        }
        !headers.contains_key(header::ETAG)
    }

    /// Checks a whole answer that is not an object; returns an error if it does not come from an object store.
    pub(crate) fn check(&self, body: &[u8]) -> Option<RejectedAnswer> {
        let text = String::from_utf8_lossy(body.get(..LOOKED_AT).unwrap_or(body));
        let root = root(&text);
        let is_right = if self.is_listing() {
            root.as_deref() == Some(self.listing())
        } else {
            !is_html(root.as_deref())
        };
        (!is_right).then(|| self.rejection(&text))
    }

    /// Returns the error that describes such an answer.
    pub(crate) fn rejection(&self, text: &str) -> RejectedAnswer {
        let root = root(text);
        let what = match root {
            _ if is_html(root.as_deref()) => {
                match server_message::between(text, "<title>", "</title>") {
                    Some(title) => format!("a web page called {:?}", server_message::short(&title)),
                    None => "a web page".to_owned(),
                }
            }
            Some(root) if root == "Error" => {
                server_message::of_server(text).unwrap_or_else(|| "an error".to_owned())
            }
            Some(root) => format!("<{}>", server_message::short(&root)),
            None if text.trim().is_empty() => "nothing".to_owned(),
            None => "something else".to_owned(),
        };
        RejectedAnswer::Stranger {
            asked: self.in_words(),
            what,
        }
    }

    /// Returns the method and the address, without the query, which may contain secrets.
    pub(crate) fn in_words(&self) -> String {
        let address = self.address.to_string();
        let before_query = address.split('?').next().unwrap_or(&address);
        format!("{} {}", self.method, server_message::short(before_query))
    }

    /// Returns the root element of a valid listing.
    fn listing(&self) -> &'static str {
        match self.service {
            Service::S3 | Service::Gcs => "ListBucketResult",
            Service::Azure => "EnumerationResults",
            Service::Http => "multistatus",
        }
    }
}

fn is_html(root: Option<&str>) -> bool {
    root.is_some_and(|root| root.eq_ignore_ascii_case("html"))
}

/// Returns the name of the first element of an XML or HTML text, without namespace prefix.
fn root(text: &str) -> Option<String> {
    let mut text = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if text.starts_with("<?") {
            "?>"
        } else if text.starts_with("<!--") {
            "-->"
        } else if text.starts_with("<!") {
            ">"
        } else {
            break;
        };
        text = text.split_once(end)?.1.trim_start();
    }
    let name = text.strip_prefix('<')?;
    let is_end = |char: char| char.is_whitespace() || matches!(char, '>' | '/');
    let name = name.split(is_end).next()?.rsplit(':').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_is_found() {
        for (text, name) in [
            ("<ListBucketResult xmlns='x'/>", Some("ListBucketResult")),
            (
                "\u{feff}<?xml version='1.0'?>\n<!-- a > b --><d:multistatus>",
                Some("multistatus"),
            ),
            ("<!DOCTYPE html>\n<HTML lang=en>", Some("HTML")),
            ("{\"a\": 1}", None),
            ("", None),
            ("<", None),
            ("<!-- no end", None),
        ] {
            assert_eq!(root(text).as_deref(), name, "{text}");
        }
    }
}
