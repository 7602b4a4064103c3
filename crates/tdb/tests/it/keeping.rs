//! Schema evolution, groups, and copying, moving and removing arrays, through this crate alone.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use tdb::{
    AddOptions, Attribute, Context, Datatype, Dimension, ErrorKind, MemberPlace, ObjectType, Order,
    Schema,
};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn uri(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

fn weather(uri: &str) -> tdb::Array {
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("day", Datatype::Int32)
                .domain(1..=365)
                .tile(30),
        )
        .attribute(Attribute::new("sky", Datatype::UInt8).enumeration("skies"))
        .attribute(Attribute::new("remark", Datatype::StringUtf8))
        .enumeration("skies", ["clear", "rain"])
        .build()
        .unwrap();
    let array = tdb::create(uri, &schema).unwrap();
    let write = array
        .write()
        .column("day", [3, 1])
        .column("sky", ["rain", "clear"]);
    write.column("remark", ["b", "a"]).commit().unwrap();
    array.reopen().unwrap()
}

#[test]
fn a_schema_changes_step_by_step() {
    let place = Place::new();
    let array = weather(&place.uri("weather"));
    let mut evolution = array.evolve().unwrap();
    evolution.drop_attribute("remark").unwrap();
    let fill = Attribute::new("wind", Datatype::Float32).fill(-1.0);
    evolution.add_attribute(&fill).unwrap();
    evolution.extend_enumeration("skies", ["hail"]).unwrap();
    evolution
        .add_enumeration("sizes", ["small", "large"])
        .unwrap();
    let size = Attribute::new("size", Datatype::UInt8)
        .nullable()
        .enumeration("sizes");
    evolution.add_attribute(&size).unwrap();
    // Each step is checked when it is added.
    let twice = evolution.add_attribute(&Attribute::new("wind", Datatype::Int8));
    assert_eq!(twice.unwrap_err().kind(), ErrorKind::Invalid);
    let lost = evolution.drop_attribute("gusts").unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::Invalid, "{lost}");
    evolution.commit().unwrap();

    let array = array.reopen().unwrap();
    let names: Vec<&str> = array
        .schema()
        .attributes
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    assert_eq!(names, ["sky", "wind", "size"]);
    let wind = array
        .read()
        .order(Order::Row)
        .to_vec::<f32>("wind")
        .unwrap();
    assert_eq!(wind, [-1.0, -1.0]);
    let write = array.write().column("day", [9]).column("sky", ["hail"]);
    write
        .column("wind", [4.5_f32])
        .column("size", ["large"])
        .commit()
        .unwrap();
    let array = array.reopen().unwrap();
    assert_eq!(
        array
            .read()
            .condition("sky = 'hail' and size = 'large'")
            .count()
            .unwrap(),
        1
    );
    let nothing = array.evolve().unwrap().commit().unwrap_err();
    assert_eq!(nothing.to_string(), "nothing to change");
}

#[test]
fn the_current_domain_grows() {
    let place = Place::new();
    let array = weather(&place.uri("weather"));
    let mut evolution = array.evolve().unwrap();
    let none = evolution.grow("day", 1..=20).unwrap_err();
    assert_eq!(none.to_string(), "the array has no current domain");
    let range = tdb::Axis::dimension(array.schema(), "day").unwrap();
    let range = range.range(&(1..=10).into(), false).unwrap();
    evolution.current_domain(vec![range]).unwrap();
    evolution.grow("day", 1..=20).unwrap();
    evolution.grow("day", 5..=20).expect_err("it can only grow");
    evolution.commit().unwrap();
    let array = array.reopen().unwrap();
    let write = array.write().column("day", [21]).column("sky", ["rain"]);
    write
        .column("remark", [""])
        .commit()
        .expect_err("beyond the current domain");
}

/// As in TileDB: cells written before a current domain was set, or under another one, may lie outside of it.
#[test]
fn cells_of_a_sparse_array_outside_its_current_domain_are_not_read() {
    let place = Place::new();
    let array = weather(&place.uri("weather"));
    let mut evolution = array.evolve().unwrap();
    let day = tdb::Axis::dimension(array.schema(), "day").unwrap();
    let until_two = day.range(&(1..=2).into(), false).unwrap();
    evolution.current_domain(vec![until_two]).unwrap();
    evolution.commit().unwrap();
    let array = array.reopen().unwrap();
    for order in [Order::Row, Order::Global, Order::Any] {
        let days = array.read().order(order).to_vec::<i32>("day").unwrap();
        assert_eq!(days, [1]);
    }
    assert_eq!(array.read().count().unwrap(), 1);
    let beyond = array.read().range("day", 2..=300);
    assert_eq!(beyond.to_vec::<i32>("day").unwrap(), Vec::<i32>::new());
    // Merging keeps cells outside of the current domain: a larger domain shows them again.
    array.consolidate().unwrap();
    let mut evolution = array.evolve().unwrap();
    evolution.grow("day", 1..=365).unwrap();
    evolution.commit().unwrap();
    let days = array.reopen().unwrap().read().to_vec::<i32>("day").unwrap();
    assert_eq!(days, [1, 3]);
}

