//! `--cluster`: the workers that answer statements.

use tdb::Context;

use super::arguments::Arguments;
use crate::failure::Failure;
use crate::output::Messages;

/// Adds the user's workers to the context.
#[cfg(feature = "distributed")]
pub(super) fn with_workers(
    context: Context,
    arguments: &Arguments,
    messages: Messages,
) -> Result<Context, Failure> {
    if arguments.cluster.is_empty() {
        return Ok(context);
    }
    let token = arguments.token.read()?;
    let certificates = arguments.token.certificates()?;
    let cluster = tdb::Cluster::with_certificates(&arguments.cluster, &token, &certificates)
        .map_err(tdb::Error::from)?
        .listener(move |what| messages.note(what));
    Ok(context.cluster(cluster))
}

/// Fails if the user names workers, since this build does not support them.
#[cfg(not(feature = "distributed"))]
pub(super) fn with_workers(
    context: Context,
    arguments: &Arguments,
    _: Messages,
) -> Result<Context, Failure> {
    if arguments.cluster.is_empty() {
        return Ok(context);
    }
    Err(crate::cmd::worker::not_built())
}
