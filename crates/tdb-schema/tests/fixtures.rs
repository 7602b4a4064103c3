//! Arrays that real TileDB releases wrote.
#![cfg(feature = "serde")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde_json::Value as Json;
use tdb_filters::{EncryptionKey, open_generic_tile};
use tdb_schema::json::{Times, ranges_to_json, schema_from_json, schema_to_json};
use tdb_schema::order::{CellComparator, Column, KeyEncoder, Keys, SortOrder, WriterRule};
use tdb_schema::{ArraySchema, Enumeration};
use tdb_tile::{GenericTile, Limits};
use zerocopy::little_endian::U64;

/// A golden array: its folder, and TileDB's answers about it.
struct Fixture {
    name: String,
    array: PathBuf,
    manifest: Json,
}

fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut found: Vec<Fixture> = fs::read_dir(root)
        .unwrap()
        .filter_map(|entry| {
            let folder = entry.unwrap().path();
            let manifest = fs::read(folder.join("manifest.json")).ok()?;
            Some(Fixture {
                name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
                array: folder.join("array"),
                manifest: serde_json::from_slice(&manifest).unwrap(),
            })
        })
        .filter(|fixture| fixture.array.is_dir())
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(found.len() > 50);
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

impl Fixture {
    /// Returns the content of an object that is a generic tile.
    fn open(&self, path: &Path) -> Bytes {
        let limits = Limits::default();
        let tile = GenericTile::parse(&fs::read(path).unwrap().into(), &limits).unwrap();
        let key = self.manifest["key"].as_str().map(|hex| {
            let digits: Vec<char> = hex.chars().collect();
            let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16);
            let bytes: Vec<u8> = digits.chunks(2).map(|pair| byte(pair).unwrap()).collect();
            EncryptionKey::new(&bytes).unwrap()
        });
        open_generic_tile(&tile, key.as_ref(), &limits).unwrap()
    }

    /// Returns the contents of all schema files, oldest first.
    fn schemas(&self) -> Vec<Bytes> {
        let legacy = self.array.join("__array_schema.tdb");
        let legacy = legacy.is_file().then_some(legacy);
        let paths = legacy
            .into_iter()
            .chain(files(&self.array.join("__schema")));
        paths.map(|path| self.open(&path)).collect()
    }

    fn enumerations(&self) -> Vec<(Bytes, Enumeration)> {
        let paths = files(&self.array.join("__schema/__enumerations"));
        let payloads = paths.iter().map(|path| self.open(path));
        payloads
            .map(|bytes| {
                let enumeration = Enumeration::decode(&bytes, &Limits::default()).unwrap();
                (bytes, enumeration)
            })
            .collect()
    }

    fn schema(&self) -> ArraySchema {
        let newest = self.schemas().pop().unwrap();
        ArraySchema::decode(&newest, &Limits::default()).unwrap()
    }
}

#[test]
fn every_schema_and_enumeration_is_read_and_written_byte_for_byte() {
    for fixture in fixtures() {
        for bytes in fixture.schemas() {
            let (schema, warnings) =
                ArraySchema::decode_with_warnings(&bytes, &Limits::default()).unwrap();
            assert_eq!(warnings, [], "{}", fixture.name);
            assert_eq!(schema.encode().unwrap(), bytes, "{}", fixture.name);
            for entry in &schema.enumerations {
                let files = fixture.enumerations();
                assert!(
                    files
                        .iter()
                        .any(|(_, e)| e.file() == entry.file && e.name() == entry.name)
                );
            }
        }
        for (bytes, enumeration) in fixture.enumerations() {
            assert_eq!(enumeration.encode().unwrap(), bytes, "{}", fixture.name);
        }
    }
}

