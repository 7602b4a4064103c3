//! Gives the shared library the name under which programs look for TileDB 2.30.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtiledb.so.2.30");
}
