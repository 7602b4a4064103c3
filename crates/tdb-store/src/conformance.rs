//! The contract of [`Store`], as a test that any implementation can run.

mod expect;
mod failure;

use std::collections::BTreeSet;
use std::io::IoSliceMut;

use bytes::Bytes;

use self::expect::{done, ensure, equal, fail, is_exists, or_fail, out_of_range};
pub use self::failure::Failure;
use crate::{
    ByteRange, Listing, Read, Store, StoreError, exists, join, list_all, parent, read_coalesced,
    read_tail, read_whole,
};

/// The folder in which [`check`] works. It must be empty before, and is empty afterwards.
pub const FOLDER: &str = "conformance";

type Law = fn(&dyn Store) -> Result<(), Failure>;

/// Checks every law of the contract; removes its objects if all laws hold.
///
/// ```
/// use tdb_store::{MemoryStore, conformance};
/// conformance::check(&MemoryStore::new())?;
/// # Ok::<(), conformance::Failure>(())
/// ```
///
/// # Errors
/// The first law that the store breaks.
pub fn check(store: &dyn Store) -> Result<(), Failure> {
    let laws: [Law; 9] = [
        reads, ranges, limits, listings, creation, placing, keys, absence, removal,
    ];
    for law in laws {
        law(store)?;
        clean(store)?;
    }
    Ok(())
}

fn reads(store: &dyn Store) -> Result<(), Failure> {
    let long: Bytes = (0_u32..300_000).flat_map(u32::to_le_bytes).collect();
    for (name, bytes) in [("long", &long), ("empty", &Bytes::new())] {
        let key = key(name);
        done("an object can be put", store.put(&key, bytes.clone()))?;
        let read = read_whole(store, &key, u64::MAX);
        equal("an object reads as it was put", &read, bytes)?;
        let size = bytes.len() as u64;
        equal("its size is that of its bytes", &store.size(&key), &size)?;
    }
    let (first, absent, last) = (key("long"), key("absent"), key("empty"));
    let sizes = store.sizes(&[&first, &absent, &last]);
    ensure(
        "sizes come in the order asked, each for itself",
        matches!(
            &sizes[..],
            [Ok(1_200_000), Err(StoreError::NotFound { .. }), Ok(0)]
        ),
        &sizes,
    )?;
    let mut into = vec![0; 1000];
    let read = store.read_into(&key("long"), 4001, &mut into);
    done("read_into fills memory", read)?;
    let expected = long.get(4001..5001);
    ensure(
        "read_into gives the bytes asked for",
        Some(&*into) == expected,
        &"others",
    )?;
    let beyond = store.read_into(&key("long"), 1_199_999, &mut into);
    out_of_range("read_into fails beyond the end", &beyond)?;
    scattered_reads(store, &long)
}

/// Reads into more buffers than systems fill in one call; some are empty.
fn scattered_reads(store: &dyn Store, long: &[u8]) -> Result<(), Failure> {
    let mut memory = vec![0; 700_000];
    let mut pieces: Vec<IoSliceMut<'_>> = Vec::new();
    for (number, piece) in memory.chunks_mut(500).enumerate() {
        let (left, right) = piece.split_at_mut(number % 400);
        pieces.extend([left, right].map(IoSliceMut::new));
    }
    let read = store.read_scattered(&key("long"), 4001, &mut pieces);
    done("read_scattered fills pieces of memory", read)?;
    let beyond = store.read_scattered(&key("long"), 500_001, &mut pieces);
    out_of_range("read_scattered fails beyond the end", &beyond)?;
    let read = store.read_scattered(&key("long"), 7001, &mut pieces);
    done("read_scattered fills the same pieces again", read)?;
    drop(pieces);
    ensure(
        "read_scattered gives the bytes asked for",
        Some(&*memory) == long.get(7001..707_001),
        &"others",
    )
}

