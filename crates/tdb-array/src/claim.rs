//! The right of one program to change cells by what it read: an object beside the array.
//!
//! A claim is an object of a name that no other has, put into the folder of the array. A program that wants one puts its
//! own and lists the folder *afterwards*: of two programs at least one sees the other, and one that sees another takes
//! its own back and waits. So two never hold a claim at once, in any store that lists what was put, and no store has to
//! create an object exclusively. A program that is killed leaves its claim behind: one that stays unchanged for
//! [`LEASE`] counts for nothing, so a thread renews it for as long as the program works. Where the system has no thread to
//! give, the program has to [renew](Claim::renew) its claim itself.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tdb_store::{list_all, name};
use tdb_tile::Bug;

use crate::directory::CLAIM;
use crate::{ArrayError, Location, NameSource, SystemNames};

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
    held: Arc<Held>,
    /// Renews it.
    keeper: Option<JoinHandle<()>>,
    /// Whether others held one when it was wanted.
    has_waited: bool,
}

/// A claim, as its owner and its keeper see it.
#[derive(Debug)]
struct Held {
    location: Location,
    current: Mutex<Current>,
    ended: Condvar,
}

/// The object that is the claim now.
#[derive(Debug)]
struct Current {
    key: String,
    put: Instant,
    /// Nobody wants it any more.
    is_ended: bool,
}

impl Claim {
    /// Waits until nobody else holds a claim to the array, and takes it.
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] where others hold it for two minutes; as the store reports.
    pub(crate) fn take(location: &Location) -> Result<Self, ArrayError> {
        Self::take_within(location, PATIENCE)
    }

    /// The same, but waits no longer than it takes to see that another claim was left behind.
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] where others hold one; as the store reports.
    pub(crate) fn take_soon(location: &Location) -> Result<Self, ArrayError> {
        Self::take_within(location, LEASE.saturating_add(RENEWAL))
    }

    fn take_within(location: &Location, patience: Duration) -> Result<Self, ArrayError> {
        let mut waiting = Waiting::of(patience);
        loop {
            let mut others = claims(location)?;
            if others.is_empty() {
                let claim = Self::put(location, waiting.looks > 0)?;
                others = claims(location)?;
                others.remove(&claim.held.current().key);
                if others.is_empty() {
                    return Ok(claim.kept());
                }
            }
            for left_behind in waiting.wait(others)? {
                remove(location, &left_behind)?;
            }
        }
    }

    fn put(location: &Location, has_waited: bool) -> Result<Self, ArrayError> {
        let held = Held {
            location: location.clone(),
            current: Mutex::new(Current::put(location)?),
            ended: Condvar::new(),
        };
        Ok(Self {
            held: Arc::new(held),
            keeper: None,
            has_waited,
        })
    }

    /// The claim with a thread that renews it.
    fn kept(mut self) -> Self {
        let held = Arc::clone(&self.held);
        let keeper = thread::Builder::new().name("tdb-claim".to_owned());
        // Without a thread, the program renews it between its steps.
        self.keeper = keeper.spawn(move || held.keep()).ok();
        self
    }

    /// Puts another claim in the place of this one if it begins to look left behind. False if others have taken it away.
    pub(crate) fn renew(&self) -> Result<bool, ArrayError> {
        self.held.renew(&mut self.held.current())
    }

    /// Whether others held one when it was wanted.
    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// Whether it is still there: it may have looked left behind.
    pub(crate) fn is_held(&self) -> Result<bool, ArrayError> {
        self.held.is_there(&self.held.current())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.held.current().is_ended = true;
        self.held.ended.notify_all();
        if let Some(keeper) = self.keeper.take() {
            // It does nothing that can panic.
            let _ = keeper.join();
        }
        // Others wait for the lease where it cannot be removed.
        let _ = remove(&self.held.location, &self.held.current().key);
    }
}

impl Held {
    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the claim until it is ended, or others have taken it away.
    fn keep(&self) {
        let mut current = self.current();
        while !current.is_ended {
            let waited = self.ended.wait_timeout(current, RENEWAL);
            current = waited.unwrap_or_else(PoisonError::into_inner).0;
            // A store that fails now may answer next time; the program looks whether it holds the claim before it commits.
            if !current.is_ended && matches!(self.renew(&mut current), Ok(false)) {
                return;
            }
        }
    }

    fn renew(&self, current: &mut Current) -> Result<bool, ArrayError> {
        if current.put.elapsed() < RENEWAL {
            return Ok(true);
        }
        if !self.is_there(current)? {
            return Ok(false);
        }
        // The old one is given back once the new one is there.
        let old = std::mem::replace(current, Current::put(&self.location)?);
        remove(&self.location, &old.key)?;
        Ok(true)
    }

    fn is_there(&self, current: &Current) -> Result<bool, ArrayError> {
        let key = self.location.full(&current.key);
        Ok(tdb_store::exists(&**self.location.store(), &key)?)
    }
}

impl Current {
    fn put(location: &Location) -> Result<Self, ArrayError> {
        let names = SystemNames;
        let key = format!("{CLAIM}{}_{:032x}", names.now(), names.id()?);
        // It need not outlive a loss of power: whoever holds it would not, either.
        let object = location.store().create(&location.full(&key))?;
        object.place()?;
        Ok(Self {
            key,
            put: Instant::now(),
            is_ended: false,
        })
    }
}

/// The names of all claims to an array.
fn claims(location: &Location) -> Result<BTreeSet<String>, ArrayError> {
    let listing = list_all(&**location.store(), location.prefix())?;
    let names = listing.objects.iter().map(|object| name(&object.key));
    let claims = names.filter(|name| name.starts_with(CLAIM));
    Ok(claims.map(str::to_owned).collect())
}

fn remove(location: &Location, key: &str) -> Result<(), ArrayError> {
    Ok(location.remove_all(&[location.full(key)])?)
}

/// Waiting for the claims of others.
#[derive(Debug)]
struct Waiting {
    patience: Duration,
    claims: BTreeSet<String>,
    unchanged: Duration,
    waited: Duration,
    looks: u32,
}

impl Waiting {
    fn of(patience: Duration) -> Self {
        Self {
            patience,
            claims: BTreeSet::new(),
            unchanged: Duration::ZERO,
            waited: Duration::ZERO,
            looks: 0,
        }
    }

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
        if self.waited >= self.patience {
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
                .strip_prefix(CLAIM)
                .and_then(|rest| rest.split_once('_'));
            time.and_then(|(time, _)| time.parse::<u64>().ok())
                .is_some_and(|time| time < before)
        })
    }
}

#[cfg(test)]
mod tests;
