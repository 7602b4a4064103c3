//! Checks that each published crate has a description and its licences.

use std::path::Path;

use serde_json::Value;

/// Fields of a manifest that crates.io and docs.rs show.
const FIELDS: [&str; 5] = [
    "description",
    "documentation",
    "license",
    "readme",
    "repository",
];

/// Lists by which crates.io finds a crate; it takes five of each.
const LISTS: [&str; 2] = ["keywords", "categories"];

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Returns what the published crates lack, one sentence each. `is_file` tests whether a file exists.
pub(super) fn check(metadata: &Value, is_file: impl Fn(&Path) -> bool) -> Vec<String> {
    let packages = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let is_ours = |package: &&Value| package["source"].is_null() && package["publish"].is_null();
    let mut findings = Vec::new();
    for package in packages.iter().filter(is_ours) {
        let name = package["name"].as_str().unwrap_or_default();
        let lacking = FIELDS.iter().filter(|field| package[**field].is_null());
        findings.extend(lacking.map(|field| format!("{name}: Cargo.toml has no `{field}`")));
        for list in LISTS {
            let count = package[list].as_array().map_or(0, Vec::len);
            if !(1..=5).contains(&count) {
                findings.push(format!(
                    "{name}: Cargo.toml has {count} `{list}`, not 1 to 5"
                ));
            }
        }
        let has_library = package["targets"].as_array().is_some_and(|targets| {
            targets
                .iter()
                .any(|target| target["kind"] == serde_json::json!(["lib"]))
        });
        if has_library
            && package
                .pointer("/metadata/docs/rs")
                .is_none_or(Value::is_null)
        {
            findings.push(format!(
                "{name}: Cargo.toml does not say with which features docs.rs builds it"
            ));
        }
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let missing = LICENCES
            .iter()
            .filter(|file| !is_file(&manifest.with_file_name(file)));
        findings.extend(missing.map(|file| format!("{name}: has no {file}")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_published_crate_lacks_is_told() {
        let whole = json!({"packages": [{
            "name": "a", "source": null, "publish": null, "manifest_path": "/a/Cargo.toml",
            "description": "x", "documentation": "x", "license": "x", "readme": "x", "repository": "x",
            "keywords": ["a"], "categories": ["b"], "targets": [{"kind": ["lib"]}],
            "metadata": {"docs": {"rs": {"all-features": true}}},
        }]});
        assert_eq!(check(&whole, |_| true), Vec::<String>::new());
        assert_eq!(check(&whole, |_| false).len(), 2);
        for field in ["documentation", "keywords", "metadata"] {
            let mut less = whole.clone();
            less["packages"][0][field] = Value::Null;
            let findings = check(&less, |_| true);
            assert_eq!(findings.len(), 1, "{field}: {findings:?}");
        }
        let mut private = whole;
        private["packages"][0]["publish"] = json!([]);
        private["packages"][0]["keywords"] = Value::Null;
        assert_eq!(check(&private, |_| true), Vec::<String>::new());
    }
}
