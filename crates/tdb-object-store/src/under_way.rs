//! How many requests are under way at a time.

use std::sync::LazyLock;

use tdb_store::files_allowed;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Service;

/// As many as a box of a few fragments with some dozens of fields has objects, so that they are waited for once: each request is a
/// connection of its own.
const MOST: usize = 320;

/// Of a server of files: small ones let few connections wait until they are taken.
const MOST_OF_FILES: usize = 32;

/// Connections are files to the system: they may be one in so many of those that the process may have open.
const SHARE: usize = 3;

/// Where the system allows few files, so many requests all the same.
const LEAST: usize = 8;

/// The requests of all stores of the process.
static UNDER_WAY: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(in_all()));

/// How many requests of one call are under way at a time.
pub(crate) fn at_a_time(service: Service) -> usize {
    match service {
        Service::S3 | Service::Gcs | Service::Azure => in_all(),
        Service::Http => in_all().min(MOST_OF_FILES),
    }
}

fn in_all() -> usize {
    files_allowed().map_or(MOST, |files| (files / SHARE).clamp(LEAST, MOST))
}

/// Waits until one more request of the process may be under way, which it is until what this gives is dropped.
pub(crate) async fn turn() -> Option<SemaphorePermit<'static>> {
    // Nobody closes it.
    UNDER_WAY.acquire().await.ok()
}
