//! Error messages about requests: what failed, at which address, and what to do.

use std::error::Error;

use object_store::client::{HttpError, HttpErrorKind};

use crate::rejected_answer::RejectedAnswer;
use crate::server_message::{between, is_of_credentials, of_server, short};

/// Advice by error codes of S3 and Azure, and by HTTP status. The first match is used.
const ADVICE: [(&[&str], &str); 9] = [
    (
        &["ExpiredToken", "TokenRefreshRequired", "InvalidToken"],
        "get new credentials: vfs.s3.aws_session_token or AWS_SESSION_TOKEN is no longer valid",
    ),
    (
        &["InvalidAccessKeyId"],
        "the server does not know the key: vfs.s3.aws_access_key_id or AWS_ACCESS_KEY_ID names it",
    ),
    (
        &["SignatureDoesNotMatch"],
        "the secret does not belong to the key: vfs.s3.aws_secret_access_key or AWS_SECRET_ACCESS_KEY holds it",
    ),
    (
        &["AuthenticationFailed"],
        "the key does not belong to the account: vfs.azure.storage_account_key or AZURE_STORAGE_ACCOUNT_KEY holds it",
    ),
    (
        &["RequestTimeTooSkewed"],
        "the clock of this machine has to be set right",
    ),
    (
        &["NoSuchBucket", "ContainerNotFound"],
        "look at the name in the URI, and at the server that the settings name",
    ),
    (
        &["AccessDenied", "401 ", "403 ", "Authorization"],
        "the credentials have to allow it",
    ),
    (
        &[
            "SlowDown",
            "ServerBusy",
            "ServiceUnavailable",
            "ConditionalRequestConflict",
            "OperationAborted",
            "InternalError",
            "429 ",
            "500 ",
            "502 ",
            "503 ",
            "504 ",
        ],
        LATER,
    ),
    (
        &["400 "],
        "it does not say why: look at the region and at the credentials",
    ),
];

const LATER: &str = "try again later, or more often: vfs.s3.connect_max_tries";

const PATIENCE: &str =
    "vfs.s3.request_timeout_ms and vfs.s3.connect_timeout_ms say how long servers are waited for";

/// A failed request: its message, and the facts on which a retry depends.
pub(crate) struct FailedRequest {
    /// The message, of bounded length.
    pub(crate) sentence: String,
    /// True if the credentials are wrong or missing.
    pub(crate) is_refusal: bool,
    /// True if the error is about the bucket, not about an object in it.
    pub(crate) is_of_bucket: bool,
    /// True if the answer was lost, so that the request may have taken effect.
    pub(crate) is_lost: bool,
    /// True if the server seems not to support the condition "create only if absent".
    pub(crate) is_unconditional: bool,
    /// True if a concurrent request for the same object interfered: this one should be repeated.
    pub(crate) is_conflict: bool,
    /// True if the server was too busy to begin the request.
    pub(crate) is_busy: bool,
    /// True if the requested range is not within the object, in any of the ways to report that.
    pub(crate) is_of_range: bool,
}

impl FailedRequest {
    /// Analyses an error and its causes.
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let raw = chain(error);
        let server = of_server(&raw);
        let status = between(&raw, "non-2xx status code: ", ":");
        let said = |codes: &[&str]| {
            let mut told = [&server, &status].into_iter().flatten().map(String::as_str);
            told.any(|told| codes.iter().any(|code| told.contains(code)))
        };
        Self {
            is_refusal: server.as_deref().is_some_and(is_of_credentials) || said(&["401 ", "403 "]),
            is_of_bucket: said(&["NoSuchBucket", "ContainerNotFound"]),
            is_lost: matches!(own(error), Some(RejectedAnswer::Lost(_))),
            is_unconditional: matches!(own(error), Some(RejectedAnswer::Unconditional { .. })),
            is_conflict: said(&["ConditionalRequestConflict", "OperationAborted"]),
            is_busy: said(&["503 ", "429 "]),
            is_of_range: raw.to_ascii_lowercase().contains("range") || said(&["416 "]),
            sentence: sentence(error, &raw, server.as_deref(), status.as_deref()),
        }
    }
}

