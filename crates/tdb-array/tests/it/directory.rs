//! Which objects are live, according to their names.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::collections::BTreeSet;

use bytes::Bytes;
use tdb_array::directory::{ListingComparison, Lists};
use tdb_array::{ArrayError, Directory, ErrorKind, Live, Names, TimeWindow};
use tdb_tile::Limits;

/// An array that consists of names only. In a key, `@T@N` stands for the times `T` (`T` or `T-T`) and the uuid `N`.
#[derive(Default)]
struct Array {
    keys: Vec<String>,
    lists: Lists,
    dense: bool,
}

/// Expands `__fragments/@5@1_22` to `__fragments/__5_5_0000…1_22`.
fn full(text: &str) -> String {
    let Some((before, rest)) = text.split_once('@') else {
        return text.to_owned();
    };
    let (times, rest) = rest.split_once('@').unwrap();
    let (start, end) = times.split_once('-').unwrap_or((times, times));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (uuid, after) = rest.split_at(digits);
    format!("{before}__{start}_{end}_{uuid:0>32}{}", full(after))
}

impl Array {
    fn new(keys: &[&str]) -> Self {
        let mut keys: Vec<String> = keys.iter().map(|key| full(key)).collect();
        keys.push(full("__schema/@1@0"));
        Self {
            keys,
            ..Self::default()
        }
    }

    fn list(mut self, key: &str, text: &str) -> Self {
        let text: String = text.split_inclusive('\n').map(full).collect();
        self.keys.push(full(key));
        self.lists.insert(full(key), Bytes::from(text));
        self
    }

    fn dense(mut self) -> Self {
        self.dense = true;
        self
    }

    fn try_live(&self, since: u64, at: u64) -> Result<Live, ArrayError> {
        let names = Names::of_objects(self.keys.iter().map(String::as_str));
        let directory = Directory::from_names(&names, TimeWindow { since, at })?;
        let wanted: BTreeSet<&str> = directory.lists().collect();
        assert!(wanted.iter().all(|key| self.keys.iter().any(|k| k == key)));
        let present: BTreeSet<String> = directory
            .probes()
            .filter(|key| self.keys.contains(key))
            .collect();
        directory.live(&self.lists, &present, !self.dense, &Limits::default())
    }

    /// Returns the live fragments as `@T@N_V`, with their folder unless that is the root.
    fn seen(&self, since: u64, at: u64) -> Vec<String> {
        let live = self.try_live(since, at).unwrap();
        live.fragments
            .iter()
            .map(|entry| short(&entry.unwrap().key))
            .collect()
    }

    fn deletes(&self, at: u64) -> Vec<String> {
        let live = self.try_live(0, at).unwrap();
        live.deletes
            .iter()
            .map(|delete| short(&delete.marker))
            .collect()
    }
}

fn short(key: &str) -> String {
    let (folder, name) = key.rsplit_once("__").unwrap();
    let parts: Vec<&str> = name.splitn(3, '_').collect();
    let [start, end, rest] = parts.as_slice() else {
        return key.to_owned();
    };
    let times = if start == end {
        (*start).to_owned()
    } else {
        format!("{start}-{end}")
    };
    let folder = folder
        .trim_start_matches("__fragments/")
        .trim_start_matches("__commits/");
    format!("{folder}@{times}@{}", rest.trim_start_matches('0'))
}

#[test]
fn a_fragment_is_what_has_a_commit() {
    let array = Array::new(&[
        "__commits/@3@1_22.wrt",
        "__commits/@2@2_22.wrt",
        "__fragments/@4@9_22/a0.tdb",
        "__commits/@3@1_22.tmp",
        "__commits/junk",
    ]);
    assert_eq!(array.seen(0, 9), ["@2@2_22", "@3@1_22"]);
    assert_eq!(array.seen(0, 2), ["@2@2_22"]);
    assert_eq!(array.seen(3, 9), ["@3@1_22"]);
}

#[test]
fn a_root_fragment_has_an_ok_or_before_version_5_its_metadata() {
    let array = Array::new(&[
        "__array_schema.tdb",
        "@1@1_11/a0.tdb",
        "@1@1_11.ok",
        "@2@2_11/__fragment_metadata.tdb",
        "@3@3/__fragment_metadata.tdb",
        "@4@4/a.tdb",
        "__labels/l0/__schema/@1@1",
        "my_things/x",
        "__5_5_x.backup/__fragment_metadata.tdb",
    ]);
    assert_eq!(array.seen(0, 9), ["@1@1_11", "@3@3"]);
}

