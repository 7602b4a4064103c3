//! Rates of file operations in the page cache: reading, writing, opening, listing.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::memory::FAR;
use super::pace::{Rates, rate};
use crate::outcome::Result;

/// Number of bytes read at once, few enough that they are still in the cache when they are decoded.
const PIECE: usize = 256 << 10;

/// Number of small files, and their size in bytes.
const FILES: usize = 200;
const SMALL: usize = 200;

pub(super) fn measure(rates: &mut Rates, folder: &Path) -> Result<()> {
    let place = folder.join("rates.part");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    large(rates, &place)?;
    small(rates, &place)?;
    Ok(fs::remove_dir_all(place)?)
}

fn large(rates: &mut Rates, place: &Path) -> Result<()> {
    let path = place.join("large");
    let mut far = vec![5_u8; FAR];
    let written = rate(FAR, || {
        let mut file = File::create(&path)?;
        for part in far.chunks(PIECE) {
            file.write_all(part)?;
        }
        // Data must be on disk, so syncing is included.
        Ok(file.sync_data()?)
    })?;
    rates.insert("write".into(), written);
    let mut file = File::open(&path)?;
    let mut near = vec![0_u8; PIECE];
    let reused = rate(FAR, || {
        file.seek(SeekFrom::Start(0))?;
        for _ in 0..FAR / PIECE {
            file.read_exact(&mut near)?;
        }
        Ok(())
    })?;
    rates.insert("read into cache".into(), reused);
    let result = rate(FAR, || {
        file.seek(SeekFrom::Start(0))?;
        for part in far.chunks_mut(1 << 20) {
            file.read_exact(part)?;
        }
        Ok(())
    })?;
    rates.insert("read into result".into(), result);
    let mut page = vec![0_u8; 4096];
    let mut at = 0_usize;
    let sought = rate(1, || {
        at = at.wrapping_mul(5).wrapping_add(0x3571) % (FAR / 4096);
        file.seek(SeekFrom::Start(at as u64 * 4096))?;
        Ok(file.read_exact(&mut page)?)
    })?;
    rates.insert("seek".into(), sought);
    Ok(())
}

fn small(rates: &mut Rates, place: &Path) -> Result<()> {
    let paths: Vec<_> = (0..FILES)
        .map(|number| place.join(format!("small{number}")))
        .collect();
    for path in &paths {
        fs::write(path, vec![1_u8; SMALL])?;
    }
    let mut buffer = vec![0_u8; SMALL];
    let opened = rate(FILES, || {
        for path in &paths {
            File::open(path)?.read_exact(&mut buffer)?;
        }
        Ok(())
    })?;
    rates.insert("open".into(), opened);
    let empty = place.join("empty");
    fs::create_dir(&empty)?;
    let list = |folder: &Path| -> Result<usize> { Ok(fs::read_dir(folder)?.count()) };
    let listed = rate(1, || list(&empty))?;
    rates.insert("list".into(), listed);
    let many = rate(FILES, || list(place))?;
    rates.insert("list a name".into(), many);
    let created = rate(FILES, || {
        for (path, number) in paths.iter().zip(0..) {
            let mut file = File::create(path.with_file_name(format!("new{number}")))?;
            file.write_all(&buffer)?;
            file.sync_data()?;
        }
        Ok(())
    })?;
    rates.insert("create".into(), created);
    Ok(())
}
