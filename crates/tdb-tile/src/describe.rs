use std::fmt::{Display, Write};
use std::ops::Range;

use bytes::Bytes;

use crate::Scalar;

/// Maximum number of values, or of bytes, that a description lists; of more it states only the
/// number.
const SHOWN: usize = 16;

/// Receives the fields of a record while it is decoded.
pub trait Observer {
    /// A nested record begins; `index` is its position if it is part of a list.
    fn enter(&mut self, field: &'static str, index: Option<u64>);
    /// The nested record that began last ends.
    fn leave(&mut self);
    /// A single value was read from the bytes at `place`.
    fn field(&mut self, place: Range<usize>, field: &'static str, value: &dyn Display);
    /// Raw bytes were read from `place`.
    fn bytes(&mut self, place: Range<usize>, field: &'static str, value: &Bytes);
    /// An array of numbers was read from the bytes at `place`.
    fn array<T: Scalar>(&mut self, place: Range<usize>, field: &'static str, values: &[T]);
}

impl Observer for () {
    #[inline]
    fn enter(&mut self, _: &'static str, _: Option<u64>) {}
    #[inline]
    fn leave(&mut self) {}
    #[inline]
    fn field(&mut self, _: Range<usize>, _: &'static str, _: &dyn Display) {}
    #[inline]
    fn bytes(&mut self, _: Range<usize>, _: &'static str, _: &Bytes) {}
    #[inline]
    fn array<T: Scalar>(&mut self, _: Range<usize>, _: &'static str, _: &[T]) {}
}

/// Collects one line of text per field: its byte range, its path and its value.
#[derive(Debug, Default)]
pub(crate) struct Description {
    path: Vec<String>,
    text: String,
}

impl Description {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, place: Range<usize>, field: &str, value: &dyn Display) {
        let place = format!("{}..{}", place.start, place.end);
        let dot = if self.path.is_empty() { "" } else { "." };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            self.text,
            "{place:>16}  {}{dot}{field} = {value}",
            self.path.join(".")
        );
    }
}

impl Observer for Description {
    fn enter(&mut self, field: &'static str, index: Option<u64>) {
        self.path.push(match index {
            Some(index) => format!("{field}[{index}]"),
            None => field.to_owned(),
        });
    }

    fn leave(&mut self) {
        self.path.pop();
    }

    fn field(&mut self, place: Range<usize>, field: &'static str, value: &dyn Display) {
        self.line(place, field, value);
    }

    fn bytes(&mut self, place: Range<usize>, field: &'static str, value: &Bytes) {
        let mut shown: String = value
            .iter()
            .take(SHOWN)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if value.len() > SHOWN {
            let _ = write!(shown, "... ({} bytes)", value.len());
        }
        self.line(place, field, &format_args!("0x{shown}"));
    }

    fn array<T: Scalar>(&mut self, place: Range<usize>, field: &'static str, values: &[T]) {
        let mut shown: Vec<String> = values.iter().take(SHOWN).map(ToString::to_string).collect();
        if values.len() > SHOWN {
            shown.push(format!("... ({} values)", values.len()));
        }
        self.line(place, field, &format_args!("[{}]", shown.join(", ")));
    }
}
