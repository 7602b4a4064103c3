//! The text of `--help`, and the examples in it.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{fixtures, stdout};

/// The lines of a help text that are commands.
fn examples(help: &str) -> impl Iterator<Item = &str> {
    let (_, examples) = help.split_once("Example").unwrap_or_default();
    examples
        .lines()
        .filter_map(|line| line.strip_prefix("  tdb "))
}

/// Runs an example in the root of the repository; files in `target/` go to `folder` instead.
fn run_example(example: &str, folder: &Path) -> Output {
    let example = example.replace("target/", &format!("{}/", folder.display()));
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("{} {example}", env!("CARGO_BIN_EXE_tdb")))
        .current_dir(fixtures().join(".."))
        .output();
    output.expect("it runs")
}

#[test]
fn every_verb_shows_examples_that_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = 0;
    for verb in [
        "",
        "info",
        "schema",
        "ls",
        "tree",
        "read",
        "show",
        "explain",
        "layout",
        "fragments",
        "meta ls",
        "meta get",
        "group ls",
        "dump",
        "filters",
    ] {
        let help = stdout(&format!("{verb} --help"));
        let mut all = examples(&help).peekable();
        assert!(all.peek().is_some(), "{verb} has no example: {help}");
        for example in all {
            let output = run_example(example, folder.path());
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{example}: {output:?}"
            );
            let file = folder.path().join("bk.parquet");
            assert!(
                !output.stdout.is_empty() || file.exists(),
                "{example} says nothing"
            );
            run += 1;
        }
    }
    assert!(run > 12, "{run} examples");
}

/// All verbs.
const VERBS: [&str; 50] = [
    "",
    "info",
    "schema",
    "ls",
    "tree",
    "read",
    "head",
    "sample",
    "export",
    "count",
    "agg",
    "stats",
    "distinct",
    "verify",
    "show",
    "hist",
    "explain",
    "layout",
    "log",
    "diff",
    "compare",
    "fragments",
    "meta",
    "meta ls",
    "meta get",
    "meta set",
    "meta rm",
    "group",
    "group ls",
    "group create",
    "group add",
    "group rm",
    "dump",
    "filters",
    "filters try",
    "map",
    "advise",
    "create",
    "write",
    "import",
    "set",
    "restore",
    "rewrite",
    "delete",
    "evolve",
    "consolidate",
    "vacuum",
    "clean",
    "cp",
    "mv",
];

#[test]
fn no_line_of_a_help_is_broken_early() {
    for verb in VERBS.into_iter().chain(["rm"]) {
        let help = stdout(&format!("{verb} --help"));
        let (_, after) = help.split_once("Example").unwrap_or_default();
        let lines: Vec<&str> = after.lines().collect();
        for pair in lines.windows(2) {
            let [first, second] = pair else { continue };
            let is_text = |line: &str| !line.is_empty() && !line.starts_with([' ', '{', ':', 's']);
            if is_text(first) && is_text(second) {
                let word = second.split(' ').next().unwrap_or_default();
                let fits = first.chars().count() + 1 + word.chars().count() < 100;
                assert!(!fits, "{verb}: broken behind {first:?}: {help}");
            }
        }
    }
}

#[test]
fn examples_of_changes_work_one_after_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    for verb in [
        "create",
        "write",
        "import",
        "meta set",
        "meta rm",
        "delete",
        "evolve",
        "consolidate",
        "vacuum",
        "clean",
        "rewrite",
        "cp",
        "mv",
        "rm",
        "group create",
        "group add",
        "group rm",
    ] {
        let help = stdout(&format!("{verb} --help"));
        let mut all = examples(&help).peekable();
        assert!(all.peek().is_some(), "{verb} has no example: {help}");
        for example in all {
            let output = run_example(example, folder.path());
            assert!(output.status.success(), "{example}: {output:?}");
        }
    }
}

/// The lines of a help that name verbs: those of groups of verbs, or below `Commands:`.
fn lines_of_verbs(help: &str) -> impl Iterator<Item = &str> {
    let verbs = match help.split_once("Commands:\n") {
        Some((_, verbs)) => verbs.split_once("\n\n").map_or(verbs, |(verbs, _)| verbs),
        None => help
            .split_once("\nOptions that")
            .map_or("", |(verbs, _)| verbs),
    };
    verbs
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
}

