//! S3's protocol, as a stub of it answers.

use std::sync::atomic::Ordering;

use crate::stub::Server;
use tdb_store::conformance;

#[test]
fn a_bucket_of_s3_is_a_store() {
    for page in [1000, 2] {
        let server = Server::good();
        server.bucket.page.store(page, Ordering::Relaxed);
        conformance::check(&server.store()).unwrap();
        assert!(server.bucket.uploads.lock().unwrap().is_empty());
    }
}
