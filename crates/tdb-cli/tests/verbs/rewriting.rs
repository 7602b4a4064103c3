//! `tdb rewrite`: the same cells, stored differently.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use serde_json::Value;

use crate::changing::{failure, folder};
use crate::common::stdout;

fn schema(array: &str) -> Value {
    serde_json::from_str(&stdout(&format!("schema {array} --json"))).unwrap()
}

#[test]
fn the_new_array_is_what_the_options_say() {
    let folder = folder("rewritten");
    let to = folder.join("tour").display().to_string();
    let command = format!(
        "rewrite v22_tour/array {to} --attrs temperature,sky --tiles hour=48 --capacity 5 \
        --filters byteshuffle,zstd:9 --filters temperature=none --cell-order col"
    );
    let planned: Value = serde_json::from_str(&stdout(&format!("{command} --dry-run"))).unwrap();
    assert!(!Path::new(&to).exists());
    let told = stdout(&command).replace(&to, "…");
    insta::assert_snapshot!(told, @"rewrote 80 cells and 10 keys of metadata from v22_tour/array to …");
    assert_eq!(schema(&to), planned);
    insta::assert_snapshot!(stdout(&format!("schema {to}")));
    assert_ne!(schema("v22_tour/array"), planned);
    let read = "--attrs temperature,sky --order row --format csv";
    assert_eq!(
        stdout(&format!("read {to} {read}")),
        stdout(&format!("read v22_tour/array {read}"))
    );
    assert_eq!(
        stdout(&format!("meta ls {to}")),
        stdout("meta ls v22_tour/array")
    );
}

#[test]
fn an_array_anew_has_the_cells_of_a_time_and_no_history() {
    let folder = folder("rewritten_at");
    let to = folder.join("then").display().to_string();
    stdout(&format!(
        "rewrite v22_tour/array {to} --at 2024-04-12 --filters zstd:1"
    ));
    let cells = |array: &str| stdout(&format!("read {array} --order row --format csv"));
    assert_eq!(cells(&to), cells("v22_tour/array --at 2024-04-12"));
    assert_ne!(cells(&to), cells("v22_tour/array"));
    let fragments = stdout(&format!("fragments {to} --json"));
    let fragments: Value = serde_json::from_str(&fragments).unwrap();
    assert_eq!(fragments.as_array().map(Vec::len), Some(1), "{fragments}");
}

#[test]
fn what_cannot_be_rewritten_is_told() {
    let folder = folder("not_rewritten");
    let to = folder.join("new").display().to_string();
    let refused = [
        "v22_tour/array --attrs temprature",
        "v22_tour/array --tiles hou=3",
        "v22_tour/array --filters zst:3",
        "v22_tour/array --filters zstd:x",
        "v22_labels/array",
        "v22_group/group",
        "nowhere",
    ];
    let told = refused.map(|rest| {
        let (from, options) = rest.split_once(' ').unwrap_or((rest, ""));
        failure(&format!("rewrite {from} {to} {options}"), &folder)
    });
    insta::assert_snapshot!(told.join("\n"));
    assert!(!Path::new(&to).exists());
    stdout(&format!("rewrite v22_tour/array {to}"));
    let again = failure(&format!("rewrite v22_tour/array {to}"), &folder);
    insta::assert_snapshot!(again, @"3 error: …/new: there is an array here already");
}
