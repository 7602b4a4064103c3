//! Checking that modules of a crate do not form cycles: modules that need each other are in effect one module.
//!
//! A module needs another if its code names something *defined* there. `pub use` is followed to its target, and needs
//! nothing itself. So a parent that only declares its children and re-exports their names is not in a cycle; a parent
//! that defines something that a child names, and calls that child, is. Inline modules count as part of their file,
//! and tests do not count. Calls of methods are not seen, but usually their type or trait is named somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

mod source;
mod standing;

use source::Module;
use standing::{STANDING, Standing};

/// Returns the violations in the crates of the workspace, one sentence each. `crates` are their names and folders.
pub(super) fn check(crates: &[(String, &Path)]) -> Result<Vec<String>, Box<dyn Error>> {
    let mut cycles = Vec::new();
    for (name, folder) in crates {
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
        for root in ["src/lib.rs", "src/main.rs"] {
            if read(root).is_some() {
                let modules = source::modules(root, &read)
                    .map_err(|error| format!("crate {name}: {error}"))?;
                cycles.extend(cycles_of(name, &modules));
            }
        }
    }
    Ok(findings(&cycles, STANDING))
}

/// A set of modules each of which needs all others, directly or indirectly.
#[derive(Debug)]
struct Cycle {
    of: String,
    modules: Vec<String>,
    /// One place for each dependency: `a -> b (src/a.rs:12)`.
    needs: Vec<String>,
}

fn findings(cycles: &[Cycle], standing: &[Standing]) -> Vec<String> {
    let is_listed = |cycle: &Cycle| {
        let mut entries = standing.iter();
        entries.any(|(name, modules, _)| *name == cycle.of && *modules == cycle.modules)
    };
    let new = cycles.iter().filter(|cycle| !is_listed(cycle));
    let new = new.map(|cycle| {
        format!(
            "{}: modules {} need each other:\n    {}",
            cycle.of,
            cycle.modules.join(", "),
            cycle.needs.join("\n    ")
        )
    });
    let gone = standing.iter().filter(|(name, modules, _)| {
        let mut cycles = cycles.iter();
        !cycles.any(|cycle| *name == cycle.of && *modules == cycle.modules)
    });
    let gone = gone.map(|(name, modules, _)| {
        format!(
            "{name}: modules {} are no cycle any more: take them off the list in xtask/src/layers/modules/standing.rs",
            modules.join(", ")
        )
    });
    new.chain(gone).collect()
}

/// Returns the cycles of one crate.
fn cycles_of(name: &str, modules: &[Module]) -> Vec<Cycle> {
    let needs = needs(modules);
    let reached: Vec<BTreeSet<usize>> = (0..modules.len())
        .map(|start| reached(start, &needs))
        .collect();
    let reaches =
        |from: usize, to: usize| reached.get(from).is_some_and(|others| others.contains(&to));
    let mut cycles = Vec::new();
    for start in 0..modules.len() {
        let others = 0..modules.len();
        let members: BTreeSet<usize> = others
            .filter(|&other| reaches(start, other) && reaches(other, start))
            .collect();
        if members.len() < 2 || members.first() != Some(&start) {
            continue;
        }
        let mut names: Vec<String> = members.iter().map(|&one| shown(modules, one)).collect();
        names.sort();
        let inside = needs
            .iter()
            .filter(|((from, to), _)| members.contains(from) && members.contains(to));
        let needs = inside.map(|((from, to), place)| {
            let (from, to) = (shown(modules, *from), shown(modules, *to));
            format!("{from} -> {to} ({place})")
        });
        cycles.push(Cycle {
            of: name.to_owned(),
            modules: names,
            needs: needs.collect(),
        });
    }
    cycles
}

/// Dependencies between modules, with the first place where each appears.
type Needs = BTreeMap<(usize, usize), String>;

fn needs(modules: &[Module]) -> Needs {
    let mut needs = Needs::new();
    for (number, module) in modules.iter().enumerate() {
        let from = module.within.unwrap_or(number);
        for mention in &module.mentions {
            let Some(Found::Item(home)) =
                found(modules, number, &mention.path, &mut BTreeSet::new())
            else {
                continue;
            };
            let within = modules.get(home).and_then(|home| home.within);
            let to = within.unwrap_or(home);
            if from != to {
                let place = || format!("{}:{}", module.file, mention.line);
                needs.entry((from, to)).or_insert_with(place);
            }
        }
    }
    needs
}

/// Target of a path.
#[derive(Clone, Copy)]
enum Found {
    Module(usize),
    /// Something that this module defines, or a part of it.
    Item(usize),
}

/// Resolves `path` in the module `at`; `None` if it leads out of the crate. `asked` contains the names being resolved,
/// since imports may be circular.
fn found(
    modules: &[Module],
    mut at: usize,
    path: &[String],
    asked: &mut BTreeSet<(usize, Vec<String>)>,
) -> Option<Found> {
    if !asked.insert((at, path.to_vec())) {
        return None;
    }
    let mut rest = path;
    while let Some((name, after)) = rest.split_first() {
        let here = modules.get(at)?;
        at = match name.as_str() {
            "crate" => 0,
            "self" => at,
            "super" => here.parent?,
            name => match named(modules, at, name, after.is_empty(), asked)? {
                Found::Module(module) => module,
                item @ Found::Item(_) => return Some(item),
            },
        };
        rest = after;
    }
    Some(Found::Module(at))
}

/// Resolves `name` in the module `at`. A module and a function may have the same name; if more names follow, the
/// module is meant.
fn named(
    modules: &[Module],
    at: usize,
    name: &str,
    is_last: bool,
    asked: &mut BTreeSet<(usize, Vec<String>)>,
) -> Option<Found> {
    let here = modules.get(at)?;
    let child = here.children.get(name).copied().map(Found::Module);
    if !is_last && child.is_some() {
        return child;
    }
    if here.defines.contains(name) {
        return Some(Found::Item(at));
    }
    let imported = here.imports.get(name);
    if let Some(item) = imported.and_then(|path| found(modules, at, path, asked)) {
        return Some(item);
    }
    let by_glob = here.globs.iter().find_map(|path| {
        // A glob of an enum imports its variants; the import of the enum stands for them.
        let Found::Module(module) = found(modules, at, path, &mut asked.clone())? else {
            return None;
        };
        let path = [name.to_owned()];
        found(modules, module, &path, &mut asked.clone())
    });
    by_glob.or(child)
}

/// Returns the modules that `start` needs, directly or indirectly.
fn reached(start: usize, needs: &Needs) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut to_see = vec![start];
    while let Some(from) = to_see.pop() {
        for &(_, to) in needs.range((from, 0)..(from + 1, 0)).map(|(edge, _)| edge) {
            if reached.insert(to) {
                to_see.push(to);
            }
        }
    }
    reached
}

/// Returns the path of a module in its crate; `crate` for the root.
fn shown(modules: &[Module], number: usize) -> String {
    match modules.get(number) {
        Some(module) if !module.path.is_empty() => module.path.join("::"),
        _ => "crate".to_owned(),
    }
}

#[cfg(test)]
mod tests;
