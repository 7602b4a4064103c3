//! The table of filters.

use tdb_filters::Registry;

#[test]
fn every_filter_says_since_which_version() {
    let later: Vec<String> = (Registry::builtin().entries())
        .filter(|entry| entry.since > 1)
        .map(|entry| format!("{} {}", entry.name, entry.since))
        .collect();
    insta::assert_snapshot!(later.join("\n"), @r"
    checksum_md5 4
    checksum_sha256 4
    dictionary 13
    scale_float 15
    xor 16
    webp 16
    delta 19
    ");
}
