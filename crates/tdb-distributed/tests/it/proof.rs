//! The proof of the token, implemented from docs/workers.md alone; no code is shared with the crate under test.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::num::NonZeroU32;
use std::sync::Arc;

use ring::{hkdf, pbkdf2};
use rustls::client::AlwaysResolvesClientRawPublicKeys;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{ring::default_provider, ring::sign::any_eddsa_type};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

/// Credential that a client shows.
#[derive(Clone, Copy)]
pub(crate) enum Proof<'a> {
    /// The key derived from a token.
    Token(&'a str),
    /// No credential.
    None,
}

/// A verifier that accepts any peer.
#[derive(Debug)]
pub(crate) struct Anybody;

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![
            SignatureScheme::ED25519,
            SignatureScheme::ECDSA_NISTP256_SHA256,
        ]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Anybody {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

/// Derives the key of one side from a token.
pub(crate) fn key(token: &str, side: &[u8]) -> Arc<CertifiedKey> {
    let mut slow = [0; 32];
    let salt = b"tdb worker token, version 1";
    let rounds = NonZeroU32::new(600_000).unwrap();
    let algorithm = pbkdf2::PBKDF2_HMAC_SHA256;
    pbkdf2::derive(algorithm, rounds, salt, token.as_bytes(), &mut slow);
    let mut seed = [0; 32];
    let slow = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, &slow);
    let info = [side];
    let filled = slow.expand(&info, hkdf::HKDF_SHA256).unwrap();
    filled.fill(&mut seed).unwrap();
    let mut pkcs8 = vec![
        0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
    ];
    pkcs8.extend(seed);
    let key = any_eddsa_type(&PrivatePkcs8KeyDer::from(pkcs8)).unwrap();
    let public = CertificateDer::from(key.public_key().unwrap().to_vec());
    Arc::new(CertifiedKey::new(vec![public], key))
}

pub(crate) fn tls(proof: Proof<'_>) -> ClientConfig {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap();
    let config = config
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody));
    let mut config = match proof {
        Proof::None => config.with_no_client_auth(),
        Proof::Token(token) => config.with_client_cert_resolver(Arc::new(
            AlwaysResolvesClientRawPublicKeys::new(key(token, b"client")),
        )),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    config
}
