//! The list of the tests that TileDB-Py passes with TileDB's library: one a line, with the seconds that it takes if it
//! takes long, and the cause if it does not pass with tdb yet. The columns are separated by tabs.

use std::error::Error;
use std::fmt::Write as _;

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// Its name, as pytest gives it: file, classes, function and parameters.
    pub(crate) name: String,
    /// Seconds that it takes with TileDB's library, rounded.
    pub(crate) seconds: u64,
    /// Why it does not pass with tdb.
    pub(crate) cause: Option<String>,
}

impl Test {
    /// Returns the file of the suite that holds it.
    pub(crate) fn file(&self) -> &str {
        self.name
            .split_once("::")
            .map_or(&self.name, |(file, _)| file)
    }

    fn parse(line: &str) -> Result<Self, Box<dyn Error>> {
        let mut columns = line.split('\t');
        let mut next = || columns.next().map(str::trim);
        let name = next().filter(|name| name.contains("::"));
        let name = name.ok_or_else(|| format!("not the name of a test: `{line}`"))?;
        let seconds = match next() {
            None | Some("") => 0,
            Some(text) => text
                .strip_suffix(" s")
                .and_then(|number| number.parse().ok())
                .ok_or_else(|| format!("not a number of seconds: `{line}`"))?,
        };
        Ok(Self {
            name: name.to_owned(),
            seconds,
            cause: next().map(str::to_owned),
        })
    }
}

/// Parses a list.
pub(crate) fn parse(text: &str) -> Result<Vec<Test>, Box<dyn Error>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(Test::parse).collect()
}

/// Formats a list, under the lines of comment that stood above the old one.
pub(crate) fn format(old: &str, tests: &[Test]) -> String {
    let comments = old.lines().filter(|line| line.starts_with('#'));
    let mut text: String = comments.map(|line| format!("{line}\n")).collect();
    for test in tests {
        text += &test.name;
        if test.seconds > 0 || test.cause.is_some() {
            text.push('\t');
        }
        if test.seconds > 0 {
            let _ = write!(text, "{} s", test.seconds);
        }
        if let Some(cause) = &test.cause {
            let _ = write!(text, "\t{cause}");
        }
        text.push('\n');
    }
    text
}

/// Splits tests into parts that take about the same time, the slow ones first.
pub(crate) fn parts(tests: &[Test], count: usize) -> Vec<Vec<Test>> {
    let mut parts: Vec<(u64, Vec<Test>)> = vec![(0, Vec::new()); count];
    let mut tests: Vec<&Test> = tests.iter().collect();
    tests.sort_by(|one, other| {
        let by_time = other.seconds.cmp(&one.seconds);
        by_time.then_with(|| one.name.cmp(&other.name))
    });
    for test in tests {
        if let Some((time, part)) = parts.iter_mut().min_by_key(|(time, _)| *time) {
            // In tenths of seconds; those without seconds take about one.
            *time += test.seconds * 10 + 1;
            part.push(test.clone());
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# About.\na.py::t[x y]\na.py::u\t3 s\na.py::v\t\tlabels\nb.py::C::w\t2 s\tno labels\n";

    #[test]
    fn a_list_is_what_was_written() {
        let tests = parse(TEXT).unwrap();
        assert_eq!(format(TEXT, &tests), TEXT);
        let causes: Vec<_> = tests.iter().map(|test| test.cause.as_deref()).collect();
        assert_eq!(causes, [None, None, Some("labels"), Some("no labels")]);
        assert_eq!(tests[3].file(), "b.py");
        assert_eq!(tests[3].seconds, 2);
    }

    #[test]
    fn a_line_that_is_no_test_is_an_error() {
        for line in ["", "a.py", "a.py::t\tsoon", "a.py::t\t-1 s"] {
            assert!(parse(&format!("{line}\n")).is_err(), "{line}");
        }
    }

    #[test]
    fn parts_hold_all_tests_and_take_the_same_time() {
        let test = |number: u64| Test {
            name: format!("a.py::t{number:03}"),
            seconds: if number.is_multiple_of(10) { 4 } else { 0 },
            cause: None,
        };
        let all: Vec<Test> = (0..100).map(test).collect();
        let parts = parts(&all, 10);
        let mut names: Vec<&str> = Vec::new();
        for part in &parts {
            assert_eq!(part.iter().map(|test| test.seconds).sum::<u64>(), 4);
            names.extend(part.iter().map(|test| test.name.as_str()));
        }
        names.sort_unstable();
        assert!(names.iter().eq(all.iter().map(|test| &test.name)));
    }
}
