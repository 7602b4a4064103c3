//! The result of reading CSV does not depend on the size of pieces or the number of threads.
#![cfg(feature = "csv")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::{self, Read};
use std::num::NonZeroUsize;

use proptest::prelude::*;
use tdb_cells::files::{BatchReader, Input, InputError, InputOptions};
use tdb_cells::{FieldInfo, Session, SessionOptions};
use tdb_schema::{CellValNum, FieldKind};
use tdb_text::CsvInput;
use tdb_tile::Datatype;

/// A file that returns a few bytes at a time, and optionally fails at its end.
struct Trickle {
    bytes: Vec<u8>,
    at: usize,
    step: usize,
    fails: bool,
}

impl Read for Trickle {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        if rest.is_empty() && self.fails {
            return Err(io::Error::other("the disk is gone"));
        }
        let len = rest.len().min(self.step).min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

/// Parameters of a read.
#[derive(Clone, Copy, Debug)]
struct How {
    batch_bytes: usize,
    step: usize,
    threads: usize,
}

fn input(text: &[u8], fails: bool, how: How) -> Result<Box<CsvInput<Trickle>>, InputError> {
    let file = Trickle {
        bytes: text.to_vec(),
        at: 0,
        step: how.step,
        fails,
    };
    let options = InputOptions::default()
        .batch_bytes(how.batch_bytes)
        .record_bytes(1 << 20)
        // Detecting the delimiter would read much of the file at once.
        .delimiter(Some(b','));
    CsvInput::try_new(file, options).map(Box::new)
}

fn session(threads: usize) -> Session {
    Session::new(SessionOptions::default().threads(NonZeroUsize::new(threads)))
}

/// The texts of all cells and the lines of all rows, or the error.
type Found = Result<Vec<(Option<u64>, Vec<Option<String>>)>, String>;

fn cells(text: &[u8], fails: bool, how: How) -> Found {
    let read = || {
        let input = input(text, fails, how)?;
        let fields: Vec<FieldInfo> = input
            .names()
            .iter()
            .map(|name| FieldInfo {
                name: name.clone(),
                datatype: Datatype::StringUtf8,
                cell_val_num: CellValNum::Var,
                nullable: true,
                enumeration: None,
                field: FieldKind::Attribute(0),
            })
            .collect();
        let mut reader: Box<dyn BatchReader> = input.cells(&fields)?;
        let mut rows = Vec::new();
        while let Some(batch) = reader.next()? {
            for row in 0..batch.rows {
                let cells = batch.columns.iter().map(|column| {
                    let cell = column.cell(row).unwrap();
                    let is_valid = column.is_valid(row);
                    is_valid.then(|| String::from_utf8(cell.to_vec()).unwrap())
                });
                rows.push((reader.line(rows.len() as u64), cells.collect()));
            }
        }
        Ok(rows)
    };
    let found: Result<_, InputError> = session(how.threads).install(read);
    found.map_err(|error| error.to_string())
}

fn guesses(text: &[u8], fails: bool, how: How) -> Result<String, String> {
    let guess = || input(text, fails, how)?.guess();
    let guesses = session(how.threads).install(guess);
    guesses
        .map(|guesses| format!("{guesses:?}"))
        .map_err(|error| error.to_string())
}

const ROWS: &[&str] = &[
    "1,2\n",
    "-7,x\n",
    "3.5,2024-02-29\n",
    "\"a\nb\",\"c\"\"d\"\n",
    "\"\",\n",
    "\n",
    "\r\n",
    "12,34\r\n",
    "zwölf,\"1\"\r\n",
    "5\",6\n",
    ",\n",
    "NA,true\n",
];

const WRONG: &[&str] = &[
    "1\n",
    "1,2,3\n",
    "\"a\"b,2\n",
    "\"open,2\n",
    "a\0,1\n",
    "\"a\0\",1\n",
];

proptest! {
    #[test]
    fn pieces_and_threads_change_nothing(
        rows in prop::collection::vec(prop::sample::select(ROWS), 0..40),
        wrong in prop::option::of((0_usize..40, prop::sample::select(WRONG))),
        (has_end, fails) in any::<(bool, bool)>(),
        batch_bytes in 4_usize..200,
        step in 1_usize..60,
        threads in 1_usize..4,
    ) {
        let mut rows = rows;
        if let Some((at, wrong)) = wrong {
            rows.insert(at.min(rows.len()), wrong);
        }
        let mut text = format!("a,b\n{}", rows.concat());
        if !has_end {
            text.pop();
        }
        let whole = How { batch_bytes: 1 << 22, step: usize::MAX, threads: 1 };
        let parts = How { batch_bytes, step, threads };
        let bytes = text.as_bytes();
        prop_assert_eq!(cells(bytes, fails, parts), cells(bytes, fails, whole));
        prop_assert_eq!(guesses(bytes, fails, parts), guesses(bytes, fails, whole));
    }
}

#[test]
fn records_larger_than_a_piece_and_those_behind_them_are_read() {
    let long = "x".repeat(300_000);
    let text = format!("a,b\n1,2\n{long},\"{long}\n{long}\"\n3,4\n");
    let how = How {
        batch_bytes: 1000,
        step: 70_000,
        threads: 2,
    };
    let found = cells(text.as_bytes(), false, how).unwrap();
    let lines: Vec<Option<u64>> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [Some(2), Some(3), Some(5)]);
    assert_eq!(found[1].1[1].as_ref().map(String::len), Some(600_001));
    assert_eq!(found[2].1[0].as_deref(), Some("3"));
}

#[test]
fn what_is_wrong_first_in_the_file_is_told_however_it_is_read() {
    let mut text = "a,b\n".to_owned();
    for row in 0..1000 {
        text += match row {
            700 => "1,2,3\n",
            900 => "\"a\"b,2\n",
            _ => "1,2\n",
        };
    }
    for batch_bytes in [4, 100, 1 << 20] {
        let how = How {
            batch_bytes,
            step: 1000,
            threads: 3,
        };
        for wrong in [
            cells(text.as_bytes(), true, how).map(drop),
            guesses(text.as_bytes(), true, how).map(drop),
        ] {
            assert_eq!(
                wrong.unwrap_err(),
                "line 702: the line has 3 fields, and the first one 2"
            );
        }
    }
}

#[test]
fn a_record_that_is_wrong_so_far_is_told_before_that_the_rest_cannot_be_read() {
    for batch_bytes in [4, 1 << 20] {
        let how = How {
            batch_bytes,
            step: 1,
            threads: 1,
        };
        let wrong = cells(b"a,b\n1,2\n\"a\"b,2", true, how).unwrap_err();
        assert_eq!(wrong, "line 3: text behind a closing quote");
        let wrong = cells(b"a,b\n1,2\n\"a\",2", true, how).unwrap_err();
        assert_eq!(wrong, "input: the disk is gone");
    }
}
