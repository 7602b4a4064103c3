//! What went wrong, as people and scripts are told.

mod from;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use tdb::place::Place;
use tdb_array::{ArrayError, ErrorKind, HasKind};
use tdb_store::StoreError;
use tdb_tile::Limits;
use tdb_write::WriteError;
use unicode_width::UnicodeWidthStr;

use crate::paint::{Look, Role, or_blank, visible, wrapped};

/// What to do about a defect.
pub(crate) const REPORT: &str = concat!(
    "please report it, with this message, the command and what it was for, at ",
    env!("CARGO_PKG_REPOSITORY"),
    "/issues; RUST_BACKTRACE=1 in the environment shows where it happened"
);

/// Characters of a text that are shown, and how many of them before an error.
const SHOWN: usize = 72;
const BEFORE: usize = 48;

const KEY_HINT: &str = "--key-file gives the key, to encrypted arrays alone";

/// What is told where a file could not be begun: its name so far says nothing to anybody.
fn draft_error(error: &(dyn Error + 'static)) -> Option<Box<dyn Error + Send + Sync>> {
    let store = match error.downcast_ref::<WriteError>() {
        Some(WriteError::Array(ArrayError::Store(error))) => Some(error),
        _ => match error.downcast_ref::<ArrayError>() {
            Some(ArrayError::Store(error)) => Some(error),
            _ => error.downcast_ref::<StoreError>(),
        },
    };
    let store = store.filter(|error| tdb_store::is_draft(error.key()))?;
    Some(format!("no file can be made in the folder: {}", store.cause()).into())
}

/// Whether the memory that the user allows was the limit; others cannot be set.
fn is_out_of_memory(error: &(dyn Error + 'static)) -> bool {
    let array = error.downcast_ref::<ArrayError>();
    let store = error.downcast_ref::<StoreError>().or(match array {
        Some(ArrayError::Store(error)) => Some(error),
        _ => None,
    });
    let cap = Limits::default().metadata_tile;
    match store {
        // A read that memory does not allow says what is left of it, another the cap.
        Some(StoreError::TooLarge { limit, .. }) => *limit < cap,
        // Many kinds of errors carry this one; all end with its text.
        _ => error.to_string().ends_with("(memory budget)"),
    }
}

/// Characters of a message that are shown of its beginning and of its end: what the user wrote may stand in it, and be long.
const SHOWN_FIRST: usize = 400;
const SHOWN_LAST: usize = 200;

/// A message without the middle of a long one.
fn shortened(text: &str) -> Cow<'_, str> {
    let all = text.chars().count();
    if all <= SHOWN_FIRST.saturating_add(SHOWN_LAST) {
        return Cow::Borrowed(text);
    }
    let first: String = text.chars().take(SHOWN_FIRST).collect();
    let last = text.chars().skip(all.saturating_sub(SHOWN_LAST));
    Cow::Owned(format!("{first}…{}", last.collect::<String>()))
}

/// Why a verb was not carried out.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// What the user named: goes in front of errors about what is stored there.
    place: Option<String>,
    error: Box<dyn Error + Send + Sync>,
    /// Two lines: a part of what the user wrote, and where in it the error is.
    excerpt: Option<[String; 2]>,
    hint: Option<String>,
    broken_pipe: bool,
    /// A check found something: nothing failed.
    is_finding: bool,
    /// The result says it already.
    is_told: bool,
}

impl Failure {
    pub(crate) fn new(kind: ErrorKind, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error = error.into();
        Self {
            kind,
            place: None,
            error: draft_error(&*error).unwrap_or(error),
            excerpt: None,
            hint: None,
            broken_pipe: false,
            is_finding: false,
            is_told: false,
        }
    }

    /// What a library found wrong with an object that the caller names.
    pub(crate) fn of(error: impl HasKind + Error + Send + Sync + 'static) -> Self {
        tdb::Error::of(error).into()
    }

    /// The request is wrong.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, what.into())
    }

    /// A check was carried out, and found something.
    pub(crate) fn finding(what: impl Into<String>) -> Self {
        Self {
            is_finding: true,
            ..Self::new(ErrorKind::Corrupt, what.into())
        }
    }

    /// A comparison found what differs, and told it: there is no more to say.
    pub(crate) fn difference() -> Self {
        Self {
            is_told: true,
            ..Self::finding("there are differences")
        }
    }

    /// Shows where in a text of the command line the error is: the character number `at`, from 1.
    pub(crate) fn in_text(mut self, text: &str, at: usize) -> Self {
        let first = at.saturating_sub(BEFORE);
        let cut = |from: usize, to: usize| -> String {
            let count = to.saturating_sub(from);
            let part: String = text.chars().skip(from).take(count).collect();
            visible(&part)
        };
        let place = cut(first, at.saturating_sub(1)).width();
        let shown = cut(first, first.saturating_add(SHOWN));
        self.excerpt = Some([shown, format!("{}^", " ".repeat(place))]);
        self
    }

    /// A way out beside the one that is known already.
    pub(crate) fn further_hint(self, further: impl Into<String>) -> Self {
        let hint = match &self.hint {
            Some(hint) => format!("{hint}; {}", further.into()),
            None => further.into(),
        };
        self.hint(hint)
    }

    /// Adds the way out.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says which object of the command line is at fault, unless the command line is.
    pub(crate) fn at(mut self, uri: &str) -> Self {
        if self.kind != ErrorKind::Invalid {
            self.place.get_or_insert_with(|| uri.to_owned());
        }
        self
    }

    /// What went wrong with an array, a group or an object there.
    pub(crate) fn in_place(error: impl Into<Self>, place: &Place) -> Self {
        let mut failure = error.into().at(&place.uri);
        if failure.hint.is_none() {
            failure.hint = place.way_to_learn_why(failure.kind);
        }
        failure
    }

    /// Says which file or object is at fault, also where the fault is that it does not fit.
    pub(crate) fn within(mut self, name: &str) -> Self {
        self.place.get_or_insert_with(|| name.to_owned());
        self
    }

    /// The exit status: 1 where a check found something, 2 for a wrong request, 3 for what is stored, 4 for a limit, 70 for a defect of tdb.
    pub(crate) fn status(&self) -> u8 {
        match self.kind {
            _ if self.broken_pipe => 0,
            _ if self.is_finding => 1,
            ErrorKind::Invalid => 2,
            ErrorKind::Limit => 4,
            ErrorKind::Bug => 70,
            _ => 3,
        }
    }

    /// The way out where memory was the limit.
    fn memory_hint(&self) -> Option<&'static str> {
        let first: &(dyn Error + 'static) = &*self.error;
        let mut chain = std::iter::successors(Some(first), |&error| error.source());
        let is_met = self.kind == ErrorKind::Limit && chain.any(is_out_of_memory);
        is_met.then_some("--memory allows more, as in --memory 4GiB")
    }

    /// What it is and the chain beneath, in one line.
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

    /// Writes `error: ` and what it is, the chain beneath, and `hint: ` if there is one.
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
            // Some errors carry the text of their cause.
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

    #[test]
    fn a_file_that_cannot_be_begun_is_told_without_its_name() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = StoreError::from_io(".tmp-399-0", denied);
        assert_eq!(
            told(error),
            "error: ro/a: no file can be made in the folder: permission denied\n"
        );
    }
}
