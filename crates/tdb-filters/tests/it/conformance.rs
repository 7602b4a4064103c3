//! Every filter of the table passes the suite that filters from other crates must pass.
//!
//! Tests in the repository always enable the feature; tests of the published package must request
//! it.
#![cfg(feature = "conformance")]

use tdb_filters::conformance::{check, check_with};
use tdb_filters::filters::ALL;
use tdb_filters::{Description, OptionValue};

#[test]
fn all_filters_of_the_table_conform() {
    for entry in ALL.iter().filter(|entry| entry.compiled) {
        let report = check(entry).unwrap_or_else(|failure| panic!("{failure}"));
        println!("{}: {report:?}", entry.name);
        // Without a shape, webp refuses all images; text filters accept only text.
        if entry.name != "webp" {
            assert!(report.round_trips > 0, "{}: {report:?}", entry.name);
        }
        assert!(report.noticed > 0 || report.refusals > 0 || entry.name == "none");
    }
}

#[test]
fn options_of_filters_conform() {
    let small = |name| Description::new(name).with("window", OptionValue::Integer(24));
    let scale = |width| {
        Description::new("scale_float")
            .with("scale", OptionValue::Real(0.5))
            .with("byte_width", OptionValue::Integer(width))
    };
    let reinterpret =
        |name| Description::new(name).with("reinterpret", OptionValue::Text("uint8".into()));
    let level = |name| Description::new(name).with("level", OptionValue::Integer(9));
    let image = |format: &str, x: i64| {
        Description::new("webp")
            .with("format", OptionValue::Text(format.into()))
            .with("lossless", OptionValue::Flag(true))
            .with("y_extent", OptionValue::Integer(7))
            .with("x_extent", OptionValue::Integer(x))
    };
    let mut all = vec![
        small("bit_width_reduction"),
        small("positive_delta"),
        reinterpret("delta"),
        reinterpret("double_delta"),
    ];
    all.extend([1, 2, 4, 8].map(scale));
    all.extend(["gzip", "zstd", "lz4", "rle"].map(level));
    // 1001 bytes are 7 rows of 143, which is not a whole number of pixels; 7 bytes are 7 rows of 1.
    all.extend([image("rgb", 143), image("bgra", 1)]);
    for options in &all {
        let entry = ALL.iter().find(|entry| entry.name == options.name);
        let entry = entry.filter(|entry| entry.compiled);
        let Some(entry) = entry else { continue };
        check_with(entry, options).unwrap_or_else(|failure| panic!("{failure}"));
    }
}
