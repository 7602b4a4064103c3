//! Looks up the addresses of a server once for all connections that begin at the same time: each request may need a
//! connection, and DNS servers answer few questions per second.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Maximum age of cached addresses: stores spread their load by changing them.
const FRESH: Duration = Duration::from_secs(2);

/// Pending lookup of the addresses of a name.
type Finding = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Resolver that caches addresses for a short time.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    find: fn(String) -> Finding,
    known: Arc<Mutex<HashMap<String, CachedAddresses>>>,
}

#[derive(Debug)]
struct CachedAddresses {
    since: Instant,
    addresses: Vec<SocketAddr>,
}

impl Default for Lookup {
    fn default() -> Self {
        Self {
            find: |name| {
                Box::pin(async move { Ok(lookup_host((name, 0)).await?.collect::<Vec<_>>()) })
            },
            known: Arc::default(),
        }
    }
}

impl Lookup {
    /// Returns the addresses of a name, rotated by one at each call to spread the connections. Callers during a
    /// lookup wait for the same answer.
    async fn addresses(&self, name: String) -> io::Result<Vec<SocketAddr>> {
        let mut known = self.known.lock().await;
        if let Some(found) = known.get_mut(&name)
            && found.since.elapsed() < FRESH
        {
            if !found.addresses.is_empty() {
                found.addresses.rotate_left(1);
            }
            return Ok(found.addresses.clone());
        }
        let addresses = (self.find)(name.clone()).await?;
        let found = CachedAddresses {
            since: Instant::now(),
            addresses: addresses.clone(),
        };
        known.insert(name, found);
        Ok(addresses)
    }
}

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = self.clone();
        Box::pin(async move {
            let addresses = lookup.addresses(name.as_str().to_owned()).await?;
            let addresses: Addrs = Box::new(addresses.into_iter());
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::runtime::Builder;

    use super::*;

    static LOOKUPS: AtomicUsize = AtomicUsize::new(0);

    fn found(_: String) -> Finding {
        Box::pin(async {
            LOOKUPS.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(vec![([10, 0, 0, 1], 0).into(), ([10, 0, 0, 2], 0).into()])
        })
    }

    #[test]
    fn connections_that_begin_together_look_a_name_up_once_and_are_spread() {
        let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
        let lookup = Lookup {
            find: found,
            known: Arc::default(),
        };
        let all = (0..100).map(|_| lookup.addresses("bucket.example".to_owned()));
        let all = runtime.block_on(futures_util::future::join_all(all));
        assert_eq!(LOOKUPS.load(Ordering::SeqCst), 1);
        let first = all.iter().flatten().filter_map(|found| found.first());
        let first = first.filter(|address| address.ip().to_string() == "10.0.0.1");
        assert_eq!((all.len(), first.count()), (100, 50));
    }
}
