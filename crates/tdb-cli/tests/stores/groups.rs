//! Groups in object stores.

use crate::common::{says, stdout, with_array};
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
        // One that lies beside it is none of it.
        let said = says(
            &server,
            &format!("group add {group} s3://bucket/a --relative --name b"),
        );
        assert!(said.contains("does not lie in"), "{said}");
    }
}
