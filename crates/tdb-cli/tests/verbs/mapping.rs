//! `tdb map`: where fragments and tiles lie.

use serde_json::Value as Json;

use crate::common::{failure, run, stdout, told};

#[test]
fn fragments_are_shown_at_their_places() {
    insta::assert_snapshot!(stdout("map v22_tour/array"), @"
    #  written               cells  tiles  station                   hour
                                           BGN                  ZRH  2024-04-10T00 2024-04-11T21
    0  2024-04-11T00:00:00Z     48      3  ████████████████████████  ████████████············
    1  2024-04-12T00:00:00Z     32      2  ███████████·············  ············████████████
    2  2024-04-12T12:00:00Z      4      1  █·······················  ██████··················
    ");
    insta::assert_snapshot!(stdout("map v22_dense_basics/array"), @"
    #  written                   cells  tiles  row                       col
                                               1                      7  -2                     6
    0  1970-01-01T00:00:00.110Z     48      4  ██████████████████······  ████████████████········
    1  1970-01-01T00:00:00.120Z     48      4  ··········██████████████  ··········██████████████
    2  1970-01-01T00:00:00.130Z     24      2  ···████·················  ··████████████··········
    ");
    insta::assert_snapshot!(stdout("map v22_hilbert_line/array"), @"
    #  written                   cells  tiles  u
                                               0   18446744073709551614
    0  1970-01-01T00:00:00.110Z     40      7  ████████████████████████
    1  1970-01-01T00:00:00.120Z     30      5  ██████████████████████··
    ");
    insta::assert_snapshot!(failure("map v22_tour"), @"
    error: v22_tour: there is no array here
    hint: use tdb ls -R v22_tour to find the arrays and groups below
    exit status 3
    ");
    insta::assert_snapshot!(told(&run("map v22_tour/array --at 2024-04-11")), @"
    #  written               cells  tiles  station                   hour
                                           BGN                  ZRH  2024-04-10T00 2024-04-10T21
    0  2024-04-11T00:00:00Z     48      3  ████████████████████████  ████████████████████████
    exit status 0
    ");
    insta::assert_snapshot!(told(&run("map v22_tour/array --at 2024-04-10")), @"
    #  written  cells  tiles  station  hour
    there are no fragments
    exit status 0
    ");
    insta::assert_snapshot!(told(&run("map v22_tour/array --since 2024-04-12T12:00:00Z")), @"
    #  written               cells  tiles  station                   hour
                                           BGN                  BGN  2024-04-10T00 2024-04-10T09
    0  2024-04-12T12:00:00Z      4      1  ████████████████████████  ████████████████████████
    exit status 0
    ");
}

#[test]
fn tiles_lie_within_their_fragments() {
    for array in [
        "v22_tour",
        "v22_hilbert_plane",
        "v22_deletes_dups",
        "v3_sparse_basics",
        "v22_hilbert_mixed",
    ] {
        let json: Json =
            serde_json::from_str(&stdout(&format!("map {array}/array --json"))).unwrap();
        let side = |place: &Json| -> Vec<(f64, f64)> {
            let sides = place.as_array().unwrap().iter();
            sides
                .map(|side| (side[0].as_f64().unwrap(), side[1].as_f64().unwrap()))
                .collect()
        };
        let mut tiles = 0;
        for fragment in json["fragments"].as_array().unwrap() {
            let whole = side(&fragment["place"]);
            let places = fragment["tile_places"].as_array().unwrap();
            assert_eq!(
                places.len() as u64,
                fragment["tiles"].as_u64().unwrap(),
                "{array}"
            );
            for tile in places {
                for ((lo, hi), (from, to)) in side(tile).into_iter().zip(&whole) {
                    assert!(*from <= lo && lo <= hi && hi <= *to, "{array}: {fragment}");
                }
                tiles += 1;
            }
        }
        assert!(tiles > 0, "{array}");
    }
    insta::assert_snapshot!(told(&run("map v22_tour/array --json --max-tiles 3 -o /dev/null")), @"
    warning: 2 of 3 fragments are drawn without tiles: there are more than 3; use --max-tiles to allow more
    exit status 0
    ");
}

#[test]
fn a_map_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map.svg");
    stdout(&format!("map v22_tour/array --svg {}", file.display()));
    let svg = std::fs::read_to_string(&file).unwrap();
    insta::assert_snapshot!("tour_svg", svg);
    stdout(&format!(
        "map v22_hilbert_line/array --svg {}",
        file.display()
    ));
    insta::assert_snapshot!("line_svg", std::fs::read_to_string(&file).unwrap());
}
