//! Generates `docs/performance.md` from the results and from manually written reasons.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::goals::{GOALS, Goal, LEAST_MEAN_SHARE, mean};
use super::growth;
use super::results::{Results, Row, commits, figures};
use super::tables::{megabytes, milliseconds, number, percent};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Families of workloads in the order of the page, with their titles.
pub(super) const FAMILIES: [(&str, &str); 8] = [
    ("dense", "Dense arrays"),
    ("codecs", "Filters"),
    ("sparse", "Sparse arrays"),
    ("fragments", "Many fragments"),
    ("aggregates", "Aggregates"),
    ("opening", "Opening, metadata"),
    ("writes", "Writes"),
    ("consolidation", "Consolidation"),
];

/// Prefixes of the names of rates measured with two threads, and with one.
const TWO_THREADS: &str = "two threads: ";
const ONE_THREAD: &str = "one thread: ";

const HOW: &str = "\
Each row is a workload that both engines run in turn, a process each, in several rounds: a run to warm up, then three timed ones (one, where
it takes over two seconds). Of all runs of all rounds the fastest counts, for both engines as for the rates of the limit: what else the
machine and its host do makes runs slower, never faster. Rows that are run again by the same programs have the rounds of all runs, of both
engines. The page cache is warm. TileDB 2.30.0 runs through its C interface,
in memory that is allocated and touched before; tdb runs through its Rust crates and keeps a result whole until the clock stops. Opening the
array is within the time. Times are of the processor, in milliseconds, with one thread; they equal the time of the clock where
nothing else runs. Two threads against one: by the clock. Both must find the same cells: checksums of every column, in their order where there is one; of what was written
and consolidated, by what TileDB reads of it. Peak memory is what a process held beyond what it had before the first run,
result included, in the round that took most; the cells of a write are not.

The **limit** is what one core of this machine cannot do without: the sum of bytes by rate over the steps of a workload (reading, decoding, placing,
sorting, encoding, writing; one opening and reading for each file), with the best rates of the same rounds. Compressors count at
their own rate on the pieces that are stored in the array; other filters at that of a plain loop, or of a copy.
`xtask/bench/suite/limits.py` has the steps of each workload. `performance-far.md` has arrays in a store that answers late.
";

pub(super) fn page(results: &Results, reasons: &Map<String, Value>) -> Result<String> {
    let rows = results.rows();
    if rows.is_empty() {
        return Err("there are no results to write: `cargo xtask bench`".into());
    }
    let mut text = String::new();
    let commits = commits(rows.iter().map(|row| row.text("commit")));
    writeln!(
        text,
        "Written by `cargo xtask bench` at commit {commits}. {}.\n\n# Performance\n",
        results.machine()
    )?;
    text.push_str(
        "![how many times as fast as TileDB, and the share of the limit](performance.svg)\n\n",
    );
    text.push_str(HOW);
    unevenness(&mut text, &rows)?;
    goals(&mut text, &rows)?;
    families(&mut text, &rows)?;
    for (family, title) in FAMILIES {
        table(
            &mut text,
            title,
            rows.iter().filter(|row| row.text("family") == family),
        )?;
    }
    others(&mut text, &rows)?;
    two_threads(&mut text, results)?;
    misses(&mut text, &rows, reasons)?;
    growth::write(&mut text, results, reasons)?;
    rates(&mut text, results)?;
    Ok(text)
}

/// Writes how much the machine's speed varied between rounds, which shows the precision of the figures.
fn unevenness(text: &mut String, rows: &[Row<'_>]) -> Result<()> {
    let of = |engine: &'static str| {
        let figures = rows.iter().filter_map(move |row| row.figures(1, engine));
        figures.map(|figures| figures.slowest / figures.cpu)
    };
    let most = of("tdb").chain(of("tiledb")).max_by(f64::total_cmp);
    writeln!(
        text,
        "\nThe slowest round of a row took {} times as long as the fastest (geometric mean; TileDB {}), {} times at most, by the same programs on the same data.",
        number(mean(of("tdb")), 2),
        number(mean(of("tiledb")), 2),
        number(most, 2),
    )?;
    Ok(())
}

