//! An HTTP/1.1 proxy on this machine that forwards each request to a server: it records the requests, and delays the
//! answers like a distant store.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::Duration;

/// A recorded request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// Path with the query.
    pub(crate) path: String,
    /// Value of the `Range` header, if sent.
    pub(crate) range: Option<String>,
}

/// The proxy. Its threads end with the process.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Proxy {
    /// Starts a proxy for the server at port `server`.
    pub(crate) fn start(server: u16, delay: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let notes = Arc::clone(&asked);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let notes = Arc::clone(&notes);
                // If a connection breaks, the client reports it.
                thread::spawn(move || serve(client, server, delay, &notes));
            }
        });
        Ok(Self { port, asked })
    }

    /// Returns the requests since the last call.
    pub(crate) fn take(&self) -> Vec<Asked> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *asked)
    }
}

/// Forwards the requests of one connection.
fn serve(
    client: TcpStream,
    server: u16,
    delay: Duration,
    notes: &Mutex<Vec<Asked>>,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    client.set_nodelay(true)?;
    let mut answers = client.try_clone()?;
    let mut requests = BufReader::new(client);
    let upstream = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    upstream.set_nodelay(true)?;
    let mut to = upstream.try_clone()?;
    let mut from = BufReader::new(upstream);
    while let Some(request) = head(&mut requests)? {
        let asked = request.asked()?;
        let is_head = asked.method == "HEAD";
        notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(asked);
        to.write_all(request.text.as_bytes())?;
        if request.value("expect").is_some() {
            let go_on = head(&mut from)?.ok_or("the server hung up")?;
            answers.write_all(go_on.text.as_bytes())?;
        }
        body(&request, &mut requests, &mut to)?;
        let answer = head(&mut from)?.ok_or("the server hung up")?;
        sleep(delay);
        answers.write_all(answer.text.as_bytes())?;
        if !is_head && answer.may_have_body() {
            body(&answer, &mut from, &mut answers)?;
        }
        if answer
            .value("connection")
            .is_some_and(|v| v.eq_ignore_ascii_case("close"))
        {
            break;
        }
    }
    Ok(())
}

/// The lines before a body.
struct Head {
    text: String,
}

impl Head {
    fn first_line(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    fn value(&self, name: &str) -> Option<&str> {
        let mut lines = self.text.lines().skip(1);
        lines.find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn asked(&self) -> Result<Asked, Box<dyn Error + Send + Sync>> {
        let mut words = self.first_line().split(' ');
        let (method, path) = words
            .next()
            .zip(words.next())
            .ok_or_else(|| format!("no request: {}", self.first_line()))?;
        Ok(Asked {
            method: method.to_owned(),
            path: path.to_owned(),
            range: self.value("range").map(str::to_owned),
        })
    }

    fn may_have_body(&self) -> bool {
        let status = self.first_line().split(' ').nth(1).unwrap_or_default();
        !(status.starts_with('1') || status == "204" || status == "304")
    }
}

/// Reads the next head; `None` if the other side has closed the connection.
fn head(from: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut text = String::new();
    loop {
        let before = text.len();
        if from.read_line(&mut text)? == 0 {
            return Ok(None);
        }
        if matches!(text.get(before..), Some("\r\n" | "\n")) {
            return Ok(Some(Head { text }));
        }
    }
}

/// Forwards the body that a head announces, by length or in chunks.
fn body(head: &Head, from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    if let Some(length) = head.value("content-length") {
        let length = length.parse().map_err(io::Error::other)?;
        io::copy(&mut from.take(length), to)?;
    } else if head.value("transfer-encoding").is_some() {
        chunks(from, to)?;
    }
    to.flush()
}

fn chunks(from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        to.write_all(line.as_bytes())?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        if size == 0 {
            break;
        }
        io::copy(&mut from.take(size.saturating_add(2)), to)?;
    }
    // Forwards trailers, and the empty line that ends them.
    loop {
        let mut line = String::new();
        let read = from.read_line(&mut line)?;
        to.write_all(line.as_bytes())?;
        if read == 0 || line == "\r\n" {
            return Ok(());
        }
    }
}
