//! Error messages and exit statuses.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::process::{Command, Stdio};

use crate::common::{copy, failure, fixtures, run, tdb, told};

#[test]
fn a_place_without_an_array() {
    insta::assert_snapshot!("missing", failure("info nowhere"));
    insta::assert_snapshot!("empty_folder", failure("info v22_tour"));
    insta::assert_snapshot!("file", failure("info v22_tour/manifest.json"));
    insta::assert_snapshot!("no_group", failure("group ls v22_tour/array"));
}

#[test]
fn uris_of_other_stores() {
    // Nothing listens on this port.
    let dead = "--config vfs.s3.endpoint_override=127.0.0.1:1 --config vfs.s3.scheme=http --config vfs.s3.no_sign_request=true \
                --config vfs.s3.connect_max_tries=1";
    let told = failure(&format!("info s3://bucket/array {dead}"));
    assert!(
        told.contains("s3://bucket/array: ") && told.contains("Connection refused"),
        "{told}"
    );
    assert!(
        told.contains("hint: use tdb doctor s3://bucket/array to check"),
        "{told}"
    );
    let told = failure(&format!("doctor s3://bucket/array --write {dead}"));
    assert!(told.contains("list   fails"), "{told}");
    assert!(
        told.contains("error: s3://bucket/array: list does not work"),
        "{told}"
    );
    insta::assert_snapshot!("no_bucket", failure("info s3://"));
    insta::assert_snapshot!("no_account", failure("info az://container/array"));
    insta::assert_snapshot!("scheme", failure("info gopher://old/array"));
    let uri = format!("file://{}", fixtures().join("v22_tour/array").display());
    assert!(run(&format!("schema {uri}")).status.success());
}

#[test]
fn requests_that_do_not_fit_the_array() {
    let read = "read v22_tour/array";
    insta::assert_snapshot!("attribute", failure(&format!("{read} --attrs wind")));
    insta::assert_snapshot!("dimension", failure(&format!("{read} --range x=1..2")));
    insta::assert_snapshot!("value", failure(&format!("{read} --range hour=noon")));
    insta::assert_snapshot!("label", failure(&format!("{read} --label l=1..2")));
    insta::assert_snapshot!(
        "npy",
        failure(&format!("{read} --attrs temperature --format npy"))
    );
    insta::assert_snapshot!("typo", failure(&format!("{read} --attrs temprature,sky")));
    insta::assert_snapshot!("range_typo", failure(&format!("{read} --range hours=1")));
    let condition = |text: &str| told(&tdb(read).args(["--where", text]).output().unwrap());
    insta::assert_snapshot!("condition", condition("temperature >"));
    insta::assert_snapshot!("condition_typo", condition("temprature > 3"));
    let long = "sky = 'rain' or ".repeat(20) + "sky == 'ü' and sky ! 'x'";
    insta::assert_snapshot!("condition_long", condition(&long));
}

#[test]
fn command_lines_that_are_wrong() {
    for arguments in [
        "",
        "rea x",
        "read",
        "read a --at tomorrow",
        "read a --memory lots",
        "read a --range x",
        "read a --config x",
        "read a --threads 0",
        "read a --limit -1",
        "dump a --json",
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
    // A value may begin with a hyphen.
    let told = failure("read v22_tour/array --attrs -x,-y --limit 1");
    assert!(
        told.starts_with("error: there is no attribute \"-x\"\n"),
        "{told}"
    );
}

#[test]
fn metadata_without_the_key() {
    insta::assert_snapshot!(failure("meta get v22_tour/array altitude"));
}

#[test]
fn a_key_that_is_no_key() {
    insta::assert_snapshot!(
        "key_missing",
        failure("info v22_tour/array --key-file no-such-key")
    );
    insta::assert_snapshot!(
        "key_length",
        failure("info v22_tour/array --key-file README.md")
    );
}

#[test]
fn a_key_for_an_array_that_is_not_encrypted() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, [7; 32]).unwrap();
    let output = tdb("info v22_tour/array")
        .arg("--key-file")
        .arg(&key)
        .output();
    insta::assert_snapshot!(told(&output.unwrap()));
}