fn ranges(store: &dyn Store) -> Result<(), Failure> {
    let key = key("ten");
    let put = store.put(&key, Bytes::from_static(b"0123456789"));
    done("an object can be put", put)?;
    let bounded = |start, len| ByteRange::Bounded { start, len };
    let cases: [(ByteRange, u64, &[u8]); 9] = [
        (ByteRange::Whole, 0, b"0123456789"),
        (bounded(2, 3), 2, b"234"),
        (bounded(9, 1), 9, b"9"),
        (bounded(10, 0), 10, b""),
        (ByteRange::From(7), 7, b"789"),
        (ByteRange::From(10), 10, b""),
        (ByteRange::Tail(4), 6, b"6789"),
        (ByteRange::Tail(10), 0, b"0123456789"),
        (ByteRange::Tail(11), 0, b"0123456789"),
    ];
    let reads: Vec<Read> = cases
        .iter()
        .map(|(range, ..)| Read::new(key.as_str(), *range))
        .collect();
    let answers = store.read(&reads);
    let law = "a batch answers every read, in order";
    ensure(law, answers.len() == reads.len(), &answers.len())?;
    let joined = read_coalesced(store, &reads, 8, 64);
    let both = store.read_and_list(&reads, &[FOLDER, "no-such-folder"]);
    let listings = store.list_many(&[FOLDER, "no-such-folder"]);
    equal_lists(&both.listings, &listings)?;
    for answers in [answers, joined, both.pieces] {
        for ((_, offset, bytes), answer) in cases.iter().zip(answers) {
            let found = answer.map(|piece| (piece.offset, piece.bytes));
            let expected = (*offset, Bytes::from_static(bytes));
            equal(
                "a range gives its bytes and where they begin",
                &found,
                &expected,
            )?;
        }
    }
    for range in [
        bounded(8, 3),
        bounded(11, 0),
        bounded(u64::MAX, 2),
        ByteRange::From(11),
    ] {
        let answers = store.read(&[Read::new(key.as_str(), range), Read::tail(key.as_str(), 1)]);
        let [beyond, good] = answers.as_slice() else {
            return fail("a batch answers every read", &answers);
        };
        out_of_range("a read beyond the end is an error", beyond)?;
        let law = "one bad read leaves the others";
        ensure(law, good.is_ok(), good)?;
    }
    let tail = read_tail(store, &key, 3).map(|piece| piece.offset);
    equal("a tail tells the size", &tail, &7)
}

/// Listings are those of their folders, whether ranges are read with them or not.
fn equal_lists(
    found: &[Result<Listing, StoreError>],
    alone: &[Result<Listing, StoreError>],
) -> Result<(), Failure> {
    let law = "folders are listed beside what is read";
    ensure(law, found.len() == alone.len(), &found.len())?;
    for (found, alone) in found.iter().zip(alone) {
        match alone {
            Ok(alone) => equal(law, found, alone)?,
            Err(_) => ensure(law, found.is_err(), found)?,
        }
    }
    Ok(())
}

fn limits(store: &dyn Store) -> Result<(), Failure> {
    let key = key("hundred");
    let put = store.put(&key, Bytes::from(vec![7; 100]));
    done("an object can be put", put)?;
    let law = "a read of no more than its limit is answered";
    done(law, read_whole(store, &key, 100).map(drop))?;
    let law = "a read of more than its limit is refused";
    let found = read_whole(store, &key, 99);
    ensure(
        law,
        matches!(
            found,
            Err(StoreError::TooLarge {
                size: 100,
                limit: 99,
                ..
            })
        ),
        &found,
    )
}

