//! Arrays in which TileDB 2.0 to 2.2 lost tiles.

use crate::common::{copy, failure, fixtures, repeatable, run, stdout, tdb, told};

const LINE: &str = "v5_lost_tiles/array";
const WARNINGS: &str = "\
warning: __110_110_0123456789abcdef0123456789abcdef_5/__fragment_metadata.tdb: 1 of 4 tiles were lost when TileDB 2.0 to 2.2 \
wrote them, from the cells d 18014398509481994..18014398509481995 on; reading those is an error
warning: __120_120_0123456789abcdef0123456789abcdef_5/__fragment_metadata.tdb: 3 of 4 tiles were lost when TileDB 2.0 to 2.2 \
wrote them, from the cells d 9223372036854775806..9223372036854775807 on; reading those is an error
";

#[test]
fn tiles_that_were_lost_are_told_and_refused() {
    let info = repeatable(&stdout(&format!("info {LINE}")));
    assert!(info.ends_with(WARNINGS), "{info}");
    let output = run(&format!("fragments {LINE}"));
    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(
        repeatable(&String::from_utf8_lossy(&output.stderr)),
        WARNINGS
    );

    let cells = |range: &str| format!("read {LINE} -q --attrs a --range d={range}");
    let stored = stdout(&cells("18014398509481992..18014398509481993"));
    assert_eq!(
        stored,
        "d,a\n18014398509481992,994\n18014398509481993,826\n"
    );
    let said = failure(&cells("18014398509481993..18014398509481994"));
    assert_eq!(
        said,
        "\
d,a
error: v5_lost_tiles/array: fragment __110_110_0123456789abcdef0123456789abcdef_5 lacks the cells \
d 18014398509481994..18014398509481995: its tiles from number 3 on, of 4, were lost when TileDB 2.0 to 2.2 wrote it
hint: no file holds these cells: read other ranges, or write these cells again, which puts them over the fragment; \
3 of 4 fragments are sound, as far as this reads them: use --without-fragments __110_110_0123456789abcdef0123456789abcdef_5 to read only those
exit status 3"
    );
}

#[test]
fn lost_tiles_are_never_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    for fixture in ["v5_lost_tiles", "v8_lost_tiles"] {
        let array = folder.path().join(fixture);
        copy(&fixtures().join(fixture).join("array"), &array);
        let fragments = || {
            let output = tdb("fragments -q --json").arg(&array).output();
            output.expect("it runs").stdout
        };
        let before = fragments();
        // The first two fragments are far apart, so a merge takes them only if they are named.
        let all: serde_json::Value = serde_json::from_slice(&before).expect("JSON");
        let names = all.as_array().expect("a list").iter().take(2);
        let names: Vec<&str> = names.filter_map(|f| f["name"].as_str()).collect();
        let consolidate = ["--fragments", &names.join(",")];
        let output = tdb("consolidate -q").arg(&array).args(consolidate).output();
        let output = output.expect("it runs");
        assert!(!output.status.success(), "{}", told(&output));
        assert_eq!(fragments(), before, "{fixture}");
    }
}
