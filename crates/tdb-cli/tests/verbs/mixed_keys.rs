//! A key where some arrays and groups are encrypted and others are not.

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
        // What is encrypted with a new key has other sizes each time.
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
