//! `tdb read` on golden arrays; tdb-query tests that the cells are correct.

use crate::changing::of_schema;
use crate::common::{copy, failure, fixtures, run, stdout, tdb, told};

const TOUR: &str = "read v22_tour/array";

#[test]
fn csv_is_what_a_program_gets() {
    let text = stdout(&format!("{TOUR} --limit 5"));
    insta::assert_snapshot!("csv", text);
}

#[test]
fn formats_of_text() {
    insta::assert_snapshot!("jsonl", stdout(&format!("{TOUR} --limit 3 --format jsonl")));
    insta::assert_snapshot!("table", stdout(&format!("{TOUR} --limit 3 --format table")));
    insta::assert_snapshot!(
        "ticks",
        stdout(&format!("{TOUR} --limit 2 --ticks --enum-codes"))
    );
}

#[test]
fn columns_and_ranges() {
    let attributes =
        "--attrs temperature,sky --dims hour --range station=OSA --range hour=..2024-04-10T06";
    insta::assert_snapshot!("columns", stdout(&format!("{TOUR} {attributes}")));
    let two = "--no-dims --attrs temperature --range station=BGN --range station=ZRH --range hour=475752..475755";
    insta::assert_snapshot!("two_ranges", stdout(&format!("{TOUR} {two}")));
}

#[test]
fn ranges_beyond_the_domain_are_cut_and_told() {
    let output = run("read v22_dense_basics/array --attrs i32 --range row=-5..1 --range col=0..99");
    insta::assert_snapshot!(told(&output));
    let quiet = run("read v22_dense_basics/array -q --range row=-5..1");
    assert!(quiet.stderr.is_empty());
}

#[test]
fn a_range_file_says_what_the_short_form_cannot() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ranges.json");
    let json =
        r#"{"station": [["OSA", "OSA"], ["BGN", "BGN"]], "hour": [["2024-04-10T00", 475755]]}"#;
    std::fs::write(&file, json).expect("a file");
    let output = tdb(TOUR)
        .arg("--range-file")
        .arg(&file)
        .output()
        .expect("it runs");
    insta::assert_snapshot!(told(&output));
}

#[test]
fn conditions_select_cells() {
    let output = tdb(TOUR)
        .args(["--where", "sky = 'snow' and temperature > 5.0"])
        .output();
    insta::assert_snapshot!(told(&output.expect("it runs")));
}

#[test]
fn time_travel() {
    let early = stdout(&format!(
        "{TOUR} --at 2024-04-11T00:00:00Z --range station=BGN --attrs temperature"
    ));
    insta::assert_snapshot!(early);
}

#[test]
fn files_are_of_the_format_that_their_ending_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let beginning = |name: &str| {
        let file = folder.path().join(name);
        let output = tdb("read v22_dense_basics/array --attrs i32 -o")
            .arg(&file)
            .output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{name}: {}", told(&output));
        assert!(output.stdout.is_empty());
        let bytes = std::fs::read(&file).expect("a file");
        String::from_utf8_lossy(&bytes[..6]).into_owned()
    };
    assert_eq!(beginning("a.parquet")[..4], *"PAR1");
    assert_eq!(beginning("a.arrow"), "ARROW1");
    assert_eq!(beginning("a.jsonl")[..2], *"{\"");
    assert_eq!(beginning("a.csv"), "row,co");
    assert!(beginning("a.npy").ends_with("NUMPY"));
}

#[test]
fn npy_has_the_shape_of_the_ranges() {
    let output = run(
        "read v22_dense_basics/array --attrs i32 --format npy --range row=1..2 --range col=0..4",
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("'shape': (2, 5)"), "{}", told(&output));
    assert_eq!(output.stdout.len() % 4, 0);
    // The current domain is the default range.
    let shape = |ranges: &str, wanted: &str| {
        let output = run(&format!(
            "read v22_current_domain_dense/array --format npy {ranges}"
        ));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(wanted), "{}", told(&output));
    };
    shape("", "'shape': (25, 15)");
    shape("--range y=1..20", "'shape': (100, 20)");
}