/// Converts the output of `tdb schema --json` to the form of the manifests.
fn as_in_manifest(fixture: &Fixture, schema: &ArraySchema) -> Json {
    let enumerations: Vec<Enumeration> = fixture
        .enumerations()
        .into_iter()
        .map(|(_, enumeration)| enumeration)
        .collect();
    let current: Vec<Enumeration> = enumerations
        .into_iter()
        .filter(|e| {
            schema
                .enumerations
                .iter()
                .any(|entry| entry.file == e.file())
        })
        .collect();
    let mut json = schema_to_json(schema, &current, Times::Ticks);
    let with_chunk = |json: &mut Json| {
        if json.is_array() {
            *json = serde_json::json!({ "max_chunk": 65536, "filters": json.take() });
        }
    };
    for key in ["coords_filters", "offsets_filters", "validity_filters"] {
        with_chunk(&mut json[key]);
    }
    for shown in json["dimensions"].as_array_mut().unwrap() {
        with_chunk(&mut shown["filters"]);
    }
    for (shown, attribute) in json["attributes"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .zip(&schema.attributes)
    {
        with_chunk(&mut shown["filters"]);
        for filter in shown["filters"]["filters"].as_array_mut().unwrap() {
            let filter = filter.as_object_mut().unwrap();
            filter.retain(|key, _| !key.ends_with("_extent"));
        }
        let shown = shown.as_object_mut().unwrap();
        shown.insert(
            "fill".into(),
            attribute
                .fill
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>()
                .into(),
        );
        shown.shift_remove("order");
        if !attribute.nullable {
            shown.shift_remove("fill_valid");
        }
    }
    json
}

/// Manifests write 32-bit floats with the digits of 64-bit ones.
fn shorten(value: &mut Json) {
    if let Some(number) = value.as_f64() {
        *value = serde_json::json!(format!("{:?}", number as f32));
    }
}

fn as_hex(value: &Json) -> Json {
    match value.as_str() {
        Some(text) => text
            .bytes()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
            .into(),
        None => value["hex"].clone(),
    }
}

#[test]
fn schemas_say_what_tiledb_says() {
    for fixture in fixtures() {
        let schema = fixture.schema();
        let mut wanted = fixture.manifest["schema"].clone();
        let mut found = as_in_manifest(&fixture, &schema);
        for json in [&mut wanted, &mut found] {
            // TileDB lists enumerations in any order, and only those that attributes use.
            for dimension in json["dimensions"].as_array_mut().unwrap() {
                if dimension["datatype"] == "float32" {
                    let ends = ["/domain/0", "/domain/1", "/extent"];
                    ends.iter()
                        .for_each(|end| shorten(dimension.pointer_mut(end).unwrap()));
                }
            }
            let list = json["enumerations"].as_array_mut().unwrap();
            list.retain(|e| {
                schema
                    .attributes
                    .iter()
                    .any(|a| a.enumeration.as_deref() == e["name"].as_str())
            });
            list.sort_by_key(|e| e["name"].to_string());
            // Manifests show ASCII strings of any size as text, others as hex.
            for enumeration in list {
                if enumeration["datatype"]
                    .as_str()
                    .unwrap()
                    .starts_with("string")
                {
                    let values = enumeration["values"].as_array_mut().unwrap();
                    values.iter_mut().for_each(|value| *value = as_hex(value));
                }
            }
        }
        let keys: Vec<String> = found.as_object().unwrap().keys().cloned().collect();
        for key in keys {
            assert_eq!(found[&key], wanted[&key], "{} {key}", fixture.name);
        }
    }
}

#[test]
fn a_schema_that_is_shown_can_be_created_again() {
    for fixture in fixtures() {
        let schema = fixture.schema();
        // Old releases created arrays whose last tile overflows.
        if schema.check_new().is_err() {
            continue;
        }
        let enumerations: Vec<Enumeration> = fixture
            .enumerations()
            .into_iter()
            .map(|(_, e)| e)
            .filter(|e| {
                schema
                    .enumerations
                    .iter()
                    .any(|entry| entry.file == e.file())
            })
            .collect();
        for times in [Times::Iso, Times::Ticks] {
            let json = schema_to_json(&schema, &enumerations, times);
            let mut files = schema.enumerations.iter().map(|entry| entry.file.clone());
            let (again, _) = schema_from_json(&json, || files.next().unwrap()).unwrap();
            assert_eq!(
                schema_to_json(&again, &enumerations, times),
                json,
                "{}",
                fixture.name
            );
        }
    }
}

fn unhex(text: &Json) -> Vec<u8> {
    let text = text.as_str().unwrap().as_bytes();
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16).unwrap()).unwrap();
    text.chunks(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

/// Returns the columns of the dimensions in a query's answer, as `(data, offsets)`.
fn coordinates(schema: &ArraySchema, query: &Json) -> Option<Vec<(Vec<u8>, Vec<U64>)>> {
    let columns = &query["columns"];
    let column = |name: &str| {
        let column = match columns {
            Json::Array(list) => list.iter().find(|c| c["name"] == name)?,
            _ => columns.get(name)?,
        };
        let offsets = match &column["offsets"] {
            Json::Array(list) => list.iter().map(|v| U64::new(v.as_u64().unwrap())).collect(),
            _ => Vec::new(),
        };
        Some((unhex(&column["data"]), offsets))
    };
    schema
        .dimensions
        .iter()
        .map(|dimension| column(&dimension.name))
        .collect()
}

#[test]
fn tiledb_returns_cells_in_the_order_of_comparator_and_keys() {
    let (mut checked, mut hilbert) = (0, 0);
    for fixture in fixtures() {
        let schema = fixture.schema();
        // TileDB 2.30 assumes the current order for such files, but they have another.
        let is_old = WriterRule::of(schema.version) != WriterRule::Current
            && (fixture.name.contains("_order_") || fixture.name.contains("_hilbert_"));
        if schema.is_dense() || is_old {
            continue;
        }
        for query in fixture.manifest["queries"].as_array().unwrap() {
            let order = match query["args"]["order"].as_str() {
                Some("global") => SortOrder::Global,
                Some("row") => SortOrder::RowMajor,
                Some("col") => SortOrder::ColumnMajor,
                _ => continue,
            };
            if query.get("differs_from_2_30").is_some() || query["unordered"] == true {
                continue;
            }
            let Some(data) = coordinates(&schema, query) else {
                continue;
            };
            // TileDB 2.30 merges fragments by unsigned bytes, though they are sorted by signed
            // ones.
            let texts = data
                .iter()
                .zip(&schema.dimensions)
                .filter(|(_, d)| d.is_var());
            let has_high_bytes = texts.flat_map(|((data, _), _)| data).any(|b| *b >= 0x80);
            if has_high_bytes && order == SortOrder::Global {
                continue;
            }
            let columns: Vec<Column<'_>> = data
                .iter()
                .zip(&schema.dimensions)
                .map(|((data, offsets), dimension)| {
                    if dimension.is_var() {
                        // The last offset is the total size.
                        Column::Var {
                            offsets: &offsets[..offsets.len() - 1],
                            data,
                        }
                    } else {
                        Column::Fixed(data)
                    }
                })
                .collect();
            let comparator = CellComparator::new(&schema, order);
            let encoder = KeyEncoder::new(&schema, order);
            let keys: Vec<u128> = match encoder.encode(&columns).unwrap() {
                Keys::U64(keys) => keys.into_iter().map(u128::from).collect(),
                Keys::U128(keys) => keys,
            };
            for row in 1..keys.len() {
                let what = format!("{} {} row {row}", fixture.name, query["args"]);
                assert!(
                    comparator
                        .compare_rows(&columns, row - 1, &columns, row)
                        .is_le(),
                    "{what}"
                );
                assert!(keys[row - 1] <= keys[row], "{what}");
                checked += 1;
                hilbert += usize::from(schema.cell_order == tdb_schema::CellOrder::Hilbert);
            }
        }
    }
    assert!(checked > 5_000, "{checked}");
    assert!(hilbert > 100, "{hilbert}");
}

#[test]
fn non_empty_domains_are_shown_as_tiledb_shows_them() {
    let fixture = fixtures()
        .into_iter()
        .find(|f| f.name == "v22_tour")
        .unwrap();
    let schema = fixture.schema();
    let hours = &fixture.manifest["non_empty_domain"]["hour"];
    let end = |i: usize| hours[i].as_i64().unwrap();
    let ranges = [
        tdb_tile::Range::new("BGN", "ZRH"),
        tdb_tile::Range::of(end(0), end(1)),
    ];
    let json = ranges_to_json(&schema, &ranges, Times::Ticks);
    assert_eq!(json, fixture.manifest["non_empty_domain"]);
    insta::assert_snapshot!(ranges_to_json(&schema, &ranges, Times::Iso));
}
