//! Verifies a group and everything in it.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value as Json, json};
use tdb::engine::array::ObjectType;
use tdb::engine::inspect::{Damage, Verification, verify_group};
use tdb::place::Place;

use super::super::children::{Kind, Site, children};
use super::super::write_json;
use super::findings::{ObjectFindings, json_of, line_of, of_all, verdict};
use crate::failure::Failure;
use crate::global::Global;
use crate::interrupt;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{plural, visible};

/// Results for a group and its contents.
#[derive(Default)]
struct GroupFindings {
    arrays: u64,
    /// Number of members that lie elsewhere and were not verified.
    outside: u64,
    /// Number of errors in groups, missing members, and arrays that could not be opened.
    others: u64,
    all: Verification,
    json: Vec<Json>,
}

/// Verifies a group, all arrays in it, and groups nested in it.
pub(super) fn look_at(
    group: &Place,
    opener: &Opener,
    look: &dyn Fn(&Opener, &Place) -> Result<ObjectFindings, Failure>,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut found = GroupFindings::default();
    for array in arrays_below(group, opener, &mut found, global, out)? {
        found.arrays += 1;
        let findings = opener.among_others(|opener| look(opener, &array));
        let findings = match findings {
            Ok(findings) => findings,
            // An array that cannot be opened is reported, and the others are still verified.
            Err(failure) if !interrupt::is_noticed() => {
                found.unread("array", &array.uri, &failure.text(), global, out)?;
                continue;
            }
            Err(interrupted) => return Err(interrupted),
        };
        findings.warn(out);
        let all = &mut found.all;
        all.fragments += findings.verified.fragments;
        all.tiles += findings.verified.tiles;
        all.damages += findings.verified.damages;
        all.warnings
            .extend(findings.verified.warnings.iter().cloned());
        if global.json {
            let mut of_array = findings.json();
            if let Some(members) = of_array.as_object_mut() {
                members.shift_insert(0, "array".to_owned(), findings.uri.into());
            }
            found.json.push(of_array);
        } else {
            findings.write(&format!("{}: ", findings.uri), out)?;
        }
    }
    if global.json {
        write_json(out, &Json::Array(std::mem::take(&mut found.json)))?;
    }
    found.sum_up(group, out)
}

impl GroupFindings {
    /// Reports something that cannot be read at all.
    fn unread(
        &mut self,
        what: &str,
        uri: &str,
        text: &str,
        global: &Global,
        out: &mut Output,
    ) -> Result<(), Failure> {
        self.others += 1;
        if global.json {
            self.json
                .push(json!({ what: uri, "errors": [{ "error": text }] }));
        } else {
            writeln!(out, "{}", visible(&format!("{uri}: {text}")))?;
        }
        Ok(())
    }

    /// Reports errors in the objects of a group itself.
    fn group_damages(
        &mut self,
        group: &Place,
        damages: &[Damage],
        global: &Global,
        out: &mut Output,
    ) -> Result<(), Failure> {
        self.others += damages.len() as u64;
        if global.json {
            let errors: Vec<Json> = damages.iter().map(json_of).collect();
            self.json
                .push(json!({ "group": group.uri, "errors": errors }));
            return Ok(());
        }
        for damage in damages {
            let line = format!("{}: {}", group.uri, line_of(damage));
            writeln!(out, "{}", visible(&line))?;
        }
        Ok(())
    }

    fn sum_up(&self, group: &Place, out: &Output) -> Result<(), Failure> {
        let mut text = format!("{} in {}", of_all(&self.all), plural(self.arrays, "array"));
        let damages = self.all.damages + self.others;
        if damages > 0 {
            let errors = plural(damages, "error");
            return Err(Failure::finding(format!("{errors} in {text}")).within(&group.uri));
        }
        text.push_str(": ");
        text.push_str(verdict(&self.all));
        let outside = plural(self.outside, "member");
        out.note(&match (self.outside, self.arrays) {
            (0, _) => text,
            (_, 0) => format!("no array was verified: {outside} elsewhere"),
            _ => format!("{text}; not verified: {outside} elsewhere"),
        });
        Ok(())
    }
}

/// Lists the arrays in a group and in nested groups and folders, each once. Reports errors of the groups on the way.
fn arrays_below(
    group: &Place,
    opener: &Opener,
    found: &mut GroupFindings,
    global: &Global,
    out: &mut Output,
) -> Result<Vec<Place>, Failure> {
    let (mut arrays, mut seen) = (Vec::new(), BTreeSet::new());
    let mut waiting = vec![group.clone()];
    while let Some(folder) = waiting.pop() {
        if !seen.insert(folder.uri.clone()) {
            continue;
        }
        let mut is_damaged = false;
        if folder.object_type()? == ObjectType::Group {
            let findings = look_at_group(&folder, opener)?;
            findings.warn(out);
            is_damaged = !findings.damages.is_empty();
            if is_damaged {
                found.group_damages(&folder, &findings.damages, global, out)?;
            }
        }
        let below = match children(&folder, opener) {
            Ok(below) => below,
            // The consequence of an error of this group, which was reported.
            Err(_) if is_damaged => continue,
            Err(failure) => return Err(failure),
        };
        // The stack is last in, first out, so children are pushed in reverse.
        for child in below.into_iter().rev() {
            let Site::Inside(place) = child.site else {
                found.outside += 1;
                continue;
            };
            match child.kind {
                Kind::Object(ObjectType::Array) if seen.insert(place.uri.clone()) => {
                    arrays.push(place);
                }
                Kind::Missing => {
                    let text = "missing member of the group";
                    found.unread("member", &place.uri, text, global, out)?;
                }
                kind if kind.has_children() => waiting.push(place),
                _ => {}
            }
        }
    }
    arrays.sort_by(|a, b| a.uri.cmp(&b.uri));
    Ok(arrays)
}

/// Verifies the objects of a group itself, without its members.
fn look_at_group(group: &Place, opener: &Opener) -> Result<ObjectFindings, Failure> {
    opener.among_others(|opener| {
        let mut damages = Vec::new();
        let mut tell = |damage| damages.push(damage);
        let (place, options) = (opener.location(group), opener.options());
        let verified = verify_group(&place, &group.store_uri, options, &mut tell);
        Ok(ObjectFindings {
            uri: group.uri.clone(),
            verified: verified.map_err(|error| Failure::in_place(error, group))?,
            damages,
        })
    })
}
