//! Groups in object stores.

use crate::common::{keys, says, stdout, with_array};
use crate::stub::Does;

#[test]
fn a_member_in_a_group_is_kept_relative_to_it() {
    for group in ["s3://bucket/g", "s3://bucket/above/g"] {
        let server = with_array(|_, _| Does::Serves);
        stdout(&server, &format!("group create {group}"));
        stdout(&server, &format!("cp s3://bucket/a {group}/a"));
        stdout(&server, &format!("group add {group} {group}/a"));
        let listed = stdout(&server, &format!("group ls {group}"));
        assert!(listed.contains(&format!("yes       {group}/a")), "{listed}");
        let tree = stdout(&server, &format!("tree {group}"));
        assert!(!tree.contains("missing"), "{tree}");
        // An array next to the group is not inside it.
        let said = says(
            &server,
            &format!("group add {group} s3://bucket/a --relative --name b"),
        );
        assert!(said.contains("does not lie in"), "{said}");
    }
}

#[test]
fn what_lies_in_a_group_and_is_no_member_goes_along() {
    let server = with_array(|_, _| Does::Serves);
    stdout(&server, "group create s3://bucket/g");
    stdout(&server, "cp s3://bucket/a s3://bucket/g/a");
    stdout(&server, "group add s3://bucket/g s3://bucket/g/a");
    stdout(&server, "cp s3://bucket/a s3://bucket/g/loose");
    stdout(&server, "group create s3://bucket/g/sub");
    server.bucket.put("g/README.md", b"hi");
    server.bucket.put("g/empty", b"");
    let of = |folder: &str| -> Vec<String> {
        let keys = keys(&server).into_iter();
        let keys = keys.filter_map(|key| Some(key.strip_prefix(folder)?.to_owned()));
        keys.filter(|key| !key.contains("__group/")).collect()
    };
    let before = of("g/");
    stdout(&server, "cp s3://bucket/g s3://bucket/copy");
    assert_eq!(of("copy/"), before);
    stdout(&server, "mv s3://bucket/copy s3://bucket/moved");
    assert_eq!(of("moved/"), before);
    assert_eq!(of("copy/"), [""; 0]);
    for array in ["a", "loose"] {
        stdout(
            &server,
            &format!("compare s3://bucket/a s3://bucket/moved/{array}"),
        );
    }
    // Only the group and its members are removed.
    let said = says(&server, "rm s3://bucket/moved");
    assert!(said.contains("not a member; kept"), "{said}");
    let left = of("moved/");
    assert!(left.iter().all(|key| !key.starts_with("a/")), "{left:?}");
    assert!(left.contains(&"README.md".to_owned()), "{left:?}");
    stdout(&server, "count s3://bucket/moved/loose");
}
