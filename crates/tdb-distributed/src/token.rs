//! What a client and workers know, and others do not.

use std::fmt;

use ring::digest::{SHA256, digest};
use tonic::codegen::http::HeaderValue;

use crate::ClusterError;

/// A secret that the workers of a cluster and its clients share. It is sent with each request, as it is: a network that others can
/// listen to needs a tunnel.
#[derive(Clone)]
pub struct Token {
    header: HeaderValue,
}

impl Token {
    /// Bytes of the shortest one.
    pub const SHORTEST: usize = 16;

    /// A token of text, without the white space around it.
    ///
    /// # Errors
    /// Less than [`Token::SHORTEST`] bytes, or such as no header of HTTP can have.
    pub fn new(text: &str) -> Result<Self, ClusterError> {
        let text = text.trim();
        if text.len() < Self::SHORTEST {
            return Err(ClusterError::ShortToken { bytes: text.len() });
        }
        let header = HeaderValue::from_str(&format!("Bearer {text}"));
        let mut header = header.map_err(|_| ClusterError::OddToken)?;
        header.set_sensitive(true);
        Ok(Self { header })
    }

    /// What requests have as their authorization.
    pub(crate) fn header(&self) -> &HeaderValue {
        &self.header
    }

    /// Whether that is what a request has. The time that it takes tells nothing of how much of it is right.
    pub(crate) fn is(&self, header: &[u8]) -> bool {
        let known = digest(&SHA256, self.header.as_bytes());
        known.as_ref() == digest(&SHA256, header).as_ref()
    }
}

/// Without the secret.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_and_not_shown() {
        let token = Token::new(" correct horse battery\n").unwrap();
        assert!(token.is(b"Bearer correct horse battery"));
        assert!(!token.is(b"Bearer correct horse batterx"));
        assert!(!token.is(b""));
        assert!(!format!("{token:?} {:?}", token.header()).contains("horse"));
        assert!(Token::new("short").is_err());
        assert!(Token::new("a token of\ntwo lines").is_err());
    }
}
