//! Runs SQL statements and prints their results.

use std::io::Write;
use std::path::Path;

use tdb::engine::cells::files::OutputOptions;
use tdb::{OutputFile, Sql, SqlAnswer, SqlRows};

use super::arguments::Arguments;
use super::cluster::with_workers;
use crate::cmd::read::table::{TableWriter, WaysOut};
use crate::cmd::read::{Format, chosen_format};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::{Messages, Output};
use crate::paint::plural;

/// Maximum length of the SQL text, in bytes; larger input is hardly a query.
pub(super) const MOST_SQL: u64 = 1 << 20;

/// Fails if a query of this many bytes is too long.
pub(super) fn check_length(bytes: usize) -> Result<(), Failure> {
    if bytes as u64 > MOST_SQL {
        return Err(Failure::invalid("the query is longer than 1 MiB"));
    }
    Ok(())
}

/// Suggestions of `tdb sql` if the table does not fit on the screen.
const OF_SQL: WaysOut = WaysOut {
    cells: "use --format csv for all, LIMIT or WHERE for some",
    columns: "use --wide for all columns, SELECT for some",
    texts: "use --wide for all of them",
};

/// Runs SQL statements.
pub(super) struct Statements<'a> {
    arguments: &'a Arguments,
    global: &'a Global,
    pub(super) sql: Sql,
}

impl<'a> Statements<'a> {
    pub(super) fn new(
        arguments: &'a Arguments,
        global: &'a Global,
        messages: Messages,
    ) -> Result<Self, Failure> {
        let context = with_workers(context(global)?, arguments, messages)?;
        let since = global.since.unwrap_or(tdb::Time(0));
        let queries = match global.at() {
            Some(at) => context.sql_between(since, at)?,
            None => context.sql_since(since)?,
        };
        let sql = queries
            .whole_history(global.whole_history)
            .warnings(move |what| messages.warn(what));
        if let Some(group) = &arguments.group {
            sql.group(group)?;
        }
        Ok(Self {
            arguments,
            global,
            sql,
        })
    }

    pub(super) fn global(&self) -> &'a Global {
        self.global
    }

    /// Runs all statements of `query`. Only one of them may return rows if they go to a file.
    pub(super) fn run(&mut self, query: &str, out: Output) -> Result<(), Failure> {
        check_length(query.len())?;
        let format = self.format(&out)?;
        let messages = out.messages();
        let mut first = Some(out);
        self.sql.run(query, |answer| match answer {
            SqlAnswer::Rows(rows) => {
                let out = match first.take() {
                    Some(out) => out,
                    None if self.global.output.is_some() => {
                        let what = "only one statement may return rows if they go to a file";
                        return Err(Failure::invalid(what));
                    }
                    None => Output::begin(self.global)?.0,
                };
                self.show(rows, format, out)
            }
            other => {
                tell(&other, messages);
                Ok(())
            }
        })
    }

    fn format(&self, out: &Output) -> Result<Format, Failure> {
        let format = chosen_format(self.arguments.format, self.global, out)?;
        match format {
            Format::Npy => Err(Failure::invalid(
                "rows of a query cannot be written as .npy, which stores a box of one array",
            )),
            format => Ok(format),
        }
    }

    fn show(&self, rows: SqlRows, format: Format, out: Output) -> Result<(), Failure> {
        let options = OutputOptions::default()
            .ticks(self.global.ticks)
            .binary_strings(false);
        let is_file = out.is_file;
        if format == Format::Table && rows.is_plan() {
            return show_plan(rows, out);
        }
        let written = match format.of_file() {
            None => rows.write_with(|fields| {
                let wide = self.arguments.wide;
                Ok(Box::new(TableWriter::new(
                    out, fields, options, wide, OF_SQL,
                )))
            })?,
            Some(of_file) => {
                let place = self.global.output.as_deref().unwrap_or(Path::new("output"));
                let mut file = OutputFile::new(place)
                    .format(of_file)
                    .ticks(self.global.ticks);
                if !is_file {
                    file = file.stream();
                }
                rows.write_to(out.into_writer(), &file)?
            }
        };
        self.global.counts.result(written.cells, written.bytes);
        Ok(())
    }
}

/// Prints the plans of `EXPLAIN`, which have several lines.
fn show_plan(rows: SqlRows, mut out: Output) -> Result<(), Failure> {
    for (kind, plan) in rows.plans()? {
        writeln!(out, "{}", kind.replace('_', " "))?;
        for line in plan.lines() {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// Reports the outcome of a statement that returns no rows.
fn tell(answer: &SqlAnswer, messages: Messages) {
    match answer {
        SqlAnswer::Written(cells) => messages.note(&format!("{} written", plural(*cells, "cell"))),
        SqlAnswer::Deleted(cells) => messages.note(&format!("{} deleted", plural(*cells, "cell"))),
        SqlAnswer::Changed(cells) => messages.note(&format!("{} changed", plural(*cells, "cell"))),
        _ => {}
    }
}
