//! What stands between the fields of a file, found out from its first lines.

/// What may, in the order in which they are preferred.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Records that are looked at.
const RECORDS: usize = 100;

/// The delimiter that divides all of the first records into the same number of fields, the one that makes the most of
/// them; else the one that divides the first record into the most. A comma where none does.
pub(super) fn delimiter(text: &[u8], is_whole: bool) -> u8 {
    let counts = DELIMITERS.map(|delimiter| (delimiter, counts(text, is_whole, delimiter)));
    let best = |wanted: fn(&[usize]) -> bool| {
        let fitting = counts.iter().filter(|(_, counts)| wanted(counts));
        let fields = |counts: &[usize]| counts.first().copied().unwrap_or(1);
        // Of several that are as good it gives the last.
        let best = fitting.rev().max_by_key(|(_, counts)| fields(counts));
        best.filter(|(_, counts)| fields(counts) > 1)
            .map(|(delimiter, _)| *delimiter)
    };
    let all_alike = |counts: &[usize]| counts.windows(2).all(|pair| pair.first() == pair.last());
    best(all_alike).or_else(|| best(|_| true)).unwrap_or(b',')
}

/// How many fields each of the first records has.
fn counts(text: &[u8], is_whole: bool, delimiter: u8) -> Vec<usize> {
    let (mut counts, mut fields, mut is_empty) = (Vec::new(), 1_usize, true);
    // Whether a field begins here, and whether it lies within quotes, where two of them leave it so.
    let (mut is_start, mut is_quoted, mut has_quotes) = (true, false, false);
    for &byte in text {
        if std::mem::take(&mut is_start) {
            has_quotes = byte == b'"';
        }
        match byte {
            b'"' if has_quotes => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'\n' => {
                // Empty lines are passed over.
                if !std::mem::replace(&mut is_empty, true) {
                    counts.push(fields);
                }
                (fields, is_start) = (1, true);
                if counts.len() == RECORDS {
                    return counts;
                }
                continue;
            }
            byte if byte == delimiter => (fields, is_start) = (fields.saturating_add(1), true),
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
        // One column, and none at all.
        assert_eq!([found("name\nDoe; John\n"), found("")], [',', ',']);
        // Lines that differ are told of as those of the delimiter of the first.
        assert_eq!(found("a;b;c\n1;2\n"), ';');
        // As many fields: a comma.
        assert_eq!(found("a,b;c\n1,2;3\n"), ',');
    }

    #[test]
    fn a_record_that_ends_later_does_not_count() {
        assert_eq!(delimiter(b"a;b\n1;2\n3", false), b';');
        assert_eq!(delimiter(b"a;b\n1;2\n3;\"4\n", false), b';');
    }
}