#[test]
fn damaged_objects_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_dense_basics/array"), &array);
    let schema = std::fs::read_dir(array.join("__schema")).unwrap().flatten();
    let schema = schema
        .map(|entry| entry.path())
        .find(|path| path.is_file())
        .unwrap();
    let mut bytes = std::fs::read(&schema).unwrap();
    bytes.truncate(40);
    std::fs::write(&schema, bytes).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tdb"))
        .args(["info", "array"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    let name = schema.file_name().unwrap().to_string_lossy().into_owned();
    insta::assert_snapshot!(said.replace(&name, "NAME"));
}

#[test]
fn a_limit_has_its_own_status() {
    let output = run("read v22_tour/array --memory 10");
    assert_eq!(output.status.code(), Some(4), "{}", told(&output));
    let met = |array: &str, memory: u32| {
        let told = failure(&format!("read {array}/array --memory {memory}"));
        (
            told.contains(" (memory budget)\n"),
            told.ends_with(
                "\nhint: use --memory to allow more, such as --memory 4GiB\nexit status 4",
            ),
        )
    };
    // Memory is taken first for the names of objects, then for objects being read, then for decoded structures,
    // fragments first.
    assert_eq!(met("v22_tour", 1000), (true, true));
    assert_eq!(met("v22_tour", 3000), (false, true));
    assert_eq!(met("v22_strings", 20_000), (true, true));
}

#[test]
fn a_broken_pipe_is_no_error() {
    let mut child = tdb("read v22_tour/array")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(told(&output), "exit status 0");
}

#[test]
fn settings_of_tiledb() {
    insta::assert_snapshot!(
        "config_ignored",
        failure(
            "meta get v22_tour/array first_year --config vfs.s3.sse=x --config rest.retry_count=3"
        )
    );
    insta::assert_snapshot!(
        "config_misspelt",
        failure("info v22_tour/array --config vfs.s3.regoin=x")
    );
    insta::assert_snapshot!(
        "config_unknown",
        failure("info v22_tour/array --config colour=blue")
    );
    let memory = run("read v22_tour/array --config sm.mem.total_budget=10");
    assert_eq!(memory.status.code(), Some(4));
    let option_wins = run("read v22_tour/array --config sm.mem.total_budget=10 --memory 1GiB");
    assert!(option_wins.status.success());
    insta::assert_snapshot!(
        "config_wrong",
        failure("info v22_tour/array --config sm.io_concurrency_level=many")
    );
}

/// Creates an array folder whose only object is this schema.
fn with_schema(bytes: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("array")).unwrap();
    std::fs::write(folder.path().join("array/__array_schema.tdb"), bytes).unwrap();
    folder
}

fn info_in(folder: &std::path::Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tdb"));
    told(
        &command
            .args(["info", "array"])
            .current_dir(folder)
            .output()
            .unwrap(),
    )
}

#[test]
fn schemas_of_other_times_say_so() {
    // Versions 1.0 to 1.3: sizes with and without compression, datatype, cell size, compressor and level.
    let mut headed = Vec::new();
    headed.extend(81_u64.to_le_bytes());
    headed.extend(240_u64.to_le_bytes());
    headed.push(4);
    headed.extend(1_u64.to_le_bytes());
    headed.push(2);
    headed.extend((-1_i32).to_le_bytes());
    headed.resize(headed.len() + 81, 7);
    let old = with_schema(&headed);
    insta::assert_snapshot!("schema_of_1_3", info_in(old.path()));

    // Before 1.0: the path of the array, preceded by its length.
    let mut bare = Vec::new();
    bare.extend(21_u32.to_le_bytes());
    bare.extend(b"/data/arrays/weather1");
    bare.extend([1, 0, 0, 16, 39, 0, 0, 0, 0, 0, 0]);
    let oldest = with_schema(&bare);
    assert_eq!(info_in(oldest.path()), info_in(old.path()));

    let fixture = fixtures().join("v3_sparse_basics/array/__array_schema.tdb");
    let mut newer = std::fs::read(fixture).unwrap();
    newer[..4].copy_from_slice(&24_u32.to_le_bytes());
    insta::assert_snapshot!("schema_of_24", info_in(with_schema(&newer).path()));
}

#[test]
fn every_verb_keeps_to_the_memory_allowed() {
    let schema = std::fs::read_dir(fixtures().join("v22_tour/array/__schema")).unwrap();
    let schema = schema.flatten().map(|entry| entry.path());
    let schema = schema.filter(|path| path.is_file()).min().unwrap();
    for verb in [
        "info v22_tour/array",
        "schema v22_tour/array",
        "read v22_tour/array",
        "fragments v22_tour/array",
        "meta ls v22_tour/array",
        "meta ls v22_group/group",
        "group ls v22_group/group",
        "info v22_group/group",
        "ls v22_group/group",
        "tree v22_group/group",
        &format!("dump {}", schema.display()),
    ] {
        let output = run(&format!("{verb} --memory 10"));
        assert_eq!(output.status.code(), Some(4), "{verb}: {}", told(&output));
    }
}

