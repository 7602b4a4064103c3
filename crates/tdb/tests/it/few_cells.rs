//! Reading the first few cells of an order decodes only the tiles that may hold them.

use tdb::{Attribute, Context, Datatype, Dimension, Order, Schema};

/// Returns the first five cells in an order, and the number of cells decoded to find them.
fn first_five(uri: &str, order: Order) -> (Vec<i64>, u64) {
    let context = Context::new();
    let array = context.open(uri).expect("opened");
    let read = array.read().order(order).limit(5);
    let values = read.to_vec::<i64>("a").expect("cells");
    (values, context.shared_session().profile().cells_decoded)
}

/// Creates an array whose attribute is the row-major index of each cell, in three fragments with every third cell
/// each.
fn sorted_array(uri: &str, dimensions: &[&str], tile: i64) {
    let mut schema = Schema::sparse()
        .attribute(Attribute::new("a", Datatype::Int64))
        .capacity(10);
    for name in dimensions {
        let dimension = Dimension::new(name, Datatype::Int64);
        schema = schema.dimension(dimension.domain(0..=299).tile(tile));
    }
    let array = tdb::create(uri, &schema.build().expect("a schema")).expect("created");
    let cells: i64 = 300_i64.pow(u32::try_from(dimensions.len()).expect("few"));
    for first in 0..3 {
        let places: Vec<i64> = (first..cells).step_by(3).collect();
        let mut write = array.write().column("a", places.clone());
        for (at, name) in dimensions.iter().enumerate() {
            let step = 300_i64.pow(u32::try_from(dimensions.len() - 1 - at).expect("few"));
            let along: Vec<i64> = places.iter().map(|place| place / step % 300).collect();
            write = write.column(name, along);
        }
        write.commit().expect("written");
    }
}

#[test]
fn the_first_cells_of_an_order_take_the_tiles_that_may_hold_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = |name: &str| folder.path().join(name).display().to_string();
    // If cells are stored in the requested order, one tile of each fragment is decoded, for three fields.
    for (name, dimensions) in [("line", &["x"][..]), ("rows", &["x", "y"])] {
        sorted_array(&uri(name), dimensions, 300);
        let (first, decoded) = first_five(&uri(name), Order::Row);
        assert_eq!(first, [0, 1, 2, 3, 4], "{name}");
        assert!(decoded <= 3 * 3 * 10, "{name}: {decoded}");
    }
    // With tiles of 10 by 10, the first row lies in 30 of 900 tiles.
    sorted_array(&uri("tiles"), &["x", "y"], 10);
    let (first, decoded) = first_five(&uri("tiles"), Order::Row);
    assert_eq!(first, [0, 1, 2, 3, 4]);
    assert!(decoded < 3 * 90_000 / 4, "{decoded}");
    let (first, _) = first_five(&uri("tiles"), Order::Col);
    assert_eq!(first, [0, 300, 600, 900, 1200]);
}
