//! Nothing but dependencies: see `Cargo.toml`.
//!
//! Cargo builds a dependency once for each set of features that one of its calls asks for. What is built without SQL and then with it
//! would be built twice, and all above it. This package is a member of both builds, and of none that is published: it asks
//! without SQL for the features that SQL turns on.
