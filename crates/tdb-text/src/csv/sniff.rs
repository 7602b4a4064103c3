//! Detects the delimiter of a file from its first lines.

/// Possible delimiters, in the order of preference.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Maximum number of records that are examined.
const RECORDS: usize = 100;

/// Returns the delimiter that splits all of the first records into the same number of fields, the greatest if there
/// are several; otherwise the one that splits the first record into the most fields. A comma if none splits anything.
pub(super) fn delimiter(text: &[u8], is_whole: bool) -> u8 {
    let counts = DELIMITERS.map(|delimiter| (delimiter, counts(text, is_whole, delimiter)));
    let best = |wanted: fn(&[usize]) -> bool| {
        let fitting = counts.iter().filter(|(_, counts)| wanted(counts));
        let fields = |counts: &[usize]| counts.first().copied().unwrap_or(1);
        // `max_by_key` returns the last of equal ones, hence `rev`.
        let best = fitting.rev().max_by_key(|(_, counts)| fields(counts));
        best.filter(|(_, counts)| fields(counts) > 1)
            .map(|(delimiter, _)| *delimiter)
    };
    let all_alike = |counts: &[usize]| counts.windows(2).all(|pair| pair.first() == pair.last());
    best(all_alike).or_else(|| best(|_| true)).unwrap_or(b',')
}

/// Number of fields in each of the first records.
fn counts(text: &[u8], is_whole: bool, delimiter: u8) -> Vec<usize> {
    let (mut counts, mut fields, mut is_empty) = (Vec::new(), 1_usize, true);
    // Whether a field begins here, whether we are inside quotes, and whether the field began with a quote. Doubled
    // quotes toggle twice.
    let (mut is_start, mut is_quoted, mut has_quotes) = (true, false, false);
    for &byte in text {
        if std::mem::take(&mut is_start) {
            has_quotes = byte == b'"';
        }
        match byte {
            b'"' if has_quotes => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'\n' => {
                // Empty lines are skipped.
                if !std::mem::replace(&mut is_empty, true) {
                    counts.push(fields);
                }
                (fields, is_start) = (1, true);
                if counts.len() == RECORDS {
                    return counts;
                }
                continue;
            }
            byte if byte == delimiter => (fields, is_start) = (fields + 1, true),
            _ => {}
        }
        is_empty &= byte == b'\r';
    }
    if is_whole && !is_empty {
        counts.push(fields);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_makes_records_of_one_length() {
        let found = |text: &str| char::from(delimiter(text.as_bytes(), true));
        let alike = [
            found("a,b\n1,2\n"),
            found("a;b\n1,5;2\n3,5;4\n"),
            found("a\tb\r\n\r\n1\t2\r\n"),
            found("a|b\n\"x|y\"|2"),
            found("\"a;b\",c\n\"1;\"\";2\",3\n"),
        ];
        assert_eq!(alike, [',', ';', '\t', '|', ',']);
        // One column, and an empty file.
        assert_eq!([found("name\nDoe; John\n"), found("")], [',', ',']);
        // Lines of different lengths: the delimiter of the first line decides.
        assert_eq!(found("a;b;c\n1;2\n"), ';');
        // Equally many fields: a comma.
        assert_eq!(found("a,b;c\n1,2;3\n"), ',');
    }

    #[test]
    fn a_record_that_ends_later_does_not_count() {
        assert_eq!(delimiter(b"a;b\n1;2\n3", false), b';');
        assert_eq!(delimiter(b"a;b\n1;2\n3;\"4\n", false), b';');
    }
}