#[test]
fn an_array_without_its_schema_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    std::fs::remove_dir_all(array.join("__schema")).unwrap();
    std::fs::create_dir(array.join("__schema")).unwrap();
    insta::assert_snapshot!(info_in(folder.path()));
}

#[test]
fn a_column_that_is_not_what_the_field_takes_is_told_with_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (array, codes) = (place("array"), place("codes.parquet"));
    copy(
        &fixtures().join("v22_tour/array"),
        std::path::Path::new(&array),
    );
    let read = run(&format!("read {array} --enum-codes -o {codes}"));
    assert!(read.status.success(), "{}", told(&read));
    insta::assert_snapshot!(
        failure(&format!("write {array} {codes}")).replace(&codes, "codes.parquet")
    );
}

#[test]
fn a_damaged_tile_is_told_with_its_file_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    let fragments = std::fs::read_dir(array.join("__fragments"))
        .unwrap()
        .flatten();
    let fragment = fragments.map(|entry| entry.path()).min().unwrap();
    let file = fragment.join("a1.tdb");
    let mut bytes = std::fs::read(&file).unwrap();
    // The last byte belongs to the last tile.
    let damaged = bytes.last_mut().unwrap();
    *damaged ^= 0xff;
    std::fs::write(&file, bytes).unwrap();
    let told = failure(&format!("read {}", array.display()));
    let told = told.replace(&array.display().to_string(), "array");
    insta::assert_snapshot!(told);
}

/// Overwrites bytes of an object in fragment `index`, counted in time order. Returns the fragment's name.
pub(crate) fn damaged(array: &std::path::Path, index: usize, object: &str, at: usize) -> String {
    let fragments = std::fs::read_dir(array.join("__fragments")).unwrap();
    let mut fragments: Vec<_> = fragments.flatten().map(|entry| entry.path()).collect();
    fragments.sort();
    let file = fragments[index].join(object);
    let mut bytes = std::fs::read(&file).unwrap();
    let (at, len) = (at.min(bytes.len() - 8), bytes.len());
    bytes[at..len.min(at + 8)].fill(0xff);
    std::fs::write(&file, bytes).unwrap();
    fragments[index]
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned()
}

#[test]
fn where_fragments_are_damaged_the_sound_ones_are_told_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    let read = |more: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tdb"));
        let arguments = format!("read array --attrs temperature {more}");
        let command = command
            .args(arguments.split_whitespace())
            .current_dir(&folder);
        command.output().unwrap()
    };
    let all = read("");
    let tile = damaged(&array, 1, "a0.tdb", 0);
    let said = told(&read(""));
    insta::assert_snapshot!(said, @r#"
    station,hour,temperature
    error: array: fragment __1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22, field "temperature", tile 0 (a0.tdb from byte 0 on)
      TileChunks.count at byte 0: needs 18446744073709551615 bytes, but the data ends after 102
    hint: 2 of 3 fragments are sound, as far as this reads them: use --without-fragments __1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22 to read only those
    exit status 3
    "#);
    // The other fragments are read, with a warning about the missing one.
    let rest = read(&format!("--without-fragments {tile}"));
    let warning = String::from_utf8_lossy(&rest.stderr).into_owned();
    insta::assert_snapshot!(warning, @r#"
    warning: 1 of 3 fragments are ignored: their cells are missing, and older cells may appear instead
    "#);
    assert!(rest.status.success());
    assert!(!rest.stdout.is_empty() && rest.stdout != all.stdout);
    // A second damaged fragment, which cannot even be opened.
    let footer = damaged(&array, 0, "__fragment_metadata.tdb", usize::MAX);
    let said = told(&read(""));
    insta::assert_snapshot!(said, @r#"
    error: array: __fragments/__1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22/__fragment_metadata.tdb
      FragmentFooter.length at byte 6862: is zero, or more than the file has before it
    hint: 1 of 3 fragments are sound, as far as this reads them: use --without-fragments __1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22,__1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22 to read only those
    exit status 3
    "#);
    let rest = read(&format!("--without-fragments {footer},{tile}"));
    assert!(rest.status.success(), "{}", told(&rest));
    insta::assert_snapshot!(told(&read("--without-fragments __1_1_x")), @r#"
    error: fragment "__1_1_x": the array has none of that name
    exit status 2
    "#);
}
