//! Results of verifying one array or group, for people and as JSON.

use std::io::Write;

use serde_json::{Value as Json, json};
use tdb::engine::array::Warning;
use tdb::engine::inspect::{Damage, DamagedPlace, Verification};

use crate::failure::Failure;
use crate::output::Output;
use crate::paint::{plural, visible};

/// Results for one array or group.
pub(super) struct ObjectFindings {
    pub(super) uri: String,
    pub(super) verified: Verification,
    pub(super) damages: Vec<Damage>,
}

impl ObjectFindings {
    /// A hint on how to read the undamaged fragments; `None` if leaving out fragments is not enough.
    pub(super) fn way_out(&self, uri: &str) -> Option<String> {
        let mut names = Vec::new();
        for damage in &self.damages {
            match &damage.place {
                DamagedPlace::Fragment(name) => names.push(name.as_str()),
                // Reads at the current time do not use replaced fragments.
                DamagedPlace::Replaced(_) => {}
                _ => return None,
            }
        }
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return None;
        }
        if names.len() as u64 >= self.verified.fragments {
            return Some("no fragment is sound".to_owned());
        }
        let names = names.join(",");
        Some(format!(
            "use tdb read {uri} --without-fragments {names} to read the sound fragments"
        ))
    }

    pub(super) fn json(&self) -> Json {
        json!({
            "fragments": self.verified.fragments,
            "tiles": self.verified.tiles,
            "errors": self.damages.iter().map(json_of).collect::<Vec<_>>(),
            "warnings": self.verified.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    /// Prints a line for each error.
    pub(super) fn write(&self, before: &str, out: &mut Output) -> Result<(), Failure> {
        for damage in &self.damages {
            writeln!(out, "{}", visible(&format!("{before}{}", line_of(damage))))?;
        }
        Ok(())
    }

    /// Prints the warnings, which are not errors.
    pub(super) fn warn(&self, out: &Output) {
        for warning in &self.verified.warnings {
            out.warn(&format!("{}: {warning}", self.uri));
        }
    }
}

pub(super) fn json_of(damage: &Damage) -> Json {
    let error = text_of(damage);
    let (field, tile) = (&damage.field, damage.tile);
    match &damage.place {
        DamagedPlace::Object(key) => {
            json!({ "object": key, "field": field, "tile": tile, "error": error })
        }
        DamagedPlace::Replaced(name) => json!({
            "fragment": name, "replaced": true, "field": field, "tile": tile, "error": error,
        }),
        DamagedPlace::Fragment(name) => {
            json!({ "fragment": name, "field": field, "tile": tile, "error": error })
        }
        _ => json!({ "error": error }),
    }
}

/// Formats an error with its location. Many errors already contain their location, sometimes in a shorter form.
pub(super) fn line_of(damage: &Damage) -> String {
    let (place, text) = (damage.to_string(), text_of(damage));
    if place == "." || text.starts_with(&place) {
        return text;
    }
    match text.split_once(": ") {
        Some((head, rest)) if place.ends_with(&format!("/{head}")) => format!("{place}: {rest}"),
        _ => format!("{place}: {text}"),
    }
}

/// Conclusion for an array without errors.
pub(super) fn verdict(verified: &Verification) -> &'static str {
    let mut warnings = verified.warnings.iter();
    if warnings.any(|warning| matches!(warning, Warning::Uncommitted { .. })) {
        "everything committed can be decoded"
    } else {
        "everything can be decoded"
    }
}

pub(super) fn of_all(verified: &Verification) -> String {
    let (tiles, fragments) = (
        plural(verified.tiles, "tile"),
        plural(verified.fragments, "fragment"),
    );
    format!("{tiles} in {fragments}")
}

fn text_of(damage: &Damage) -> String {
    let mut text = damage.error.to_string();
    let mut beneath = std::error::Error::source(&damage.error);
    while let Some(error) = beneath {
        let cause = error.to_string();
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
        beneath = error.source();
    }
    text
}
