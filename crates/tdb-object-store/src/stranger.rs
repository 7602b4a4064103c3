//! Answers that are of no object store, although they say that all is well: pages of sign-ins and of consoles.

use http::{HeaderMap, Method, Uri, header};

use crate::Service;
use crate::elsewhere::Elsewhere;
use crate::said;

/// Bytes at the beginning of an answer in which its first element is looked for.
const LOOKED_AT: usize = 4096;
/// Endings of names of objects that are pages, and may be told as such.
const PAGES: [&str; 4] = [".html", ".htm", ".xhtml", ".shtml"];

/// What was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    address: Uri,
    service: Service,
}

impl Asked {
    pub(crate) fn new(method: &Method, address: &Uri, service: Service) -> Self {
        Self {
            method: method.clone(),
            address: address.clone(),
            service,
        }
    }

    /// Whether this asks for what lies in a folder, as the services spell it.
    pub(crate) fn is_listing(&self) -> bool {
        if self.method != Method::GET {
            return self.is_folder();
        }
        let asks = ["list-type=", "comp=list", "delimiter="];
        let query = self.address.query();
        query.is_some_and(|query| asks.iter().any(|part| query.contains(part)))
    }

    /// Whether a server of files is asked for what lies in a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.method.as_str() == "PROPFIND"
    }

    /// Whether the head of an answer is that of a page, where an object is asked for. An object may be a page: of a store, one
    /// has a tag; of a server of files, a name that says so.
    pub(crate) fn is_page(&self, headers: &HeaderMap) -> bool {
        let kind = headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or("").trim_start().to_ascii_lowercase();
        if !kind.starts_with("text/html") && !kind.starts_with("application/xhtml") {
            return false;
        }
        if self.service == Service::Http {
            let name = self.address.path().to_ascii_lowercase();
            return !PAGES.iter().any(|ending| name.ends_with(ending));
        }
        !headers.contains_key(header::ETAG)
    }

    /// What is wrong with a whole answer that is no object, if it is of no object store.
    pub(crate) fn stranger(&self, body: &[u8]) -> Option<Elsewhere> {
        let text = String::from_utf8_lossy(body.get(..LOOKED_AT).unwrap_or(body));
        let root = root(&text);
        let is_right = if self.is_listing() {
            root.as_deref() == Some(self.listing())
        } else {
            !is_html(root.as_deref())
        };
        (!is_right).then(|| self.told(&text))
    }

    /// That an answer is of no object store.
    pub(crate) fn told(&self, text: &str) -> Elsewhere {
        let root = root(text);
        let what = match root {
            _ if is_html(root.as_deref()) => match said::between(text, "<title>", "</title>") {
                Some(title) => format!("a web page called {:?}", said::short(&title)),
                None => "a web page".to_owned(),
            },
            Some(root) if root == "Error" => {
                said::of_server(text).unwrap_or_else(|| "an error".to_owned())
            }
            Some(root) => format!("<{}>", said::short(&root)),
            None if text.trim().is_empty() => "nothing".to_owned(),
            None => "something else".to_owned(),
        };
        Elsewhere::Stranger {
            asked: self.in_words(),
            what,
        }
    }

    /// The method and the address, without the query, which may hold what is secret.
    pub(crate) fn in_words(&self) -> String {
        let address = self.address.to_string();
        let address = address.split('?').next().unwrap_or(&address);
        format!("{} {}", self.method, said::short(address))
    }

    /// What the answer to a listing begins with.
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

/// The name of the first element of a text in XML or HTML, without the name of its space.
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
    let name = name.split(is_end).next()?;
    let name = name.rsplit(':').next()?;
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
