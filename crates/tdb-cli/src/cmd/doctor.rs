//! `tdb doctor`: where a URI leads, with which credentials, and what works there.

use std::io::Write;

use clap::Args;
use serde_json::{Map, Value as Json, json};
use tdb::doctor::{Answer, Check, Diagnosis, diagnose, in_words};
use tdb::{Stores, place};

use super::schema::section;
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{Role, Table, visible};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb doctor fixtures/v22_tour/array\n  tdb doctor s3://bucket/array --config vfs.s3.region=eu-central-1 --write\n\n\
    Listing and reading are timed: the median of three tries. No secrets are printed. The exit status is 1 if a check fails."
)]
pub(crate) struct Arguments {
    /// A folder, bucket or container, array or group
    uri: String,
    /// Also test writing: create an object and remove it again
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let uri = &arguments.uri;
    let facts = global.counts.connection(uri)?;
    let place = place::folder(uri, &global.counts)?;
    let diagnosis = diagnose(&place, arguments.write);
    if global.json {
        write_json(out, &in_json(uri, &facts, &diagnosis))?;
    } else {
        let title = out.look.paint(Role::Title, &visible(uri));
        writeln!(out, "{title}: {}", in_words(diagnosis.object_type))?;
        let mut table = Table::plain(&[false, false]);
        for (what, fact) in facts {
            table.painted([(Role::Dim, what.to_owned()), (Role::Plain, fact)]);
        }
        section(table, out)?;
        section(checks_table(&diagnosis), out)?;
    }
    let mut failures = diagnosis.failures();
    let Some(first) = failures.next() else {
        return Ok(());
    };
    Err(Failure::finding(format!("{} does not work", first.what)).within(uri))
}

fn checks_table(diagnosis: &Diagnosis) -> Table {
    let mut table = Table::new(&["check", "", ">ms", "found"]);
    for check in &diagnosis.checks {
        let role = if matches!(check.answer, Answer::Fails(_)) {
            Role::Error
        } else {
            Role::Plain
        };
        table.painted([
            (Role::Title, check.what.to_owned()),
            (role, word(&check.answer).to_owned()),
            (
                Role::Plain,
                took(check).map_or(String::new(), |ms| format!("{ms:.1}")),
            ),
            (Role::Plain, check.answer.text()),
        ]);
    }
    table
}

fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Works(_) => "works",
        Answer::Fails(_) => "fails",
        Answer::NotTried(_) => "not tried",
    }
}

/// Duration in milliseconds; `None` if the check was not run.
fn took(check: &Check) -> Option<f64> {
    let is_tried = !matches!(check.answer, Answer::NotTried(_));
    is_tried.then(|| (check.took.as_secs_f64() * 1e6).round() / 1e3)
}

fn in_json(uri: &str, facts: &[(&'static str, String)], diagnosis: &Diagnosis) -> Json {
    let facts: Map<String, Json> = facts
        .iter()
        .map(|(what, fact)| ((*what).to_owned(), fact.clone().into()))
        .collect();
    let checks = diagnosis.checks.iter().map(|check| {
        json!({
            "check": check.what,
            "outcome": word(&check.answer).replace(' ', "-"),
            "milliseconds": took(check),
            "found": check.answer.text(),
        })
    });
    json!({
        "uri": uri,
        "is": in_words(diagnosis.object_type),
        "connection": facts,
        "checks": checks.collect::<Vec<Json>>(),
    })
}
