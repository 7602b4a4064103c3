//! An empty crate with dependencies only: see `Cargo.toml`.
//!
//! Cargo builds a dependency once for each set of features requested by one of its calls. A dependency built without
//! SQL and then with SQL would be built twice, together with everything above it. This package is a member of both
//! builds, and is not published: even without SQL, it requests the features that SQL turns on.
