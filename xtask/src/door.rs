//! `cargo xtask door`: every type in a public signature can be named through the crate `tdb`.
//!
//! A program that depends on `tdb` alone must be able to write down the type of each argument, field and result that
//! it meets. The check reads what rustdoc says of the crates as JSON: starting with what `tdb` exports, it follows the
//! signatures of these items, of their methods and of their fields, in whichever crate they are.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use serde_json::Value;

use crate::commands::succeed;
use crate::outcome::Outcome;
use crate::workspace::{cargo, target};

/// The door.
const DOOR: &str = "tdb";

/// Crates whose types may appear in signatures; those of SQL are not documented here, since they take minutes.
const CRATES: [&str; 20] = [
    DOOR,
    "tdb-aggregate",
    "tdb-array",
    "tdb-arrow",
    "tdb-cells",
    "tdb-change",
    "tdb-condition",
    "tdb-consolidate",
    "tdb-files",
    "tdb-filters",
    "tdb-fragment",
    "tdb-inspect",
    "tdb-open",
    "tdb-query",
    "tdb-rtree",
    "tdb-schema",
    "tdb-store",
    "tdb-text",
    "tdb-tile",
    "tdb-write",
];

/// Script in the place of rustdoc: the format is not stable, and only rustdoc itself may know that it is asked for.
/// With the variable in the environment of cargo, all dependencies would be built again.
const RUSTDOC: &str = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";

/// Fails if a type cannot be named through `tdb`.
pub(crate) fn check() -> Outcome {
    let folder = target()?.join("door");
    std::fs::create_dir_all(&folder)?;
    let script = folder.join("rustdoc");
    std::fs::write(&script, RUSTDOC)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    }
    let mut docs = cargo();
    docs.args(["doc", "--quiet", "--no-deps", "--lib"]);
    for name in CRATES {
        docs.args(["--package", name]);
    }
    docs.args(["--features", "tdb/object-store"]);
    docs.env("RUSTDOC", &script)
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json");
    succeed(&mut docs)?;
    let crates = Crates::read(&target()?.join("doc"))?;
    let missing = crates.missing();
    if missing.is_empty() {
        println!("   {} items can be named", crates.exported(DOOR).len());
        return Ok(());
    }
    let missing: Vec<String> = missing
        .iter()
        .map(|(item, user)| format!("  {item}, in the signature of {user}"))
        .collect();
    Err(format!(
        "the crate {DOOR} does not export these types: crates/tdb/src/engine.rs is the place\n{}",
        missing.join("\n")
    )
    .into())
}

/// Path of the definition of an item, such as `tdb_array::snapshot::Snapshot`.
type Definition = String;

/// Rustdoc's description of each crate, by the name of its library.
struct Crates(BTreeMap<String, Value>);

impl Crates {
    fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut crates = BTreeMap::new();
        for name in CRATES.map(|name| name.replace('-', "_")) {
            let path = folder.join(format!("{name}.json"));
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            crates.insert(name, serde_json::from_str(&text)?);
        }
        Ok(Self(crates))
    }

    /// Returns the definitions of the items that a crate exports.
    fn exported(&self, name: &str) -> BTreeSet<Definition> {
        let mut exported = BTreeSet::new();
        let Some(docs) = self.0.get(name) else {
            return exported;
        };
        let mut modules = vec![docs["root"].clone()];
        while let Some(module) = modules.pop() {
            let items = at(item(docs, &module), "/inner/module/items").clone();
            for id in items.as_array().into_iter().flatten() {
                let inner = &item(docs, id)["inner"];
                if inner.get("module").is_some() {
                    modules.push(id.clone());
                    continue;
                }
                let id = inner.get("use").map_or(id, |reexport| &reexport["id"]);
                exported.extend(definition(docs, id));
            }
        }
        exported
    }

    /// Returns the definitions that signatures name and `tdb` does not export, each with an item that names it.
    fn missing(&self) -> BTreeMap<Definition, Definition> {
        let exported = self.exported(DOOR);
        let mut missing = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<Definition> = exported.iter().cloned().collect();
        while let Some(user) = waiting.pop() {
            if !seen.insert(user.clone()) {
                continue;
            }
            for named in self.named_by(&user) {
                if named.starts_with(DOOR) && !exported.contains(&named) {
                    waiting.push(named.clone());
                    missing.entry(named).or_insert_with(|| user.clone());
                }
            }
        }
        missing
    }

    /// Returns the definitions that the public signatures of an item name.
    fn named_by(&self, user: &str) -> BTreeSet<Definition> {
        let library = user.split("::").next().unwrap_or_default();
        let mut named = BTreeSet::new();
        let Some(docs) = self.0.get(library) else {
            return named;
        };
        let paths = docs["paths"].as_object().into_iter().flatten();
        let own = paths.filter(|(_, path)| path["crate_id"] == 0 && joined(path) == user);
        for (id, _) in own {
            let inner = at(docs, &format!("/index/{id}/inner"));
            for part in signatures(docs, inner) {
                collect(docs, part, &mut named);
            }
        }
        named
    }
}

