//! House checks, golden fixtures, interoperability runs and benchmarks.
fn main() {}
