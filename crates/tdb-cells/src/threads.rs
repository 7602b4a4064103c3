//! The threads of a session: the only module that starts threads or shares work among them.
//!
//! Work is shared only on threads that were started here, neither on those of the calling program nor on rayon's
//! global pool, which panics if it cannot start its threads.

use std::cell::Cell;
use std::cmp::Ordering;
use std::io;
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle};

use rayon::prelude::*;
use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

pub use crate::shared_sort::sort;

thread_local! {
    /// Whether this thread belongs to a session.
    static IS_OURS: Cell<bool> = const { Cell::new(false) };
}

/// A thread pool that is started when there is work for it.
///
/// A fork copies the memory of a process, but not its threads: in the child, the pool of the parent would wait for
/// threads that are not there. So a pool remembers its process, and a child starts one of its own.
#[derive(Debug)]
pub(crate) struct Threads {
    wanted: usize,
    pool: OnceLock<ProcessPool>,
    /// The pool of a child that was forked after the pool of its parent was started.
    of_child: OnceLock<ProcessPool>,
}

/// A pool, or `None` if work is not shared, and the process whose threads it has.
#[derive(Debug)]
struct ProcessPool {
    process: u32,
    pool: Option<ThreadPool>,
}

impl Threads {
    pub(crate) fn new(wanted: usize) -> Self {
        Self {
            wanted,
            pool: OnceLock::new(),
            of_child: OnceLock::new(),
        }
    }

    /// Returns the pool of this process; `None` if work is done on the caller's thread. So it is in the child of a child
    /// of the process that started the first pool.
    fn pool(&self) -> Option<&ThreadPool> {
        let process = std::process::id();
        let start = || ProcessPool {
            process,
            pool: start(self.wanted, &spawn),
        };
        let of_this_process = |pool: &&ProcessPool| pool.process == process;
        let first = Some(self.pool.get_or_init(start)).filter(of_this_process);
        let own = first.or_else(|| Some(self.of_child.get_or_init(start)).filter(of_this_process));
        own?.pool.as_ref()
    }

    /// Number of threads at work or, before they are started, the number to start.
    pub(crate) fn count(&self) -> usize {
        if self.pool.get().is_none() {
            return self.wanted;
        }
        self.pool().map_or(1, ThreadPool::current_num_threads)
    }

    /// Runs `work` on these threads; if there are none, on the caller's thread.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self.pool() {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs `work` on these threads and `here` on the caller's thread.
    pub(crate) fn beside<T>(&self, work: impl FnOnce() + Send, here: impl FnOnce() -> T) -> T {
        match self.pool() {
            Some(pool) => pool.in_place_scope(|scope| {
                scope.spawn(|_| work());
                here()
            }),
            None => {
                work();
                here()
            }
        }
    }
}

/// Function that starts one thread of a pool.
type Spawn<'a> = &'a dyn Fn(ThreadBuilder) -> io::Result<JoinHandle<()>>;

fn spawn(thread: ThreadBuilder) -> io::Result<JoinHandle<()>> {
    Builder::new().name("tdb".to_owned()).spawn(|| {
        IS_OURS.set(true);
        thread.run();
    })
}

/// Starts a pool of `wanted` threads, or of as many as the system allows; `None` if that is fewer than two.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "more than one thread was wanted"
)]
fn start(mut wanted: usize, spawn: Spawn<'_>) -> Option<ThreadPool> {
    while wanted > 1 {
        let mut started = Vec::new();
        let pool = ThreadPoolBuilder::new()
            .num_threads(wanted)
            .spawn_handler(|thread| {
                started.push(spawn(thread)?);
                Ok(())
            });
        if let Ok(pool) = pool.build() {
            return Some(pool);
        }
        wanted = started.len().min(wanted - 1);
        for thread in started {
            // The failed pool has told its threads to end. Once they have, others can take their place.
            drop(thread.join());
        }
    }
    None
}

/// Number of cells per task in simple loops: enough to be worth handing over, few enough to spread over all threads.
pub const CELLS_PER_TASK: usize = 1 << 16;

/// Number of threads that share work on this thread; 1 on threads that do not belong to a session.
pub fn count() -> usize {
    if IS_OURS.get() {
        rayon::current_num_threads()
    } else {
        1
    }
}

/// Calls `run` for every item, until a call fails.
pub fn for_each<T: Send, E: Send>(
    items: Vec<T>,
    run: impl Fn(T) -> Result<(), E> + Send + Sync,
) -> Result<(), E> {
    if IS_OURS.get() {
        items.into_par_iter().with_max_len(1).try_for_each(run)
    } else {
        items.into_iter().try_for_each(run)
    }
}

/// Maps every item, keeping their order.
pub fn map<T: Send, R: Send, E: Send>(
    items: Vec<T>,
    run: impl Fn(T) -> Result<R, E> + Send + Sync,
) -> Result<Vec<R>, E> {
    if IS_OURS.get() {
        items.into_par_iter().with_max_len(1).map(run).collect()
    } else {
        items.into_iter().map(run).collect()
    }
}

/// Runs both functions and returns both results; on a single thread, runs the second one first.
pub fn both<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if IS_OURS.get() {
        return rayon::join(first, second);
    }
    let second = second();
    (first(), second)
}

/// Sorts items; equal ones keep their order.
pub fn sort_by<T: Send>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Send + Sync) {
    if IS_OURS.get() {
        items.par_sort_by(compare)
    } else {
        items.sort_by(compare)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Starts a thread if fewer than `most` are alive.
    fn limited(
        alive: &Arc<AtomicUsize>,
        most: usize,
        thread: ThreadBuilder,
    ) -> io::Result<JoinHandle<()>> {
        if alive.load(Ordering::SeqCst) >= most {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        alive.fetch_add(1, Ordering::SeqCst);
        let alive = Arc::clone(alive);
        Builder::new().spawn(move || {
            thread.run();
            alive.fetch_sub(1, Ordering::SeqCst);
        })
    }

    #[test]
    fn as_many_threads_work_as_the_system_lets_start() {
        for (most, found) in [
            (0, None),
            (1, None),
            (2, Some(2)),
            (3, Some(3)),
            (9, Some(8)),
        ] {
            let alive = Arc::new(AtomicUsize::new(0));
            let pool = start(8, &|thread| limited(&alive, most, thread));
            let threads = pool.as_ref().map(ThreadPool::current_num_threads);
            assert_eq!(threads, found, "{most} allowed");
            // The threads of failed attempts have ended.
            assert_eq!(alive.load(Ordering::SeqCst), found.unwrap_or(0));
        }
    }

    #[test]
    fn work_is_not_shared_among_threads_of_others() {
        let others = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let here = || {
            let all = map((0..64).collect(), |_: u32| {
                Ok::<_, ()>(std::thread::current().id())
            });
            all.unwrap()
                .iter()
                .all(|id| *id == std::thread::current().id())
        };
        let alone = Threads::new(1);
        assert!(
            alone.install(here) && others.install(here) && others.install(|| alone.install(here))
        );
        assert_eq!(alone.count(), 1);
        let threads = Threads::new(2);
        let away = threads.install(|| IS_OURS.get() && count() == 2);
        assert!(away && !IS_OURS.get() && count() == 1);
    }
}
