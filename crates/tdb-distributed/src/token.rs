//! What a client and workers know, and others do not.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use ring::{hkdf, pbkdf2};

use crate::ClusterError;

/// Rounds of the derivation: what somebody who listened on the port of a worker pays for each token that he tries. About a tenth of a
/// second, once in a process.
const ROUNDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(599_999);

/// What keys are derived for: another use of the same token gives other keys.
const SALT: &[u8] = b"tdb worker token, version 1";

/// The key by which a worker proves itself, and that by which a client does. They differ, so that nobody who is asked by one side can
/// hand its proof back to it.
const WORKER: &[u8] = b"worker";
const CLIENT: &[u8] = b"client";

/// Bytes of a seed of Ed25519.
pub(crate) const SEED: usize = 32;

/// A secret that the workers of a cluster and its clients share. It is never sent: both sides derive keys from it, by which they prove
/// to each other that they know it.
#[derive(Clone)]
pub struct Token {
    seeds: Arc<Seeds>,
}

/// Of which each side makes its key.
pub(crate) struct Seeds {
    pub(crate) worker: [u8; SEED],
    pub(crate) client: [u8; SEED],
}

impl Token {
    /// Bytes of the shortest one.
    pub const SHORTEST: usize = 16;

    /// Bytes of the longest one.
    pub const LONGEST: usize = 4096;

    /// A token of text, without the white space around it. Takes about a tenth of a second: keys are derived slowly, so that tokens
    /// that people chose are not tried one after the other.
    ///
    /// # Errors
    /// Less than [`Token::SHORTEST`] bytes, more than [`Token::LONGEST`], or more than one line of printable characters.
    pub fn new(text: &str) -> Result<Self, ClusterError> {
        let text = text.trim();
        if text.len() < Self::SHORTEST {
            return Err(ClusterError::ShortToken { bytes: text.len() });
        }
        if text.len() > Self::LONGEST {
            return Err(ClusterError::LongToken);
        }
        if text.chars().any(char::is_control) {
            return Err(ClusterError::OddToken);
        }
        let mut slow = [0; SEED];
        pbkdf2::derive(
            pbkdf2::PBKDF2_HMAC_SHA256,
            ROUNDS,
            SALT,
            text.as_bytes(),
            &mut slow,
        );
        let slow = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, &slow);
        let seeds = Seeds {
            worker: seed(&slow, WORKER)?,
            client: seed(&slow, CLIENT)?,
        };
        Ok(Self {
            seeds: Arc::new(seeds),
        })
    }

    /// What the keys are made of.
    pub(crate) fn seeds(&self) -> &Seeds {
        &self.seeds
    }
}

/// The seed of one side.
fn seed(slow: &hkdf::Prk, side: &[u8]) -> Result<[u8; SEED], ClusterError> {
    let mut seed = [0; SEED];
    let side = [side];
    let filled = slow.expand(&side, hkdf::HKDF_SHA256);
    let filled = filled.and_then(|filled| filled.fill(&mut seed));
    filled.map_err(|_| ClusterError::Keys("a key of 32 bytes was not derived".to_owned()))?;
    Ok(seed)
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
    fn a_token_gives_each_side_a_key_and_is_not_shown() {
        let token = Token::new(" correct horse battery\n").unwrap();
        let same = Token::new("correct horse battery").unwrap();
        let other = Token::new("correct horse batterx").unwrap();
        assert_eq!(token.seeds().worker, same.seeds().worker);
        assert_eq!(token.seeds().client, same.seeds().client);
        assert_ne!(token.seeds().worker, token.seeds().client);
        assert_ne!(token.seeds().worker, other.seeds().worker);
        assert_eq!(format!("{token:?}"), "Token");
        assert!(Token::new("short").is_err());
        assert!(Token::new("a token of\ntwo lines").is_err());
        assert!(Token::new(&"x".repeat(Token::LONGEST + 1)).is_err());
    }
}
