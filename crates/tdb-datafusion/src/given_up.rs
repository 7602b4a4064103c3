//! Cancelled statements: their rows end with an error, and unfinished work is taken back.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use datafusion::common::Result;
use futures_util::future::{Either, select};
use tdb_cells::{Cancelled, Session};

use crate::error::external;

/// Interval of the checks whether a session was cancelled.
const TICK: Duration = Duration::from_millis(50);

/// Waits for a future, which is dropped if the session is cancelled first. Needs a runtime with a timer.
///
/// # Errors
/// [`Cancelled`].
pub(crate) async fn unless_cancelled<T>(
    session: &Session,
    future: impl Future<Output = T>,
) -> Result<T> {
    // A future that is always ready at once would never let the timer run.
    session.check_cancelled().map_err(external)?;
    match select(pin!(future), pin!(cancelled(session))).await {
        Either::Left((done, _)) => Ok(done),
        Either::Right((error, _)) => Err(external(error)),
    }
}

async fn cancelled(session: &Session) -> Cancelled {
    loop {
        tokio::time::sleep(TICK).await;
        if let Err(error) = session.check_cancelled() {
            return error;
        }
    }
}
