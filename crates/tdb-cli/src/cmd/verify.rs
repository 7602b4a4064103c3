//! `tdb verify`: checks that everything in an array, or in the arrays of a group, can be decoded.

mod findings;
mod group;

use clap::Args;
use tdb::engine::array::{ErrorKind, ObjectType};
use tdb::engine::inspect::{Damage, verify};
use tdb::place::{self, Place};

use self::findings::{ObjectFindings, of_all, verdict};

use super::progress::Line;
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::interrupt;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::plural;

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb verify fixtures/v22_tour/array\n  tdb verify fixtures/v22_group/group\n\n\
    Finds everything that a read would refuse, now or as of any time. Every tile of every field of every fragment is read and \
    decoded, including overwritten and deleted cells and merged fragments that still exist; names of commits, metadata, \
    enumerations and the arrays of dimension labels are checked as well. For a group, its own objects and all arrays in it are \
    checked, but no members elsewhere. The exit status is 1 if anything cannot be decoded. Data that was changed to other valid data \
    is found only with a checksum, encryption, or a compression that detects it."
)]
pub(crate) struct Arguments {
    /// An array or a group
    #[arg(value_name = "URI")]
    uri: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let line = Line::new(global);
    let as_asked = Opener::of_arguments(line.of(context(global)?), global);
    // Without `--at`, objects with a future timestamp are verified as well.
    let opener = match global.at() {
        None => as_asked.with_future(),
        Some(_) => as_asked,
    };
    let look = |opener: &Opener, location: &Place| {
        let mut damages: Vec<Damage> = Vec::new();
        let (session, options) = (opener.session(), opener.options());
        let place = opener.location(location);
        let look = || verify(session, &place, options, &mut |d| damages.push(d));
        let verified = global.counts.stage("verify", look);
        line.clear();
        let verified = verified.map_err(|error| Failure::in_place(error, location))?;
        if interrupt::is_noticed() {
            return Err(Failure::new(ErrorKind::Store, "interrupted"));
        }
        Ok::<_, Failure>(ObjectFindings {
            uri: location.uri.clone(),
            verified,
            damages,
        })
    };
    let folder = place::folder(&arguments.uri, &global.counts)?;
    if folder.object_type()? == ObjectType::Group {
        return group::look_at(&folder, &opener, &look, global, out);
    }
    let array = place::array(&arguments.uri, &global.counts)?;
    let findings = look(&opener, &array)?;
    findings.warn(out);
    if global.json {
        write_json(out, &findings.json())?;
    } else {
        findings.write("", out)?;
    }
    let all = of_all(&findings.verified);
    if findings.damages.is_empty() {
        out.note(&format!("{all}: {}", verdict(&findings.verified)));
        return Ok(());
    }
    let errors = plural(findings.verified.damages, "error");
    let failure = Failure::finding(format!("{errors} in {all}")).within(&arguments.uri);
    Err(match findings.way_out(&arguments.uri) {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}
