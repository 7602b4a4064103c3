//! Unknown names, and hints at the names that were probably meant.

use strsim::osa_distance;
use tdb_tile::{ErrorKind, HasKind};

/// Maximum number of known names that a hint lists; of more it states only the number.
const LISTED: usize = 20;

/// The error for a request of a field, label or other object by an unknown name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {name:?}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    hint: String,
}

impl UnknownName {
    /// The unknown name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates the error; `what` is the kind of object in the singular: "dimension".
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

    /// A hint with the known names and the one nearest to the unknown name.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl HasKind for UnknownName {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }

    fn hint(&self) -> Option<&str> {
        Some(&self.hint)
    }
}

/// Creates a hint for an unknown name: the known names and the one nearest to it. `what` is the
/// kind of object in the singular.
#[must_use]
pub fn hint<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let (listed, others) = known.split_at(known.len().min(LISTED));
    let (listed, more) = (listed.join(", "), others.len());
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

/// Maximum number of letters that are compared; longer names are not typing errors.
const LONGEST: usize = 256;

/// Returns the known name that needs the fewest edits. They must be at most a third of the letters of
/// the longer name, though one edit is always allowed. Two swapped letters count as one edit.
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
