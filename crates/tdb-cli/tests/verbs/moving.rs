//! Groups copied and moved with everything in their folder.

use std::fs;
use std::path::Path;

use crate::common::{run, told};

fn done(arguments: &str) -> String {
    let said = told(&run(arguments));
    assert!(said.ends_with("exit status 0"), "{arguments}: {said}");
    said
}

#[test]
fn what_lies_in_a_group_and_is_no_member_is_copied_and_moved() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let group = place("group");
    done(&format!("group create {group}"));
    for array in ["member", "loose", "deeper/loose"] {
        done(&format!("cp v22_tour/array {group}/{array}"));
    }
    done(&format!("group add {group} {group}/member"));
    fs::write(Path::new(&group).join("README.md"), "hi").unwrap();
    for verb in ["cp", "mv"] {
        let to = place(verb);
        done(&format!("{verb} {group} {to}"));
        for array in ["member", "loose", "deeper/loose"] {
            done(&format!("compare v22_tour/array {to}/{array}"));
        }
        assert_eq!(fs::read(Path::new(&to).join("README.md")).unwrap(), b"hi");
    }
    assert!(!Path::new(&group).exists());
}

#[test]
fn a_group_of_whole_uris_stays_together_where_its_folder_was_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (old, renamed, moved) = (place("old"), place("renamed"), place("moved"));
    done(&format!("group create {old}"));
    done(&format!("cp v22_tour/array {old}/array"));
    done(&format!("group add {old} {old}/array --absolute"));
    fs::rename(&old, &renamed).unwrap();
    let tree = done(&format!("tree {renamed}"));
    assert!(tree.contains("array  missing  file://"), "{tree}");
    assert!(!tree.contains("outside"), "{tree}");
    let said = done(&format!("mv {renamed} {moved}"));
    assert!(said.contains("1 array, 1 group"), "{said}");
    assert!(!Path::new(&renamed).exists());
    done(&format!("compare v22_tour/array {moved}/array"));
    // Only the group is removed; other files stay, with a warning.
    let said = done(&format!("rm {moved}"));
    assert!(said.contains("not a member; kept"), "{said}");
    done(&format!("count {moved}/array"));
}
