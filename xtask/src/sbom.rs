//! `cargo xtask sbom`: the list of all packages that are in the program `tdb`, in the format CycloneDX 1.5.
//!
//! The same sources give the same list: it has neither a date nor a random number.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::commands::output;
use crate::outcome::Outcome;
use crate::workspace::{cargo, host, root};

/// Columns of `cargo tree`, separated by a character that none of them has.
const COLUMNS: &str = "{p}|{l}";

/// A package by its name and version.
type Package = (String, String);

/// Prints the list for a build with the features given as arguments (`--features sql`).
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let mut tree = cargo();
    tree.args(["tree", "--package", "tdb-cli", "--edges", "normal"]);
    tree.args([
        "--target",
        &host()?,
        "--prefix",
        "none",
        "--format",
        COLUMNS,
    ]);
    let packages = packages(&output(tree.args(arguments))?);
    let checksums = checksums(&std::fs::read_to_string(root().join("Cargo.lock"))?);
    println!("{:#}", bill(&packages, &checksums));
    Ok(())
}

/// Returns the licence of each package in the output of `cargo tree`.
fn packages(tree: &str) -> BTreeMap<Package, String> {
    let lines = tree.lines().filter_map(|line| {
        let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
        let mut words = package.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        Some(((name.to_owned(), version.to_owned()), licence.to_owned()))
    });
    lines.collect()
}

/// Returns the SHA-256 of each package of a registry, from the text of `Cargo.lock`.
fn checksums(lock: &str) -> BTreeMap<Package, String> {
    let packages = lock.split("[[package]]").filter_map(|package| {
        let value = |key: &str| {
            let start = format!("{key} = \"");
            let line = package
                .lines()
                .find_map(|line| line.strip_prefix(&*start))?;
            line.strip_suffix('"').map(str::to_owned)
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    });
    packages.collect()
}

fn bill(packages: &BTreeMap<Package, String>, checksums: &BTreeMap<Package, String>) -> Value {
    let components = packages.iter().map(|(package, licence)| {
        let (name, version) = package;
        let mut component = json!({
            "type": "library",
            "name": name,
            "version": version,
            "purl": format!("pkg:cargo/{name}@{version}"),
            "licenses": [{"expression": licence.replace('/', " OR ")}],
        });
        let checksum = checksums.get(package);
        let hashes = checksum.map(|checksum| json!([{"alg": "SHA-256", "content": checksum}]));
        if let (Some(hashes), Some(members)) = (hashes, component.as_object_mut()) {
            members.insert("hashes".to_owned(), hashes);
        }
        component
    });
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "tdb", "version": env!("CARGO_PKG_VERSION")}},
        "components": components.collect::<Vec<Value>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_their_licence_and_their_checksum() {
        let packages = packages(
            "tdb-cli v0.1.0 (/house/crates/tdb-cli)|MIT OR Apache-2.0\nbytes v1.12.1|MIT\nbytes v1.12.1|MIT (*)\n",
        );
        let lock = "[[package]]\nname = \"bytes\"\nversion = \"1.12.1\"\nchecksum = \"abc\"\n\n[[package]]\nname = \"tdb-cli\"\nversion = \"0.1.0\"\n";
        let bill = bill(&packages, &checksums(lock));
        assert_eq!(bill["components"].as_array().map(Vec::len), Some(2));
        assert_eq!(bill["components"][0]["purl"], "pkg:cargo/bytes@1.12.1");
        assert_eq!(bill["components"][0]["hashes"][0]["content"], "abc");
        assert!(bill["components"][1].get("hashes").is_none());
    }
}
