//! Limits the number of concurrent requests.

use std::sync::LazyLock;

use tdb_store::files_allowed;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Service;

/// Maximum number of concurrent requests: enough to read a box of a few fragments with dozens of fields in one wait.
/// Each request is a connection of its own.
const MOST: usize = 320;

/// Maximum for a file server: small servers accept few connections at a time.
const MOST_OF_FILES: usize = 32;

/// Connections are file descriptors: they may use at most 1/SHARE of those that the process may open.
const SHARE: usize = 3;

/// Minimum number of concurrent requests, even if the system allows few files.
const LEAST: usize = 8;

/// Permits for the requests of all stores of the process.
static UNDER_WAY: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(in_all()));

/// Returns the maximum number of concurrent requests of one call.
pub(crate) fn at_a_time(service: Service) -> usize {
    match service {
        Service::S3 | Service::Gcs | Service::Azure => in_all(),
        Service::Http => in_all().min(MOST_OF_FILES),
    }
}

fn in_all() -> usize {
    files_allowed().map_or(MOST, |files| (files / SHARE).clamp(LEAST, MOST))
}

/// Waits for a permit for one more request of the process, which ends when the permit is dropped.
pub(crate) async fn turn() -> Option<SemaphorePermit<'static>> {
    // The semaphore is never closed.
    UNDER_WAY.acquire().await.ok()
}
