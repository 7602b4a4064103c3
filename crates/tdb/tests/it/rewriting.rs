//! Rewriting arrays with another schema keeps cells and metadata, even if interrupted.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use tdb::{
    Array, Attribute, Context, Datatype, Dimension, Filter, ObjectType, RewriteOptions, Schema,
    SchemaBuilder, compare,
};
use tempfile::TempDir;

fn sparse(tile: i64) -> SchemaBuilder {
    Schema::sparse()
        .dimension(
            Dimension::new("x", Datatype::Int64)
                .domain(0..=9_999)
                .tile(tile),
        )
        .dimension(Dimension::new("key", Datatype::StringAscii))
        .attribute(Attribute::new("n", Datatype::Int32).nullable())
        .attribute(Attribute::new("sky", Datatype::UInt8).enumeration("skies"))
        .enumeration("skies", ["clear", "rain"])
}

/// Creates a sparse array with three overlapping writes and a delete.
fn sparse_array(context: &Context, uri: &str) -> Array {
    let array = context.create(uri, &sparse(100).build().unwrap()).unwrap();
    for first in [0_i64, 1_000, 500] {
        let x: Vec<i64> = (first..first + 1_000).map(|x| x * 7 % 2_003).collect();
        let keys: Vec<String> = x.iter().map(|x| format!("k{}", x % 5)).collect();
        let n: Vec<Option<i32>> = (0..1_000).map(|n| (n % 3 > 0).then_some(n)).collect();
        let sky: Vec<&str> = x
            .iter()
            .map(|x| if x % 2 > 0 { "rain" } else { "clear" })
            .collect();
        let write = array.write().column("x", &x).column("key", &keys);
        write.column("n", &n).column("sky", &sky).commit().unwrap();
    }
    let array = array.reopen().unwrap();
    array.delete(&tdb::field("x").lt(50)).unwrap();
    array.set_metadata("source", "made").unwrap();
    array.set_metadata("number", 7).unwrap();
    array.reopen().unwrap()
}

/// Fails unless both arrays have the same cells and metadata.
fn check_same(old: &Array, new: &Array) {
    let mut differences = compare(old.read(), new.read()).unwrap();
    let first = differences.next().map(Result::unwrap);
    assert!(first.is_none(), "{first:?}");
    assert!(differences.metadata_changes().is_empty());
}

fn small_parts() -> RewriteOptions {
    let mut options = RewriteOptions::default();
    options.part_bytes = 10_000;
    options
}

/// Rewrites, stopping after `after` cells.
fn stopped(array: &Array, to: &str, schema: &Schema, after: u64) {
    let options = small_parts();
    let stop = move |progress: &tdb::Progress| {
        assert!(progress.done < after, "stopped by the test");
    };
    let array = array.clone().progress(stop);
    let work = || array.rewrite_with(to, schema, &options);
    catch_unwind(AssertUnwindSafe(work)).expect_err("it is stopped");
}

#[test]
fn sparse_cells_get_other_tiles_orders_and_filters() {
    let folder = TempDir::new().unwrap();
    let uri = |name: &str| folder.path().join(name).display().to_string();
    let context = Context::new().threads(1);
    let old = sparse_array(&context, &uri("old"));
    let schemas = [
        sparse(100),
        sparse(1_000).capacity(64).cell_order(tdb::Order::Col),
        sparse(7).duplicates(),
    ];
    for (number, schema) in schemas.into_iter().enumerate() {
        let schema = schema.build().unwrap();
        let to = uri(&format!("new{number}"));
        let done = old.rewrite_with(&to, &schema, &small_parts()).unwrap();
        assert_eq!(done.cells, old.read().count().unwrap());
        assert!(done.fragments.len() > 2, "{}", done.fragments.len());
        assert_eq!((done.found, done.metadata), (0, 2));
        check_same(&old, &context.open(&to).unwrap());
        let again = old.rewrite(&to, &schema).expect_err("it is whole");
        assert!(again.to_string().contains("there is an array here already"));
    }
}

#[test]
fn what_was_interrupted_goes_on() {
    let folder = TempDir::new().unwrap();
    let uri = |name: &str| folder.path().join(name).display().to_string();
    let context = Context::new().threads(1);
    let old = sparse_array(&context, &uri("old"));
    // If a part were written twice, an array with duplicates would show it.
    let schema = sparse(1_000).duplicates().build().unwrap();
    let to = uri("new");
    stopped(&old, &to, &schema, 900);
    let opened = context.open(&to).expect_err("it is not whole");
    assert!(
        opened.to_string().contains("an unfinished rewrite"),
        "{opened}"
    );
    assert_eq!(context.object_type(&to).unwrap(), ObjectType::Invalid);
    let other = sparse(10).duplicates().build().unwrap();
    let refused = old.rewrite(&to, &other).expect_err("another schema");
    assert!(refused.to_string().contains("another schema"), "{refused}");
    // Later writes are not part of the rewrite.
    let late = old.write().column("x", [9_000_i64]).column("key", ["late"]);
    late.column("n", [1])
        .column("sky", ["rain"])
        .commit()
        .unwrap();
    let done = old.reopen().unwrap().rewrite(&to, &schema).unwrap();
    assert!(done.found > 0 && done.found < done.cells, "{done:?}");
    check_same(&old, &context.open(&to).unwrap());
}

