//! The program `tdb`.
fn main() {}
