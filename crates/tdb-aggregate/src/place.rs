//! Locates the part of a request that an error is about.

use crate::function::items;
use crate::grouping::unquoted;
use crate::{Aggregate, AggregateError};

impl AggregateError {
    /// Returns the position of the aggregate that the error is about in a list for [`Aggregate::parse_list`], in
    /// characters from 1; `None` if no aggregate matches.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "positions in a text")]
    pub fn place_in_list(&self, list: &str) -> Option<usize> {
        let mut items = items(list);
        let (before, text) = items.find(|(_, text)| {
            let text = text.trim();
            match (text.parse::<Aggregate>(), self) {
                (Err(_), Self::Text { text: wrong }) => wrong == text,
                (Err(_), _) => false,
                (Ok(found), _) => self.is_about(found.function.name(), found.field.as_deref()),
            }
        })?;
        let blanks = text.chars().take_while(|c| c.is_whitespace()).count();
        Some(before + blanks + 1)
    }

    /// Returns the index of the grouping that the error is about, in the list given to
    /// [`aggregate`](crate::aggregate).
    #[must_use]
    pub fn place_in_groupings(&self, by: &[&str]) -> Option<usize> {
        by.iter().position(|text| match text.split_once('(') {
            Some((part, field)) => {
                let field = field.strip_suffix(')').unwrap_or(field).trim();
                self.is_about(part.trim(), Some(unquoted(field))) || self.is_about("", Some(text))
            }
            None => self.is_about("", Some(text)),
        })
    }

    fn is_about(&self, function: &str, field: Option<&str>) -> bool {
        match self {
            Self::Unfit {
                function: wrong,
                field: of,
                ..
            }
            | Self::Labels {
                function: wrong,
                field: of,
            } => *wrong == function && Some(of.as_str()) == field,
            Self::Overflow { field: of, .. } => function == "sum" && Some(of.as_str()) == field,
            Self::Unknown(unknown) => Some(unknown.name()) == field,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_in_the_list() {
        let list = "count(*), \"a,b\", süm(x), min(a)";
        let error = Aggregate::parse_list(list).expect_err("no aggregate");
        assert_eq!(error.place_in_list(list), Some(11));
        let labels = AggregateError::Labels {
            function: "min",
            field: "a".to_owned(),
        };
        assert_eq!(labels.place_in_list("count(a), min(b),  min(a)"), Some(20));
        assert_eq!(labels.place_in_list("count(a)"), None);
    }

    #[test]
    fn errors_are_found_in_groupings() {
        let unfit = AggregateError::Unfit {
            function: "year",
            field: "x y".to_owned(),
            datatype: tdb_tile::Datatype::Int32,
            is_list: false,
        };
        assert_eq!(unfit.place_in_groupings(&["x y", "year(\"x y\")"]), Some(1));
        assert_eq!(unfit.place_in_groupings(&["month(x y)"]), None);
        let quoted = AggregateError::Unfit {
            function: "year",
            field: "\"x\"".to_owned(),
            datatype: tdb_tile::Datatype::Int32,
            is_list: false,
        };
        assert_eq!(
            quoted.place_in_groupings(&["year(x)", "year(\"\"x\"\")"]),
            Some(1)
        );
    }
}
