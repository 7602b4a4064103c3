//! A filter from outside can declare all properties that a filter of this crate can: that it folds
//! offsets, needs whole tiles, encrypts or compresses, and which fields it suits.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use tdb_filters::header::{Reader, put_length};
use tdb_filters::{
    Chunk, Entry, Filter, FilterError, FilterList, FilterRecord, FilteredField, Misfit, Offsets,
    Out, Pipeline, Registry, Scratch, Stage, TileKind,
};
use tdb_tile::{ChunkTable, Datatype, FormatVersion, Limits};

const V: FormatVersion = FormatVersion::WRITTEN;
const NAME: &str = "sealed_text";

/// Encodes strings with their offsets, and adds the first byte of the key to each byte.
static ENTRY: Entry = Entry::new(
    210,
    NAME,
    |options| {
        options.none()?;
        let shift = options.key().map(|key| key.expose()[0]);
        Ok(Box::new(SealedText { shift }))
    },
    |_| Ok(Box::new(SealedText { shift: None })),
)
.encrypting();

#[derive(Debug)]
struct SealedText {
    shift: Option<u8>,
}

impl SealedText {
    fn shift(&self) -> Result<u8, FilterError> {
        self.shift.ok_or(FilterError::Crypto("no key"))
    }
}

impl Filter for SealedText {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let shift = self.shift()?;
        let starts = chunk.starts.unwrap();
        let bytes = chunk.data.bytes();
        let (header, data) = out.header_and_data(bytes.len())?;
        put_length(NAME, header, starts.len())?;
        for start in starts {
            put_length(NAME, header, usize::try_from(*start).unwrap())?;
        }
        for (place, byte) in data.iter_mut().zip(bytes) {
            *place = byte.wrapping_add(shift);
        }
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        assert!(stage.folds_offsets);
        let shift = self.shift()?;
        let mut header = Reader::new(NAME, chunk.metadata.bytes());
        let count = header.count("count", 4)?;
        let bytes = chunk.data.bytes();
        let (data, mut starts) = out.data_and_starts(bytes.len())?;
        for _ in 0..count {
            let start = header.length("start")? as u64;
            if let Some(starts) = starts.as_deref_mut() {
                starts.push(start);
            }
        }
        for (place, byte) in data.iter_mut().zip(bytes) {
            *place = byte.wrapping_sub(shift);
        }
        header.finish("header")
    }

    fn offsets(&self, tile: &TileKind) -> Offsets {
        if tile.is_var_text() {
            Offsets::Folded
        } else {
            Offsets::Apart
        }
    }

    fn unites_chunks(&self, tile: &TileKind) -> bool {
        tile.is_var_text()
    }

    fn check_tile(&self, tile: &TileKind) -> Result<(), &'static str> {
        if tile.is_var_text() {
            Ok(())
        } else {
            Err("it seals text only")
        }
    }

    fn check_field(&self, field: &FilteredField<'_>) -> Result<(), Misfit> {
        if !field.tile.is_var_text() {
            return Err(Misfit::Datatype("it seals text only"));
        }
        if field.is_dense {
            return Err(Misfit::Array("it seals the text of sparse arrays"));
        }
        Ok(())
    }

    fn compresses(&self) -> bool {
        true
    }
}

fn list(codes: &[u8]) -> FilterList {
    let record = |code: &u8| FilterRecord::new(*code, &[][..]);
    FilterList::new(codes.iter().map(record).collect())
}

fn text() -> TileKind {
    TileKind::new(V, Datatype::StringUtf8).var()
}

/// Creates the pipeline of the filters with these codes, with a key.
fn pipeline(codes: &[u8], kind: TileKind) -> Result<Pipeline, FilterError> {
    let key = tdb_filters::EncryptionKey::new(&[3; 32]).unwrap();
    let registry = Registry::builtin().with(&ENTRY);
    Pipeline::new(&list(codes), V, kind, Some(&key), &registry)
}

