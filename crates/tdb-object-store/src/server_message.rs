//! Extracts of a server's answer for error messages.

/// Maximum number of characters of a server's answer in an error message.
const SHOWN: usize = 600;

/// Returns the code and message of an error of S3 or Azure: `<Code>NoSuchBucket</Code><Message>...</Message>`.
pub(crate) fn of_server(text: &str) -> Option<String> {
    let code = between(text, "<Code>", "</Code>")?;
    let message = between(text, "<Message>", "</Message>")
        .map_or(String::new(), |message| format!(": {message}"));
    let said = short(&format!("{code}{message}"));
    Some(format!("the server says {}", said.trim_end_matches('.')))
}

/// Codes by which a server denies access, with a status other than 401 and 403.
const OF_CREDENTIALS: [&str; 5] = [
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "AuthorizationHeaderMalformed",
    "AuthorizationQueryParametersError",
];

/// True if an error message means that the credentials are wrong.
pub(crate) fn is_of_credentials(said: &str) -> bool {
    OF_CREDENTIALS.iter().any(|code| said.contains(code))
}

/// Returns a text as one line of at most [`SHOWN`] characters.
pub(crate) fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() <= SHOWN {
        return text;
    }
    let shown: String = text.chars().take(SHOWN).collect();
    format!("{shown} ...")
}

/// Returns the trimmed text between two markers; `None` if it is empty or a marker is missing.
pub(crate) fn between(text: &str, before: &str, behind: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    let (found, _) = rest.split_once(behind)?;
    let found = found.trim();
    (!found.is_empty()).then(|| found.to_owned())
}
