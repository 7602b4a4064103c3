//! Colours, alignment, and formatting of quantities.

mod table;

use std::borrow::Cow;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) use table::Table;

/// Style of output for people: coloured and limited to the width of the terminal. Without a terminal, no colours and
/// no limits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    pub(crate) color: bool,
    pub(crate) width: Option<usize>,
    /// Number of result lines that fit on the screen.
    pub(crate) height: Option<usize>,
}

const TITLE: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const TYPE: Style = AnsiColor::Cyan.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Green.on_default().bold();

/// Role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    #[default]
    Plain,
    Title,
    Dim,
    Type,
    Warning,
    Error,
    Hint,
}

impl Look {
    /// Returns the text in the colour of its role.
    pub(crate) fn paint(self, role: Role, text: &str) -> String {
        let style = match role {
            Role::Plain => return text.to_owned(),
            Role::Title => TITLE,
            Role::Dim => DIM,
            Role::Type => TYPE,
            Role::Warning => WARNING,
            Role::Error => ERROR,
            Role::Hint => HINT,
        };
        if self.color {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

/// Width of output without a limit, such as a file.
pub(crate) const NO_EDGE: usize = usize::MAX;

/// Returns the text, or an empty string for `None`.
#[expect(clippy::disallowed_methods, reason = "the blank is what is shown")]
pub(crate) fn or_blank(text: Option<String>) -> String {
    text.unwrap_or_default()
}

/// Number of spaces between columns.
pub(crate) const GAP: usize = 2;

/// A line of a table, built cell by cell and truncated to the width of the screen.
#[derive(Debug)]
pub(crate) struct Line {
    text: String,
    look: Look,
    /// Remaining columns of the screen.
    left: usize,
    /// Spaces to insert before the next text, if there is one.
    spaces: usize,
    /// True if this line or an earlier one was truncated.
    pub(crate) is_cut: bool,
}

/// Text with its display width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenText<'a> {
    pub(crate) text: &'a str,
    pub(crate) width: usize,
}

impl Line {
    pub(crate) fn new(look: Look) -> Self {
        Self {
            text: String::new(),
            look,
            left: look.width.unwrap_or(NO_EDGE),
            spaces: 0,
            is_cut: false,
        }
    }

    /// Adds a cell; `column` is the width of the table's column.
    pub(crate) fn add(&mut self, role: Role, cell: ScreenText<'_>, column: usize, right: bool) {
        let ScreenText { text, width } = cell;
        if column == 0 {
            return;
        }
        let padding = column.saturating_sub(width);
        self.spaces += if right { padding } else { 0 };
        let room = self.left.saturating_sub(self.spaces);
        if width > 0 && room > 0 {
            self.text
                .extend(std::iter::repeat_n(' ', self.spaces.min(self.left)));
            if width <= room {
                self.push(role, text);
            } else {
                self.is_cut = true;
                self.push(role, &cut(text, room));
            }
            self.left = room.saturating_sub(width);
            self.spaces = 0;
        }
        self.spaces += GAP + if right { 0 } else { padding };
    }

    fn push(&mut self, role: Role, text: &str) {
        if self.look.color && role != Role::Plain {
            self.text.push_str(&self.look.paint(role, text));
        } else {
            self.text.push_str(text);
        }
    }

    /// Writes the line and starts the next one.
    pub(crate) fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        self.text.push('\n');
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        self.left = self.look.width.unwrap_or(NO_EDGE);
        self.spaces = 0;
        Ok(())
    }
}

/// Truncates text to a display width, with an ellipsis if anything is cut off.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let fits = text.chars().take_while(|c| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    });
    let mut cut: String = fits.collect();
    if width > 0 {
        cut.push('…');
    }
    cut
}

/// Wraps the text after a label between words at the width of the screen.
pub(crate) fn wrapped(text: &str, label: &str, look: Look) -> String {
    const INDENT: &str = "  ";
    let width = look.width.unwrap_or(NO_EDGE);
    let mut column = label.width();
    let mut wrapped = String::new();
    for (index, word) in text.split(' ').enumerate() {
        let end = column.saturating_add(word.width());
        if index > 0 && end >= width {
            wrapped.push('\n');
            wrapped.push_str(INDENT);
            column = INDENT.width();
        } else if index > 0 {
            wrapped.push(' ');
            column = column.saturating_add(1);
        }
        wrapped.push_str(word);
        column = column.saturating_add(word.width());
    }
    wrapped
}

/// Escapes control characters, so that stored names and values cannot control the terminal.
pub(crate) fn visible(text: &str) -> String {
    if text.chars().any(char::is_control) {
        return text
            .chars()
            .flat_map(|c| {
                let escaped = c.is_control();
                let plain = (!escaped).then_some(c);
                let escape = escaped.then(|| c.escape_default()).into_iter().flatten();
                plain.into_iter().chain(escape)
            })
            .collect();
    }
    text.to_owned()
}

/// Formats bytes in the largest binary unit that gives at least 1: `1.5 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut unit = 0;
    let mut tenths = u128::from(bytes) * 10;
    // From 1023.5 on, a rounded number would be 1024 of the unit.
    while tenths >= 10_235 && unit + 1 < UNITS.len() {
        tenths = (tenths + 512) / 1024;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or("");
    match (unit, tenths) {
        (0, _) => format!("{bytes} {name}"),
        (_, tenths @ 1000..) => format!("{} {name}", (tenths + 5) / 10),
        (_, tenths) => format!("{}.{} {name}", tenths / 10, tenths % 10),
    }
}

/// Formats a number with digits in groups of three.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && place % 3 == first % 3 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a count with its noun: `1 cell`, `2 cells`.
pub(crate) fn plural(number: u64, one: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {one}{ending}", count(number))
}

/// Maximum number of characters of a condition in a line.
const CONDITION: usize = 200;

/// Truncates a long condition and says how much is missing; JSON output has all of it.
pub(crate) fn shortened(condition: &str) -> Cow<'_, str> {
    let all = condition.chars().count();
    if all <= CONDITION {
        return Cow::Borrowed(condition);
    }
    let first: String = condition.chars().take(CONDITION).collect();
    let left = all - CONDITION;
    Cow::Owned(format!(
        "{first}… ({} more)",
        plural(left as u64, "character")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        assert_eq!(
            [0, 1023, 1024, 1536, 102_400, 1 << 20].map(bytes),
            ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "100 KiB", "1.0 MiB"]
        );
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
        let below = [1_048_000, 1_048_064, (1 << 20) - 1].map(bytes);
        assert_eq!(below, ["1023 KiB", "1.0 MiB", "1.0 MiB"]);
        assert_eq!(
            [0, 12, 123, 1234, 1_234_567].map(count),
            ["0", "12", "123", "1,234", "1,234,567"]
        );
        assert_eq!(
            (plural(1, "cell"), plural(2, "cell")),
            ("1 cell".into(), "2 cells".into())
        );
    }
}
