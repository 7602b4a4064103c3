//! What a server says, cut to what an error has room for.

/// Characters of a server's answer that an error repeats.
const SHOWN: usize = 600;

/// What a server says of an error, where it answers as S3 and Azure do: `<Code>NoSuchBucket</Code><Message>...</Message>`.
pub(crate) fn of_server(text: &str) -> Option<String> {
    let code = between(text, "<Code>", "</Code>")?;
    let message = between(text, "<Message>", "</Message>");
    let message = message.map_or(String::new(), |message| format!(": {message}"));
    let said = short(&format!("{code}{message}"));
    Some(format!("the server says {}", said.trim_end_matches('.')))
}

/// Codes by which a server refuses access with another status than 401 and 403.
const OF_CREDENTIALS: [&str; 5] = [
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "AuthorizationHeaderMalformed",
    "AuthorizationQueryParametersError",
];

/// Whether what a server says is that credentials are wrong.
pub(crate) fn is_of_credentials(said: &str) -> bool {
    OF_CREDENTIALS.iter().any(|code| said.contains(code))
}

/// A text in one line of bounded length.
pub(crate) fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() <= SHOWN {
        return text;
    }
    let shown: String = text.chars().take(SHOWN).collect();
    format!("{shown} ...")
}

/// What stands between two texts, if that is anything.
pub(crate) fn between(text: &str, before: &str, behind: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    let (found, _) = rest.split_once(behind)?;
    let found = found.trim();
    (!found.is_empty()).then(|| found.to_owned())
}