#[test]
fn an_array_is_restored_to_a_time_before_its_schema() {
    let place = Place::new();
    let array = weather(&place.uri("weather"));
    let write = |at: u64, remark: &str| {
        let write = array.write().at(at).column("day", [50]);
        let write = write.column("sky", ["rain"]).column("remark", [remark]);
        write.commit().unwrap();
    };
    write(1_000, "dry");
    write(2_000, "wet");
    let array = array.reopen().unwrap();
    let early = array.restore(500).unwrap_err();
    assert_eq!(early.kind(), ErrorKind::Invalid, "{early}");
    let restored = array.restore(1_500).unwrap();
    assert_eq!((restored.cells.changed, restored.cells.removed), (1, 2));
    let array = array.reopen().unwrap();
    assert_eq!(array.read().condition("remark = 'dry'").count().unwrap(), 1);
    assert_eq!(array.read().count().unwrap(), 1);
}

#[test]
fn groups_hold_what_lies_in_them_and_elsewhere() {
    let place = Place::new();
    let context = Context::new();
    let group = context.create_group(&place.uri("runs")).unwrap();
    weather(&place.uri("runs/first"));
    weather(&place.uri("elsewhere"));
    group.add(&place.uri("runs/first")).unwrap();
    group.add(&place.uri("elsewhere")).unwrap();
    let mut options = AddOptions::default();
    options.place = MemberPlace::Relative;
    let outside = group
        .add_with(&place.uri("elsewhere"), &options)
        .unwrap_err();
    assert_eq!(outside.kind(), ErrorKind::Invalid);
    group
        .add(&place.uri("nowhere"))
        .expect_err("there is nothing");
    group
        .add(&place.uri("runs"))
        .expect_err("a group in itself");
    group.set_metadata("title", "two runs").unwrap();

    let group = context.open_group(&place.uri("runs")).unwrap();
    let members = group.members();
    assert_eq!(members.len(), 2);
    let first = members.iter().find(|member| member.relative).unwrap();
    assert_eq!(
        (first.name.as_deref(), first.uri.as_str()),
        (Some("first"), "first")
    );
    assert!(group.member_uri(first).ends_with("runs/first"));
    assert_eq!(group.metadata().unwrap().len(), 1);
    group.remove("first").unwrap();
    let missing = group.remove("second").unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    let group = context.open_group(&place.uri("runs")).unwrap();
    assert_eq!(group.members().len(), 1);
    // A removed member stays where it is.
    assert_eq!(
        context.object_type(&place.uri("runs/first")).unwrap(),
        ObjectType::Array
    );
}

#[test]
fn arrays_are_copied_moved_and_removed() {
    let place = Place::new();
    let context = Context::new();
    weather(&place.uri("a"));
    context.copy(&place.uri("a"), &place.uri("b")).unwrap();
    let in_the_way = context.copy(&place.uri("a"), &place.uri("b")).unwrap_err();
    assert_eq!(in_the_way.kind(), ErrorKind::Exists);
    let within = context
        .copy(&place.uri("a"), &place.uri("a/b"))
        .unwrap_err();
    assert_eq!(within.kind(), ErrorKind::Invalid, "{within}");
    context.rename(&place.uri("b"), &place.uri("c")).unwrap();
    let gone = context.open(&place.uri("b")).unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    let copy = context.open(&place.uri("c")).unwrap();
    assert_eq!(copy.read().count().unwrap(), 2);
    let found = context.objects(&place.uri("c")).unwrap();
    assert_eq!(found.contents().folders().count(), 1);
    found.remove().unwrap();
    context.remove(&place.uri("c")).expect_err("it is gone");
    assert_eq!(
        context
            .open(&place.uri("a"))
            .unwrap()
            .read()
            .count()
            .unwrap(),
        2
    );
}