#[test]
fn a_wrong_request_leaves_the_file_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kept.csv");
    std::fs::write(&file, "precious").expect("a file");
    let output = tdb("read v22_tour/array --attrs wind -o")
        .arg(&file)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "precious");
}

#[test]
fn a_profile_goes_to_standard_error() {
    let output = run(&format!("{TOUR} --profile"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for what in [
        "bytes read",
        "threads",
        "cells decoded",
        "cells wasted",
        "merge",
    ] {
        assert!(said.contains(&format!("\n{what} ")), "{said}");
    }
    assert_eq!(output.stdout, run(TOUR).stdout);

    let output = run(&format!("{TOUR} --profile --json --where sky='snow'"));
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(said.lines().count(), 1, "{said}");
    let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let number = |name: &str| json[name].as_u64().expect("a number");
    let rows = String::from_utf8_lossy(&output.stdout).lines().count() as u64;
    assert_eq!(
        (number("rows_given"), number("cells_given")),
        (rows, rows * 6)
    );
    assert_eq!(number("cells_decoded"), 84 * 6);
    assert_eq!(number("cells_wasted"), 84 * 6 - rows * 6);
    assert!(number("bytes_read") > number("tile_bytes_read"));
    for stage in ["open", "plan", "read", "decode", "merge", "write", "all"] {
        assert!(json[format!("{stage}_ms")].is_number(), "{stage}: {said}");
    }
    let looking = run("info v22_tour/array --profile --json");
    let said = String::from_utf8(looking.stderr).expect("text");
    assert!(
        said.contains("\"bytes_read\":") && !said.contains("decoded"),
        "{said}"
    );
}

#[test]
fn what_is_odd_about_a_label_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_labels/array"), &array);
    let labels = std::fs::read_dir(array.join("__labels")).expect("a folder");
    for label in labels.flatten() {
        let schemas = std::fs::read_dir(label.path().join("__schema")).expect("a folder");
        for schema in schemas.flatten().filter(|entry| entry.path().is_file()) {
            let bytes = std::fs::read(schema.path()).expect("a file");
            std::fs::write(schema.path(), with_a_byte_more(&bytes)).expect("a file");
        }
    }
    let output = tdb("read")
        .arg(&array)
        .args(["--label", "depth=-1000..1000"])
        .output();
    let output = output.expect("it runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{said}");
    assert!(said.starts_with("warning: label \""), "{said}");
    assert!(
        said.contains(": 1 bytes follow the array schema\n"),
        "{said}"
    );
}

#[test]
fn an_attribute_without_a_name_can_be_chosen() {
    let chosen = |array: &str| {
        let mut command = tdb(&format!("read {array}/array --no-dims --limit 1 --attrs"));
        let output = command.arg("").output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).lines().count()
    };
    assert_eq!(
        (
            chosen("v22_anonymous"),
            stdout("read v22_anonymous/array").is_empty()
        ),
        (2, false)
    );
    let nothing = tdb("read v22_tour/array --no-dims --limit 1 --format jsonl --attrs")
        .arg("")
        .output();
    assert_eq!(nothing.expect("it runs").stdout, b"{}\n");
}

#[test]
fn what_bears_a_time_to_come_is_not_there_yet() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    // Moves the newest of three fragments to the year 3000.
    for (folder, ending) in [("__fragments", ""), ("__commits", ".wrt")] {
        let entries = std::fs::read_dir(array.join(folder)).expect("a folder");
        let names = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned());
        let newest = names.max().expect("a fragment");
        let rest = newest.rsplitn(3, '_').collect::<Vec<_>>();
        let to_come = format!("__32503680000000_32503680000000_{}_{}", rest[1], rest[0]);
        assert!(
            newest.ends_with(ending) && newest.contains("_1712923200000_"),
            "{newest}"
        );
        let folder = array.join(folder);
        std::fs::rename(folder.join(newest), folder.join(to_come)).expect("it can be renamed");
    }
    let out = |arguments: &str| {
        let output = tdb(arguments).arg(&array).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    let before = stdout(&format!("{TOUR} --at 2024-04-12T00:00:00Z"));
    assert_eq!(out("read"), before);
    assert_eq!(out("read --at 3000-01-02T00:00:00Z"), stdout(TOUR));
    assert_ne!(stdout(TOUR), before);
    assert_eq!(out("fragments").lines().count(), 1 + 2);
    assert_eq!(out("fragments --at 32503680000000").lines().count(), 1 + 3);
}

