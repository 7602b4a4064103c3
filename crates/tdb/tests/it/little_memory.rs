//! Reads with little memory return the same cells, and read no more tiles.

use tdb::{Attribute, Context, Datatype, Dimension, Order, Schema, Session, SessionOptions};

/// Without an order, cells that may replace each other are merged in storage order, so each tile is read once,
/// whatever the memory.
#[test]
fn cells_in_no_order_are_read_once_in_little_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("a").display().to_string();
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("x", Datatype::Int64)
                .domain(0..=1_000_000)
                .tile(1_000_000),
        )
        .attribute(Attribute::new("a", Datatype::Int64))
        .capacity(1_000)
        .build()
        .expect("a schema");
    let array = tdb::create(&uri, &schema).expect("created");
    let now = tdb::Time::now().0;
    for (time, first) in [(1, 0), (2, 1)] {
        let x: Vec<i64> = (first..200_000).step_by(2).collect();
        let write = array.write().at(now + time).column("a", x.clone());
        write.column("x", x).commit().expect("written");
    }
    let session = |memory| Session::new(SessionOptions::default().memory(Some(memory)));
    for memory in [1 << 30, 2 << 20] {
        let context = Context::new().session(session(memory));
        let array = context.open_at(&uri, now + 2).expect("opened");
        assert_eq!(
            array.read().order(Order::Any).count().expect("cells"),
            200_000
        );
        let decoded = context.shared_session().profile().cells_decoded;
        assert_eq!(decoded, 200_000, "of {memory} bytes");
    }
}
