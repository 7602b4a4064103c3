//! `tdb show`: pictures of dense arrays.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use tdb::{Attribute, Datatype, Dimension, Filter, Schema};
use tempfile::TempDir;

use crate::common::{failure, run, stdout, tdb as program, told};
use crate::terminal::{on_terminal, shown, widest};

const BASICS: &str = "v22_dense_basics/array";

/// Creates a dense array with these lengths of dimensions.
fn create(folder: &TempDir, sides: &[(&str, i32)], attribute: Attribute) -> (tdb::Array, String) {
    let uri = folder.path().join("picture").display().to_string();
    let mut schema = Schema::dense();
    for (name, cells) in sides {
        let dimension = Dimension::new(name, Datatype::Int32);
        schema = schema.dimension(dimension.domain(0..=cells - 1).tile(100.min(*cells)));
    }
    let schema = schema.attribute(attribute.filter(Filter::zstd(1)));
    (tdb::create(&uri, &schema.build().unwrap()).unwrap(), uri)
}

/// Decodes a PNG file: width, height, and RGBA pixels row by row.
fn decoded(file: &Path) -> (u32, u32, Vec<[u8; 4]>) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(file).unwrap()))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = if info.color_type == png::ColorType::Rgb {
        let pixels = bytes.as_chunks().0.iter();
        pixels.map(|[r, g, b]| [*r, *g, *b, 255]).collect()
    } else {
        bytes.as_chunks().0.to_vec()
    };
    (info.width, info.height, pixels)
}

