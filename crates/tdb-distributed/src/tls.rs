//! TLS with mutual proof of the token.
//!
//! Each side derives an Ed25519 key from the token and shows it as a raw public key (RFC 7250). There are no names,
//! dates or authorities to check, only whether the key is the one that the token yields. A worker may instead show a
//! certificate from an authority that its clients trust; clients still prove themselves by the token.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature_with_raw_key};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer,
    UnixTime,
};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error,
    PeerIncompatible, RootCertStore, ServerConfig, SignatureScheme,
};

use crate::token::SEED;
use crate::{ClusterError, Token};

/// ALPN protocol: HTTP/2.
const PROTOCOL: &[u8] = b"h2";

/// PKCS #8 prefix of an Ed25519 private key (RFC 8410), up to the seed.
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The certificate that a worker shows, and the authorities that clients trust.
#[derive(Clone, Debug, Default)]
pub struct Certificates {
    /// Certificate chain and key that a worker shows instead of the key derived from the token.
    own: Option<Own>,
    /// Authorities whose certificates are accepted from workers.
    authorities: Option<Arc<RootCertStore>>,
}

#[derive(Clone, Debug)]
struct Own {
    chain: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl Certificates {
    /// Sets the certificate chain and private key that a worker shows, from PEM files.
    ///
    /// # Errors
    /// Files that cannot be read, or that contain no certificate or key.
    pub fn shown(mut self, chain: &Path, key: &Path) -> Result<Self, ClusterError> {
        let found: Vec<_> = CertificateDer::pem_file_iter(chain)
            .and_then(Iterator::collect)
            .map_err(|error| ClusterError::certificate(chain, &error))?;
        if found.is_empty() {
            return Err(ClusterError::certificate(chain, &"no certificate"));
        }
        let secret = PrivateKeyDer::from_pem_file(key)
            .map_err(|error| ClusterError::certificate(key, &error))?;
        self.own = Some(Own {
            chain: found,
            key: Arc::new(secret),
        });
        Ok(self)
    }

    /// Sets the authorities whose certificates are accepted from workers, from a PEM file.
    ///
    /// # Errors
    /// A file that cannot be read, or that contains no usable certificate.
    pub fn trusted(mut self, authorities: &Path) -> Result<Self, ClusterError> {
        let wrong = |error: &dyn std::fmt::Display| ClusterError::certificate(authorities, error);
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_file_iter(authorities).map_err(|error| wrong(&error))? {
            let root = root.map_err(|error| wrong(&error))?;
            roots.add(root).map_err(|error| wrong(&error))?;
        }
        if roots.is_empty() {
            return Err(wrong(&"no certificate"));
        }
        self.authorities = Some(Arc::new(roots));
        Ok(self)
    }
}

/// TLS configuration of a worker for incoming connections.
pub(crate) fn of_worker(
    token: &Token,
    certificates: &Certificates,
) -> Result<ServerConfig, ClusterError> {
    let provider = Arc::new(ring::default_provider());
    let clients = Holder::new(&token.seeds().client, &provider)?;
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(Arc::new(clients));
    let mut config = match &certificates.own {
        Some(own) => config.with_single_cert(own.chain.clone(), own.key.clone_key())?,
        None => {
            let key = certified(&token.seeds().worker)?;
            config.with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(key)))
        }
    };
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    // Every connection must prove the token, so sessions are not resumed.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

/// TLS configuration for connecting to a worker, as a client or as another worker.
pub(crate) fn of_client(
    token: &Token,
    certificates: &Certificates,
) -> Result<ClientConfig, ClusterError> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])?;
    let workers: Arc<dyn ServerCertVerifier> = match &certificates.authorities {
        Some(roots) => {
            let builder = WebPkiServerVerifier::builder_with_provider(Arc::clone(roots), provider);
            let built = builder.build();
            built.map_err(|error| ClusterError::Keys(error.to_string()))?
        }
        None => Arc::new(Holder::new(&token.seeds().worker, &provider)?),
    };
    let config = config.dangerous().with_custom_certificate_verifier(workers);
    let key = certified(&token.seeds().client)?;
    let key = AlwaysResolvesClientRawPublicKeys::new(key);
    let mut config = config.with_client_cert_resolver(Arc::new(key));
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// Builds the key pair of a seed, with its raw public key in place of a certificate.
fn certified(seed: &[u8; SEED]) -> Result<Arc<CertifiedKey>, ClusterError> {
    let pkcs8 = [&PKCS8[..], seed].concat();
    let key = ring::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(pkcs8))?;
    let public = key
        .public_key()
        .ok_or_else(|| ClusterError::Keys("no public key".to_owned()))?;
    let shown = CertificateDer::from(public.to_vec());
    Ok(Arc::new(CertifiedKey::new(vec![shown], key)))
}

/// Certificate verifier that accepts exactly one raw public key.
#[derive(Debug)]
struct Holder {
    key: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl Holder {
    fn new(seed: &[u8; SEED], provider: &Arc<CryptoProvider>) -> Result<Self, ClusterError> {
        let certified = certified(seed)?;
        let key = certified.cert.first().cloned();
        Ok(Self {
            key: key.ok_or_else(|| ClusterError::Keys("no public key".to_owned()))?,
            provider: Arc::clone(provider),
        })
    }

    fn check(
        &self,
        shown: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
    ) -> Result<(), Error> {
        if others.is_empty() && *shown == self.key {
            return Ok(());
        }
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn check_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(shown.as_ref());
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &key, signed, known)
    }
}

impl ServerCertVerifier for Holder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(end_entity, intermediates)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::SupportedVersionsExtensionRequired.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Holder {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(end_entity, intermediates)?;
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::SupportedVersionsExtensionRequired.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
