//! Options of `tdb import` about columns.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::common::{failure, run, stdout, told};

/// An empty folder named after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("import_{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), bytes).unwrap();
        self.path(name)
    }

    /// Imports a file. Returns the messages and the array's content; after a failure, checks that no array exists.
    fn imported(&self, name: &str, bytes: impl AsRef<[u8]>, options: &str) -> String {
        let file = self.write(name, bytes);
        let array = self.path("array");
        let _ = fs::remove_dir_all(&array);
        let output = run(&format!("import {file} {array} {options}"));
        let told = String::from_utf8_lossy(&output.stderr).replace(&*self.0.to_string_lossy(), "…");
        let told = told.replace("\n", "\n  ");
        let status = output.status.code().unwrap();
        let cells = match status {
            0 => stdout(&format!("read {array} --format csv")).replace('\0', "\\0"),
            _ => {
                assert!(!Path::new(&array).exists(), "something is left");
                String::new()
            }
        };
        format!("{name} {options}\n  {}\n{cells}", told.trim_end())
    }
}

#[test]
fn the_delimiter_is_found_out() {
    let folder = Folder::new("delimiters");
    let mut all = vec![
        folder.imported("semicolon.csv", "a;b\n1;x, y\n2;z\n", ""),
        folder.imported("tab.csv", "a\tb\n1\tx\n2\ty\n", ""),
        folder.imported("bar.csv", "\u{feff}a|b\r\n1|x\r\n2|y\r\n", ""),
        folder.imported("one.csv", "a\n1\n2\n", ""),
        folder.imported("given.csv", "a;b,c\n1;2,3\n", "--delimiter ;"),
    ];
    all.push(folder.imported("ragged.csv", "a;b\n1;2\n3\n", ""));
    all.push(folder.imported("lines.jsonl", "{\"a\": 1}\n", "--delimiter ;"));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn texts_of_missing_cells_are_null() {
    let folder = Folder::new("missing");
    let usual = "id,n,day,flag,f,text\n1,NA,2024-01-01,True,NaN,NA\n2,5,null,NA,0.5,b\n3,NaN,N/A,FALSE,NULL,\n";
    let all = [
        folder.imported("usual.csv", usual, ""),
        folder.imported("alone.csv", "id,a,b\n1,NA,NaN\n2,NA,NaN\n", ""),
        folder.imported(
            "named.csv",
            "id,n,text\n1,-,-\n2,-99,b\n3,7,NA\n",
            "--null - --null -99",
        ),
        folder.imported("other.csv", "id,n\n1,NA\n2,5\n", "--null -"),
        folder.imported("dimension.csv", "id,n\nNA,1\n2,5\n", "--dim id"),
        folder.imported("lines.jsonl", "{\"a\": 1}\n", "--null NA"),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn columns_are_chosen_named_and_typed() {
    let folder = Folder::new("columns");
    let text = "id,zip,rain,note\n1,01,2,a\n2,02,3,b\n";
    let lines =
        "{\"id\": 1, \"o\": {\"p\": 1}, \"rain\": 2}\n{\"id\": 2, \"rain\": 3, \"o\": {}}\n";
    let told = |options: &str| folder.imported("cells.csv", text, options);
    let line = |options: &str| folder.imported("cells.jsonl", lines, options);
    let all = [
        told("--columns id,rain"),
        told("--exclude note --rename rain=mm --rename zip=place --dim place --type mm=float32"),
        told("--type id=uint8 --type zip=int16 --type note=string_ascii --dim id,zip"),
        line("--exclude o"),
        line("--columns rain,id --rename id=key --type rain=uint16"),
        told("--columns id,rian"),
        told("--exclude id,zip,rain,note"),
        told("--rename zap=b"),
        told("--rename zip=note"),
        told("--type note=int32"),
        told("--type rain=int23"),
        told("--type rain"),
        line("--exclude o,p"),
        line("--exclude o --type rain=datetime_day"),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn compressed_text_is_unpacked_as_it_is_read() {
    let folder = Folder::new("compressed");
    let gzip = |text: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    let far = |text: &str| {
        let mut packed = zstd::Encoder::new(Vec::new(), 1).unwrap();
        packed.window_log(24).unwrap();
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let endless = format!("a,b\n1,{}", "x".repeat(100 << 20));
    let whole = gzip("a;b\n1;2\n");
    let all = [
        folder.imported("cells.csv.gz", &whole, ""),
        folder.imported("cells.tsv.zst", zstd("a\tb\n1\t2\n"), ""),
        folder.imported("cells.jsonl.gz", gzip("{\"a\": 1}\n"), ""),
        // The compression is detected whatever the file is called.
        folder.imported("cells.csv", zstd("a,b\n1,2\n"), ""),
        folder.imported("plain.csv.gz", "a,b\n1,2\n", ""),
        folder.imported("cut.csv.gz", &whole[..whole.len() - 3], ""),
        folder.imported("bomb.csv.gz", gzip(&endless), "--memory 16MiB"),
        folder.imported("bomb.csv.zst", zstd(&endless), "--memory 16MiB"),
        folder.imported("far.csv.zst", far("a,b\n1,2\n"), "--memory 32MiB"),
        folder.imported("far.csv.zst", far("a,b\n1,2\n"), "--memory 64MiB"),
        folder.imported("cells.parquet.gz", &whole, ""),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn a_window_that_memory_does_not_allow_is_a_limit() {
    let folder = Folder::new("window");
    let mut packed = zstd::Encoder::new(Vec::new(), 1).unwrap();
    packed.window_log(27).unwrap();
    packed.write_all(b"a,b\n1,2\n").unwrap();
    let file = folder.write("far.csv.zst", packed.finish().unwrap());
    let array = folder.path("array");
    let output = run(&format!("import {file} {array} --memory 256MiB"));
    let told = String::from_utf8_lossy(&output.stderr).replace(&*folder.0.to_string_lossy(), "…");
    assert_eq!(output.status.code(), Some(4));
    insta::assert_snapshot!(told);
    assert!(!Path::new(&array).exists(), "something is left");
}

#[test]
fn times_of_other_clocks_than_that_of_utc_are_told() {
    let folder = Folder::new("zones");
    let zoned = "id,when,seen\n1,2024-05-25T04:09:42+02:00,2024-05-25T04:09:42Z\n\
        2,2024-05-25T04:09:42+02:00,\n";
    let lines = "{\"id\": 1, \"t\": \"2024-05-25T04:09:42-09:30\"}\n";
    let all = [
        folder.imported("zoned.csv", zoned, ""),
        folder.imported("zoned.jsonl", lines, ""),
        folder.imported("zoned.csv", zoned, "--quiet"),
        folder.imported("text.csv", zoned, "--type when=string_utf8"),
    ];
    insta::assert_snapshot!(all.join("\n"));
    folder.imported("zoned.csv", zoned, "");
    let (file, array) = (folder.path("zoned.csv"), folder.path("array"));
    let output = run(&format!("write {array} {file} --replace"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        told,
        "note: column \"when\": times with zones are stored as UTC\n"
    );
}

#[test]
fn options_hold_when_cells_are_added() {
    let folder = Folder::new("added");
    folder.imported("first.csv", ",zip\n1,01\n", "");
    let file = folder.write("more.csv", ",code,note\n2,02,x\n");
    let array = folder.path("array");
    stdout(&format!(
        "import {file} {array} --append --rename code=zip --exclude note"
    ));
    assert_eq!(
        stdout(&format!("read {array} --format csv")),
        "index,zip\n1,01\n2,02\n"
    );
}

#[test]
fn the_index_of_pandas_has_a_name() {
    let folder = Folder::new("index");
    let all = [
        folder.imported("index.csv", ",a\n0,5\n1,6\n", ""),
        folder.imported("named.csv", ",a\n0,5\n1,6\n", "--rename =row"),
        folder.imported("left.csv", ",a\n0,5\n1,6\n", "--exclude index"),
        folder.imported("taken.csv", ",index\n0,5\n1,6\n", ""),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn bad_text_is_told_with_its_line() {
    let folder = Folder::new("bad_text");
    let endless = "x".repeat(4 << 20);
    let all = [
        folder.imported("long.csv", "a,b\n1,2\n1,2,3\n", ""),
        folder.imported("nul.csv", b"a,b\n1,2\n\x003,4\n", "--type a=int32"),
        folder.imported("latin.csv", b"a,b\n1,x\n2,\xe9\n", ""),
        folder.imported("utf16.csv", b"\xff\xfea\0,\0b\0\n\0", ""),
        folder.imported("unmarked.csv", b"a\0,\0b\0\n\0", ""),
        folder.imported("quoted16.csv", b"a,b\n1,\"\0x\0\"\0\n\0", ""),
        folder.imported("quoted.csv", b"a,b\n1,\"x\0y\"\n", ""),
        folder.imported("open.csv", "a,b\n1,\"x\n2,y\n", ""),
        folder.imported("endless.csv", format!("a,b\n1,{endless}"), "--memory 8MiB"),
        folder.imported(
            "endless.jsonl",
            format!("{{\"a\": \"{endless}"),
            "--memory 8MiB",
        ),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn rows_replace_those_of_the_same_key() {
    let folder = Folder::new("keys");
    let mut all = vec![
        folder.imported("plain.csv", "id,b,a\n1,1,x\n", ""),
        folder.imported("repeated.csv", "id,b,a\n1,1,x\n1,1,y\n", "--key id,b"),
        folder.imported("both.csv", "id,b,a\n1,1,x\n", "--key id --dim b"),
        folder.imported("keyed.csv", "id,b,a\n1,1,x\n1,2,y\n2,1,z\n", "--key id,b"),
    ];
    let array = folder.path("array");
    let more = folder.write("more.csv", "id,b,a\n1,2,new\n3,1,w\n2,1,newer\n");
    for key in ["id", "b,id"] {
        let output = run(&format!("import {more} {array} --append --key {key}"));
        all.push(String::from_utf8(output.stderr).unwrap());
    }
    all.push(stdout(&format!("read {array} --format csv")));
    // An array that allows duplicates has no rows to replace.
    folder.imported("plain.csv", "id,a\n1,x\n", "--duplicates keep");
    let output = run(&format!(
        "import {} {array} --append --key id",
        folder.path("plain.csv")
    ));
    all.push(String::from_utf8(output.stderr).unwrap());
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn rows_of_some_attributes_keep_the_others() {
    let folder = Folder::new("parts");
    let mut all = vec![folder.imported(
        "whole.csv",
        "id,a,b,note\n1,1,x,\n2,2,y,m\n3,3,z,n\n",
        "--key id",
    )];
    let array = folder.path("array");
    let told = |output: &_| told(output).replace(&*folder.0.to_string_lossy(), "…");
    let part = folder.write("part.csv", "id,a\n3,30\n1,10\n");
    // An import that only adds rows needs all attributes; the error names the option that updates some of them.
    for verb in [
        format!("import {part} {array} --append"),
        format!("write {array} {part}"),
    ] {
        all.push(told(&run(&verb)));
    }
    all.push(told(&run(&format!(
        "import {part} {array} --append --key id"
    ))));
    all.push(stdout(&format!("read {array} --format csv")));
    // Missing attributes of new cells are null if nullable.
    let new = folder.write("new.csv", "id,b,a\n4,w,40\n2,v,20\n");
    all.push(told(&run(&format!(
        "import {new} {array} --append --key id"
    ))));
    let lacking = folder.write("lacking.csv", "id,a\n5,50\n");
    all.push(told(&run(&format!(
        "import {lacking} {array} --append --key id"
    ))));
    // An unknown column is reported on its own.
    let unknown = folder.write("unknown.csv", "id,c\n5,50\n");
    all.push(told(&run(&format!("write {array} {unknown}"))));
    all.push(stdout(&format!("read {array} --format csv")));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn rows_that_share_a_guessed_key_are_all_kept() {
    let folder = Folder::new("guessed-keys");
    let rows = "id,a\n1,x\n2,y\n1,z\n";
    let mut all = vec![folder.imported("unique.csv", "id,a\n1,x\n2,y\n", "")];
    all.push(folder.imported("shared.csv", rows, ""));
    all.push(folder.imported("shared.csv", rows, "--duplicates error"));
    all.push(folder.imported("shared.csv", rows, "--duplicates first"));
    // A duplicate so far from its counterpart that only sorting finds it.
    let mut late: String = (0..200_000).map(|id| format!("{id},x\n")).collect();
    late.insert_str(0, "id,a\n");
    late.push_str("3,y\n");
    let file = folder.write("late.csv", &late);
    let array = folder.path("late");
    let output = run(&format!("import {file} {array}"));
    let told = String::from_utf8(output.stderr).unwrap();
    all.push(told.replace(&*folder.0.to_string_lossy(), "…"));
    all.push(stdout(&format!("count {array}")));
    insta::assert_snapshot!(all.join("\n"));
}

/// Nested deeper than any stack.
#[test]
fn lists_in_lists_are_refused_however_deep() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("deep.jsonl");
    let line = format!(
        "{{\"a\":{}1{}}}\n",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    std::fs::write(&file, line).expect("written");
    let array = folder.path().join("deep");
    let told = failure(&format!("import {} {}", file.display(), array.display()));
    let told = told.replace(&file.display().to_string(), "deep.jsonl");
    insta::assert_snapshot!(told, @r#"
    error: deep.jsonl: line 1, field "a": lists hold numbers, dates and times alone; --exclude leaves a column out
    exit status 2
    "#);
}
