use super::*;

/// Returns the findings for a crate with these files.
fn cycles(files: &[(&str, &str)]) -> Vec<String> {
    findings(&found_in(files), &[])
}

fn found_in(files: &[(&str, &str)]) -> Vec<Cycle> {
    let read = |file: &str| {
        let found = files.iter().find(|(name, _)| *name == file);
        found.map(|(_, text)| (*text).to_owned())
    };
    cycles_of("tdb-x", &source::modules("src/lib.rs", &read).unwrap())
}

const NONE: [&str; 0] = [];

#[test]
fn two_modules_that_name_each_other_are_a_cycle() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;"),
        (
            "src/a.rs",
            "use crate::b::help;\npub(crate) struct A;\nfn f() { help() }",
        ),
        (
            "src/b.rs",
            "\npub(crate) fn help() { let _ = super::a::A; }",
        ),
    ];
    assert_eq!(
        cycles(&files),
        ["tdb-x: modules a, b need each other:\n    a -> b (src/a.rs:1)\n    b -> a (src/b.rs:2)"]
    );
}

#[test]
fn modules_below_each_other_are_none() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;\nmod c;"),
        ("src/a.rs", "use crate::{b::B, c::C};\nstruct A(B, C);"),
        ("src/b.rs", "use crate::c::C;\npub(crate) struct B(C);"),
        ("src/c.rs", "pub(crate) struct C;"),
    ];
    assert_eq!(cycles(&files), NONE);
}

#[test]
fn a_parent_that_hands_on_names_is_in_no_cycle() {
    let files = [
        ("src/lib.rs", "mod rooms;\npub use rooms::Kitchen;"),
        (
            "src/rooms/mod.rs",
            "mod kitchen;\nmod stove;\npub use kitchen::Kitchen;\npub(crate) use stove::Stove;",
        ),
        ("src/rooms/kitchen.rs", "pub struct Kitchen(super::Stove);"),
        ("src/rooms/stove.rs", "pub(crate) struct Stove;"),
    ];
    assert_eq!(cycles(&files), NONE);
}

#[test]
fn what_is_handed_on_belongs_to_where_it_is_defined() {
    let files = [
        ("src/lib.rs", "mod rooms;"),
        (
            "src/rooms.rs",
            "mod kitchen;\nmod stove;\npub(crate) use kitchen::Kitchen;\npub(crate) use stove::*;",
        ),
        (
            "src/rooms/kitchen.rs",
            "use super::Stove;\npub(crate) struct Kitchen(Stove);",
        ),
        (
            "src/rooms/stove.rs",
            "pub(crate) struct Stove(Option<Box<super::Kitchen>>);",
        ),
    ];
    assert_eq!(
        cycles(&files),
        [
            "tdb-x: modules rooms::kitchen, rooms::stove need each other:\n    \
             rooms::kitchen -> rooms::stove (src/rooms/kitchen.rs:1)\n    \
             rooms::stove -> rooms::kitchen (src/rooms/stove.rs:1)"
        ]
    );
}

#[test]
fn a_parent_that_calls_a_child_and_gives_it_a_type_is_in_one() {
    let files = [
        ("src/lib.rs", "mod room;"),
        (
            "src/room.rs",
            "mod paint;\npub(crate) struct Room;\nfn f() { paint::paint(&Room) }",
        ),
        (
            "src/room/paint.rs",
            "use super::Room;\npub(super) fn paint(_: &Room) {}",
        ),
    ];
    assert_eq!(
        cycles(&files),
        ["tdb-x: modules room, room::paint need each other:\n    \
             room -> room::paint (src/room.rs:3)\n    room::paint -> room (src/room/paint.rs:1)"]
    );
}

#[test]
fn a_long_way_round_is_found_and_is_one_cycle() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;\nmod c;\nmod d;"),
        ("src/a.rs", "use crate::b::B;\npub(crate) struct A(B);"),
        ("src/b.rs", "use crate::c::C;\npub(crate) struct B(C);"),
        ("src/c.rs", "use crate::a::A;\npub(crate) struct C(Box<A>);"),
        ("src/d.rs", "use crate::a::A;\nstruct D(A);"),
    ];
    let found = found_in(&files);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].modules, ["a", "b", "c"]);
}

#[test]
fn tests_and_modules_within_a_file_need_nothing_of_their_own() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;"),
        (
            "src/a.rs",
            "pub(crate) struct A;\nfn f() { library::g() }\nmod library { use super::A;\npub(super) fn g() { let _ = A; } }\n\
             #[cfg(test)] mod tests { use crate::b::B; }\n#[cfg(test)] use crate::b::B;\n\
             impl A { #[cfg(test)] fn only_there() -> crate::b::B {} }",
        ),
        ("src/b.rs", "use crate::a::A;\npub(crate) struct B(A);"),
    ];
    assert_eq!(cycles(&files), NONE);
}

#[test]
fn macros_are_looked_into() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;"),
        (
            "src/a.rs",
            "pub(crate) struct A;\nfn f() { assert!(x, [crate::b::B]) }",
        ),
        (
            "src/b.rs",
            "use crate::a::A;\npub(crate) struct B;\nfn f(_: A) {}",
        ),
    ];
    assert_eq!(found_in(&files)[0].modules, ["a", "b"]);
}

#[test]
fn a_function_of_the_name_of_its_module_is_told_from_it() {
    let files = [
        (
            "src/lib.rs",
            "mod create;\npub use create::create;\nmod kept;",
        ),
        (
            "src/create.rs",
            "use crate::kept::Kept;\npub fn create() -> Kept {}",
        ),
        (
            "src/kept.rs",
            "pub struct Kept;\nfn f() { crate::create() }",
        ),
    ];
    assert_eq!(found_in(&files)[0].modules, ["create", "kept"]);
}

#[test]
fn the_list_allows_what_it_names_and_must_be_true() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;"),
        ("src/a.rs", "pub(crate) struct A(crate::b::B);"),
        ("src/b.rs", "pub(crate) struct B(Box<crate::a::A>);"),
    ];
    let found = found_in(&files);
    assert_eq!(findings(&found, &[("tdb-x", &["a", "b"], "old")]), NONE);
    assert_eq!(
        findings(
            &found,
            &[("tdb-x", &["a", "b"], "old"), ("tdb-x", &["c", "d"], "old")]
        ),
        [
            "tdb-x: modules c, d are no cycle any more: take them off the list in xtask/src/layers/modules/standing.rs"
        ]
    );
}