/// The verbs that a help lists.
fn listed(help: &str) -> Vec<String> {
    let words = lines_of_verbs(help).filter_map(|line| line.split_whitespace().next());
    words
        .filter(|verb| *verb != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn shells_complete_every_verb_and_the_options_that_it_takes() {
    let verbs = listed(&stdout("--help"));
    assert!(verbs.len() > 20, "{verbs:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&format!("completions {shell}"));
        for verb in &verbs {
            assert!(script.contains(verb.as_str()), "{shell}: {verb}");
        }
    }
    let bash = stdout("completions bash");
    let (_, rm) = bash
        .split_once("tdb__subcmd__rm)")
        .expect("the options of rm");
    let options = rm.lines().nth(1).expect("a line of options");
    assert!(
        options.contains("--dry-run") && options.contains("--memory"),
        "{options}"
    );
    assert!(
        !options.contains("--at") && !options.contains("--ticks"),
        "{options}"
    );
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man");
    stdout(&format!("man {}", pages.display()));
    for verb in listed(&stdout("--help")) {
        let below = match verb.as_str() {
            "meta" | "group" => listed(&stdout(&format!("{verb} --help"))),
            _ => Vec::new(),
        };
        let below = below.iter().map(|below| format!("tdb-{verb}-{below}.1"));
        for page in below.chain([format!("tdb-{verb}.1")]) {
            let text = std::fs::read_to_string(pages.join(&page)).expect(&page);
            assert!(
                text.contains(".TH") && text.contains("DESCRIPTION"),
                "{page}: {text}"
            );
        }
    }
    let rm = std::fs::read_to_string(pages.join("tdb-rm.1")).expect("a page");
    assert!(rm.contains("dry") && !rm.contains("\\-\\-at"), "{rm}");
    let told = crate::common::failure("man /dev/null/man");
    assert!(
        told.contains("error: /dev/null/man: ") && told.ends_with("exit status 3"),
        "{told}"
    );
}

#[test]
fn names_that_others_give_verbs_are_understood() {
    for (alias, verb) in [
        ("check", "verify"),
        ("validate", "verify"),
        ("describe", "stats"),
        ("unique", "distinct"),
        ("draw", "show"),
        ("list", "ls"),
    ] {
        assert_eq!(
            stdout(&format!("{alias} --help")),
            stdout(&format!("{verb} --help")),
            "{alias}"
        );
    }
}

/// The verbs without subcommands, and all subcommands.
fn verbs() -> impl Iterator<Item = &'static str> {
    let verbs = VERBS.into_iter().chain(["rm"]);
    verbs.filter(|verb| !["", "meta", "group"].contains(verb))
}

#[test]
fn helps_list_the_options_that_the_verb_takes_and_no_others() {
    for verb in verbs() {
        let help = stdout(&format!("{verb} --help"));
        for (option, value) in [
            ("--at", "5"),
            ("--since", "5"),
            ("--key-file", "none"),
            ("--threads", "1"),
            ("--memory", "1GB"),
            ("--json", ""),
            ("--ticks", ""),
            ("--output", "none"),
        ] {
            let mut lines = help
                .lines()
                .map(|line| line.trim_start().trim_start_matches("-o, "));
            let is_listed = lines.any(|line| line.split(' ').next() == Some(option));
            let arguments = match verb {
                "filters" => "",
                "agg" => "none count(*)",
                "distinct" | "compare" | "hist" | "filters try" => "none none",
                "sample" => "none 3",
                "export" => "none none.csv",
                "set" => "none a=1 b=1",
                "restore" => "none --to 1",
                "rewrite" => "none none",
                "import" => "none.csv none --dry-run",
                "delete" => "none --where a=1 --dry-run",
                "cp" | "mv" => "none none --dry-run",
                "rm" => "none --dry-run",
                "create" => "none --schema none",
                "write" => "none none --replace",
                "meta get" | "meta rm" | "group add" | "group rm" => "none none",
                "meta set" => "none none 1",
                _ => "none",
            };
            // Without JSON these verbs only print messages and have no result.
            let is_silent = [
                "create",
                "evolve",
                "meta set",
                "meta rm",
                "group create",
                "group add",
                "group rm",
            ]
            .contains(&verb);
            let json = if is_silent && option == "--output" {
                "--json"
            } else {
                ""
            };
            let folder = tempfile::tempdir().expect("a folder");
            let mut command =
                crate::common::tdb(&format!("{verb} {arguments} {json} {option} {value}"));
            let told = command.current_dir(&folder).output().expect("it runs");
            let told = String::from_utf8_lossy(&told.stderr).into_owned();
            let short = if option == "--output" { "-o" } else { option };
            let is_refused = told.contains(&format!("{short} cannot be used with {verb}"));
            assert_ne!(is_listed, is_refused, "{verb} {option}: {told}");
        }
    }
}

#[test]
fn summaries_are_imperative() {
    let help = stdout("--help");
    insta::assert_snapshot!("overview", help.replace(" (not in this build)", ""));
    insta::assert_snapshot!("help_of_cp", stdout("cp --help"));
    for line in lines_of_verbs(&help) {
        let summary = line.trim().split_once(' ').expect("a summary").1.trim();
        let first = summary.split(' ').next().unwrap_or_default();
        assert!(
            !["A", "An", "The", "All", "What"].contains(&first),
            "{line}"
        );
    }
}

#[test]
fn a_misspelt_word_is_not_answered_by_a_change() {
    let told = |arguments: &str| crate::common::failure(arguments);
    for verb in [
        "export",
        "exprt",
        "crate",
        "consolidat",
        "mvv",
        "delet",
        "vacum",
        "meta sett",
        "group ad",
    ] {
        let told = told(&format!("{verb} x"));
        let offered = [
            "set",
            "rm",
            "add",
            "create",
            "delete",
            "consolidate",
            "vacuum",
            "import",
            "mv",
        ];
        let is_offered = |verb: &&str| told.contains(&format!("'{verb}'"));
        assert_eq!(
            offered.iter().find(|verb| is_offered(verb)),
            None,
            "{verb}: {told}"
        );
        assert!(told.ends_with("exit status 2"), "{verb}: {told}");
    }
    assert!(
        told("inf x").contains("'info'"),
        "a verb that looks is offered"
    );
    assert!(told("meta gett x").contains("'get'"));
    let count = told("read x --count");
    assert!(!count.contains("--output"), "{count}");
    assert!(told("clean x --aply").contains("unexpected argument"));
    assert!(!told("clean x --aply").contains("--apply"));
    assert!(told("rm x --dryrun").contains("'--dry-run'"));
}
