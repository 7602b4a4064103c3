//! Verbs that answer questions about cells.

use crate::common::{copy, failure, fixtures, run, stdout, told};
use crate::errors::damaged;

const TOUR: &str = "v22_tour/array";

#[test]
fn cells_are_counted_as_they_are_read() {
    assert_eq!(stdout(&format!("count {TOUR}")), "80\n");
    assert_eq!(stdout(&format!("count {TOUR} --range station=BGN")), "16\n");
    assert_eq!(stdout(&format!("count {TOUR} --at 2024-04-11")), "48\n");
    assert_eq!(
        stdout(&format!("count {TOUR} --json")),
        "{\n  \"cells\": 80\n}\n"
    );
    for array in [
        "v22_deletes",
        "v22_deletes_dups",
        "v22_dense_basics",
        "v22_current_domain_dense",
    ] {
        let lines = stdout(&format!("read {array}/array --format csv"))
            .lines()
            .count();
        let counted = stdout(&format!("count {array}/array"));
        assert_eq!(counted, format!("{}\n", lines - 1), "{array}");
    }
}

#[test]
fn conditions_are_counted() {
    let output = run("count v22_tour/array --where temperature>10");
    insta::assert_snapshot!(told(&output), @r#"
    37
    exit status 0
    "#);
    insta::assert_snapshot!(failure("count v22_tour/array --where temprature>10"), @r#"
    error: there is no field "temprature"
      temprature>10
      ^
    hint: did you mean "temperature"? the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
}

/// The lines of `--profile` about reading and decoding.
fn profiled(arguments: &str) -> String {
    let output = run(&format!("{arguments} --profile"));
    let text = String::from_utf8(output.stderr).expect("text");
    let is_reads = |line: &&str| line.contains("decoded") || line.contains("tiles");
    text.lines().filter(is_reads).collect::<Vec<_>>().join("\n")
}

#[test]
fn counting_what_metadata_tell_decodes_nothing() {
    assert_eq!(profiled("count v22_dense_basics/array"), "");
    // If fragments overlap, coordinates decide, and no attribute is read.
    insta::assert_snapshot!(profiled("count v22_tour/array"), @r#"
    tiles read               18
    bytes decoded         924 B
    cells decoded           168
    "#);
}

#[test]
fn the_first_cells_are_shown() {
    insta::assert_snapshot!(stdout("head v22_tour/array 2 --attrs sky"), @r#"
    station,hour,sky
    BGN,2024-04-10T00,rain
    BGN,2024-04-10T03,snow
    "#);
    assert_eq!(stdout("head v22_tour/array").lines().count(), 11);
    insta::assert_snapshot!(stdout("head v22_dense_basics/array 3 --attrs i32"), @r#"
    row,col,i32
    1,-2,-2147483648
    1,-1,-39
    1,0,-210
    "#);
    insta::assert_snapshot!(stdout("head v22_dense_basics/array 3 --attrs i32 --range row=2"), @r#"
    row,col,i32
    2,-2,0
    2,-1,-2147483648
    2,0,119
    "#);
    insta::assert_snapshot!(failure("head v22_tour/array x"), @r#"
    error: invalid value 'x' for '[N]': invalid digit found in string

    For more information, try '--help'.
    exit status 2
    "#);
}

#[test]
fn aggregates_are_of_all_cells_or_by_group() {
    let asked = "count(*),mean(temperature),min(hour),max(remark),sum(pressure)";
    insta::assert_snapshot!(stdout(&format!("agg {TOUR} {asked}")), @r#"
    count(*)  mean(temperature)      min(hour)     max(remark)  sum(pressure)
          80           9.903125  2024-04-10T00  sensor cleaned          66810
    "#);
    insta::assert_snapshot!(stdout(&format!("agg {TOUR} {asked} --by sky")), @r#"
    sky     count(*)  mean(temperature)      min(hour)     max(remark)  sum(pressure)
    clear         18              10.75  2024-04-10T00  sensor cleaned          15183
    cloudy        19  9.842105263157896  2024-04-10T00  sensor cleaned          18222
    rain          22  9.454545454545455  2024-04-10T00  sensor cleaned          18222
    snow          21  9.702380952380953  2024-04-10T00  sensor cleaned          15183
    "#);
    insta::assert_snapshot!(stdout(&format!("agg {TOUR} count(pressure) --by station,sky --range station=B..C")), @r#"
    station  sky     count(pressure)
    BGN      clear                 3
    BGN      cloudy                3
    BGN      rain                  5
    BGN      snow                  2
    "#);
    insta::assert_snapshot!(stdout(&format!("agg {TOUR} null_count(pressure),min(hour) --by station --range station=BGN --json")), @r#"
    [
      {
        "station": "BGN",
        "null_count(pressure)": 3,
        "min(hour)": "2024-04-10T00"
      }
    ]
    "#);
    insta::assert_snapshot!(stdout(&format!("agg {TOUR} count(*),min(temperature) --where temperature>100")), @r#"
    count(*)  min(temperature)
           0              null
    "#);
}

#[test]
fn aggregates_that_there_are_not_are_told() {
    for asked in [
        "sum(remark)",
        "min(sky)",
        "median(hour)",
        "sum(*)",
        "sum(temprature)",
        "mean(hour)",
    ] {
        let told = failure(&format!("agg {TOUR} {asked}"));
        insta::assert_snapshot!(format!("agg_{}", asked.replace(['(', ')', '*'], "_")), told);
    }
}

#[test]
fn each_field_is_summed_up() {
    insta::assert_snapshot!(stdout(&format!("stats {TOUR}")), @r"
    field        type          count  nulls  distinct            min             max
    station      string_ascii     80      0         6            BGN             ZRH
    hour         datetime_hr      80      0        16  2024-04-10T00   2024-04-11T21
    temperature  float32          80      0        43          -3.75            26.0
    pressure     uint16           66     14         3           1009            1015
    sky          uint8            80      0         4
    remark       string_utf8      80      0         2                 sensor cleaned

    field                 mean      std            q25            q50            q75
    hour         2024-04-10T20           2024-04-10T09  2024-04-10T18  2024-04-11T06
    temperature        9.90312  8.26016           3.75           9.25         16.375
    pressure           1012.27  2.50873           1009           1012           1015
    ");
    insta::assert_snapshot!("stats_dense", stdout("stats v22_dense_basics/array"));
    insta::assert_snapshot!(stdout(&format!("stats {TOUR} --fields sky,pressure --json")), @r#"
    [
      {
        "name": "sky",
        "datatype": "uint8",
        "count": 80,
        "null_count": 0,
        "distinct": 4,
        "distinct_is_exact": true,
        "min": null,
        "max": null,
        "mean": null,
        "std": null,
        "q25": null,
        "q50": null,
        "q75": null,
        "quartiles_are_exact": true
      },
      {
        "name": "pressure",
        "datatype": "uint16",
        "count": 66,
        "null_count": 14,
        "distinct": 3,
        "distinct_is_exact": true,
        "min": 1009,
        "max": 1015,
        "mean": 1012.2727272727273,
        "std": 2.508726030021262,
        "q25": 1009.0,
        "q50": 1012.0,
        "q75": 1015.0,
        "quartiles_are_exact": true
      }
    ]
    "#);
    insta::assert_snapshot!(failure(&format!("stats {TOUR} --fields skies")), @r#"
    error: there is no field "skies"
    hint: the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
}

#[test]
fn distinct_values_are_listed_in_their_order() {
    insta::assert_snapshot!(stdout(&format!("distinct {TOUR} sky")), @r#"
    sky
    clear
    cloudy
    rain
    snow
    "#);
    insta::assert_snapshot!(stdout(&format!("distinct {TOUR} pressure --counts")), @r#"
    pressure  count(*)
        1009        20
        1012        20
        1015        26
        null        14
    "#);
    let both = format!("distinct {TOUR} station sky --counts --where temperature<0 --json");
    insta::assert_snapshot!(stdout(&both), @r#"
    [
      {
        "station": "BGN",
        "sky": "rain",
        "count(*)": 1
      },
      {
        "station": "BGN",
        "sky": "snow",
        "count(*)": 3
      },
      {
        "station": "KEF",
        "sky": "cloudy",
        "count(*)": 2
      },
      {
        "station": "KEF",
        "sky": "rain",
        "count(*)": 5
      },
      {
        "station": "KEF",
        "sky": "snow",
        "count(*)": 1
      }
    ]
    "#);
}

#[test]
fn what_is_sound_is_verified() {
    insta::assert_snapshot!(failure(&format!("verify {TOUR}")), @r#"
    36 tiles in 3 fragments: everything can be decoded
    exit status 0
    "#);
    insta::assert_snapshot!(failure(&format!("verify {TOUR} --json")), @r#"
    {
      "fragments": 3,
      "tiles": 36,
      "errors": [],
      "warnings": []
    }
    36 tiles in 3 fragments: everything can be decoded
    exit status 0
    "#);
    let mut seen = 0;
    for entry in std::fs::read_dir(fixtures())
        .expect("golden arrays")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_sound = !name.contains("encrypted") && !name.contains("lost_tiles");
        if is_sound && entry.path().join("array").exists() {
            stdout(&format!("verify {name}/array -q"));
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen} golden arrays");
}

#[test]
fn all_that_is_damaged_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("array");
    copy(&fixtures().join(TOUR), &array);
    damaged(&array, 0, "a1.tdb", 30);
    damaged(&array, 1, "d1.tdb", 30);
    damaged(&array, 2, "__fragment_metadata.tdb", 9_000_000);
    let uri = array.display().to_string();
    let told =
        |arguments: &str| failure(&format!("verify {uri} {arguments}")).replace(&uri, "array");
    insta::assert_snapshot!("damages", told(""));
    insta::assert_snapshot!("damages_json", told("--json"));
}

#[test]
fn the_arrays_of_a_group_are_verified() {
    insta::assert_snapshot!(failure("verify v22_group/group"), @"
    8 tiles in 4 fragments in 4 arrays: everything can be decoded; not verified: 2 members elsewhere
    exit status 0
    ");
    let folder = tempfile::tempdir().expect("a folder");
    let group = folder.path().join("group");
    copy(&fixtures().join("v22_group/group"), &group);
    let uri = group.display().to_string();
    let arrays = stdout(&format!("ls -R {uri}"));
    let mut arrays = arrays.lines().filter(|line| line.contains("array"));
    assert!(arrays.next().is_some(), "the group has arrays");
    copy(&fixtures().join(TOUR), &group.join("tour"));
    damaged(&group.join("tour"), 1, "a0.tdb", 30);
    copy(&fixtures().join(TOUR), &group.join("schemaless"));
    let schemas = group.join("schemaless/__schema");
    for entry in std::fs::read_dir(schemas).expect("schemas").flatten() {
        if entry.path().is_file() {
            std::fs::write(entry.path(), b"no schema").expect("written");
        }
    }
    let told =
        |arguments: &str| failure(&format!("verify {uri} {arguments}")).replace(&uri, "group");
    insta::assert_snapshot!(told(""), @r#"
    group/schemaless: __schema/__1712703600000_1712703600000_0123456789abcdef0123456789abcdef: GenericTile.header at byte 0: needs 34 bytes, but the data ends after 9
    group/tour: fragment __1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22, field "temperature", tile 0 (a0.tdb from byte 0 on): size between two filters of 4294901768 is over the limit of 1052672 (data_tile)
    error: group: 2 errors in 44 tiles in 7 fragments in 6 arrays
    exit status 1
    "#);
    insta::assert_snapshot!(told("--json"), @r#"
    [
      {
        "array": "group/gone",
        "fragments": 1,
        "tiles": 2,
        "errors": [],
        "warnings": []
      },
      {
        "array": "group/inner/three",
        "fragments": 1,
        "tiles": 2,
        "errors": [],
        "warnings": []
      },
      {
        "array": "group/one",
        "fragments": 1,
        "tiles": 2,
        "errors": [],
        "warnings": []
      },
      {
        "array": "group/schemaless",
        "fragments": 0,
        "tiles": 0,
        "errors": [
          {
            "object": "__schema/__1712703600000_1712703600000_0123456789abcdef0123456789abcdef",
            "field": null,
            "tile": null,
            "error": "__schema/__1712703600000_1712703600000_0123456789abcdef0123456789abcdef: GenericTile.header at byte 0: needs 34 bytes, but the data ends after 9"
          }
        ],
        "warnings": []
      },
      {
        "array": "group/tour",
        "fragments": 3,
        "tiles": 36,
        "errors": [
          {
            "fragment": "__1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22",
            "field": "temperature",
            "tile": 0,
            "error": "fragment __1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22, field \"temperature\", tile 0 (a0.tdb from byte 0 on): size between two filters of 4294901768 is over the limit of 1052672 (data_tile)"
          }
        ],
        "warnings": []
      },
      {
        "array": "group/two",
        "fragments": 1,
        "tiles": 2,
        "errors": [],
        "warnings": []
      }
    ]
    error: group: 2 errors in 44 tiles in 7 fragments in 6 arrays
    exit status 1
    "#);
    insta::assert_snapshot!(failure("verify v22_tour"), @"
    error: v22_tour: there is no array here
    hint: use tdb ls -R v22_tour to find the arrays and groups below
    exit status 3
    ");
}

#[test]
fn cells_come_in_the_order_of_values() {
    let coldest = "read v22_tour/array --attrs temperature,sky --limit 4 --sort";
    insta::assert_snapshot!(stdout(&format!("{coldest} temperature")), @r#"
    station,hour,temperature,sky
    KEF,2024-04-10T03,-3.75,rain
    KEF,2024-04-11T03,-3.75,rain
    KEF,2024-04-10T00,-3.25,cloudy
    KEF,2024-04-11T00,-3.25,rain
    "#);
    insta::assert_snapshot!(stdout(&format!("{coldest} sky,-temperature --offset 2")), @r#"
    station,hour,temperature,sky
    LPB,2024-04-11T06,18.5,clear
    OSA,2024-04-10T18,16.0,clear
    ZRH,2024-04-10T15,13.0,clear
    CPT,2024-04-11T21,12.5,clear
    "#);
    // A sort key that is not shown.
    insta::assert_snapshot!(stdout("read v22_tour/array --attrs sky --no-dims --sort -hour --limit 2"), @r#"
    sky
    snow
    clear
    "#);
    insta::assert_snapshot!(stdout("read v22_tour/array --attrs sky --tail 2 --json"), @r#"
    {"station":"LPB","hour":"2024-04-11T18","sky":"rain"}
    {"station":"LPB","hour":"2024-04-11T21","sky":"snow"}
    "#);
    insta::assert_snapshot!(failure("read v22_tour/array --sort skye"), @r#"
    error: there is no field "skye"
    hint: did you mean "sky"? the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
    insta::assert_snapshot!(failure("read v22_tour/array --tail 2 --limit 1"), @r#"
    error: the argument '--tail <N>' cannot be used with '--limit <N>'

    Usage: tdb read --tail <N> <ARRAY>

    For more information, try '--help'.
    exit status 2
    "#);
    insta::assert_snapshot!(failure("read v22_dense_basics/array --attrs i32 --format npy --sort i32"), @r#"
    error: a .npy file stores all cells of a box, in their order
    hint: use --range to choose the box
    exit status 2
    "#);
}

#[test]
fn a_sample_is_the_same_for_a_seed() {
    let sample = "sample v22_tour/array 3 --attrs sky";
    insta::assert_snapshot!(stdout(sample), @r#"
    station,hour,sky
    CPT,2024-04-10T18,snow
    LPB,2024-04-10T18,rain
    LPB,2024-04-11T03,snow
    "#);
    assert_eq!(stdout(&format!("{sample} --seed 0")), stdout(sample));
    assert_ne!(stdout(&format!("{sample} --seed 1")), stdout(sample));
    assert_eq!(
        stdout("sample v22_tour/array 500 --attrs sky")
            .lines()
            .count(),
        81
    );
}

#[test]
fn histograms_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bars.svg");
    stdout(&format!(
        "hist v22_tour/array temperature --bins 3 --svg {}",
        file.display()
    ));
    insta::assert_snapshot!("bars_svg", std::fs::read_to_string(&file).unwrap());
    insta::assert_snapshot!(stdout("hist v22_tour/array temperature --bins 5"), @r#"
      from      to  cells
    -3.750   2.200     16  ████████████████████████████████
     2.200   8.150     20  ████████████████████████████████████████
     8.150  14.100     16  ████████████████████████████████
    14.100  20.050     20  ████████████████████████████████████████
    20.050  26.000      8  ████████████████
    "#);
    insta::assert_snapshot!(stdout("hist v22_dense_basics/array day --bins 2"), @r#"
              from              to  cells
        1862-06-19  +2329137-03-10     39  ████████████████████████████████████████
    +2329137-03-11  +4656411-11-30      2  ██
               NaT                     22
    "#);
    insta::assert_snapshot!(stdout("hist v10_continued_sparse/array f --bins 2"), @r#"
      from     to  cells
    -2.000  1.250     20  ████████████████████████████████████████
     1.250  4.500     10  ████████████████████
       NaN             6
    "#);
    insta::assert_snapshot!(stdout("hist v22_tour/array hour --bins 3 --range station=BGN"), @r#"
             from             to  cells
    2024-04-10T00  2024-04-10T15      6  ████████████████████████████████████████
    2024-04-10T16  2024-04-11T07      5  █████████████████████████████████▎
    2024-04-11T08  2024-04-11T21      5  █████████████████████████████████▎
    "#);
    insta::assert_snapshot!(stdout("hist v22_tour/array pressure --bins 2 --json"), @r#"
    {
      "field": "pressure",
      "bins": [
        {
          "from": 1009,
          "to": 1012,
          "cells": 40
        },
        {
          "from": 1013,
          "to": 1015,
          "cells": 26
        }
      ],
      "nulls": 14,
      "none": 0
    }
    "#);
    insta::assert_snapshot!(stdout("hist v22_tour/array pressure --where sky='none'"), @"from  to  cells");
    insta::assert_snapshot!(failure("hist v22_tour/array sky"), @r#"
    error: histogram(sky): the values of the field are labels of an enumeration
    hint: use tdb distinct v22_tour/array "sky" --counts to count each value
    exit status 2
    "#);
    insta::assert_snapshot!(failure("hist v22_tour/array remark"), @r#"
    error: histogram(remark): there is none of a field that holds string_utf8
    hint: use tdb distinct v22_tour/array "remark" --counts to count each value
    exit status 2
    "#);
    insta::assert_snapshot!(failure("hist v22_tour/array pressure --bins 0"), @r#"
    error: a histogram has from 1 to 65536 bins
    exit status 2
    "#);
}

#[test]
fn more_groups_than_the_memory_holds_are_told_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (csv, array) = (folder.path().join("many.csv"), folder.path().join("many"));
    let lines = (0..20_000_u32).map(|number| format!("{number},{}\n", number % 7));
    let text: String = std::iter::once("id,kind\n".to_owned())
        .chain(lines)
        .collect();
    std::fs::write(&csv, text).expect("written");
    let made = run(&format!("import {} {}", csv.display(), array.display()));
    assert!(made.status.success(), "{made:?}");
    let by = |field: &str| {
        run(&format!(
            "agg {} sum(kind) --by {field} --memory 4M --threads 1",
            array.display()
        ))
    };
    assert!(by("kind").status.success());
    let many = by("id");
    assert!(many.status.success(), "{many:?}");
    let said = String::from_utf8(many.stdout).expect("text");
    assert_eq!(said.lines().count(), 20_001);
    let last: Vec<&str> = said
        .lines()
        .last()
        .into_iter()
        .flat_map(str::split_whitespace)
        .collect();
    assert_eq!(last, ["19999", (19_999 % 7).to_string().as_str()]);
}

#[test]
fn what_a_read_takes_is_told() {
    let explained = |arguments: &str| told(&run(&format!("explain {arguments}")));
    insta::assert_snapshot!(explained("v22_conditions_dense/array --where a<2 --attrs a,s"), @r#"
    v22_conditions_dense/array: reads 2 of 4 tiles, at most 297 B
      2 ruled out by the condition

    written                   outside  hidden  ruled out  read  bytes  fragment
    1970-01-01T00:00:00.110Z        0       0          2     2  297 B  __110_110_0123456789abcdef0123456789abcdef_22

    field  bytes
    a       96 B  tested by the condition: read first
    s      201 B
    exit status 0
    "#);
    insta::assert_snapshot!(explained("v22_tour/array --range station=BGN..CPT --attrs sky"), @r#"
    v22_tour/array: reads 5 of 6 tiles, at most 1.1 KiB
      1 outside of the ranges

    written               outside  hidden  ruled out  read  bytes  fragment
    2024-04-12T00:00:00Z        0       0          0     2  490 B  __1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22
    2024-04-11T00:00:00Z        1       0          0     2  487 B  __1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22
    2024-04-12T12:00:00Z        0       0          0     1  196 B  __1712923200000_1712923200000_0123456789abcdef0123456789abcdef_22

    field    bytes
    station  350 B
    hour     532 B
    sky      291 B
    exit status 0
    "#);
    insta::assert_snapshot!(explained("v22_dense_basics/array --range row=1..2 --attrs i8"), @r#"
    v22_dense_basics/array: reads 4 of 10 tiles, at most 231 B
      6 outside of the ranges

    written                   outside  hidden  ruled out  read  bytes  fragment
    1970-01-01T00:00:00.130Z        0       0          0     2   96 B  __130_130_0123456789abcdef0123456789abcdef_22
    1970-01-01T00:00:00.110Z        2       0          0     2  135 B  __110_110_0123456789abcdef0123456789abcdef_22
    1970-01-01T00:00:00.120Z        4       0          0     0    0 B  __120_120_0123456789abcdef0123456789abcdef_22

    field  bytes
    i8     231 B
    exit status 0
    "#);
    insta::assert_snapshot!(explained("v22_dense_basics/array --range row=1..2 --attrs i8 --json"), @r#"
    {
      "array": "v22_dense_basics/array",
      "tiles": 10,
      "tiles_read": 4,
      "bytes": 231,
      "fragments": [
        {
          "name": "__110_110_0123456789abcdef0123456789abcdef_22",
          "since": 110,
          "until": 110,
          "tiles_outside": 2,
          "tiles_hidden": 0,
          "tiles_ruled_out": 0,
          "tiles_read": 2,
          "bytes": 135
        },
        {
          "name": "__120_120_0123456789abcdef0123456789abcdef_22",
          "since": 120,
          "until": 120,
          "tiles_outside": 4,
          "tiles_hidden": 0,
          "tiles_ruled_out": 0,
          "tiles_read": 0,
          "bytes": 0
        },
        {
          "name": "__130_130_0123456789abcdef0123456789abcdef_22",
          "since": 130,
          "until": 130,
          "tiles_outside": 0,
          "tiles_hidden": 0,
          "tiles_ruled_out": 0,
          "tiles_read": 2,
          "bytes": 96
        }
      ],
      "fields": [
        {
          "name": "row",
          "is_tested": false,
          "bytes": 0
        },
        {
          "name": "col",
          "is_tested": false,
          "bytes": 0
        },
        {
          "name": "i8",
          "is_tested": false,
          "bytes": 231
        }
      ]
    }
    exit status 0
    "#);
    insta::assert_snapshot!(explained("v22_tour/array --attrs skies"), @r#"
    error: there is no attribute "skies"
    hint: the attributes are temperature, pressure, sky, remark
    exit status 2
    "#);
}

#[test]
fn cells_are_grouped_by_parts_of_dates() {
    let output = run("agg v22_tour/array count(*),mean(temperature) --by month(hour),day(hour)");
    insta::assert_snapshot!(told(&output), @r#"
    month(hour)  day(hour)  count(*)   mean(temperature)
              4         10        48  10.067708333333334
              4         11        32             9.65625
    exit status 0
    "#);
}

#[test]
fn conditions_compare_what_is_worked_out_of_fields() {
    let count = |condition: &str| {
        let output = crate::common::tdb("count v22_tour/array")
            .args(["--where", condition])
            .output()
            .expect("it runs");
        told(&output)
    };
    insta::assert_snapshot!(count("pressure > 1000 + temperature"), @r#"
    37
    exit status 0
    "#);
    insta::assert_snapshot!(count("day(hour) = 11 and not pressure / 2 > 505"), @r#"
    8
    exit status 0
    "#);
    insta::assert_snapshot!(count("station < remark"), @r#"
    8
    exit status 0
    "#);
    insta::assert_snapshot!(count("temperature = tempreature"), @r#"
    error: there is no field "tempreature"
      temperature = tempreature
                    ^
    hint: did you mean "temperature"? the fields are station, hour, temperature, pressure, sky, remark; text stands in 'single quotes'
    exit status 2
    "#);
    insta::assert_snapshot!(count("station = BGN"), @r#"
    error: there is no field "BGN"
      station = BGN
                ^
    hint: the fields are station, hour, temperature, pressure, sky, remark; text stands in 'single quotes'
    exit status 2
    "#);
    insta::assert_snapshot!(count("pressure + station > 1"), @r"
    error: condition `pressure + station > 1`: numbers can be calculated with, and dates and times of one type subtracted, or moved by whole numbers
      pressure + station > 1
      ^
    exit status 2
    ");
    insta::assert_snapshot!(count("sky = station"), @r"
    error: condition `sky = station`: labels are compared with values alone
      sky = station
      ^
    exit status 2
    ");
    let output = crate::common::tdb("delete v22_tour/array --dry-run")
        .args(["--where", "pressure > temperature"])
        .output()
        .expect("it runs");
    insta::assert_snapshot!(told(&output), @r#"
    error: condition `pressure > temperature`: a delete can only compare fields with values
    hint: read the cells with this condition, and delete them by their values, with `in (…)`; use --by-coordinates to delete these cells by their coordinates
    exit status 2
    "#);
}

#[test]
fn labels_that_no_cell_has_are_told_of() {
    let asked = |arguments: &str, condition: &str| {
        let output = crate::common::tdb(arguments)
            .args(["--where", condition])
            .output();
        told(&output.expect("it runs"))
    };
    insta::assert_snapshot!(asked("count v22_tour/array", "sky = 'clera'"), @r#"
    0
    warning: no cell equals 'clera', which is no label of "sky": did you mean "clear"? the labels are clear, cloudy, rain, snow
    exit status 0
    "#);
    insta::assert_snapshot!(asked("count v22_tour/array", "sky in ('clear', 'tar') or sky = 'tar'"), @r#"
    18
    warning: no cell equals 'tar', which is no label of "sky": the labels are clear, cloudy, rain, snow
    exit status 0
    "#);
    insta::assert_snapshot!(asked("count v22_tour/array", "sky like 'x%' and station = 'nobody'"), @"
    0
    exit status 0
    ");
    insta::assert_snapshot!(asked("read v22_tour/array --attrs sky --no-dims", "sky = 'snw'"), @r#"
    sky
    warning: no cell equals 'snw', which is no label of "sky": did you mean "snow"? the labels are clear, cloudy, rain, snow
    exit status 0
    "#);
    insta::assert_snapshot!(asked("read v22_tour/array --attrs sky --no-dims --quiet", "sky = 'snw'"), @"
    sky
    exit status 0
    ");
    insta::assert_snapshot!(asked("count v22_tour/array --json", "sky != 'snw'"), @r#"
    {
      "cells": 80
    }
    warning: no cell equals 'snw', which is no label of "sky": did you mean "snow"? the labels are clear, cloudy, rain, snow
    exit status 0
    "#);
    insta::assert_snapshot!(asked("delete v22_tour/array --dry-run", "sky = 'snw'"), @r#"
    delete cells where sky = 'snw': 0 of 80
    warning: no cell equals 'snw', which is no label of "sky": did you mean "snow"? the labels are clear, cloudy, rain, snow
    exit status 0
    "#);
}