#[test]
fn fragments_of_all_eras_live_in_one_array() {
    let array = Array::new(&[
        "__array_schema.tdb",
        "__00000000000000000000000000000007_5/__fragment_metadata.tdb",
        "@6@1/__fragment_metadata.tdb",
        "@4@1_9/d0.tdb",
        "@4@1_9.ok",
        "__commits/@5@3_22.wrt",
    ]);
    let seen = array.seen(0, 9);
    let expected = [
        "@4@1_9",
        "__00000000000000000000000000000007_5",
        "@5@3_22",
        "@6@1",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn of_equal_times_the_larger_name_is_later_and_consolidated_commits_come_first() {
    let array = Array::new(&[
        "__commits/@5@2_22.wrt",
        "__commits/@5@1_22.wrt",
        "@5@9_11/a0.tdb",
        "@5@9_11.ok",
    ])
    .list(
        "__commits/@5@0_22.con",
        "__commits/@5@8_22.wrt\n/__commits/@5@7_22.wrt\n",
    );
    assert_eq!(
        array.seen(0, 9),
        ["@5@9_11", "@5@7_22", "@5@8_22", "@5@1_22", "@5@2_22"]
    );
}

#[test]
fn consolidated_commits_count_once_and_not_if_ignored() {
    let array = Array::new(&["__commits/@1@1_22.wrt", "@4@4_11/a0.tdb"])
        .list(
            "__commits/@1-3@8_22.con",
            "__commits/@1@1_22.wrt\n__commits/@2@2_22.wrt\n@4@4_11.ok\n",
        )
        .list(
            "__commits/@1-3@9_22.con",
            "__commits/@2@2_22.wrt\n__commits/@3@3_22.wrt\nelsewhere/@7@7_22.wrt\n",
        )
        .list("__commits/@3@5_22.ign", "/__commits/@3@3_22.wrt\n");
    assert_eq!(array.seen(0, 9), ["@1@1_22", "@2@2_22", "@4@4_11"]);
}

#[test]
fn a_sparse_window_within_a_consolidation_sees_its_output_only() {
    let keys = [
        "__commits/@1@1_22.wrt",
        "__commits/@3@3_22.wrt",
        "__commits/@1-3@5_22.wrt",
    ];
    let vac = "/__fragments/@1@1_22\n/__fragments/@3@3_22\n";
    let array = Array::new(&keys).list("__commits/@1-3@5_22.vac", vac);
    assert_eq!(array.seen(0, 9), ["@1-3@5_22"]);
    assert_eq!(array.seen(0, 2), ["@1-3@5_22"]);
    assert_eq!(array.try_live(0, 9).unwrap().replaced.len(), 2);
}

#[test]
fn a_dense_window_within_a_consolidation_sees_its_inputs() {
    let keys = [
        "__commits/@1@1_22.wrt",
        "__commits/@3@3_22.wrt",
        "__commits/@1-3@5_22.wrt",
    ];
    let vac = "/__fragments/@1@1_22\n/__fragments/@3@3_22\n";
    let array = Array::new(&keys)
        .list("__commits/@1-3@5_22.vac", vac)
        .dense();
    assert_eq!(array.seen(0, 9), ["@1-3@5_22"]);
    assert_eq!(array.seen(0, 2), ["@1@1_22"]);
    assert_eq!(array.seen(2, 9), ["@3@3_22"]);
}

#[test]
fn before_version_15_a_sparse_consolidation_counts_as_a_whole_or_not() {
    let keys = [
        "__commits/@1@1_14.wrt",
        "__commits/@3@3_14.wrt",
        "__commits/@1-3@5_14.wrt",
    ];
    let vac = "file:///old/place/__fragments/@1@1_14\nfile:///old/place/__fragments/@3@3_14\n";
    let array = Array::new(&keys).list("__commits/@1-3@5_14.vac", vac);
    assert_eq!(array.seen(0, 9), ["@1-3@5_14"]);
    assert_eq!(array.seen(0, 2), ["@1@1_14"]);
}

#[test]
fn an_old_vac_names_root_fragments_by_where_the_array_once_was() {
    let keys = [
        "@1@1_6/a",
        "@1@1_6.ok",
        "@2@2_6/a",
        "@2@2_6.ok",
        "@1-2@3_6/a",
        "@1-2@3_6.ok",
    ];
    let vac = "file:///home/me/arr/@1@1_6\nfile:///home/me/arr/@2@2_6\n";
    let array = Array::new(&keys).list("@1-2@3_6.vac", vac);
    assert_eq!(array.seen(0, 9), ["@1-2@3_6"]);
}

#[test]
fn a_vac_hides_only_while_something_is_there_that_replaces() {
    let originals = ["__commits/@1@1_22.wrt", "__commits/@3@3_22.wrt"];
    let vac = "/__fragments/@1@1_22\n/__fragments/@3@3_22\n";
    let alone = Array::new(&originals).list("__commits/@1-3@5_22.vac", vac);
    assert_eq!(alone.seen(0, 9), ["@1@1_22", "@3@3_22"]);
    let live = alone.try_live(0, 9).unwrap();
    assert_eq!(live.idle, [full("__commits/@1-3@5_22.vac")]);
    // A list without its fragment is normal before the commit of a merge.
    let early = Array::new(&originals).list("__commits/@1-3@5_22.replaces", vac);
    assert_eq!(early.seen(0, 9), ["@1@1_22", "@3@3_22"]);
    assert_eq!(early.try_live(0, 9).unwrap().idle, [""; 0]);

    // The fragment that the list is named after was replaced in turn, and vacuumed.
    let mut keys = originals.to_vec();
    keys.push("__commits/@1-4@6_22.wrt");
    let again = Array::new(&keys)
        .list("__commits/@1-3@5_22.vac", vac)
        .list("__commits/@1-4@6_22.vac", "/__fragments/@1-3@5_22\n");
    assert_eq!(again.seen(0, 9), ["@1-4@6_22"]);
    assert_eq!(again.try_live(0, 9).unwrap().idle, [""; 0]);

    // Another fragment with the same times does not bring the list into force.
    let other = Array::new(&keys).list("__commits/@1-3@5_22.vac", vac);
    assert_eq!(other.seen(0, 9), ["@1@1_22", "@1-4@6_22", "@3@3_22"]);
}

#[test]
fn a_later_listing_settles_what_was_there_at_one_moment() {
    let settled = |first: &[&str], later: &[&str]| {
        let names = |keys: &[&str]| Names::of_objects(keys.iter().map(|key| &*full(key).leak()));
        let (first, later) = (names(first), names(later));
        let directory = Directory::from_names(&first, TimeWindow::ALL).unwrap();
        match directory.settled(&first, &later).unwrap() {
            ListingComparison::Same(_) => "same".to_owned(),
            ListingComparison::Changed => "changed".to_owned(),
            ListingComparison::Grown(directory) => {
                let live =
                    directory.live(&Lists::new(), &BTreeSet::new(), true, &Limits::default());
                format!("grown to {}", live.unwrap().fragments.len())
            }
        }
    };
    let one = "__commits/@1@1_22.wrt";
    assert_eq!(settled(&[one], &[one]), "same");
    assert_eq!(
        settled(&[one], &[one, "__commits/@2@2_22.wrt"]),
        "grown to 2"
    );
    assert_eq!(settled(&[one, "__commits/@2@2_22.wrt"], &[one]), "changed");
    assert_eq!(settled(&[one, "__commits/@2@2_22.del"], &[one]), "changed");
    for list in ["con", "ign", "vac", "replaces"] {
        let list = format!("__commits/@1-2@3_22.{list}");
        assert_eq!(settled(&[one], &[one, &list]), "changed");
        assert_eq!(settled(&[one, &list], &[one]), "changed");
    }
    let root = ["@1@1_9/a", "@1@1_9.ok"];
    assert_eq!(settled(&root, &root[..1]), "changed");
    assert_eq!(settled(&root[..1], &root), "grown to 1");
}

#[test]
fn an_empty_vac_hides_nothing() {
    let array = Array::new(&["__commits/@1@1_22.wrt"]).list("__commits/@1@1_22.vac", "");
    assert_eq!(array.seen(0, 9), ["@1@1_22"]);
}

#[test]
fn deletes_come_by_time_once_each_and_ignores_do_not_reach_them() {
    let mut array = Array::new(&[
        "__commits/@5@5_22.del",
        "__commits/@2@2_22.del",
        "__commits/@7@7_22.upd",
    ])
    .list("__commits/@3@5_22.ign", "__commits/@3@3_22.del\n");
    let mut con = Vec::new();
    for name in ["__commits/@2@2_22.del", "__commits/@3@3_22.del"] {
        con.extend_from_slice(full(name).as_bytes());
        con.extend_from_slice(b"\n\x04\0\0\0\0\0\0\0tile");
    }
    let key = full("__commits/@2-3@9_22.con");
    array.keys.push(key.clone());
    array.lists.insert(key, Bytes::from(con));
    assert_eq!(
        array.deletes(9),
        ["@2@2_22.del", "@3@3_22.del", "@5@5_22.del", "@7@7_22.upd"]
    );
    assert_eq!(array.deletes(4), ["@2@2_22.del", "@3@3_22.del"]);
}

#[test]
fn a_delete_that_reaches_beyond_its_list_is_corrupt() {
    for size in [5_u64, u64::MAX, 0_u64.wrapping_sub(60)] {
        let mut array = Array::new(&[]);
        let key = full("__commits/@2@9_22.con");
        let mut con = full("__commits/@2@2_22.del\n").into_bytes();
        con.extend_from_slice(&size.to_le_bytes());
        con.extend_from_slice(b"tile");
        array.keys.push(key.clone());
        array.lists.insert(key.clone(), Bytes::from(con));
        let error = array.try_live(0, 9).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Corrupt, key));
    }
}

