//! Objects in memory, and the requests that operate on them.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::http::decoded;
use super::{Answer, Request};

const MODIFIED: &str = "2024-01-02T03:04:05.000Z";

/// Objects, and uploads in progress.
pub(crate) struct Bucket {
    pub(crate) objects: Mutex<BTreeMap<String, Vec<u8>>>,
    pub(crate) uploads: Mutex<BTreeMap<String, BTreeMap<usize, Vec<u8>>>>,
    /// Entries per page of a listing.
    pub(crate) page: AtomicUsize,
}

impl Default for Bucket {
    fn default() -> Self {
        Self {
            objects: Mutex::default(),
            uploads: Mutex::default(),
            page: AtomicUsize::new(1000),
        }
    }
}

impl Bucket {
    pub(crate) fn put(&self, key: &str, bytes: &[u8]) {
        self.objects
            .lock()
            .unwrap()
            .insert(key.to_owned(), bytes.to_vec());
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.objects.lock().unwrap().contains_key(key)
    }

    /// Returns the answer of a server without faults.
    pub(crate) fn answer(&self, request: &Request) -> Answer {
        let path = decoded(&request.path.replace('+', "%2B"));
        let path = path.trim_start_matches('/');
        // The bucket is the first folder, or the first part of the host name.
        let key = if request.is_virtual() {
            path
        } else {
            path.split_once('/').map_or("", |(_, key)| key)
        };
        let has = |name| request.value(name).is_some();
        match &*request.method {
            "GET" if request.is_listing() => self.list(request),
            "GET" | "HEAD" => self.get(request, key),
            "PUT" if has("uploadId") => self.part(request),
            "PUT" => self.store(request, key),
            "POST" if has("uploads") => self.begin(),
            "POST" if has("uploadId") => self.complete(request, key),
            "POST" if has("delete") => self.remove_many(request),
            "DELETE" if has("uploadId") => {
                self.uploads
                    .lock()
                    .unwrap()
                    .remove(request.value("uploadId").unwrap());
                Answer::new(204, "")
            }
            "DELETE" => {
                self.objects.lock().unwrap().remove(key);
                Answer::new(204, "")
            }
            _ => Answer::error(405, "MethodNotAllowed", "not by this server"),
        }
    }

    fn get(&self, request: &Request, key: &str) -> Answer {
        let objects = self.objects.lock().unwrap();
        let Some(bytes) = objects.get(key) else {
            return Answer::error(404, "NoSuchKey", "there is no such object");
        };
        let size = bytes.len();
        let described = |answer: Answer| {
            let answer = answer.with("etag", tag(bytes));
            answer.with("last-modified", "Tue, 02 Jan 2024 03:04:05 GMT")
        };
        let Some(range) = request.header("range") else {
            return described(Answer::new(200, bytes.clone()));
        };
        let (first, last) = range.trim_start_matches("bytes=").split_once('-').unwrap();
        let number = |text: &str| text.parse::<usize>().unwrap();
        let (start, end) = match (first, last) {
            ("", last) => (size.saturating_sub(number(last)), size),
            (first, "") => (number(first), size),
            (first, last) => (number(first), size.min(number(last) + 1)),
        };
        if start >= end {
            let told = Answer::error(416, "InvalidRange", "there are no such bytes");
            return told.with("content-range", format!("bytes */{size}"));
        }
        let told = described(Answer::new(206, &bytes[start..end]));
        told.with("content-range", format!("bytes {start}-{}/{size}", end - 1))
    }

    fn store(&self, request: &Request, key: &str) -> Answer {
        let mut objects = self.objects.lock().unwrap();
        let is_new = request.header("if-none-match") == Some("*")
            || request.header("x-goog-if-generation-match") == Some("0");
        if is_new && objects.contains_key(key) {
            return Answer::error(412, "PreconditionFailed", "there is such an object");
        }
        objects.insert(key.to_owned(), request.body.clone());
        Answer::new(200, "").with("etag", tag(&request.body))
    }

