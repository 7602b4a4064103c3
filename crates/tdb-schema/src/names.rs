//! Names that are not known, and those that may have been meant.

use strsim::osa_distance;

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
    /// The name that is not known.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

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

/// Letters of a name that are compared, at most: what people type by mistake is short.
const LONGEST: usize = 256;

/// The known name that needs the fewest changes, if a third of its letters stay at most to be changed. Two letters in the wrong
/// order are one change.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = |text: &str| {
        text.to_lowercase()
            .chars()
            .take(LONGEST)
            .collect::<String>()
    };
    let name = letters(name);
    let len = name.chars().count();
    let distances = known.iter().map(|other| {
        let other = letters(other);
        let most = len.max(other.chars().count()) / 3;
        (osa_distance(&name, &other), most.max(1))
    });
    let near = known.iter().zip(distances);
    near.filter(|(_, (distance, most))| distance <= most && *distance < len)
        .min_by_key(|(_, (distance, _))| *distance)
        .map(|(known, _)| *known)
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
        assert_eq!(nearest("rmearks"), Some("remark"));
        assert_eq!(nearest("wind"), None);
        assert_eq!(nearest(""), None);
    }
}
