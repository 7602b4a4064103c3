//! Stores that omit answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{describe, open, unpack};
use tdb_array::{Array, ErrorKind, OpenOptions};
use tdb_store::{Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError};

/// A store that omits the last answer to one of its requests.
#[derive(Debug)]
struct Forgetful {
    inner: MemoryStore,
    /// Number of requests up to the one with the missing answer.
    left: AtomicUsize,
}

impl Forgetful {
    fn given<T>(&self, mut answers: Vec<T>) -> Vec<T> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            answers.pop();
        }
        answers
    }
}

impl Store for Forgetful {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.inner.list(prefix, page)
    }
    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        self.given(self.inner.list_many(prefixes))
    }
    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.inner.size(key)
    }
    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.given(self.inner.read(reads))
    }
    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.inner.read_into(key, offset, into)
    }
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.inner.create(key)
    }
    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.inner.settle(prefix)
    }
    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.inner.remove_many(keys)
    }
}

#[test]
fn what_a_store_does_not_answer_is_not_taken_for_absent() {
    for name in ["consolidated_sparse", "evolved", "v9_sparse_dups"] {
        let inner = unpack(name);
        let whole = describe(&open(&inner, 0, u64::MAX - 1).unwrap());
        for request in 1.. {
            let store = Arc::new(Forgetful {
                inner: inner.clone(),
                left: AtomicUsize::new(request),
            });
            let opened = Array::open(store.clone(), "", OpenOptions::at(u64::MAX - 1));
            let left = store.left.swap(0, Ordering::Relaxed);
            match opened {
                Ok(array) => {
                    // A request for nothing has no answers to omit.
                    assert_eq!(describe(&array), whole, "{name}, request {request}");
                    if (1..=request).contains(&left) {
                        assert!(request > 2, "{request}");
                        break;
                    }
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Store, "{error}");
                    assert!(error.to_string().contains("no answer"), "{error}");
                }
            }
        }
    }
}