#[test]
fn lines_that_lead_upwards_are_refused_and_lines_about_nothing_passed_over() {
    let long = format!("{}\n", "x".repeat(1 << 20));
    for harmless in [
        "file:///etc/passwd\n",
        "/etc/passwd\n",
        "a\0b\n",
        "\n\n",
        &long,
    ] {
        let array = Array::new(&["__commits/@1@1_22.wrt"])
            .list("__commits/@1@2_22.con", harmless)
            .list("__commits/@1@3_22.ign", harmless)
            .list("__commits/@1@4_22.vac", harmless);
        assert_eq!(array.seen(0, 9), ["@1@1_22"]);
    }
    for ending in ["con", "ign", "vac"] {
        let key = format!("__commits/@1@2_22.{ending}");
        let array = Array::new(&[]).list(&key, "__fragments/../../other\n");
        let error = array.try_live(0, 9).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::EscapesRoot, "{ending}");
    }
}

#[test]
fn a_fragment_of_a_version_to_come_is_unsupported() {
    let array = Array::new(&["__commits/@1@1_99.wrt"]);
    let error = array.try_live(0, 9).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(array.seen(2, 9), Vec::<String>::new());
}

#[test]
fn a_commit_with_a_damaged_name_is_told_by_whatever_ending() {
    for ending in ["wrt", "ok", "del", "con", "ign", "vac", "upd"] {
        for name in ["__x", "@2-1@1_22", "@1@1_22x", "__1_1_é_22", ""] {
            let key = format!("__commits/{name}.{ending}");
            let error = directory(&[&key], 9).unwrap().check_commits().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{key}");
            assert!(error.to_string().starts_with(&full(&key)), "{error}");
        }
    }
    for other in ["__x.tmp", "__x", "__x.wrt.old", ".tmp-1", "@1@1_22.wrt"] {
        let directory = directory(&[&format!("__commits/{other}")], 9).unwrap();
        assert!(directory.check_commits().is_ok(), "{other}");
    }
}

