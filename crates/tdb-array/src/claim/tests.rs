use std::time::{Duration, Instant};

use tdb_store::MemoryStore;

use super::*;

#[test]
fn a_thread_renews_a_claim_until_it_is_dropped() {
    let location = Location::new(Arc::new(MemoryStore::new()), "array");
    let claim = Claim::take(&location).unwrap();
    let first = claim.held.current().key.clone();
    // Simulate an old claim.
    claim.held.current().put = Instant::now().checked_sub(RENEWAL).unwrap();
    let begun = Instant::now();
    while claim.held.current().key == first {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is renewed");
        claim.held.ended.notify_all();
        thread::sleep(Duration::from_millis(1));
    }
    assert!(claim.is_held().unwrap());
    assert_eq!(claims(&location).unwrap().len(), 1);
    let error = Claim::take_within(&location, Duration::ZERO).unwrap_err();
    assert!(matches!(error, ArrayError::Claimed { .. }), "{error}");
    drop(claim);
    assert!(claims(&location).unwrap().is_empty());
}

#[test]
fn a_claim_that_others_took_away_is_not_put_again() {
    let location = Location::new(Arc::new(MemoryStore::new()), "array");
    let claim = Claim::take(&location).unwrap();
    let key = claim.held.current().key.clone();
    remove(&location, &key).unwrap();
    claim.held.current().put = Instant::now().checked_sub(RENEWAL).unwrap();
    assert!(!claim.renew().unwrap());
    assert!(!claim.is_held().unwrap());
    assert!(claims(&location).unwrap().is_empty());
}