#[test]
fn what_is_odd_about_an_array_is_told_by_every_verb() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    let schemas = std::fs::read_dir(array.join("__schema")).expect("a folder");
    let mut schemas = schemas.flatten().map(|entry| entry.path());
    let schema = schemas.find(|path| path.is_file()).expect("a schema");
    let bytes = std::fs::read(&schema).expect("a file");
    std::fs::write(&schema, with_a_byte_more(&bytes)).expect("a file");

    let run = |arguments: &str| {
        let output = tdb(arguments).arg(&array).output().expect("it runs");
        assert!(output.status.success(), "{}", told(&output));
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (text(output.stdout), text(output.stderr))
    };
    for verb in ["schema", "fragments", "meta ls", "read"] {
        let (_, said) = run(verb);
        assert!(said.starts_with("warning: __schema/"), "{verb}: {said}");
        assert!(
            said.ends_with(": 1 bytes follow the array schema\n"),
            "{verb}: {said}"
        );
        assert_eq!(run(&format!("{verb} -q")).1, "", "{verb}");
    }
    let (screen, said) = run("info");
    assert!(
        screen.contains("\nwarning: __schema/") && said.is_empty(),
        "{screen}{said}"
    );
    let json: serde_json::Value = serde_json::from_str(&run("info --json").0).expect("JSON");
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(1), "{json}");
}

/// Builds a generic tile with one additional byte of content.
fn with_a_byte_more(file: &[u8]) -> Vec<u8> {
    let limits = tdb::engine::tile::Limits::default();
    let bytes = bytes::Bytes::copy_from_slice(file);
    let tile = tdb::engine::tile::GenericTile::parse(&bytes, &limits).expect("a tile");
    let payload =
        tdb::engine::filters::open_generic_tile(&tile, None, &limits).expect("its content");
    let longer = [&payload[..], &[0]].concat();
    tdb::engine::filters::seal_generic_tile(&longer, tile.version(), None).expect("a tile")
}

