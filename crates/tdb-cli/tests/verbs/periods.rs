//! Dates and times that denote a period, and the messages for periods without cells.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use crate::changing::folder;
use crate::common::{run, stdout, tdb, told};

/// Creates cells for each minute of two days in January 2024, and for the first days of the next three months.
fn minutes(name: &str) -> String {
    let folder = folder(name);
    let mut rows = "time,v\n".to_owned();
    for day in ["2024-01-04", "2024-01-05"] {
        for minute in 0..24 * 60 {
            rows += &format!("{day}T{:02}:{:02}:00.5,1\n", minute / 60, minute % 60);
        }
    }
    for month in 2..5 {
        rows += &format!("2024-{month:02}-01T00:00:00,1\n");
    }
    let file = folder.join("minutes.csv").display().to_string();
    fs::write(&file, rows).unwrap();
    let array = folder.join("array").display().to_string();
    let imported = run(&format!(
        "import {file} {array} --type time=datetime_ns --at 2024-05-01"
    ));
    assert!(imported.status.success());
    array
}

#[test]
fn a_date_means_the_same_in_conditions_and_ranges() {
    let array = minutes("periods");
    for date in [
        "2024",
        "2024-01",
        "2024-01-05",
        "2024-01-05T10",
        "2024-01-05T10:30",
        "2024-01-05T10:30:00",
        "2024-01-05T10:30:00.5",
        "2024-02",
        "2023",
    ] {
        let count = |option: String| {
            let output = tdb(&format!("count {array}"))
                .args(option.split('|'))
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        for (range, condition) in [
            (date.to_owned(), format!("time = '{date}'")),
            (date.to_owned(), format!("time = date '{date}'")),
            (date.to_owned(), format!("time in ('{date}')")),
            (format!("..{date}"), format!("time <= '{date}'")),
            (format!("{date}.."), format!("not time < '{date}'")),
            (
                format!("{date}..2024-03"),
                format!("time between '{date}' and '2024-03'"),
            ),
        ] {
            if condition.contains("date '") && date.contains('T') {
                continue;
            }
            let by_range = count(format!("--range|time={range}"));
            let by_condition = count(format!("--where|{condition}"));
            assert_eq!(by_range, by_condition, "{range}: {condition}");
        }
    }
}

#[test]
fn a_delete_of_a_month_takes_the_month() {
    let array = minutes("periods_delete");
    let deleted = tdb(&format!("delete {array} --where"))
        .arg("time <= '2024-02'")
        .output()
        .unwrap();
    assert!(deleted.status.success());
    assert_eq!(
        stdout(&format!("read {array} --no-dims --limit 9")),
        "v\n1\n1\n"
    );
}

#[test]
fn what_was_cut_and_what_was_not_there_yet_is_said() {
    let array = minutes("periods_cut");
    for verb in ["count", "agg", "stats", "distinct", "hist"] {
        let rest = match verb {
            "agg" => " count(*)",
            "distinct" | "hist" => " v",
            _ => "",
        };
        let said = |options: &str| {
            String::from_utf8(run(&format!("{verb} {array}{rest} {options}")).stderr).unwrap()
        };
        let cut = "warning: a range of dimension \"time\" was cut to its domain\n";
        assert_eq!(said("--range time=2000..2024-02"), "", "{verb}");
        assert_eq!(said("--range time=-9223372036854775807.."), cut, "{verb}");
        let early = "warning: the array did not exist yet at 2020-01-01T00:00:00Z: it was created at 2024-05-01T00:00:00Z\n";
        assert_eq!(said("--at 2020-01-01"), early, "{verb}");
        assert_eq!(said("--at 2024-05-01"), "", "{verb}");
    }
}

#[test]
fn long_conditions_are_cut_in_tables_and_whole_in_json() {
    let array = minutes("periods_long");
    let list: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    let condition = format!("v in ({})", list.join(", "));
    let mut delete = tdb(&format!("delete {array} --at 2024-06-01 --where"));
    let deleted = told(&delete.arg(&condition).output().unwrap());
    assert!(deleted.contains(" characters more): 2883 of"), "{deleted}");
    let log = stdout(&format!("log {array}"));
    assert!(log.contains(" characters more)"), "{log}");
    assert!(stdout(&format!("log {array} --json")).contains(&condition));
}
