//! Help of the whole program: the verbs by purpose, on one screen.

use clap::Command;
use std::fmt::Write;

/// Verbs with a common purpose.
struct Group {
    heading: &'static str,
    verbs: &'static [&'static str],
}

const GROUPS: [Group; 5] = [
    Group {
        heading: "Look at arrays and groups",
        verbs: &[
            "info",
            "schema",
            "ls",
            "tree",
            "fragments",
            "log",
            "layout",
            "map",
            "show",
            "dump",
        ],
    },
    Group {
        heading: "Ask for cells",
        verbs: &[
            "read", "head", "sample", "export", "count", "agg", "stats", "hist", "distinct",
            "diff", "compare", "explain",
        ],
    },
    Group {
        heading: "Create and change",
        verbs: &[
            "import", "create", "write", "set", "delete", "restore", "evolve", "rewrite", "meta",
            "group",
        ],
    },
    Group {
        heading: "Keep in order",
        verbs: &[
            "verify",
            "consolidate",
            "vacuum",
            "clean",
            "advise",
            "filters",
            "cp",
            "mv",
            "rm",
        ],
    },
    Group {
        heading: "SQL, stores and the program itself",
        verbs: &["sql", "worker", "doctor", "completions", "man"],
    },
];

/// Verbs that a build without SQL, or without workers, only lists.
const LACKING: &[&str] = if cfg!(feature = "distributed") {
    &[]
} else if cfg!(feature = "sql") {
    &["worker"]
} else {
    &["sql", "worker"]
};

const REST: &str = "\
Options that most verbs take: --at, --since, --key-file, --threads, --memory, --temp, --config, --json, --ticks,
-o, --profile, -q, -v, --color. `tdb VERB -h` lists those of a verb in short, `tdb VERB --help` explains them.

Exit status: 0 done; 1 a check found something (verify, compare, diff); 2 the request is wrong; 3 the data or
the store is at fault; 4 a limit was reached; 70 a defect of tdb; 130 interrupted.
Results go to standard output, everything else to standard error.";

/// Adds this help to the command line.
pub(crate) fn with_overview(command: Command) -> Command {
    let verbs = grouped(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} tdb VERB [OPTIONS]\n\n{verbs}{REST}{{after-help}}"
    ))
}

/// Returns the verbs in groups, one line each.
fn grouped(command: &Command) -> String {
    let mut text = String::new();
    for group in &GROUPS {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}:", group.heading);
        let named = group
            .verbs
            .iter()
            .filter_map(|verb| command.find_subcommand(verb));
        for verb in named {
            let about = verb
                .get_about()
                .map_or_else(String::new, ToString::to_string);
            let name = verb.get_name();
            let lacking = if LACKING.contains(&name) {
                " (not in this build)"
            } else {
                ""
            };
            let _ = writeln!(text, "  {name:<12} {about}{lacking}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_verb_is_in_one_group() {
        let command = crate::args::Cli::command();
        let mut verbs: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|group| group.verbs)
            .copied()
            .collect();
        verbs.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, verbs);
    }

    #[test]
    fn the_help_fits_on_a_screen() {
        let help = with_overview(crate::args::Cli::command())
            .render_help()
            .to_string();
        assert!(help.lines().count() <= 72, "{help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 112),
            "{help}"
        );
    }
}