#[test]
fn cells_of_a_dense_array_that_fail_are_left_out_unless_their_places_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |more: &str| {
        run_with(
            &format!("read v22_dense_basics/array --attrs i32 {more}"),
            "i32 > 0",
        )
    };
    let lines = |output: &std::process::Output| {
        assert!(output.status.success(), "{}", told(output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (fits, fills) = (lines(&read("")), lines(&read("--fill")));
    assert_eq!(fills.len(), 64);
    assert!(fits.len() > 5 && fits.len() < 64, "{fits:?}");
    let kept: Vec<String> = fills
        .into_iter()
        .filter(|line| !line.ends_with(",-7"))
        .collect();
    assert_eq!(fits, kept);
    assert_eq!(lines(&read("--drop")), fits);
    assert_eq!(lines(&read("--limit 3")), fits[..4]);
    // A box has no holes, so the fill values in it are reported.
    let npy = read(&format!("-o {}/cells.npy", folder.path().display()));
    let said = String::from_utf8_lossy(&npy.stderr).into_owned();
    let failing = 64 - fits.len();
    assert_eq!(
        said,
        format!("{failing} of 63 cells do not match --where and have the fill value\n")
    );
    assert_eq!(read("--format npy --drop").status.code(), Some(2));
    // A warning explains the effect of leaving out the dimensions.
    let said = |output: std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        said(read("--no-dims")),
        "warning: without dimensions it is not visible which cells were left out: use --fill to keep their places\n"
    );
    assert_eq!(said(read("--no-dims --fill")), "");
    let sparse = run("read v22_tour/array --fill");
    insta::assert_snapshot!(told(&sparse), @r"
    error: --fill is only for dense arrays
    exit status 2
    ");
}

/// Runs the program with a condition that contains spaces.
fn run_with(arguments: &str, condition: &str) -> std::process::Output {
    let mut command = tdb(arguments);
    command.args(["--where", condition]);
    command.output().expect("it runs")
}

#[test]
fn a_date_means_all_of_the_period_that_it_names() {
    let (_, array) = of_schema(
        "periods_of_days",
        r#"{"type": "dense", "dimensions": [{"name": "day", "datatype": "datetime_day",
            "domain": ["2023-01-01", "2023-12-31"], "extent": 31}],
            "attributes": [{"name": "a", "datatype": "int32"}]}"#,
    );
    let days = |range: &str| {
        let cells = stdout(&format!(
            "read {array} --dims day --attrs a --range day={range}"
        ));
        let days = cells
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').next());
        let days: Vec<String> = days.map(str::to_owned).collect();
        let ends = days.first().zip(days.last());
        let (first, last) = ends.expect("a day");
        format!("{} {first} {last}", days.len())
    };
    for (range, wanted) in [
        ("2023-02", "28 2023-02-01 2023-02-28"),
        ("2023", "365 2023-01-01 2023-12-31"),
        ("2023-02..2023-03", "59 2023-02-01 2023-03-31"),
        ("2023-12..", "31 2023-12-01 2023-12-31"),
        ("..2023-01", "31 2023-01-01 2023-01-31"),
        ("2023-02-03..2023-02", "26 2023-02-03 2023-02-28"),
        ("2023-02-03", "1 2023-02-03 2023-02-03"),
        ("..", "365 2023-01-01 2023-12-31"),
    ] {
        assert_eq!(days(range), wanted, "{range}");
    }
    // With `--ticks`, as days since 1970-01-01.
    let cells = run(&format!("read {array} --ticks --range day=19358..19359"));
    assert_eq!(
        String::from_utf8_lossy(&cells.stdout).lines().count(),
        3,
        "{}",
        told(&cells)
    );
    // A range file uses the same notation for dates.
    let file = format!("{array}.json");
    std::fs::write(
        &file,
        r#"{"day": [["2023-02", "2023-02"], ["2023-04-01", "2023-04"]]}"#,
    )
    .expect("a file");
    let cells = stdout(&format!("read {array} --range-file {file}"));
    assert_eq!(cells.lines().count(), 1 + 28 + 30);
    insta::assert_snapshot!(failure(&format!("read {array} --range day=2023-02-30")), @r#"
    error: range of "day": "2023-02-30" is not a valid datetime_day (ISO 8601, or a number of ticks)
    exit status 2
    "#);
}

#[test]
fn a_range_of_nothing_is_refused_and_times_that_look_like_seconds_are_told() {
    insta::assert_snapshot!(failure("read v22_tour/array --range hour="), @r"
    error: invalid value 'hour=' for '--range <DIM=LO..HI>': nothing after the `=`: LO..HI, LO.., ..HI, a value, or hour=.. for all

    For more information, try '--help'.
    exit status 2
    ");
    insta::assert_snapshot!(failure("read v22_tour/array --at 1712793600 --attrs sky"), @r"
    station,hour,sky
    warning: --at 1712793600 is 1970-01-20T19:46:33.600Z, since a number is milliseconds since 1970; seconds? write 1712793600000
    warning: the array did not exist yet at 1970-01-20T19:46:33.600Z: it was created at 2024-04-09T23:00:00Z
    exit status 0
    ");
    assert_eq!(
        stdout("read v22_tour/array --at now"),
        stdout("read v22_tour/array --at -2m")
    );
}