fn directory(keys: &[&str], at: u64) -> Result<Directory, ArrayError> {
    let keys: Vec<String> = keys.iter().map(|key| full(key)).collect();
    let names = Names::of_objects(keys.iter().map(String::as_str));
    Directory::from_names(&names, TimeWindow::until(at))
}

fn schema_at(keys: &[&str], at: u64) -> String {
    let directory = directory(keys, at).unwrap();
    directory.schema().unwrap().schema_name().to_owned()
}

#[test]
fn the_schema_is_the_last_by_name_that_came_in_time() {
    let keys = [
        "__schema/@5@1",
        "__schema/@7@2",
        "__schema/__enumerations/__x_0",
    ];
    assert_eq!(schema_at(&keys, 6), full("@5@1"));
    assert_eq!(schema_at(&keys, 7), full("@7@2"));
    // Before the time of the first schema, the first one is used.
    assert_eq!(schema_at(&keys, 1), full("@5@1"));
    // In the order of names, not of numbers.
    assert_eq!(
        schema_at(&["__schema/@9@1", "__schema/@10@2"], 20),
        full("@9@1")
    );
}

#[test]
fn the_schema_of_old_counts_until_another_came() {
    let keys = ["__array_schema.tdb", "__schema/@5@1"];
    assert_eq!(schema_at(&keys, 4), "__array_schema.tdb");
    assert_eq!(schema_at(&keys, 5), full("@5@1"));
    assert_eq!(schema_at(&keys[..1], 0), "__array_schema.tdb");
}