fn goals(text: &mut String, rows: &[Row<'_>]) -> Result<()> {
    writeln!(text, "\n## Goals\n\n| goal | rows | hold |\n|---|--:|--:|")?;
    for (goal, about) in GOALS {
        let held: Vec<bool> = rows.iter().filter_map(|row| row.holds(goal)).collect();
        let holding = held.iter().filter(|holds| **holds).count();
        writeln!(text, "| {about} | {} | {holding} |", held.len())?;
    }
    let shares = rows.iter().filter(|row| !row.is("latency"));
    let share = mean(shares.filter_map(Row::share));
    let holds = share.is_some_and(|share| share >= LEAST_MEAN_SHARE);
    writeln!(
        text,
        "| at least {} of the limit in the geometric mean of rows that are not all latency | {} | {} |",
        percent(Some(LEAST_MEAN_SHARE)),
        percent(share),
        if holds { "holds" } else { "**does not hold**" }
    )?;
    Ok(())
}

fn families(text: &mut String, rows: &[Row<'_>]) -> Result<()> {
    writeln!(
        text,
        "\n## By family\n\nGeometric means.\n\n| family | rows | TileDB / tdb | behind TileDB | share of the limit | two threads, tdb | two threads, TileDB |\n|---|--:|--:|--:|--:|--:|--:|"
    )?;
    for (family, title) in FAMILIES.iter().chain(&[("", "All")]) {
        let of = || {
            let rows = rows.iter();
            rows.filter(|row| family.is_empty() || row.text("family") == *family)
        };
        let behind = of().filter(|row| row.ratio().is_some_and(|ratio| ratio < 1.0));
        writeln!(
            text,
            "| {title} | {} | {} | {} | {} | {} | {} |",
            of().count(),
            number(mean(of().filter_map(Row::ratio)), 2),
            behind.count(),
            percent(mean(of().filter_map(Row::share))),
            number(mean(of().filter_map(|row| row.speedup("tdb"))), 2),
            number(mean(of().filter_map(|row| row.speedup("tiledb"))), 2),
        )?;
    }
    Ok(())
}

fn table<'a>(
    text: &mut String,
    title: &str,
    rows: impl Iterator<Item = &'a Row<'a>>,
) -> Result<()> {
    writeln!(
        text,
        "\n## {title}\n\nTimes in ms, of the processor but for the clock's; memory in MB. Bold: a goal that is missed.\n\n\
         | workload | TileDB | tdb | TileDB / tdb | limit | share | peak TileDB | peak tdb | allowed | clock TileDB | clock tdb | two threads, tdb | TileDB |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    for row in rows {
        let [Some(theirs), Some(ours)] = ["tiledb", "tdb"].map(|engine| row.figures(1, engine))
        else {
            continue;
        };
        let marked = |cell: String, goals: &[Goal]| {
            let missed = goals.iter().any(|goal| row.holds(*goal) == Some(false));
            if missed { format!("**{cell}**") } else { cell }
        };
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            milliseconds(theirs.cpu),
            milliseconds(ours.cpu),
            marked(number(row.ratio(), 2), &[Goal::NotBehind, Goal::Latency]),
            milliseconds(row.limit()),
            marked(percent(row.share()), &[Goal::Share, Goal::Latency]),
            megabytes(theirs.peak),
            marked(megabytes(ours.peak), &[Goal::Memory]),
            row.allowed().map_or("-".into(), megabytes),
            milliseconds(theirs.wall),
            milliseconds(ours.wall),
            marked(number(row.speedup("tdb"), 2), &[Goal::Speedup]),
            number(row.speedup("tiledb"), 2),
        )?;
    }
    Ok(())
}

