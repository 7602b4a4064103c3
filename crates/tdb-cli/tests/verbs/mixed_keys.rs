//! Keys if some arrays and groups are encrypted and others are not.

use std::fs;

use crate::changing::{SCHEMA, folder};
use crate::common::{repeatable, run};

#[test]
fn verbs_that_look_at_many_use_the_key_where_there_is_encryption() {
    let folder = folder("mixed_keys");
    let place = |name: &str| folder.join(name).display().to_string();
    let (key, other, schema) = (place("key.bin"), place("other.bin"), place("schema.json"));
    fs::write(&key, [7; 32]).unwrap();
    fs::write(&other, [8; 32]).unwrap();
    fs::write(&schema, SCHEMA).unwrap();
    let told = |arguments: &str| {
        let output = run(arguments);
        let text = [output.stdout, output.stderr].concat();
        let status = output.status.code().unwrap();
        let text = String::from_utf8_lossy(&text).replace(&*folder.to_string_lossy(), "…");
        // Encrypted objects differ in size between runs.
        let text = text.lines().map(|line| {
            let words = line
                .split("  ")
                .filter(|word| !word.trim().ends_with(" KB") && !word.trim().ends_with(" B"));
            words.map(str::trim_end).collect::<Vec<_>>().join("  ")
        });
        repeatable(&format!(
            "{}\n{status}\n",
            text.collect::<Vec<_>>().join("\n")
        ))
    };
    let all = place("all");
    told(&format!("group create {all}"));
    told(&format!("group create {all}/plain_group"));
    for (name, key) in [
        ("plain", String::new()),
        ("secret", format!("--key-file {key}")),
    ] {
        told(&format!(
            "create {all}/{name} --schema {schema} --at 100 {key}"
        ));
        told(&format!("group add {all} {all}/{name} --name {name}"));
        told(&format!("meta set {all}/{name} k 1 {key}"));
    }
    told(&format!(
        "group add {all} {all}/plain_group --name plain_group"
    ));
    told(&format!("meta set {all} k 1"));
    let mut shown = String::new();
    for verb in ["tree", "tree -l", "ls -l", "info", "verify"] {
        for key in [
            "",
            &format!("--key-file {key}"),
            &format!("--key-file {other}"),
        ] {
            let said = told(&format!("{verb} {all} {key}"));
            let key = key.replace(&*folder.to_string_lossy(), "…");
            shown += &format!("{verb} {key}\n{said}\n");
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn an_array_is_rewritten_under_a_key_under_another_and_without() {
    let folder = folder("rewritten_keys");
    let place = |name: &str| folder.join(name).display().to_string();
    let (key, other) = (place("key.bin"), place("other.bin"));
    fs::write(&key, [7; 32]).unwrap();
    fs::write(&other, [8; 32]).unwrap();
    let done = |arguments: &str| {
        let output = run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {errors}");
        output.stdout
    };
    let (first, second, plain) = (place("first"), place("second"), place("plain"));
    done(&format!(
        "rewrite v22_tour/array {first} --new-key-file {key}"
    ));
    done(&format!(
        "rewrite {first} {second} --key-file {key} --new-key-file {other}"
    ));
    done(&format!(
        "rewrite {second} {plain} --key-file {other} --new-key-file none"
    ));
    let rows = done("read v22_tour/array");
    assert_eq!(done(&format!("read {first} --key-file {key}")), rows);
    assert_eq!(done(&format!("read {second} --key-file {other}")), rows);
    assert_eq!(done(&format!("read {plain}")), rows);
    // Neither no key nor the key of the old array works.
    for wrong in [String::new(), format!("--key-file {key}")] {
        let output = run(&format!("read {second} {wrong}"));
        assert_eq!(output.status.code(), Some(3), "{output:?}");
    }
    done(&format!(
        "compare v22_tour/array {first} --new-key-file {key}"
    ));
    done(&format!(
        "compare {first} {second} --key-file {key} --new-key-file {other}"
    ));
    done(&format!(
        "compare {second} {plain} --key-file {other} --new-key-file none"
    ));
    let output = run(&format!("compare v22_tour/array {first}"));
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("--new-key-file"), "{errors}");
}