#[test]
fn dense_cells_get_other_tiles_and_fewer_fields() {
    let folder = TempDir::new().unwrap();
    let uri = |name: &str| folder.path().join(name).display().to_string();
    let context = Context::new().threads(1);
    let schema = |y: i32, x: i32| {
        Schema::dense()
            .dimension(
                Dimension::new("y", Datatype::Int32)
                    .domain(-20..=99)
                    .tile(y),
            )
            .dimension(Dimension::new("x", Datatype::Int32).domain(1..=50).tile(x))
            .attribute(Attribute::new("a", Datatype::Int32).filter(Filter::zstd(3)))
    };
    let text = Attribute::new("t", Datatype::StringUtf8).nullable();
    let old = context.create(&uri("old"), &schema(7, 50).attribute(text).build().unwrap());
    let old = old.unwrap();
    for (y, first) in [(-3..=40, 0), (20..=60, 10_000)] {
        let cells = (y.end() - y.start() + 1) * 50;
        let texts: Vec<Option<String>> = (0..cells)
            .map(|cell| (cell % 4 > 0).then(|| format!("t{cell}")))
            .collect();
        let write = old.write().range("y", y).column("t", &texts);
        let numbers: Vec<i32> = (first..first + cells).collect();
        write.column("a", &numbers).commit().unwrap();
    }
    let old = old.reopen().unwrap();
    let (to, narrow) = (uri("new"), schema(10, 20).build().unwrap());
    stopped(&old, &to, &narrow, 1_500);
    let done = old.rewrite(&to, &narrow).unwrap();
    assert!(done.found > 0 && done.found < done.cells, "{done:?}");
    assert_eq!(done.cells, 64 * 50);
    let new = context.open(&to).unwrap();
    let a = |array: &Array| array.read().attrs(["a"]).to_vec::<i32>("a").unwrap();
    assert_eq!(a(&new), a(&old));
    assert_eq!(new.schema().attributes.len(), 1);
    let wide = uri("wide");
    let whole = schema(3, 3).attribute(Attribute::new("t", Datatype::StringUtf8).nullable());
    old.rewrite(&wide, &whole.build().unwrap()).unwrap();
    check_same(&old, &context.open(&wide).unwrap());
}

#[test]
fn what_cannot_be_rewritten_is_told_and_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let uri = |name: &str| folder.path().join(name).display().to_string();
    let context = Context::new().threads(1);
    let old = sparse_array(&context, &uri("old"));
    let dimension =
        |name: &str, datatype| Dimension::new(name, datatype).domain(0..=9_999).tile(10);
    let x = || dimension("x", Datatype::Int64);
    let key = || Dimension::new("key", Datatype::StringAscii);
    let n = |datatype| Attribute::new("n", datatype);
    let cases = [
        Schema::dense().dimension(x()).attribute(n(Datatype::Int32)),
        Schema::sparse()
            .dimension(x())
            .attribute(n(Datatype::Int32)),
        Schema::sparse()
            .dimension(x())
            .dimension(key())
            .attribute(n(Datatype::Int32)),
        Schema::sparse()
            .dimension(x())
            .dimension(key())
            .attribute(n(Datatype::Int64).nullable()),
        Schema::sparse()
            .dimension(x())
            .dimension(key())
            .attribute(Attribute::new("m", Datatype::Int32)),
        Schema::sparse()
            .dimension(x())
            .dimension(key())
            .attribute(Attribute::new("sky", Datatype::UInt8)),
    ];
    let told = cases.map(|schema| {
        let failed = old.rewrite(&uri("new"), &schema.build().unwrap());
        failed.expect_err("it cannot be").to_string()
    });
    insta::assert_snapshot!(told.join("\n"), @r#"
    the array is sparse, and cannot become dense
    the dimensions are x (int64), key (string_ascii), and cannot become x (int64)
    attribute "n" is int32, nullable, and cannot become int32
    attribute "n" is int32, nullable, and cannot become int64, nullable
    there is no attribute "m"
    attribute "sky" would have other labels
    "#);
    assert!(!folder.path().join("new").exists());
}

#[test]
fn nothing_is_made_of_the_room_between_dense_writes() {
    let folder = TempDir::new().unwrap();
    let uri = |name: &str| folder.path().join(name).display().to_string();
    let context = Context::new().threads(1);
    let schema = |tile: i64| {
        Schema::dense()
            .dimension(
                Dimension::new("at", Datatype::Int64)
                    .domain(0..=1_i64 << 61)
                    .tile(tile),
            )
            .attribute(Attribute::new("a", Datatype::Int64))
            .build()
            .unwrap()
    };
    let old = context.create(&uri("old"), &schema(10)).unwrap();
    // The second and the third write are adjacent, in tiles of 100.
    for first in [1_i64 << 60, 195, 0] {
        let cells: Vec<i64> = (first..first + 150).collect();
        let write = old.write().range("at", first..=first + 149);
        write.column("a", &cells).commit().unwrap();
    }
    let old = old.reopen().unwrap();
    let to = uri("new");
    let done = old.rewrite(&to, &schema(100)).unwrap();
    assert_eq!((done.cells, done.fragments.len()), (345 + 150, 2));
    let new = context.open(&to).unwrap();
    for range in [0..=400, (1_i64 << 60) - 5..=(1 << 60) + 200] {
        let read = |array: &Array| array.read().range("at", range.clone());
        let mut differences = compare(read(&old), read(&new)).unwrap();
        assert!(differences.next().is_none());
    }
}
