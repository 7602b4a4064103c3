//! Arguments of `tdb sql`.

use clap::Args;

use crate::cmd::read::Format;
use crate::cmd::worker::TokenFile;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb sql \"select sky, count(*) from 'fixtures/v22_tour/array' group by sky order by sky\"\n  \
    tdb sql \"select * from 'fixtures/v22_tour/array' where station = 'KLO'\" -o target/klo.parquet\n\n\
    A path or URI in quotes is a table: an array, or a file of Parquet, CSV, JSON or Arrow; behind an array, \
    FOR SYSTEM_TIME AS OF '2024-01-31' says how it was. Without a query, there is a prompt; what comes through a pipe is run."
)]
pub(crate) struct Arguments {
    /// Statements, which semicolons end
    #[arg(value_name = "SQL")]
    pub(super) query: Option<String>,
    /// A group whose arrays are tables by their names; those in groups of it as ms.RNA.var
    #[arg(long, value_name = "URI")]
    pub(super) group: Option<String>,
    /// Workers that answer together: `tdb worker` starts one
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    pub(super) cluster: Vec<String>,
    #[command(flatten)]
    pub(super) token: TokenFile,
    /// Format of the result; on a terminal table, else csv by default
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// A table of all columns, though it is wider than the screen
    #[arg(long)]
    pub(super) wide: bool,
}