#[test]
fn a_colour_image_is_the_same_as_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let attribute = Attribute::new("v", Datatype::UInt8);
    let (array, uri) = create(&folder, &[("Y", 20), ("X", 30), ("C", 3)], attribute);
    let color = |y: usize, x: usize| {
        [
            u8::try_from(y * 12).unwrap(),
            u8::try_from(x * 8).unwrap(),
            77,
        ]
    };
    let cells = (0..20).flat_map(|y| (0..30).flat_map(move |x| color(y, x)));
    array
        .write()
        .column("v", cells.collect::<Vec<u8>>())
        .commit()
        .unwrap();
    let file = folder.path().join("i.png");
    let output = run(&format!("show {uri} --png {}", file.display()));
    insta::assert_snapshot!(told(&output), @r#"
    v in colours
    rows Y 0 .. 19, columns X 0 .. 29
    exit status 0
    "#);
    let (width, height, pixels) = decoded(&file);
    assert_eq!((width, height), (30, 20));
    for (at, pixel) in pixels.iter().enumerate() {
        let [r, g, b] = color(at / 30, at % 30);
        assert_eq!(*pixel, [r, g, b, 255], "{at}");
    }
    // One colour channel alone is a picture of numbers.
    run(&format!(
        "show {uri} --range C=1 --png {} --colors gray",
        file.display()
    ));
    let (_, _, pixels) = decoded(&file);
    assert_eq!((pixels[0], pixels[29]), ([0, 0, 0, 255], [255; 4]));
    // At half the size, every other cell is shown.
    run(&format!("show {uri} --size 15 --png {}", file.display()));
    let (width, height, pixels) = decoded(&file);
    // Both sides have the requested size.
    assert_eq!((width, height), (15, 15));
    let [r, g, b] = color(0, 1);
    assert_eq!(pixels[0], [r, g, b, 255]);
    insta::assert_snapshot!(stdout(&format!("show {uri} --numbers --range Y=..2 --range X=..2")), @r#"
    Y \ X        0        1        2
        0  #00004d  #00084d  #00104d
        1  #0c004d  #0c084d  #0c104d
        2  #18004d  #18084d  #18104d
    "#);
}

#[test]
fn colours_may_come_first_or_in_each_cell() {
    let folder = tempfile::tempdir().unwrap();
    let (array, uri) = create(
        &folder,
        &[("C", 4), ("Y", 2), ("X", 2)],
        Attribute::new("v", Datatype::UInt8),
    );
    let cells: Vec<u8> = vec![1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24, 255, 0, 128, 255];
    array.write().column("v", cells).commit().unwrap();
    let file = folder.path().join("i.png");
    run(&format!("show {uri} --png {}", file.display()));
    assert_eq!(
        decoded(&file).2,
        [
            [1, 11, 21, 255],
            [2, 12, 22, 0],
            [3, 13, 23, 128],
            [4, 14, 24, 255]
        ]
    );
}

#[test]
fn what_is_not_written_shows_the_background() {
    let folder = tempfile::tempdir().unwrap();
    let (array, uri) = create(
        &folder,
        &[("Y", 4), ("X", 4)],
        Attribute::new("v", Datatype::UInt8),
    );
    // 255 is the fill value, but here it is a written white cell.
    array
        .write()
        .column("v", vec![0_u8, 255])
        .range("Y", 1..=1)
        .range("X", 0..=1)
        .commit()
        .unwrap();
    let file = folder.path().join("i.png");
    run(&format!(
        "show {uri} --range Y=0..3 --range X=0..3 --png {}",
        file.display()
    ));
    let (_, _, pixels) = decoded(&file);
    let of = |at: usize| pixels[at];
    assert_eq!(
        (of(0), of(4), of(5), of(6)),
        ([0; 4], [0, 0, 0, 255], [255; 4], [0; 4])
    );
    // Without ranges, only the written part is shown.
    insta::assert_snapshot!(stdout(&format!("show {uri}")), @r#"
    .@
    .:-=+*#%@ v 0 .. 255
    columns X 0 .. 1, Y 1
    "#);
}

#[test]
fn nulls_and_no_numbers_have_colours_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let attribute = Attribute::new("v", Datatype::Float64).nullable();
    let (array, uri) = create(&folder, &[("X", 5)], attribute);
    let cells = vec![
        Some(1.5),
        None,
        Some(f64::NAN),
        Some(2.5),
        Some(f64::INFINITY),
    ];
    array.write().column("v", cells).commit().unwrap();
    insta::assert_snapshot!(stdout(&format!("show {uri}")), @r#"
    .~?@@
    .:-=+*#%@ v 1.5 .. 2.5, null ~, NaN ?
    columns X 0 .. 4
    "#);
    insta::assert_snapshot!(stdout(&format!("show {uri} --numbers")), @r#"
    X    0     1    2    3         4
       1.5  null  NaN  2.5  Infinity
    "#);
    insta::assert_snapshot!(stdout(&format!("show {uri} --json --numbers")), @r#"
    {
      "attribute": "v",
      "datatype": "float64",
      "rows": null,
      "columns": {
        "dimension": "X",
        "range": [
          0,
          4
        ],
        "cells": 5,
        "pixels": 5
      },
      "fixed": [],
      "channels": 1,
      "sampled": false,
      "scale": [
        1.5,
        2.5
      ],
      "values": [
        [
          1.5,
          null,
          "NaN",
          2.5,
          "Infinity"
        ]
      ]
    }
    "#);
    let file = folder.path().join("i.png");
    run(&format!("show {uri} --png {}", file.display()));
    let pixels = decoded(&file).2;
    assert_eq!(pixels[1..3], [[255, 0, 0, 255], [0, 255, 255, 255]]);
}

#[test]
fn what_is_larger_than_the_screen_is_sampled() {
    let folder = tempfile::tempdir().unwrap();
    let (array, uri) = create(
        &folder,
        &[("Y", 300), ("X", 400)],
        Attribute::new("v", Datatype::Int32),
    );
    let cells: Vec<i32> = (0..300)
        .flat_map(|y| (0..400).map(move |x| y * 1000 + x))
        .collect();
    array.write().column("v", cells).commit().unwrap();
    let file = folder.path().join("i.png");
    run(&format!(
        "show {uri} --size 100 --png {} --colors gray --scale 0..299399",
        file.display()
    ));
    let (width, height, pixels) = decoded(&file);
    assert_eq!((width, height), (100, 75));
    for (at, pixel) in pixels.iter().enumerate() {
        let (y, x) = ((at / 100) * 4 + 2, (at % 100) * 4 + 2);
        let gray = ((y * 1000 + x) as f64 * 255.0 / 299_399.0).round();
        assert_eq!(f64::from(pixel[0]), gray, "{y} {x}");
    }
    for columns in [60, 80, 200] {
        let text = on_terminal(columns, &format!("show {uri}"));
        assert!(widest(&text) <= usize::from(columns), "{text}");
        insta::assert_snapshot!(format!("sampled_at_{columns}"), text);
    }
    let text = on_terminal(60, &format!("show {uri} --numbers"));
    insta::assert_snapshot!("numbers_at_60", text);
    insta::assert_snapshot!(stdout(&format!("show {uri} --json")), @r#"
    {
      "attribute": "v",
      "datatype": "int32",
      "rows": {
        "dimension": "Y",
        "range": [
          0,
          299
        ],
        "cells": 300,
        "pixels": 24
      },
      "columns": {
        "dimension": "X",
        "range": [
          0,
          399
        ],
        "cells": 400,
        "pixels": 32
      },
      "fixed": [],
      "channels": 1,
      "sampled": true,
      "scale": [
        6006,
        293393
      ]
    }
    "#);
}

#[test]
fn terminals_get_colours() {
    let mut command = program(&format!("show {BASICS} --attr u8 --color always"));
    command.env("COLORTERM", "truecolor");
    let text = shown(80, command);
    insta::assert_snapshot!("in_true_colour", text.replace('\x1b', "^"));
}

#[test]
fn golden_arrays_are_drawn() {
    insta::assert_snapshot!(stdout(&format!("show {BASICS} --attr i32")), @r#"
    .++@++
    +.++@+
    @++.++
    @+++.++@+
    +++@+++++
        ++@++
        .++@+
    .:-=+*#%@ i32 -2147483648 .. 2147483647, empty where nothing is written
    rows row 1 .. 7, columns col -2 .. 6
    "#);
    insta::assert_snapshot!(stdout(&format!("show {BASICS} --attr f32 --numbers")), @r#"
    row \ col       -2        -1        0         1         2         3       4        5       6
            1   61.125      -0.0   99.125     -2.25     74.75  Infinity       ·        ·       ·
            2    6.375    85.875     -0.0    -105.5     -2.25      -0.0       ·        ·       ·
            3    4.375     -2.25  -33.875  Infinity      81.0     1e-40       ·        ·       ·
            4  -122.25       0.1  -10.375      -0.0     33.25      -0.0  -118.0    -2.25  21.375
            5    -56.5  Infinity  -40.875     1e-40  Infinity   101.375   1e-40   17.375     0.1
            6        ·         ·        ·         ·    88.375      -0.0   -35.0    -2.25    94.5
            7        ·         ·        ·         ·  Infinity    70.625   1e-40  106.625     0.1
    "#);
    insta::assert_snapshot!(stdout(&format!("show {BASICS} --attr i16 --where i16>0")), @r#"
     ..@.
        @.
    @.. .
    @ .  ..@.
    .. @   ..
        ..@..
         . @
    .:-=+*#%@ i16 1 .. 32767, empty where nothing is written
    rows row 1 .. 7, columns col -2 .. 6
    "#);
    insta::assert_snapshot!(stdout("show v22_dense_datetime_day/array"), @r#"
    .+@:-.=.#-#%.-@*+.#.=:#=.-@#..@@+.#.@:=:.-@.:.=.@@.*.#@:%                      .
    .:-=+*#%@ a 0 .. 255, empty where nothing is written
    columns d 1969-11-22 .. 1970-03-01
    sampled: 80 of 100 columns
    "#);
    insta::assert_snapshot!(stdout("show v22_dense_tiles_col_cells_col/array --numbers --range y=2"), @r#"
    x \ z          10          11          12          13          14
       -3        -250           1        -921         211           ·
       -2           1         527         959  2147483646           ·
       -1         345         133        -209         -79           ·
        0        -644  2147483646        -324         956           1
        1  2147483646         743        -172        -970        -512
        2           ·           ·        -566         637        -980
        3           ·           ·  2147483647           ·  2147483646
    "#);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, uri) = create(
        &folder,
        &[("Z", 7), ("Y", 20), ("X", 30)],
        Attribute::new("v", Datatype::UInt8),
    );
    insta::assert_snapshot!(failure(&format!("show {uri}")), @r#"
    error: a picture has two dimensions, and this slice has 3: Z of 7 cells, Y of 20 cells, X of 30 cells
    hint: a range of a single cell fixes a dimension: --range Z=VALUE
    exit status 2
    "#);
    insta::assert_snapshot!(failure(&format!("show {uri} --range Z=9")), @r#"
    warning: a range of dimension "Z" lies outside its domain
    error: dimension "Z": the range lies outside of the domain
    exit status 2
    "#);
    insta::assert_snapshot!(failure(&format!("show {uri} --range Z=1 --range Z=2")), @r#"
    error: dimension "Z": a picture takes one range of each dimension
    exit status 2
    "#);
    insta::assert_snapshot!(failure("show v22_tour/array"), @r#"
    error: only dense arrays can be drawn, and this one is sparse
    hint: use tdb read for its cells, tdb map for where they lie
    exit status 2
    "#);
    insta::assert_snapshot!(failure(&format!("show {BASICS} --attr i33")), @r#"
    error: there is no attribute "i33"
    hint: did you mean "i32"? the attributes are i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, letter, ascii, utf8, list, pair, day, ns, clock, flag, n_i32 and 3 more
    exit status 2
    "#);
    insta::assert_snapshot!(failure(&format!("show {BASICS} --attr sv")), @r#"
    error: there is no attribute "sv"
    hint: the attributes are i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, letter, ascii, utf8, list, pair, day, ns, clock, flag, n_i32 and 3 more
    exit status 2
    "#);
    insta::assert_snapshot!(failure(&format!("show {uri} --range Z=1 --png none/x.jpg")), @r#"
    error: none/x.jpg: the picture is written as PNG: use the extension .png, not .jpg
    exit status 2
    "#);
    insta::assert_snapshot!(failure(&format!("show {uri} -o x.png")), @r"
    error: x.png: show cannot write .png files
    hint: --png FILE draws; the endings of -o are .txt, .json
    exit status 2
    ");
    insta::assert_snapshot!(failure(&format!("show {uri} --range Z=1 --scale 5..1")), @r#"
    error: invalid value '5..1' for '--scale <LO..HI>': expected LO..HI with LO <= HI, such as 0..255

    For more information, try '--help'.
    exit status 2
    "#);
}