fn listings(store: &dyn Store) -> Result<(), Failure> {
    let law = "a folder that does not exist lists as empty";
    equal(law, &list_all(store, FOLDER), &Listing::default())?;
    let names = [
        "a",
        "b/x",
        "b-",
        "c/d/e",
        "c/d/f",
        "__g/h.tdb",
        "ü",
        "with space",
    ];
    for name in names {
        done(
            "an object can be put",
            store.put(&key(name), Bytes::from_static(b"1")),
        )?;
    }
    let found = list_all(store, FOLDER);
    let objects = found.as_ref().map(|listing| {
        let keys = listing.objects.iter().map(|object| object.key.clone());
        keys.collect::<Vec<_>>()
    });
    let law = "a folder lists the objects that lie in it, sorted";
    let expected = [key("a"), key("b-"), key("with space"), key("ü")];
    equal(law, &objects, &expected.to_vec())?;
    let prefixes = found.as_ref().map(|listing| listing.prefixes.clone());
    let law = "a folder lists the folders that lie in it, sorted";
    let expected = [key("__g"), key("b"), key("c")];
    equal(law, &prefixes, &expected.to_vec())?;
    let nested = list_all(store, &key("c")).map(|listing| listing.prefixes);
    equal("keys are whole at any depth", &nested, &vec![key("c/d")])?;
    let sizes = found.map(|listing| {
        listing
            .objects
            .iter()
            .all(|o| o.size.is_none_or(|s| s == 1))
    });
    equal("a size that is told is right", &sizes, &true)?;
    let all = store.list_recursive(FOLDER).map(|all| {
        all.into_iter()
            .map(|object| object.key)
            .collect::<BTreeSet<_>>()
    });
    let expected = names.iter().map(|name| key(name)).collect();
    equal("all objects are found by going down", &all, &expected)?;
    let root = list_all(store, "").map(|root| root.prefixes.iter().any(|p| p == FOLDER));
    equal("the root is listed by the empty prefix", &root, &true)?;
    let (c, a) = (key("c"), key("a"));
    let several = store.list_many(&[&c, &a]).into_iter();
    let alone = [&c, &a].map(|folder| store.list(folder, None));
    let law = "several folders list as each alone";
    for (several, alone) in several.zip(alone) {
        equal(law, &several, &or_fail(law, alone)?)?;
    }
    let inside = list_all(store, &key("a"));
    equal("nothing lies in an object", &inside, &Listing::default())
}

fn creation(store: &dyn Store) -> Result<(), Failure> {
    let key = key("folder/streamed");
    let law = "an object can be begun";
    let mut object = or_fail(law, store.create(&key))?;
    let law = "an object can be written in pieces";
    for piece in [&b"one "[..], b"", b"two"] {
        done(law, object.write(piece))?;
    }
    let law = "an unfinished object is not there";
    equal(law, &exists(store, &key), &false)?;
    let listed = list_all(store, parent(&key));
    equal(
        "an unfinished object is not listed",
        &listed,
        &Listing::default(),
    )?;
    done("an object can be finished", object.finish())?;
    let read = read_whole(store, &key, u64::MAX);
    let expected = Bytes::from_static(b"one two");
    equal("a finished object holds all pieces", &read, &expected)?;

    let mut dropped = or_fail(law, store.create(&join(FOLDER, "dropped")))?;
    done("an object can be written", dropped.write(b"nothing"))?;
    drop(dropped);
    let law = "an object that is dropped never was";
    equal(law, &exists(store, &join(FOLDER, "dropped")), &false)?;

    let again = store.put(&key, Bytes::from_static(b"other"));
    is_exists("an object is not replaced", &again)?;
    let (first, second) = (
        store.create(&join(FOLDER, "race")),
        store.create(&join(FOLDER, "race")),
    );
    let law = "two may begin one object";
    let (first, second) = (or_fail(law, first)?, or_fail(law, second)?);
    done("the first to finish wins", first.finish())?;
    is_exists("the second to finish is told", &second.finish())?;
    let read = read_whole(store, &key, u64::MAX);
    equal("the object that was there is as it was", &read, &expected)
}

