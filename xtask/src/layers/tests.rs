use serde_json::json;

use super::*;

const TABLE: &str = "
| crate | one sentence | may use directly |
|---|---|---|
| tdb-tile | Bytes. | none of ours |
| tdb-schema | Cells. | tile, filters |
| tdb-write | In. | schema; tests: query |
| tdb-cli | The program. | anything |
";

fn package(name: &str, dependencies: &[Value]) -> Value {
    json!({"id": name, "name": name, "manifest_path": format!("/{name}/Cargo.toml"), "dependencies": dependencies})
}

fn workspace(packages: &[Value]) -> Value {
    let members: Vec<&Value> = packages.iter().map(|package| &package["id"]).collect();
    json!({"packages": packages, "workspace_members": members})
}

fn needs(name: &str) -> Value {
    json!({"name": name, "kind": null, "optional": false})
}

#[test]
fn this_house_keeps_its_layers() {
    assert_eq!(check(false).unwrap(), Vec::<String>::new());
}

#[test]
fn an_upward_edge_is_found_also_in_tests() {
    let dev = json!({"name": "tdb-cli", "kind": "dev", "optional": false});
    let in_tests = json!({"name": "tdb-query", "kind": "dev", "optional": false});
    let house = workspace(&[
        package("tdb-tile", &[needs("tdb-schema"), dev]),
        package("tdb-new", &[]),
        package("tdb-write", &[needs("tdb-query"), in_tests]),
    ]);
    assert_eq!(
        manifests(&allowed(TABLE), &house),
        [
            "tdb-tile may not use tdb-schema",
            "tdb-tile may not use tdb-cli",
            "tdb-new is not in the table of docs/architecture.md",
            "tdb-write may not use tdb-query",
        ]
    );
}

#[test]
fn downward_edges_are_fine() {
    let house = workspace(&[
        package("tdb-schema", &[needs("tdb-tile"), needs("bytes")]),
        package(
            "tdb-cli",
            &[needs("tdb-schema"), needs("arrow-array"), needs("clap")],
        ),
    ]);
    assert_eq!(
        manifests(
            &allowed("| tdb-schema | . | tile |\n| tdb-cli | . | anything |"),
            &house
        ),
        [""; 0]
    );
}

#[test]
fn a_ninth_dependency_is_found_but_optional_ones_are_free() {
    let mut dependencies: Vec<Value> = (0..8).map(|n| needs(&format!("d{n}"))).collect();
    dependencies.push(json!({"name": "free", "kind": null, "optional": true}));
    dependencies.push(json!({"name": "free", "kind": "dev", "optional": false}));
    let house = |dependencies: &[Value]| workspace(&[package("tdb-tile", dependencies)]);
    assert_eq!(manifests(&allowed(TABLE), &house(&dependencies)), [""; 0]);
    dependencies.push(needs("d8"));
    assert_eq!(
        manifests(&allowed(TABLE), &house(&dependencies)),
        ["tdb-tile has 9 direct dependencies, 8 are allowed"]
    );
}

#[test]
fn packages_have_homes() {
    let house = workspace(&[package("tdb-tile", &[needs("zstd"), needs("arrow-array")])]);
    assert_eq!(
        manifests(&allowed(TABLE), &house),
        [
            "tdb-tile may not use zstd, which is for tdb-filters, tdb-text, tdb-bench",
            "tdb-tile may not use arrow-array, which is for the leaves",
        ]
    );
}

#[test]
fn compiled_c_is_found_at_any_depth_but_not_in_tests() {
    let edge = |to: &str, kind: Value| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
    let house = json!({
        "packages": [package("a", &[]), package("b", &[]), package("cc", &[]), package("t", &[])],
        "workspace_members": ["a"],
        "resolve": {"nodes": [
            {"id": "a", "deps": [edge("b", Value::Null), edge("t", json!("dev"))]},
            {"id": "b", "deps": [edge("cc", json!("build"))]},
            {"id": "t", "deps": [edge("cc", json!("build"))]},
            {"id": "cc", "deps": []},
        ]}
    });
    assert_eq!(
        c_compilers(&house, &["zstd-sys"]),
        ["b compiles C; allowed are zstd-sys"]
    );
    assert_eq!(c_compilers(&house, &["b"]), [""; 0]);
}

#[test]
fn a_readme_names_the_dependencies() {
    let house = workspace(&[package("tdb-tile", &[needs("bytes"), needs("thiserror")])]);
    let found = readmes(&house, |_| "Direct dependencies: `bytes`.".to_owned());
    assert_eq!(
        found,
        ["the README of tdb-tile does not name its dependency thiserror"]
    );
}