/// Returns the parts of an item that make up its public interface.
fn signatures<'a>(docs: &'a Value, inner: &'a Value) -> Vec<&'a Value> {
    let mut parts = Vec::new();
    for kind in ["function", "type_alias", "constant"] {
        parts.extend(inner.get(kind));
    }
    for kind in ["struct", "enum", "union", "trait"] {
        let Some(body) = inner.get(kind) else {
            continue;
        };
        let impls = list(&body["impls"]).map(|id| at(item(docs, id), "/inner/impl"));
        let own = impls.filter(|block| block["trait"].is_null());
        let methods = own.flat_map(|block| list(&block["items"]));
        parts.extend(methods.map(|id| item(docs, id)).filter(|i| is_public(i)));
        let fields = ["/kind/plain/fields", "/kind/tuple", "/items", "/variants"];
        for id in fields.iter().flat_map(|place| body.pointer(place)) {
            for part in list(id).map(|id| item(docs, id)) {
                if kind != "struct" || is_public(part) {
                    parts.push(part);
                }
                let variant = at(part, "/inner/variant/kind");
                let of_variant = [at(variant, "/tuple"), at(variant, "/struct/fields")];
                parts.extend(
                    of_variant
                        .into_iter()
                        .flat_map(list)
                        .map(|id| item(docs, id)),
                );
            }
        }
    }
    parts
}

fn is_public(item: &Value) -> bool {
    item["visibility"] == "public"
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns a part of a value; null if there is none.
fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    value.pointer(path).unwrap_or(&Value::Null)
}

/// Returns an item by its number.
fn item<'a>(docs: &'a Value, id: &Value) -> &'a Value {
    at(docs, &format!("/index/{id}"))
}

fn definition(docs: &Value, id: &Value) -> Option<Definition> {
    let path = docs["paths"].get(id.to_string())?;
    Some(joined(path))
}

fn joined(path: &Value) -> Definition {
    let parts: Vec<&str> = list(&path["path"]).filter_map(Value::as_str).collect();
    parts.join("::")
}

/// Adds the definitions of all types in a part of a signature.
fn collect(docs: &Value, part: &Value, named: &mut BTreeSet<Definition>) {
    match part {
        Value::Object(members) => {
            if let Some(id) = part.pointer("/resolved_path/id") {
                named.extend(definition(docs, id));
            }
            for member in members.values() {
                collect(docs, member, named);
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect(docs, part, named)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A crate `tdb` that exports a struct, whose method returns a type of another crate.
    fn crates(exports_both: bool) -> Crates {
        let mut items = vec![json!(1)];
        if exports_both {
            items.push(json!(4));
        }
        let docs = json!({
            "root": 0,
            "index": {
                "0": {"inner": {"module": {"items": items}}},
                "1": {"inner": {"struct": {"kind": {"plain": {"fields": []}}, "impls": [2]}}},
                "2": {"inner": {"impl": {"trait": null, "items": [3]}}},
                "3": {"visibility": "public", "inner": {"function": {"sig": {"output": {"resolved_path": {"id": 5}}}}}},
                "4": {"inner": {"use": {"id": 5}}},
            },
            "paths": {
                "1": {"crate_id": 0, "path": ["tdb", "Array"]},
                "5": {"crate_id": 7, "path": ["tdb_array", "snapshot", "Snapshot"]},
            },
        });
        Crates(BTreeMap::from([(DOOR.to_owned(), docs)]))
    }

    #[test]
    fn a_type_that_cannot_be_named_is_found() {
        let missing = crates(false).missing();
        let expected = (
            "tdb_array::snapshot::Snapshot".to_owned(),
            "tdb::Array".to_owned(),
        );
        assert_eq!(missing.into_iter().collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn a_type_that_is_exported_is_not() {
        assert!(crates(true).missing().is_empty());
    }
}
