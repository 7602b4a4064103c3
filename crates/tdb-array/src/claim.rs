//! Claims: the exclusive right of a program to change cells based on what it has read.
//!
//! A claim is an object with a unique name in the folder of the array. A program that wants the right stores its
//! claim, and lists the folder *afterwards*. Of two programs at least one sees the claim of the other, removes its
//! own, and waits. So two programs never hold the right at once, in any store whose listings show stored objects; the
//! store need not support exclusive creation. A killed program leaves its claim: a claim that is unchanged for
//! [`LEASE`] is ignored, so a thread renews it as long as the program works. If the system has no thread available,
//! the program must [renew](Claim::renew) its claim itself.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tdb_store::{list_all, name};
use tdb_tile::{Bug, Exact};

use crate::directory::CLAIM;
use crate::{ArrayError, Location, NameSource, SystemNames};

/// A claim of another program that stays unchanged for this long is abandoned.
const LEASE: Duration = Duration::from_secs(20);

/// The same for a claim whose name is older than [`LEASE`] by the clock of this machine.
const OLD_LEASE: Duration = Duration::from_secs(1);

/// Age at which a claim is renewed; well below [`LEASE`].
const RENEWAL: Duration = Duration::from_secs(5);

/// Default time to wait for the claims of others.
const PATIENCE: Duration = Duration::from_secs(120);

/// Maximum pause between two listings, in milliseconds.
const LONGEST_PAUSE: u64 = 32;

/// A claim that is held; dropping it removes the claim.
#[derive(Debug)]
pub(crate) struct Claim {
    held: Arc<ClaimState>,
    /// The thread that renews the claim, if one could be started.
    keeper: Option<JoinHandle<()>>,
    /// True if other programs held a claim at first.
    has_waited: bool,
}

/// State of a claim that is shared by its owner and the renewing thread.
#[derive(Debug)]
struct ClaimState {
    location: Location,
    current: Mutex<Current>,
    ended: Condvar,
}

/// The object that represents the claim at present.
#[derive(Debug)]
struct Current {
    key: String,
    put: Instant,
    /// True if the claim is no longer wanted.
    is_ended: bool,
}

impl Claim {
    /// Waits until no other program has a claim to the array, and takes it.
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] if others keep it for two minutes, or any error of the store.
    pub(crate) fn take(location: &Location) -> Result<Self, ArrayError> {
        Self::take_within(location, PATIENCE)
    }

    /// Takes the claim, but waits only as long as needed to recognize an abandoned claim.
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] if others hold one, or any error of the store.
    pub(crate) fn take_soon(location: &Location) -> Result<Self, ArrayError> {
        Self::take_within(location, [LEASE, RENEWAL].iter().sum())
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
        let held = ClaimState {
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

    /// Starts the thread that renews the claim.
    fn kept(mut self) -> Self {
        let held = Arc::clone(&self.held);
        let keeper = thread::Builder::new().name("tdb-claim".to_owned());
        // Without a thread, the program renews the claim between its steps.
        self.keeper = keeper.spawn(move || held.keep()).ok();
        self
    }

    /// Replaces the claim's object by a new one if it is getting old. Returns false if another program has removed the
    /// claim.
    pub(crate) fn renew(&self) -> Result<bool, ArrayError> {
        self.held.renew(&mut self.held.current())
    }

    /// True if another program held a claim at first.
    pub(crate) fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// True if the claim's object still exists; another program may have taken it for abandoned.
    pub(crate) fn is_held(&self) -> Result<bool, ArrayError> {
        self.held.is_there(&self.held.current())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.held.current().is_ended = true;
        self.held.ended.notify_all();
        if let Some(keeper) = self.keeper.take() {
            // The thread does nothing that can panic.
            let _ = keeper.join();
        }
        // If the removal fails, other programs wait until the claim counts as abandoned.
        let _ = remove(&self.held.location, &self.held.current().key);
    }
}

impl ClaimState {
    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the claim until it is ended or another program has removed it.
    fn keep(&self) {
        let mut current = self.current();
        while !current.is_ended {
            let waited = self.ended.wait_timeout(current, RENEWAL);
            current = waited.unwrap_or_else(PoisonError::into_inner).0;
            // A failing store may recover; the program checks its claim before it commits anyway.
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
        // The old object is removed only when the new one exists.
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
        // Not synced: the claim need not survive a power failure, because its owner does not.
        let object = location.store().create(&location.full(&key))?;
        object.place()?;
        Ok(Self {
            key,
            put: Instant::now(),
            is_ended: false,
        })
    }
}

/// Returns the names of all claims to an array.
fn claims(location: &Location) -> Result<BTreeSet<String>, ArrayError> {
    let listing = list_all(&**location.store(), location.prefix())?;
    let names = listing.objects.iter().map(|object| name(&object.key));
    let claims = names.filter(|name| name.starts_with(CLAIM));
    Ok(claims.map(str::to_owned).collect())
}

fn remove(location: &Location, key: &str) -> Result<(), ArrayError> {
    Ok(location.remove_all(&[location.full(key)])?)
}

/// State of waiting for the claims of other programs.
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

    /// Sleeps for a moment; returns the claims that are abandoned.
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
        self.looks = self.looks.exact_add(1)?;
        // The pause doubles with each look, up to the longest.
        let longest = 1_u64
            .checked_shl(self.looks)
            .map_or(LONGEST_PAUSE, |pause| pause.min(LONGEST_PAUSE));
        // Random, so that two programs that saw each other do not collide again.
        let random = SystemNames.id()? & u128::from(longest.exact_sub(1)?);
        let random = u64::try_from(random).map_err(|_| Bug::new("a pause of more than 64 bits"))?;
        let pause = Duration::from_millis(random.exact_add(1)?);
        std::thread::sleep(pause);
        self.unchanged = [self.unchanged, pause].iter().sum();
        self.waited = [self.waited, pause].iter().sum();
        Ok(BTreeSet::new())
    }

    /// True if all claims are older than the lease, according to the times in their names.
    fn are_old(&self) -> bool {
        let now = u128::from(SystemNames.now());
        let Some(before) = now.checked_sub(LEASE.as_millis()) else {
            return self.claims.is_empty();
        };
        self.claims.iter().all(|claim| {
            let time = claim
                .strip_prefix(CLAIM)
                .and_then(|rest| rest.split_once('_'));
            time.and_then(|(time, _)| time.parse::<u64>().ok())
                .is_some_and(|time| u128::from(time) < before)
        })
    }
}

#[cfg(test)]
mod tests;