#[test]
fn junk_among_schemas_is_corrupt_and_none_at_all_is_none() {
    let error = directory(&["__schema/__junk"], 9).unwrap_err();
    assert_eq!(error.to_string(), "__schema/__junk: not a name with times");
    assert!(directory(&["x"], 9).unwrap().schema().is_none());
}

#[test]
fn consolidated_fragment_metadata_is_in_root_and_folder() {
    let keys = [
        "@1@1_9.meta",
        "__fragment_meta/@1@1_22.meta",
        "__fragment_meta/junk",
    ];
    let directory = directory(&keys, 9).unwrap();
    let expected = [full("@1@1_9.meta"), full("__fragment_meta/@1@1_22.meta")];
    assert_eq!(directory.fragment_metadata(), expected);
}

#[test]
fn metadata_counts_in_the_order_of_times_without_what_was_consolidated() {
    let keys = [
        "__meta/@2@1",
        "__meta/@1@2",
        "__meta/@1-2@3",
        "__meta/@3@4",
        "__meta/@4@5.tmp",
    ];
    let mut all = keys.to_vec();
    all.push("__meta/@1-2@3.vac");
    let directory = directory(&all, 9).unwrap();
    let lists: Vec<&str> = directory.metadata().lists().collect();
    let text = full("file:///old/__meta/@1@2") + "\n" + &full("/__meta/@2@1");
    let lists = Lists::from([(lists[0].to_owned(), Bytes::from(text))]);
    let seen = |since, at| -> Vec<String> {
        let live = directory.metadata().live(TimeWindow { since, at }, &lists);
        live.unwrap().iter().map(|(key, _)| short(key)).collect()
    };
    assert_eq!(seen(0, 9), ["__meta/@1-2@3", "__meta/@3@4"]);
    assert_eq!(seen(0, 1), ["__meta/@1@2"]);
    assert_eq!(seen(2, 9), ["__meta/@2@1", "__meta/@3@4"]);
}

#[test]
fn junk_in_metadata_harms_metadata_alone() {
    let directory = directory(&["__meta/__junk", "__schema/@1@1"], 9).unwrap();
    let error = directory.metadata().live(TimeWindow::ALL, &Lists::new());
    assert_eq!(
        error.unwrap_err().to_string(),
        "__meta/__junk: not a name with times"
    );
}

#[test]
fn files_of_other_programs_are_passed_over_and_told() {
    let keys = [
        "__meta/.DS_Store",
        "__meta/@2@1",
        "__schema/@1@1",
        "__schema/@1@1 (1)",
        "__schema/junk",
    ];
    let directory = directory(&keys, 9).unwrap();
    assert_eq!(directory.schemas().len(), 1);
    let metadata = directory.metadata();
    assert_eq!(
        metadata.live(TimeWindow::ALL, &Lists::new()).unwrap().len(),
        1
    );
    let strays: Vec<String> = directory.strays().map(short).collect();
    assert_eq!(
        strays,
        ["__schema/@1@1 (1)", "__schema/junk", "__meta/.DS_Store"]
    );
}

#[test]
fn too_many_fragments_are_refused() {
    let array = Array::new(&["__commits/@1@1_22.wrt", "__commits/@2@2_22.wrt"]);
    let names = Names::of_objects(array.keys.iter().map(String::as_str));
    let directory = Directory::from_names(&names, TimeWindow::ALL).unwrap();
    let limits = Limits {
        fragments: 1,
        ..Limits::default()
    };
    let error = directory.live(&Lists::new(), &BTreeSet::new(), true, &limits);
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(
        error.to_string(),
        "number of fragments of 2 is over the limit of 1 (fragments)"
    );
}
