//! Errors of the program, and how they are printed.

mod from;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use tdb::engine::array::{ErrorKind, HasKind};
use tdb::place::Place;
use unicode_width::UnicodeWidthStr;

use crate::paint::{Look, Role, or_blank, visible, wrapped};

/// Hint for internal errors.
pub(crate) const REPORT: &str = concat!(
    "please report it with this message, the command and its purpose at  ",
    env!("CARGO_PKG_REPOSITORY"),
    "/issues; RUST_BACKTRACE=1 in the environment shows where it happened"
);

/// Number of characters shown in an excerpt, and how many of them precede the error.
const SHOWN: usize = 72;
const BEFORE: usize = 48;

const KEY_HINT: &str = "use --key-file for encrypted arrays, and only for those";

/// Number of characters shown from the start and the end of a long message, which may contain text of the user.
const SHOWN_FIRST: usize = 400;
const SHOWN_LAST: usize = 200;

/// Shortens a long message by omitting its middle.
fn shortened(text: &str) -> Cow<'_, str> {
    let all = text.chars().count();
    if all <= SHOWN_FIRST + SHOWN_LAST {
        return Cow::Borrowed(text);
    }
    let first: String = text.chars().take(SHOWN_FIRST).collect();
    let last = text.chars().skip(all - SHOWN_LAST);
    Cow::Owned(format!("{first}…{}", last.collect::<String>()))
}

/// Reason why a verb failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// The object that the user named, printed before errors about what is stored there.
    place: Option<String>,
    error: Box<dyn Error + Send + Sync>,
    /// Two lines: an excerpt of the user's text, and a mark below the error.
    excerpt: Option<[String; 2]>,
    hint: Option<String>,
    broken_pipe: bool,
    /// True if nothing failed, but a check found something.
    is_finding: bool,
    /// True if the output already contains the finding, so that no message is printed.
    is_told: bool,
}

