//! The right of one program to change cells by what it read: an object beside the array.
//!
//! A claim is an object of a name that no other has, put into the folder of the array. A program that wants one puts its
//! own and lists the folder *afterwards*: of two programs at least one sees the other, and one that sees another takes
//! its own back and waits. So two never hold a claim at once, in any store that lists what was put, and no store has to
//! create an object exclusively. A program that is killed leaves its claim behind: one that stays unchanged for
//! [`LEASE`] counts for nothing, so a program that works for longer has to [renew](Claim::renew) its own.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use tdb_store::{list_all, name};
use tdb_tile::Bug;

use crate::{ArrayError, Location, NameSource, SystemNames};

/// How the names of claims begin. TileDB passes such objects over.
const PREFIX: &str = "__tdb_claim_";

/// A claim of another program that stays the same for this long was left behind.
const LEASE: Duration = Duration::from_secs(20);

/// The same for a claim that was put longer than [`LEASE`] ago by the clock of this machine.
const OLD_LEASE: Duration = Duration::from_secs(1);

/// A claim is renewed before it looks as if it was left behind.
const RENEWAL: Duration = Duration::from_secs(5);

/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest pause between two looks, in milliseconds.
const LONGEST_PAUSE: u64 = 32;

/// A claim that is held; dropped, it is given back.
#[derive(Debug)]
pub(crate) struct Claim {
    location: Location,
    key: String,
    put: Instant,
    /// Whether others held one when it was wanted.
    has_waited: bool,
}

impl Claim {
    /// Waits until nobody else holds a claim to the array, and takes it.
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] where others hold it for two minutes; as the store reports.
    pub(crate) fn take(location: &Location) -> Result<Self, ArrayError> {
        let mut waiting = Waiting::default();
        loop {
            let mut others = claims(location)?;
            if others.is_empty() {
                let mut claim = Self::put(location)?;
                others = claims(location)?;
                others.remove(&claim.key);
                if others.is_empty() {
                    claim.has_waited = waiting.looks > 0;
                    return Ok(claim);
                }
            }
            for left_behind in waiting.wait(others)? {
                remove(location, &left_behind)?;
            }
        }
    }

    fn put(location: &Location) -> Result<Self, ArrayError> {
        let names = SystemNames;
        let key = format!("{PREFIX}{}_{:032x}", names.now(), names.id()?);
        // It need not outlive a loss of power: whoever holds it would not, either.
        let object = location.store().create(&location.full(&key))?;
        object.place()?;
        Ok(Self {
            location: location.clone(),
            key,
            put: Instant::now(),
            has_waited: false,
        })
    }

    /// Puts another claim in the place of this one if it begins to look left behind. False if others have taken it away.
    pub(crate) fn renew(&mut self) -> Result<bool, ArrayError> {
        if self.put.elapsed() < RENEWAL {
            return Ok(true);
        }
        if !self.is_held()? {
            return Ok(false);
        }
        // The old one is given back once the new one is there.
        *self = Self::put(&self.location)?;
        Ok(true)
    }

    /// Whether others held one when it was wanted.
    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// Whether it is still there: it may have looked left behind.
    pub(crate) fn is_held(&self) -> Result<bool, ArrayError> {
        let key = self.location.full(&self.key);
        Ok(tdb_store::exists(&**self.location.store(), &key)?)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Others wait for the lease where it cannot be removed.
        let _ = remove(&self.location, &self.key);
    }
}

/// The names of all claims to an array.
fn claims(location: &Location) -> Result<BTreeSet<String>, ArrayError> {
    let listing = list_all(&**location.store(), location.prefix())?;
    let names = listing.objects.iter().map(|object| name(&object.key));
    let claims = names.filter(|name| name.starts_with(PREFIX));
    Ok(claims.map(str::to_owned).collect())
}

fn remove(location: &Location, key: &str) -> Result<(), ArrayError> {
    Ok(location.remove_all(&[location.full(key)])?)
}

/// Waiting for the claims of others.
#[derive(Debug, Default)]
struct Waiting {
    claims: BTreeSet<String>,
    unchanged: Duration,
    waited: Duration,
    looks: u32,
}

impl Waiting {
    /// Waits a moment, and returns those claims that were left behind.
    fn wait(&mut self, claims: BTreeSet<String>) -> Result<BTreeSet<String>, ArrayError> {
        if claims != self.claims {
            self.unchanged = Duration::ZERO;
            self.claims = claims;
        }
        if self.unchanged >= LEASE || (self.unchanged >= OLD_LEASE && self.are_old()) {
            self.unchanged = Duration::ZERO;
            return Ok(std::mem::take(&mut self.claims));
        }
        if self.waited >= PATIENCE {
            return Err(ArrayError::Claimed {
                key: self.claims.first().cloned().unwrap_or_else(String::new),
                seconds: self.waited.as_secs(),
            });
        }
        self.looks = self.looks.saturating_add(1);
        let longest = 1_u64.wrapping_shl(self.looks.min(16)).min(LONGEST_PAUSE);
        // Two that saw each other must not come back at the same moment.
        let random = SystemNames.id()? & u128::from(longest.saturating_sub(1));
        let random = u64::try_from(random).map_err(|_| Bug::new("a pause of more than 64 bits"))?;
        let pause = Duration::from_millis(random.saturating_add(1));
        std::thread::sleep(pause);
        self.unchanged = self.unchanged.saturating_add(pause);
        self.waited = self.waited.saturating_add(pause);
        Ok(BTreeSet::new())
    }

    /// Whether all claims were put longer ago than the lease.
    fn are_old(&self) -> bool {
        let before = SystemNames
            .now()
            .saturating_sub(LEASE.as_secs().saturating_mul(1000));
        self.claims.iter().all(|claim| {
            let time = claim
                .strip_prefix(PREFIX)
                .and_then(|rest| rest.split_once('_'));
            time.and_then(|(time, _)| time.parse::<u64>().ok())
                .is_some_and(|time| time < before)
        })
    }
}
