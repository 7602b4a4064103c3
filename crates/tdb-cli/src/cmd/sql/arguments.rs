//! Arguments of `tdb sql`.

use clap::Args;

use crate::cmd::read::Format;
use crate::cmd::worker::TokenFile;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb sql \"select sky, count(*) from 'fixtures/v22_tour/array' group by sky order by sky\"\n  \
    tdb sql \"select * from 'fixtures/v22_tour/array' where station = 'KLO'\" -o target/klo.parquet\n\n\
    A path or URI in quotes is a table: an array, or a Parquet, CSV, JSON or Arrow file. After an array, \
    FOR SYSTEM_TIME AS OF '2024-01-31' reads its earlier state. Without a query, tdb sql starts a prompt, or runs statements from a pipe."
)]
pub(crate) struct Arguments {
    /// Statements, separated by semicolons
    #[arg(value_name = "SQL")]
    pub(super) query: Option<String>,
    /// Group whose arrays are tables under their names; those in nested groups are named like ms.RNA.var
    #[arg(long, value_name = "URI")]
    pub(super) group: Option<String>,
    /// Workers that execute the query together (see `tdb worker`)
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    pub(super) cluster: Vec<String>,
    #[command(flatten)]
    pub(super) token: TokenFile,
    /// Format of the result [default: table on a terminal, otherwise csv]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// Show all columns, even if the table is wider than the screen
    #[arg(long)]
    pub(super) wide: bool,
}
