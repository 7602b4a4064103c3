//! The part of HTTP/1.1 that clients of object stores use.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::{Bucket, Deed, Does};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path without the query, still percent-encoded.
    pub(crate) path: String,
    /// The query's names and values, decoded.
    pub(crate) query: Vec<(String, String)>,
    /// The headers, with names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| &**value)
    }

    pub(crate) fn is_listing(&self) -> bool {
        self.value("list-type").is_some()
    }

    /// True if the bucket is part of the host name.
    pub(crate) fn is_virtual(&self) -> bool {
        self.header("host")
            .is_some_and(|host| host.starts_with("bucket."))
    }

    /// True if this reads an object.
    pub(crate) fn is_read(&self) -> bool {
        self.method == "GET" && !self.is_listing()
    }
}

/// An answer to send.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Creates an error in the format of S3.
    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        let body = format!(
            "<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        );
        Self::new(status, body)
    }

    fn header(&self, name: &str) -> bool {
        self.headers.iter().any(|(key, _)| key == name)
    }

    fn head(&self, is_endless: bool) -> String {
        let mut text = format!("HTTP/1.1 {} Status\r\n", self.status);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if is_endless {
            text.push_str("transfer-encoding: chunked\r\n");
        } else if !self.header("content-length") {
            text.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        text + "\r\n"
    }
}

/// Answers the requests of one connection.
pub(crate) fn serve(
    client: TcpStream,
    deed: &Deed,
    bucket: &Bucket,
    notes: &Mutex<Vec<Request>>,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut out = client.try_clone()?;
    let mut requests = BufReader::new(client);
    while let Some(request) = next(&mut requests)? {
        let before = {
            let mut notes = notes.lock().unwrap();
            let same = |one: &&Request| one.method == request.method && one.path == request.path;
            let before = notes.iter().filter(same).count();
            notes.push(request.clone());
            before
        };
        let is_head = request.method == "HEAD";
        match deed(&request, before) {
            Does::Serves => send(&mut out, &bucket.answer(&request), is_head)?,
            Does::Says(answer) => send(&mut out, &answer, is_head)?,
            Does::ServesAndSays(answer) => {
                bucket.answer(&request);
                send(&mut out, &answer, is_head)?;
            }
            Does::Stalls => return wait(&mut requests),
            Does::ServesUnheard => {
                bucket.answer(&request);
                return Ok(());
            }
            Does::HangsUp => return Ok(()),
            Does::CutsAfter(count) => {
                return part(&mut out, &bucket.answer(&request), count, is_head);
            }
            Does::StallsAfter(count) => {
                part(&mut out, &bucket.answer(&request), count, is_head)?;
                return wait(&mut requests);
            }
            Does::NeverEnds(answer) => return pour(&mut out, &answer),
        }
    }
    Ok(())
}

fn next(from: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if from.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers
        .get("content-length")
        .map_or(0, |v| v.parse().unwrap());
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    // A proxy receives the whole URL.
    let target = match target.strip_prefix("http://") {
        Some(address) => &address[address.find('/').unwrap()..],
        None => &target,
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let query = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    });
    Ok(Some(Request {
        method,
        path: path.to_owned(),
        query: query.collect(),
        headers,
        body,
    }))
}

/// Decodes percent escapes.
pub(crate) fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_encoding::percent_decode_str(&text)
        .decode_utf8()
        .unwrap()
        .into_owned()
}

fn send(out: &mut TcpStream, answer: &Answer, is_head: bool) -> io::Result<()> {
    out.write_all(answer.head(false).as_bytes())?;
    if !is_head {
        out.write_all(&answer.body)?;
    }
    Ok(())
}

fn part(out: &mut TcpStream, answer: &Answer, count: usize, is_head: bool) -> io::Result<()> {
    out.write_all(answer.head(false).as_bytes())?;
    let count = if is_head { 0 } else { count };
    out.write_all(&answer.body[..count.min(answer.body.len())])
}

/// Waits until the client hangs up.
fn wait(from: &mut impl Read) -> io::Result<()> {
    io::copy(from, &mut io::sink()).map(drop)
}

fn pour(out: &mut TcpStream, answer: &Answer) -> io::Result<()> {
    out.write_all(answer.head(true).as_bytes())?;
    let chunk = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
    loop {
        out.write_all(&chunk)?;
        thread::sleep(Duration::from_micros(10));
    }
}
