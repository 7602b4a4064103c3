//! Where results and messages go.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};

use tdb::WholeFile;
use terminal_size::{Height, Width, terminal_size, terminal_size_of};

use crate::failure::Failure;
use crate::global::{Global, When};
use crate::paint::{Look, Role, visible, wrapped};

/// Bytes that are collected before the system is asked to write.
const BUFFER: usize = 1 << 16;

/// Lines of a screen that are not cells: titles, a note and the prompt.
const FRAME: usize = 4;

/// Results go to standard output or a file, everything else to standard error.
pub(crate) struct Output {
    result: BufWriter<Box<dyn Write + Send>>,
    /// How results look.
    pub(crate) look: Look,
    /// Whether results go to a file that the user named.
    pub(crate) is_file: bool,
    /// Whether there was any result.
    pub(crate) is_written: bool,
    /// How messages look.
    messages: Look,
    quiet: bool,
}

impl Output {
    /// The output, and the file that it goes to if the user named one.
    pub(crate) fn begin(global: &Global) -> Result<(Self, Option<WholeFile>), Failure> {
        let mut file = None;
        let (result, look): (Box<dyn Write + Send>, _) = match &global.output {
            Some(path) => {
                let (begun, result) = WholeFile::begin(path)?;
                file = Some(begun);
                (result, Look::default())
            }
            None => {
                let terminal = io::stdout().is_terminal();
                let size = if terminal { terminal_size() } else { None };
                let look = Look {
                    color: colored(global.color, terminal),
                    width: size.map(|(Width(width), _)| usize::from(width)),
                    height: size
                        .map(|(_, Height(height))| usize::from(height).saturating_sub(FRAME)),
                };
                (Box::new(io::stdout()), look)
            }
        };
        let output = Self {
            result: BufWriter::with_capacity(BUFFER, result),
            look,
            is_file: global.output.is_some(),
            is_written: false,
            messages: messages(global.color),
            quiet: global.quiet,
        };
        Ok((output, file))
    }

    /// Results go to `result`, and look so.
    #[cfg(test)]
    pub(crate) fn of(result: impl Write + Send + 'static, look: Look) -> Self {
        Self {
            result: BufWriter::new(Box::new(result)),
            look,
            is_file: false,
            is_written: false,
            messages: Look::default(),
            quiet: true,
        }
    }

    /// Tells on standard error what the user should know.
    pub(crate) fn warn(&self, warning: &str) {
        self.messages().warn(warning);
    }

    /// Tells on standard error what the user may want to know.
    pub(crate) fn note(&self, note: &str) {
        self.messages().note(note);
    }

    /// For what is told once the result was handed over.
    pub(crate) fn messages(&self) -> Messages {
        Messages {
            look: self.messages,
            quiet: self.quiet,
        }
    }

    /// Whether people read the result.
    pub(crate) fn is_terminal(&self) -> bool {
        self.look.width.is_some()
    }

    /// The result as something to hand over.
    pub(crate) fn into_writer(self) -> BufWriter<Box<dyn Write + Send>> {
        self.result
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_written = true;
        self.result.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.result.flush()
    }
}

/// Tells on standard error what the user should know.
pub(crate) fn warn(messages: Look, warning: &str) {
    let label = messages.paint(Role::Warning, "warning:");
    // There is nowhere left to tell that standard error is gone.
    let warning = wrapped(&visible(warning), "warning: ", on_screen(messages));
    let _ = writeln!(io::stderr(), "{label} {warning}");
}

/// Tells on standard error what the user may want to know.
pub(crate) fn note(messages: Look, note: &str) {
    let note = wrapped(&visible(note), "", on_screen(messages));
    let note = messages.paint(Role::Dim, &note);
    // There is nowhere left to tell that standard error is gone.
    let _ = writeln!(io::stderr(), "{note}");
}

/// How messages look that are broken into lines where a terminal ends.
pub(crate) fn on_screen(messages: Look) -> Look {
    let size = terminal_size_of(io::stderr());
    Look {
        width: size.map(|(Width(width), _)| usize::from(width)),
        ..messages
    }
}

/// What is told on standard error.
#[derive(Clone, Copy)]
pub(crate) struct Messages {
    look: Look,
    quiet: bool,
}

impl Messages {
    /// Tells of something odd that is no reason to fail.
    pub(crate) fn warn(self, warning: &str) {
        if !self.quiet {
            warn(self.look, warning);
        }
    }

    /// Tells what the user may want to know.
    pub(crate) fn note(self, note: &str) {
        if !self.quiet {
            self::note(self.look, note);
        }
    }
}

/// How messages on standard error look.
pub(crate) fn messages(color: When) -> Look {
    Look {
        color: colored(color, io::stderr().is_terminal()),
        ..Look::default()
    }
}

fn colored(when: When, terminal: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}