fn keys(store: &dyn Store) -> Result<(), Failure> {
    let law = "what is no key is refused";
    for bad in [
        "", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "../a", "a\0b",
    ] {
        let answers = [
            store.size(bad).map(drop),
            store.put(bad, Bytes::new()),
            store.remove(bad),
            store.read_into(bad, 0, &mut []),
            read_whole(store, bad, 0).map(drop),
        ];
        for answer in answers {
            ensure(
                law,
                matches!(answer, Err(StoreError::InvalidKey { .. })),
                &(bad, answer),
            )?;
        }
        if !bad.is_empty() {
            let listed = store.list(bad, None);
            ensure(
                law,
                matches!(listed, Err(StoreError::InvalidKey { .. })),
                &(bad, listed),
            )?;
        }
    }
    Ok(())
}

fn absence(store: &dyn Store) -> Result<(), Failure> {
    let put = store.put(&key("folder/object"), Bytes::new());
    done("an object can be put", put)?;
    for missing in [
        "none",
        "folder",
        "folder/none",
        "folder/object/none",
        "no/such/folder",
    ] {
        let missing = key(missing);
        let answers = [
            store.size(&missing).map(drop),
            store.remove(&missing),
            store.read_into(&missing, 0, &mut []),
            read_whole(store, &missing, 0).map(drop),
        ];
        for answer in answers {
            let law = "what is not there is told as not found, folders too";
            ensure(
                law,
                matches!(answer, Err(StoreError::NotFound { .. })),
                &(&missing, answer),
            )?;
        }
        equal(
            "absence is no error for exists",
            &exists(store, &missing),
            &false,
        )?;
    }
    Ok(())
}

fn placing(store: &dyn Store) -> Result<(), Failure> {
    let law = "a placed object is there, whole";
    for name in ["p/1", "p/2"] {
        let mut object = or_fail("an object can be created", store.create(&key(name)))?;
        let written = object.write(b"placed");
        done("an object can be written", written)?;
        done(law, object.place())?;
        let read = read_whole(store, &key(name), u64::MAX);
        equal(law, &read, &Bytes::from_static(b"placed"))?;
    }
    done("a folder can be settled", store.settle(&key("p")))?;
    let law = "a placed object takes nobody's place";
    let object = or_fail("an object can be created", store.create(&key("p/3")))?;
    done("an object can be put", store.put(&key("p/3"), Bytes::new()))?;
    is_exists(law, &object.place())
}

fn removal(store: &dyn Store) -> Result<(), Failure> {
    for name in ["x/y/1", "x/y/2", "x/3"] {
        done("an object can be put", store.put(&key(name), Bytes::new()))?;
    }
    done("an object can be removed", store.remove(&key("x/y/1")))?;
    equal(
        "a removed object is gone",
        &exists(store, &key("x/y/1")),
        &false,
    )?;
    let (two, none, three) = (key("x/y/2"), key("x/y/none"), key("x/3"));
    let answers = store.remove_many(&[&two, &none]);
    let [Ok(()), Err(StoreError::NotFound { .. })] = answers.as_slice() else {
        return fail("each removal is answered for itself", &answers);
    };
    let prefixes = list_all(store, &key("x")).map(|listing| listing.prefixes);
    equal("a folder goes with its last object", &prefixes, &Vec::new())?;
    done("an object can be removed", store.remove(&three))?;
    equal(
        "and so do the folders above",
        &list_all(store, FOLDER),
        &Listing::default(),
    )?;
    let put = store.put(&three, Bytes::from_static(b"new"));
    done("a key can be used again", put)
}

/// Removes the objects that a law left.
fn clean(store: &dyn Store) -> Result<(), Failure> {
    let law = "what is listed can be removed";
    for object in or_fail(law, store.list_recursive(FOLDER))? {
        done(law, store.remove(&object.key))?;
    }
    Ok(())
}

fn key(name: &str) -> String {
    join(FOLDER, name)
}