impl Failure {
    pub(crate) fn new(kind: ErrorKind, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            kind,
            place: None,
            error: error.into(),
            excerpt: None,
            hint: None,
            broken_pipe: false,
            is_finding: false,
            is_told: false,
        }
    }

    /// Creates a failure from a library's error about an object that the caller names.
    pub(crate) fn of(error: impl HasKind + Send + Sync + 'static) -> Self {
        tdb::Error::from(error).into()
    }

    /// Creates the failure of an invalid request.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, what.into())
    }

    /// Creates the failure of a check that was completed and found something.
    pub(crate) fn finding(what: impl Into<String>) -> Self {
        Self {
            is_finding: true,
            ..Self::new(ErrorKind::Corrupt, what.into())
        }
    }

    /// Creates the failure of a comparison that has already printed the differences.
    pub(crate) fn difference() -> Self {
        Self {
            is_told: true,
            ..Self::finding("there are differences")
        }
    }

    /// Adds an excerpt of a command-line text, marked at character `at`, counted from 1.
    pub(crate) fn in_text(mut self, text: &str, at: usize) -> Self {
        let first = at.saturating_sub(BEFORE);
        let cut = |from: usize, to: usize| -> String {
            let count = to.saturating_sub(from);
            let part: String = text.chars().skip(from).take(count).collect();
            visible(&part)
        };
        let place = cut(first, at.saturating_sub(1)).width();
        let shown = cut(first, first + SHOWN);
        self.excerpt = Some([shown, format!("{}^", " ".repeat(place))]);
        self
    }

    /// Adds another hint to the existing one.
    pub(crate) fn further_hint(self, further: impl Into<String>) -> Self {
        let hint = match &self.hint {
            Some(hint) => format!("{hint}; {}", further.into()),
            None => further.into(),
        };
        self.hint(hint)
    }

    /// Sets the hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the named object, unless the request itself is invalid.
    pub(crate) fn at(mut self, uri: &str) -> Self {
        if self.kind != ErrorKind::Invalid {
            self.place.get_or_insert_with(|| uri.to_owned());
        }
        self
    }

    /// Creates a failure about an object at a place, with a hint on how to find out more.
    pub(crate) fn in_place(error: impl Into<Self>, place: &Place) -> Self {
        let mut failure = error.into().at(&place.uri);
        if failure.hint.is_none() {
            failure.hint = place.way_to_learn_why(failure.kind);
        }
        failure
    }

    /// Adds the name of the file or object, even if the request is invalid.
    pub(crate) fn within(mut self, name: &str) -> Self {
        self.place.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Exit status: 1 if a check found something, 2 for an invalid request, 3 for invalid data or a failing store, 4
    /// for a limit, 70 for a bug, 0 for a broken pipe.
    pub(crate) fn status(&self) -> u8 {
        match self.kind {
            _ if self.broken_pipe => 0,
            _ if self.is_finding => 1,
            ErrorKind::Invalid => 2,
            ErrorKind::Limit | ErrorKind::Memory => 4,
            ErrorKind::Bug => 70,
            _ => 3,
        }
    }

    /// Hint if the memory limit caused the failure. Other limits cannot be set.
    fn memory_hint(&self) -> Option<&'static str> {
        let is_met = self.kind == ErrorKind::Memory;
        is_met.then_some("use --memory to allow more, such as --memory 4GiB")
    }

    /// Formats the error and its causes in one line.
    pub(crate) fn text(&self) -> String {
        let mut text = self.error.to_string();
        let mut beneath = self.error.source();
        while let Some(error) = beneath {
            let cause = error.to_string();
            if !text.ends_with(&cause) {
                text = format!("{text}: {cause}");
            }
            beneath = error.source();
        }
        text
    }

    /// Prints `error:` with the message, then its causes, the excerpt, and `hint:` if there is one.
    pub(crate) fn write(&self, out: &mut dyn Write, look: Look) -> io::Result<()> {
        if self.broken_pipe || self.is_told {
            return Ok(());
        }
        let place = or_blank(self.place.as_ref().map(|place| format!("{place}: ")));
        let label = look.paint(Role::Error, "error:");
        let first = visible(&format!("{place}{}", shortened(&self.error.to_string())));
        writeln!(out, "{label} {}", wrapped(&first, "error: ", look))?;
        let mut told = self.error.to_string();
        let mut beneath = self.error.source();
        while let Some(error) = beneath {
            let text = error.to_string();
            // Some errors already contain the text of their cause.
            if !told.ends_with(&text) {
                let shown = visible(&shortened(&text));
                writeln!(out, "  {}", wrapped(&shown, "  ", look))?;
            }
            told = text;
            beneath = error.source();
        }
        for line in self.excerpt.iter().flatten() {
            writeln!(out, "  {line}")?;
        }
        let report = (self.kind == ErrorKind::Bug).then_some(REPORT);
        let hints: Vec<&str> = self
            .memory_hint()
            .into_iter()
            .chain(report)
            .chain(self.hint.as_deref())
            .collect();
        if !hints.is_empty() {
            let label = look.paint(Role::Hint, "hint:");
            let hint = visible(&hints.join("; "));
            writeln!(out, "{label} {}", wrapped(&hint, "hint: ", look))?;
        }
        Ok(())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use tdb::engine::array::ArrayError;
    use tdb::engine::store::StoreError;

    use super::*;

    fn told(error: StoreError) -> String {
        let failure = Failure::from(ArrayError::from(error)).at("ro/a");
        let mut out = Vec::new();
        failure.write(&mut out, Look::default()).expect("to memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn hints_are_broken_between_words() {
        let failure = Failure::invalid("there is no field \"temprature\"")
            .hint("did you mean \"temperature\"? the fields are station, hour, temperature");
        let mut out = Vec::new();
        let look = Look {
            width: Some(30),
            ..Look::default()
        };
        failure.write(&mut out, look).expect("to memory");
        insta::assert_snapshot!(String::from_utf8(out).expect("text"), @r#"
        error: there is no field
          "temprature"
        hint: did you mean
          "temperature"? the fields
          are station, hour,
          temperature
        "#);
    }

    #[test]
    fn long_messages_are_cut_in_the_middle() {
        let text = format!("condition a = '{}': the end", "x".repeat(100_000));
        let shown = shortened(&text);
        assert_eq!(shown.chars().count(), 601);
        assert!(shown.starts_with("condition a = 'xx") && shown.ends_with("x': the end"));
        assert_eq!(shortened("a short one"), "a short one");
    }

    #[test]
    fn a_cause_is_told_once() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = StoreError::from_io("__fragments/f/a0.tdb", full);
        assert_eq!(
            told(error),
            "error: ro/a: __fragments/f/a0.tdb: no storage space\n"
        );
    }
}
