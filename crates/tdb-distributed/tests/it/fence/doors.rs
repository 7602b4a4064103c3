//! Which connections a worker accepts.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tdb_distributed::{Certificates, Cluster, ClusterError, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Fenced, TOKEN};
use crate::cluster::runtime;
use crate::hostile::Hostile;
use crate::plans::text;
use crate::proof::{Anybody, Proof, key};

#[test]
fn who_does_not_prove_the_token_gets_no_answer() {
    let fenced = Fenced::new();
    for proof in [
        Proof::None,
        Proof::Token("a token of somebody else, who tries"),
    ] {
        let stranger = {
            let _entered = fenced.runtime.enter();
            Hostile::new(&fenced.address, proof)
        };
        assert!(fenced.runtime.block_on(stranger.version()).is_err());
        assert!(fenced.runtime.block_on(stranger.run(&text("x"))).is_err());
    }
    // HTTP/2 without TLS, as earlier workers spoke it.
    let answer = fenced.runtime.block_on(async {
        let mut stream = TcpStream::connect(&fenced.address).await.unwrap();
        let hello = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
        stream.write_all(hello).await.unwrap();
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        let _ = tokio::time::timeout(Duration::from_secs(5), read).await;
        answer
    });
    // At most a TLS alert.
    assert!(answer.len() <= 7, "{answer:?}");
    assert!(fenced.told().contains("was refused"), "{}", fenced.told());
    fenced.is_well();
}

#[test]
fn a_client_tells_nothing_to_who_sits_on_the_port() {
    let runtime = runtime();
    let token = Token::new(TOKEN).unwrap();
    let came: Arc<Mutex<Vec<u8>>> = Arc::default();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = Arc::clone(&came);
    // TLS with the key of another token.
    let key = key("the token of the one who sits there", b"worker");
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ));
    let config = config
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap();
    let key = rustls::server::AlwaysResolvesServerRawPublicKeys::new(key);
    let config = config.with_client_cert_verifier(Arc::new(Anybody));
    let config = config.with_cert_resolver(Arc::new(key));
    let tls = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    runtime.spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(mut stream) = tls.accept(stream).await {
                let mut bytes = vec![0; 4096];
                let read = stream.read(&mut bytes).await.unwrap_or(0);
                heard.lock().unwrap().extend(&bytes[..read]);
            }
        }
    });
    let cluster = Cluster::new([&address], &token).unwrap();
    let checked = runtime.block_on(cluster.check());
    assert!(
        matches!(checked, Err(ClusterError::Refused { .. })),
        "{checked:?}"
    );
    assert!(came.lock().unwrap().is_empty());
}

#[test]
fn a_certificate_takes_the_place_of_the_key_of_a_worker_and_not_of_the_token() {
    let at = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/certificates")
            .join(name)
    };
    let shown = Certificates::default().shown(&at("worker.pem"), &at("worker.key"));
    let fenced = Fenced::showing(shown.unwrap());
    let check = |token: &str, authority: Option<&str>| {
        let mut certificates = Certificates::default();
        if let Some(authority) = authority {
            certificates = certificates.trusted(&at(authority)).unwrap();
        }
        let token = Token::new(token).unwrap();
        let cluster = Cluster::with_certificates([&fenced.address], &token, &certificates);
        fenced.runtime.block_on(cluster.unwrap().check())
    };
    check(TOKEN, Some("authority.pem")).unwrap();
    let refused = |checked| {
        assert!(
            matches!(checked, Err(ClusterError::Refused { .. })),
            "{checked:?}"
        )
    };
    refused(check(TOKEN, None));
    refused(check(
        "a token of somebody else, who tries",
        Some("authority.pem"),
    ));
    let other = check(TOKEN, Some("other.pem")).unwrap_err().to_string();
    assert!(other.contains("UnknownIssuer"), "{other}");
    // A key file is not a certificate, and a certificate file is not a key.
    let none = Certificates::default();
    assert!(none.clone().trusted(&at("worker.key")).is_err());
    assert!(
        none.clone()
            .shown(&at("worker.pem"), &at("worker.pem"))
            .is_err()
    );
    assert!(none.shown(&at("nothing.pem"), &at("worker.key")).is_err());
}

#[test]
fn strangers_do_not_keep_the_owner_out() {
    let fenced = Fenced::with(
        |limits| {
            limits.strangers = 16;
            limits.handshake = Duration::from_secs(60);
        },
        None,
    );
    let idle: Vec<TcpStream> = fenced.runtime.block_on(async {
        let mut idle = Vec::new();
        for number in 0..100 {
            let mut stream = TcpStream::connect(&fenced.address).await.unwrap();
            if number % 2 == 0 {
                // Sends the start of a handshake.
                stream.write_all(&[0x16, 3, 1, 2, 0, 1]).await.unwrap();
            }
            idle.push(stream);
        }
        idle
    });
    let begun = Instant::now();
    fenced.is_well();
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    // Only the youngest connections are still open.
    std::thread::sleep(Duration::from_millis(200));
    let open = idle.iter().filter(|stream| {
        let mut byte = [0];
        let read = stream.try_read(&mut byte);
        read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    });
    assert!(open.count() <= 16);
}

#[test]
fn who_does_not_prove_the_token_in_time_is_sent_away() {
    let fenced = Fenced::with(|limits| limits.handshake = Duration::from_millis(300), None);
    let begun = Instant::now();
    let read = fenced.runtime.block_on(async {
        let mut stream = TcpStream::connect(&fenced.address).await.unwrap();
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        tokio::time::timeout(Duration::from_secs(10), read).await
    });
    assert!(read.is_ok(), "still connected");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(
        fenced.told().contains("no proof of the token"),
        "{}",
        fenced.told()
    );
}

#[test]
fn a_worker_ends_when_it_is_told_whoever_is_connected() {
    let mut fenced = Fenced::new();
    let stranger = fenced.runtime.block_on(TcpStream::connect(&fenced.address));
    let owner = fenced.owner();
    let kept = fenced.runtime.block_on(owner.plan(&text("x"))).unwrap();
    let begun = Instant::now();
    fenced.stop.take().unwrap().send(()).unwrap();
    let ended = fenced.ended.take().unwrap();
    fenced.runtime.block_on(ended).unwrap().unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
    drop((stranger, kept));
}