    fn begin(&self) -> Answer {
        let mut uploads = self.uploads.lock().unwrap();
        let id = format!("upload-{}", uploads.len());
        uploads.insert(id.clone(), BTreeMap::new());
        Answer::new(
            200,
            format!("<Initiated><UploadId>{id}</UploadId></Initiated>"),
        )
    }

    fn part(&self, request: &Request) -> Answer {
        let number = request.value("partNumber").unwrap().parse().unwrap();
        let mut uploads = self.uploads.lock().unwrap();
        let Some(upload) = uploads.get_mut(request.value("uploadId").unwrap()) else {
            return Answer::error(404, "NoSuchUpload", "there is no such upload");
        };
        upload.insert(number, request.body.clone());
        Answer::new(200, "").with("etag", tag(&request.body))
    }

    fn complete(&self, request: &Request, key: &str) -> Answer {
        let upload = self
            .uploads
            .lock()
            .unwrap()
            .remove(request.value("uploadId").unwrap());
        let Some(parts) = upload else {
            return Answer::error(404, "NoSuchUpload", "there is no such upload");
        };
        let whole: Vec<u8> = parts.into_values().flatten().collect();
        let tag = tag(&whole);
        self.objects.lock().unwrap().insert(key.to_owned(), whole);
        Answer::new(200, format!("<Completed><ETag>{tag}</ETag></Completed>"))
    }

    fn remove_many(&self, request: &Request) -> Answer {
        let body = String::from_utf8(request.body.clone()).unwrap();
        let keys = body
            .split("<Key>")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once("</Key>")?.0));
        let mut told = "<DeleteResult>".to_owned();
        for key in keys {
            self.objects.lock().unwrap().remove(&unescaped(key));
            told.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
        }
        Answer::new(200, told + "</DeleteResult>")
    }

    /// Lists a page: the objects and folders after the one in the token.
    fn list(&self, request: &Request) -> Answer {
        let prefix = request.value("prefix").unwrap_or_default();
        let token = request.value("continuation-token").unwrap_or_default();
        let by_folder = request.value("delimiter") == Some("/");
        let objects = self.objects.lock().unwrap();
        let (mut text, mut count, mut last) = (String::new(), 0, token.to_owned());
        let from = if token < prefix {
            Bound::Included(prefix)
        } else {
            Bound::Excluded(token)
        };
        let found = objects.range::<str, _>((from, Bound::Unbounded));
        let mut next = None;
        for (key, bytes) in found.take_while(|(key, _)| key.starts_with(prefix)) {
            let below = &key[prefix.len()..];
            let folder = below.find('/').filter(|_| by_folder);
            let folder = folder.map(|at| &key[..=prefix.len() + at]);
            if folder.is_some_and(|folder| folder == last) {
                continue;
            }
            if count == self.page.load(Ordering::Relaxed) {
                next = Some(last.clone());
                break;
            }
            count += 1;
            if let Some(folder) = folder {
                let name = escaped(folder);
                text += &format!("<CommonPrefixes><Prefix>{name}</Prefix></CommonPrefixes>");
                folder.clone_into(&mut last);
            } else {
                text += &listed(key, bytes.len());
                key.clone_into(&mut last);
            }
        }
        let next = next.map(|token| escaped(&token));
        page(&text, next.as_deref())
    }
}

/// Returns the entry of an object in a listing.
pub(crate) fn listed(key: &str, size: usize) -> String {
    let key = escaped(key);
    format!(
        "<Contents><Key>{key}</Key><Size>{size}</Size><LastModified>{MODIFIED}</LastModified></Contents>"
    )
}

/// Returns a page of a listing.
pub(crate) fn page(text: &str, next: Option<&str>) -> Answer {
    let next = next.map(|token| format!("<NextContinuationToken>{token}</NextContinuationToken>"));
    let next = next.unwrap_or_default();
    Answer::new(
        200,
        format!("<ListBucketResult>{text}{next}</ListBucketResult>"),
    )
}

fn tag(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(7_u64, |sum, byte| {
        sum.wrapping_mul(1_000_003) ^ u64::from(*byte)
    });
    format!("\"{sum:x}\"")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn unescaped(text: &str) -> String {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    text.replace("&apos;", "'").replace("&amp;", "&")
}
