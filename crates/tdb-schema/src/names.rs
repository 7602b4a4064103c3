//! Names that are not known, and those that may have been meant.

/// Names that are listed where one is not known; the rest is counted.
const LISTED: usize = 20;

/// A field, label, ... was asked for by a name that none of those known has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {name:?}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    hint: String,
}

impl UnknownName {
    /// `what` is the singular of what has names: "dimension".
    ///
    /// ```
    /// use tdb_schema::names::UnknownName;
    ///
    /// let unknown = UnknownName::new("field", "temprature", ["temperature", "rain"]);
    /// assert_eq!(unknown.to_string(), "there is no field \"temprature\"");
    /// assert_eq!(
    ///     unknown.hint(),
    ///     "did you mean \"temperature\"? the fields are temperature, rain"
    /// );
    /// ```
    #[must_use]
    pub fn new<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self {
            what,
            name: name.to_owned(),
            hint: hint(what, name, known),
        }
    }

    /// The names that are known, and which of them is nearest.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

/// What helps who asked for a field, label, ... by a name that none of those known has: the names that are known, and
/// which of them is nearest. `what` is the singular of what has names.
#[must_use]
pub fn hint<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let listed: Vec<&str> = known.iter().copied().take(LISTED).collect();
    let listed = listed.join(", ");
    let more = known.len().saturating_sub(LISTED);
    let all = match (known.len(), more) {
        (0, _) => format!("the array has no {what}s"),
        (_, 0) => format!("the {what}s are {listed}"),
        _ => format!("the {what}s are {listed} and {more} more"),
    };
    match nearest(name, &known) {
        Some(nearest) => format!("did you mean {nearest:?}? {all}"),
        None => all,
    }
}

/// The known name that needs the fewest changes, if a third of its letters stay at most to be changed.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let name = letters(name);
    let distances = known.iter().map(|other| {
        let other = letters(other);
        let most = name.len().max(other.len()) / 3;
        (distance(&name, &other), most.max(1))
    });
    let near = known.iter().zip(distances);
    near.filter(|(_, (distance, most))| distance <= most && *distance < name.len())
        .min_by_key(|(_, (distance, _))| *distance)
        .map(|(known, _)| *known)
}

/// Letters to put in, take out or replace, to make one of the other.
pub(crate) fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, letter) in a.iter().enumerate() {
        let mut corner = line;
        let mut left = line.saturating_add(1);
        for (above, other) in row.iter_mut().skip(1).zip(b) {
            let changed = corner.saturating_add(usize::from(letter != other));
            corner = *above;
            left = changed
                .min(left.saturating_add(1))
                .min(above.saturating_add(1));
            *above = left;
        }
        if let Some(first) = row.first_mut() {
            *first = line.saturating_add(1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_needs_few_changes() {
        let known = ["temperature", "pressure", "sky", "remark"];
        let nearest = |name| nearest(name, &known);
        assert_eq!(nearest("temprature"), Some("temperature"));
        assert_eq!(nearest("Pressure"), Some("pressure"));
        assert_eq!(nearest("sly"), Some("sky"));
        assert_eq!(nearest("wind"), None);
        assert_eq!(nearest(""), None);
    }

    #[test]
    fn distances_count_changes() {
        let of = |a: &str, b: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            distance(&letters(a), &letters(b))
        };
        assert_eq!(of("", ""), 0);
        assert_eq!(of("abc", ""), 3);
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("flaw", "lawn"), 2);
    }
}