#[test]
fn it_folds_offsets_and_is_given_tiles_whole() {
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let cells = 30_000_u64;
    let values = vec![b'a'; 300_000];
    let starts: Vec<u64> = (0..cells).map(|cell| cell * 10).collect();
    // Byteshuffle (code 9) follows it.
    for codes in [&[210][..], &[210, 9]] {
        let pipeline = pipeline(codes, text()).unwrap();
        pipeline.check().unwrap();
        assert!(pipeline.folds_offsets() && pipeline.compresses());
        let mut stored = Vec::new();
        pipeline
            .encode_tile(&values, Some(&starts), &mut stored, &mut scratch, &limits)
            .unwrap();
        let mut table = ChunkTable::default();
        table.parse(&stored, &limits).unwrap();
        assert_eq!(table.entries().len(), 1);
        assert!(stored.ends_with(b"dddd"));
        let mut found = Vec::new();
        let back = pipeline.decode_tile_to_vec(&stored, Some(&mut found), &mut scratch, &limits);
        assert!(back.unwrap() == values && found == starts);
    }
}

#[test]
fn it_encrypts_in_the_place_of_the_filter_that_a_key_brings() {
    let registry = Registry::builtin().with(&ENTRY);
    let without = Pipeline::new(&list(&[210]), V, text(), None, &registry).unwrap_err();
    assert!(matches!(without, FilterError::Crypto(_)), "{without}");
    // A second encryption would add 36 bytes for each part.
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline(&[210], text())
        .unwrap()
        .encode_tile(b"abc", Some(&[0]), &mut stored, &mut scratch, &limits)
        .unwrap();
    assert_eq!(stored.len(), 8 + 12 + 4 + 4 + 3);
}

#[test]
fn it_must_come_first_and_takes_what_it_says() {
    let late = pipeline(&[9, 210], text()).unwrap_err().to_string();
    assert_eq!(
        late,
        "sealed_text cannot be used here: it must be the first filter of var-sized text"
    );
    let numbers = TileKind::new(V, Datatype::Int32);
    let refused = pipeline(&[210], numbers).unwrap().check().unwrap_err();
    let wanted = "sealed_text cannot be used here: it seals text only";
    assert_eq!(refused.to_string(), wanted);
}

#[test]
fn it_says_which_fields_it_is_for() {
    let registry = Registry::builtin().with(&ENTRY);
    let asked = registry.filter(&list(&[210]).filters[0], V).unwrap();
    let fits = |tile: TileKind, is_dense: bool| {
        let dimensions = &[Datatype::Int64];
        asked.check_field(&FilteredField {
            tile,
            is_dense,
            dimensions,
        })
    };
    assert_eq!(fits(text(), false), Ok(()));
    assert!(matches!(fits(text(), true), Err(Misfit::Array(_))));
    let numbers = TileKind::new(V, Datatype::Int32);
    assert!(matches!(fits(numbers, false), Err(Misfit::Datatype(_))));
}

/// Keeps metadata from a place beyond its end.
static GREEDY: Entry = Entry::new(
    211,
    "greedy",
    |options| options.none().map(|()| Box::new(Greedy) as _),
    |_| Ok(Box::new(Greedy)),
);

#[derive(Debug)]
struct Greedy;

impl Filter for Greedy {
    fn encode(
        &self,
        _: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        out.keep_data();
        out.keep_metadata(0);
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        out.keep_data();
        out.keep_metadata(chunk.metadata.bytes().len() + 1);
        Ok(())
    }
}

#[test]
fn metadata_beyond_its_end_is_a_bug_and_not_no_metadata() {
    let registry = Registry::builtin().with(&GREEDY);
    let kind = TileKind::new(V, Datatype::Int32);
    let pipeline = Pipeline::new(&list(&[211]), V, kind, None, &registry).unwrap();
    let (mut scratch, limits, mut stored) = (Scratch::default(), Limits::default(), Vec::new());
    pipeline
        .encode_tile(&[0; 8], None, &mut stored, &mut scratch, &limits)
        .unwrap();
    let error = pipeline.decode_tile_to_vec(&stored, None, &mut scratch, &limits);
    assert_eq!(error.unwrap_err().kind(), tdb_tile::ErrorKind::Bug);
}