/// Writes the times of other engines for the same cells.
fn others(text: &mut String, rows: &[Row<'_>]) -> Result<()> {
    let rows = rows.iter().filter_map(|row| {
        let engines = row.said.pointer("/threads/others")?.as_object()?;
        Some((row, engines))
    });
    writeln!(
        text,
        "\n## Beside other stores\n\nThe same cells in Zarr (by zarrs, in chunks as large as the tiles), HDF5 (by h5py; sparse cells \
         as columns with shuffle and gzip) and Parquet (zstd; by arrow-rs and DuckDB): ms of the processor, one thread, into new memory.\n\n\
         | workload | tdb | TileDB | others |\n|---|--:|--:|---|"
    )?;
    for (row, engines) in rows {
        let others: Vec<String> = engines
            .iter()
            .map(|(name, said)| format!("{name} {}", milliseconds(figures(said).cpu)))
            .collect();
        let [theirs, ours] = ["tiledb", "tdb"].map(|engine| {
            let figures = row.figures(1, engine);
            figures.map_or("-".into(), |figures| milliseconds(figures.cpu))
        });
        writeln!(
            text,
            "| {} | {ours} | {theirs} | {} |",
            row.name,
            others.join(", ")
        )?;
    }
    Ok(())
}

/// Writes the rows that miss a goal, with the reason found by the workload's name or a part of it.
fn misses(text: &mut String, rows: &[Row<'_>], reasons: &Map<String, Value>) -> Result<()> {
    writeln!(
        text,
        "\n## What misses, and what holds it back\n\n| workload | misses | because |\n|---|---|---|"
    )?;
    for row in rows {
        let missed: Vec<&str> = GOALS
            .iter()
            .filter(|(goal, _)| row.holds(*goal) == Some(false))
            .map(|(goal, _)| short(*goal))
            .collect();
        if !missed.is_empty() {
            let reason = reasons.iter().find(|(part, _)| row.name.contains(*part));
            let reason = reason.and_then(|(_, reason)| reason.as_str());
            writeln!(
                text,
                "| {} | {} | {} |",
                row.name,
                missed.join(", "),
                reason.unwrap_or("not looked into yet")
            )?;
        }
    }
    Ok(())
}

fn short(goal: Goal) -> &'static str {
    match goal {
        Goal::NotBehind => "behind TileDB",
        Goal::Share => "share of the limit",
        Goal::Latency => "8 times TileDB",
        Goal::Speedup => "two threads",
        Goal::Memory => "memory",
    }
}

/// Writes the gain from a second thread on this machine when the threads share nothing.
fn two_threads(text: &mut String, results: &Results) -> Result<()> {
    let rates = results.rates();
    let pairs = rates.iter().filter_map(|(name, two)| {
        let name = name.strip_prefix(TWO_THREADS)?;
        let one = format!("{ONE_THREAD}{name}");
        let (_, one) = rates.iter().find(|(name, _)| *name == one)?;
        Some((name, two / one))
    });
    let gains: Vec<String> = pairs
        .map(|(name, gain)| format!("| {name} | {} |", number(Some(gain), 2)))
        .collect();
    if gains.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\n## Two threads of this machine\n\nThe same work, by a thread on memory of its own and by two such threads at once, by the clock: what two \
         threads that share nothing do in the time of one.\n\n\
         | work | two threads / one |\n|---|--:|\n{}",
        gains.join("\n")
    )?;
    Ok(())
}

fn rates(text: &mut String, results: &Results) -> Result<()> {
    writeln!(
        text,
        "\n## Rates of this machine\n\nOf one core; at best. Compressors are measured on pieces of at most 64 KiB, as stored.\n\n| step | in a second |\n|---|--:|"
    )?;
    let is_of_threads = |name: &str| name.starts_with(ONE_THREAD) || name.starts_with(TWO_THREADS);
    for (name, rate) in results.rates() {
        if is_of_threads(name) {
            continue;
        }
        let told = if matches!(
            name,
            "open"
                | "list"
                | "list a name"
                | "create"
                | "seek"
                | "sort"
                | "gather"
                | "name"
                | "text"
        ) {
            format!("{:.2} million", rate / 1e6)
        } else {
            format!("{:.2} GB", rate / 1e9)
        };
        writeln!(text, "| {name} | {told} |")?;
    }
    Ok(())
}