/// Returns a message for an error and its causes, on one line of bounded length.
pub(crate) fn in_words(error: &(dyn Error + 'static)) -> String {
    FailedRequest::of(error).sentence
}

fn sentence(
    error: &(dyn Error + 'static),
    raw: &str,
    server: Option<&str>,
    status: Option<&str>,
) -> String {
    let lost = match own(error) {
        Some(lost @ RejectedAnswer::Lost(_)) => format!(", and {lost}"),
        Some(own) => return short(&own.to_string()),
        None => String::new(),
    };
    let (what, advice) = what_failed(error, raw, server, status);
    let tries = between(raw, ", after ", " retries")
        .and_then(|n| n.parse::<u64>().ok())
        .map_or(String::new(), |more| {
            format!(", asked {} times", u128::from(more) + 1)
        });
    let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
    format!("{what}{tries}{lost}{advice}")
}

/// Returns what failed, and advice, if there is any.
fn what_failed(
    error: &(dyn Error + 'static),
    raw: &str,
    server: Option<&str>,
    status: Option<&str>,
) -> (String, Option<&'static str>) {
    let asked = address(raw).map_or("the read".to_owned(), |address| short(&address));
    if let Some(told) = server.or(status) {
        let fits = |codes: &[&str]| codes.iter().any(|code| told.contains(code));
        let advice = ADVICE.iter().find(|(codes, _)| fits(codes));
        let bare = || format!("the server answers {told} to {asked}");
        let what = server.map_or_else(bare, str::to_owned);
        return (what, advice.map(|(_, advice)| *advice));
    }
    let failed = behind(error).filter_map(|cause| cause.downcast_ref::<HttpError>());
    match failed.last().map(HttpError::kind) {
        Some(HttpErrorKind::Timeout) => {
            let what = format!("the server does not answer {asked} in time");
            (what, Some(PATIENCE))
        }
        Some(HttpErrorKind::Connect) => {
            let what = format!("no connection for {asked}: {}", last(error));
            (what, Some("look at the server that the settings name"))
        }
        Some(HttpErrorKind::Request | HttpErrorKind::Interrupted) => {
            let why = last(error);
            let what = format!("the connection broke before {asked} was answered whole: {why}");
            (what, Some(LATER))
        }
        _ => (unanswered(raw), None),
    }
}

/// Returns what is wrong with an answer that cannot be used.
fn unanswered(raw: &str) -> String {
    if raw.contains("non-partial response") {
        return "the server sends whole objects where a part is asked for: arrays need one that answers Range".to_owned();
    }
    if raw.contains("Content-Length Header missing") {
        return "the server does not say how many bytes the object has".to_owned();
    }
    short(raw)
}

/// Joins the messages of an error and its causes; leaves out those that an earlier message repeats.
fn chain(error: &(dyn Error + 'static)) -> String {
    behind(error).fold(String::new(), |text, cause| {
        let more = cause.to_string();
        if text.is_empty() {
            more
        } else if text.contains(&more) {
            text
        } else {
            format!("{text}: {more}")
        }
    })
}

fn behind<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

/// Returns the error that the client itself detected, if there is one among the causes.
fn own<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a RejectedAnswer> {
    behind(error).find_map(|cause| cause.downcast_ref::<RejectedAnswer>())
}

fn last(error: &(dyn Error + 'static)) -> String {
    behind(error)
        .last()
        .map_or(String::new(), |cause| short(&cause.to_string()))
}

/// Returns the method and address of a failed request, without the query, which may contain the signature.
fn address(raw: &str) -> Option<String> {
    let asked = between(raw, "Error performing ", " in ")
        .filter(|asked| !asked.contains("request:"))
        .or_else(|| between(raw, "request: Error performing ", " in "))?;
    asked.split('?').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn what_a_server_says_is_told_without_its_wrapping() {
        let told = io::Error::other(
            "Generic S3 error: 404 Not Found: <?xml?> <Error><Code>NoSuchKey</Code>\n<Message>There is\nnone.</Message></Error>",
        );
        assert_eq!(in_words(&told), "the server says NoSuchKey: There is none");
        assert_eq!(
            in_words(&io::Error::other("a  <Message>x</Message>")),
            "a <Message>x</Message>"
        );
    }

    #[test]
    fn signatures_in_addresses_are_not_told() {
        let told = io::Error::other(
            "Generic error: Error performing GET http://h/c/k?sig=secret in 2ms, after 4 retries, max_retries: 4 - Server returned non-2xx status code: 503 Service Unavailable: ",
        );
        assert_eq!(
            in_words(&told),
            "the server answers 503 Service Unavailable to GET http://h/c/k, asked 5 times; try again later, or more often: vfs.s3.connect_max_tries"
        );
    }
}
