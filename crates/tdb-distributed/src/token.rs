//! The secret shared by a client and its workers.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use ring::{hkdf, pbkdf2};

use crate::ClusterError;

/// PBKDF2 rounds: the cost of each guess for an attacker who listens in place of a worker. About 0.1 s, paid once per
/// process.
const ROUNDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(599_999);

/// PBKDF2 salt, so that the same token used elsewhere yields different keys.
const SALT: &[u8] = b"tdb worker token, version 1";

/// HKDF labels of the worker's key and the client's key. The keys differ, so that a proof received from one side
/// cannot be replayed to that side.
const WORKER: &[u8] = b"worker";
const CLIENT: &[u8] = b"client";

/// Length of an Ed25519 seed, in bytes.
pub(crate) const SEED: usize = 32;

/// A secret that the workers of a cluster and their clients share. It is never sent: both sides derive keys from it
/// and prove to each other that they hold these keys.
#[derive(Clone)]
pub struct Token {
    seeds: Arc<Seeds>,
}

/// Seeds of the Ed25519 keys of both sides.
pub(crate) struct Seeds {
    pub(crate) worker: [u8; SEED],
    pub(crate) client: [u8; SEED],
}

impl Token {
    /// Minimum length, in bytes.
    pub const SHORTEST: usize = 16;

    /// Maximum length, in bytes.
    pub const LONGEST: usize = 4096;

    /// Creates a token from text; white space around it is ignored. Takes about 0.1 s: keys are derived slowly to
    /// make guessing expensive.
    ///
    /// # Errors
    /// A token shorter than [`Token::SHORTEST`], longer than [`Token::LONGEST`], or with control characters such as
    /// line breaks.
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

    /// The seeds derived from the token.
    pub(crate) fn seeds(&self) -> &Seeds {
        &self.seeds
    }
}

/// Derives the seed of one side.
fn seed(slow: &hkdf::Prk, side: &[u8]) -> Result<[u8; SEED], ClusterError> {
    let mut seed = [0; SEED];
    let side = [side];
    let filled = slow
        .expand(&side, hkdf::HKDF_SHA256)
        .and_then(|output| output.fill(&mut seed));
    filled.map_err(|_| ClusterError::Keys("a key of 32 bytes was not derived".to_owned()))?;
    Ok(seed)
}

/// Omits the secret.
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
