//! The file name extension with `-o`.

use std::fs;

use crate::changing::folder;
use crate::common::{failure, run, stdout, tdb, told};

const TOUR: &str = "v22_tour/array";

#[test]
fn an_ending_that_no_format_of_the_verb_has_is_refused_before_any_work() {
    let folder = folder("endings_refused");
    for (verb, ending) in [
        ("info", "png"),
        ("schema", "sql"),
        ("ls", "csv"),
        ("tree", "md"),
        ("count", "csv"),
        ("fragments", "parquet"),
        ("layout", "xlsx"),
        ("log", "log"),
        ("explain", "html"),
        ("verify", "csv"),
        ("meta ls", "toml"),
        ("agg", "npy"),
        ("stats", "xlsx"),
        ("distinct", "pq"),
        ("map", "svg"),
    ] {
        let arguments = match verb {
            "agg" => " count(*)",
            "distinct" => " sky",
            _ => "",
        };
        let file = folder.join(format!("out.{ending}"));
        // The extension is refused before the missing array is noticed.
        let output = run(&format!("{verb} nowhere{arguments} -o {}", file.display()));
        let told = told(&output);
        let wanted = format!("{verb} cannot write .{ending} files");
        assert!(
            told.contains(&wanted) && told.ends_with("exit status 2"),
            "{told}"
        );
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    insta::assert_snapshot!(failure("fragments v22_tour/array -o f.png"), @r"
    error: f.png: fragments cannot write .png files
    hint: known extensions: .txt, .json; none for text
    exit status 2
    ");
    insta::assert_snapshot!(failure("distinct v22_tour/array sky -o d.npy"), @r"
    error: d.npy: distinct cannot write .npy files
    hint: known extensions: .txt, .json, .csv, .jsonl, .ndjson, .arrow, .feather, .ipc, .parquet; none for text
    exit status 2
    ");
    insta::assert_snapshot!(failure("hist v22_tour/array hour -o h.svg"), @r"
    error: h.svg: hist cannot write .svg files
    hint: --svg FILE draws; the endings of -o are .txt, .json
    exit status 2
    ");
    insta::assert_snapshot!(failure("consolidate nowhere -o c.yaml"), @r"
    error: c.yaml: consolidate cannot write .yaml files
    hint: known extensions: .txt, .json; none for text
    exit status 2
    ");
    insta::assert_snapshot!(failure("agg nowhere count(*) --json -o a.csv"), @r"
    error: a.csv: --json does not match the extension .csv
    hint: use the extension .json, or leave out --json
    exit status 2
    ");
    insta::assert_snapshot!(failure("dump v22_tour/array/__schema -o d.json"), @r"
    error: d.json: dump cannot write .json files
    hint: known extensions: .txt; none for text
    exit status 2
    ");
}

#[test]
fn json_and_txt_say_what_the_verb_prints() {
    let folder = folder("endings_text");
    for verb in ["info", "count", "fragments", "schema", "stats"] {
        let written = |ending: &str| {
            let file = folder.join(format!("{verb}{ending}"));
            stdout(&format!("{verb} {TOUR} -o {}", file.display()));
            fs::read_to_string(file).unwrap()
        };
        assert_eq!(written(".json"), stdout(&format!("{verb} {TOUR} --json")));
        assert_eq!(written(".JSON"), stdout(&format!("{verb} {TOUR} --json")));
        let text = stdout(&format!("{verb} {TOUR}"));
        assert_eq!(written(".txt"), text);
        assert_eq!(written(""), text);
    }
}

#[test]
fn tables_are_written_as_rows() {
    let folder = folder("endings_rows");
    let file = |name: &str| folder.join(name).display().to_string();
    let asked = "count(*),sum(pressure),min(temperature),max(hour),mean(pressure)";
    let written = |ending: &str| {
        let name = file(&format!("a.{ending}"));
        stdout(&format!("agg {TOUR} {asked} --by sky -o {name}"));
        name
    };
    let csv = fs::read_to_string(written("csv")).unwrap();
    insta::assert_snapshot!(csv, @r"
    sky,count(*),sum(pressure),min(temperature),max(hour),mean(pressure)
    clear,18,15183,0.25,2024-04-11T21,1012.2
    cloudy,19,18222,-3.25,2024-04-11T18,1012.3333333333334
    rain,22,18222,-3.75,2024-04-11T21,1012.3333333333334
    snow,21,15183,-2.25,2024-04-11T21,1012.2
    ");
    insta::assert_snapshot!(fs::read_to_string(written("jsonl")).unwrap(), @r#"
    {"sky":"clear","count(*)":18,"sum(pressure)":15183,"min(temperature)":0.25,"max(hour)":"2024-04-11T21","mean(pressure)":1012.2}
    {"sky":"cloudy","count(*)":19,"sum(pressure)":18222,"min(temperature)":-3.25,"max(hour)":"2024-04-11T18","mean(pressure)":1012.3333333333334}
    {"sky":"rain","count(*)":22,"sum(pressure)":18222,"min(temperature)":-3.75,"max(hour)":"2024-04-11T21","mean(pressure)":1012.3333333333334}
    {"sky":"snow","count(*)":21,"sum(pressure)":15183,"min(temperature)":-2.25,"max(hour)":"2024-04-11T21","mean(pressure)":1012.2}
    "#);
    for ending in ["parquet", "arrow"] {
        let array = file(ending);
        let output = run(&format!("import {} {array} --dim sky", written(ending)));
        assert!(output.status.success(), "{}", told(&output));
        assert_eq!(stdout(&format!("read {array}")), csv, "{ending}");
    }
    let distinct = file("d.csv");
    stdout(&format!("distinct {TOUR} pressure --counts -o {distinct}"));
    insta::assert_snapshot!(fs::read_to_string(distinct).unwrap(), @r"
    pressure,count(*)
    1009,20
    1012,20
    1015,26
    ,14
    ");
    let stats = file("s.csv");
    stdout(&format!("stats {TOUR} -o {stats}"));
    insta::assert_snapshot!(fs::read_to_string(stats).unwrap(), @r#"
    name,datatype,count,null_count,distinct,min,max,mean,std,q25,q50,q75
    station,string_ascii,80,0,6,BGN,ZRH,,,,,
    hour,datetime_hr,80,0,16,2024-04-10T00,2024-04-11T21,2024-04-10T20,,2024-04-10T09,2024-04-10T18,2024-04-11T06
    temperature,float32,80,0,43,-3.75,26.0,9.903125,8.260158087454917,3.75,9.25,16.375
    pressure,uint16,66,14,3,1009,1015,1012.2727272727273,2.508726030021262,1009.0,1012.0,1015.0
    sky,uint8,80,0,4,,,,,,,
    remark,string_utf8,80,0,2,"",sensor cleaned,,,,,
    "#);
    let none = file("n.csv");
    stdout(&format!(
        "agg {TOUR} {asked} --by sky --range hour=2024-04-10T01 -o {none}"
    ));
    assert_eq!(fs::read_to_string(none).unwrap().lines().count(), 1);
}

#[test]
fn rows_of_dates_are_ticks_where_that_is_asked_for() {
    let folder = folder("endings_ticks");
    let file = folder.join("t.csv").display().to_string();
    stdout(&format!("agg {TOUR} min(hour) --ticks -o {file}"));
    assert_eq!(fs::read_to_string(file).unwrap(), "min(hour)\n475752\n");
}

#[test]
fn a_range_beyond_the_domain_is_an_error_where_that_is_asked_for() {
    let strict = "--config sm.read_range_oob=error";
    let dense = "v22_dense_basics/array";
    let schema: serde_json::Value =
        serde_json::from_str(&stdout(&format!("schema {dense} --json"))).unwrap();
    let name = schema.pointer("/dimensions/0/name").unwrap();
    let range = format!("--range {}=..100000", name.as_str().unwrap());
    for verb in [
        "read", "head", "count", "stats", "explain", "show", "sample", "agg", "compare", "diff",
    ] {
        let arguments = match verb {
            "agg" => "count(*)",
            "sample" => "3",
            "compare" => dense,
            "diff" => "--at 1",
            _ => "",
        };
        let output = run(&format!("{verb} {dense} {arguments} {range} {strict}"));
        let text = told(&output);
        assert!(
            text.contains("reaches out of its domain") && text.ends_with("exit status 2"),
            "{verb}: {text}"
        );
    }
    insta::assert_snapshot!(failure(&format!("count {dense} {range} {strict}")), @r#"
    error: range of dimension "row" reaches out of its domain: 1 .. 7
    exit status 2
    "#);
    let warned = tdb(&format!(
        "count {dense} {range} --config sm.read_range_oob=warn"
    ));
    let warned = { warned }.output().unwrap();
    assert!(warned.status.success());
    insta::assert_snapshot!(failure(&format!("count {dense} --config sm.read_range_oob=off")), @r"
    error: --config sm.read_range_oob=off: expected error or warn
    exit status 2
    ");
}
