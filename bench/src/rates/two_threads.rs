//! The gain from a second thread on this machine: the same work without shared data, done by one thread and by two at
//! once. Cores that share execution units, caches or a busy host do less than twice as much.

use std::hint::black_box;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use serde_json::Value;
use sha2::Digest;

use super::codecs::decoder;
use super::frames::{Frame, frames};
use super::memory::NEAR;
use super::pace::Rates;
use super::sorting::scattered;
use crate::outcome::Result;

/// Number of passes with one thread and with two, alternating, of which the fastest count.
const PASSES: usize = 7;

/// Number of times that a thread does its work per pass.
const TIMES: usize = 8;

/// Number of uncompressed bytes of stored pieces.
const SAMPLE: usize = 4 << 20;

/// Number of bytes to copy, which fit in no cache.
const COPIED: usize = 64 << 20;

/// Number of keys to sort.
const KEYS: u32 = 1 << 19;

/// The work of one thread, on its own memory.
type Work = Box<dyn FnMut() -> Result<()>>;

/// Measures copying, sorting and MD5.
pub(super) fn measure(rates: &mut Rates) -> Result<()> {
    gain("copy", rates, || {
        let (from, mut to) = (vec![3_u8; COPIED], vec![2_u8; COPIED]);
        Ok(Box::new(move || {
            to.copy_from_slice(black_box(&from));
            Ok(())
        }))
    })?;
    gain("sort", rates, || {
        let keys: Vec<u64> = (0..KEYS).map(scattered).collect();
        Ok(Box::new(move || {
            let mut keys = keys.clone();
            keys.sort_unstable();
            black_box(keys);
            Ok(())
        }))
    })?;
    gain("md5", rates, || {
        let piece = vec![9_u8; NEAR];
        Ok(Box::new(move || {
            for _ in 0..SAMPLE / NEAR {
                black_box(md5::Md5::digest(black_box(&piece)));
            }
            Ok(())
        }))
    })
}

/// Measures decoding of stored data, with the first file of each codec.
pub(super) fn of_stored(jobs: &[Value], rates: &mut Rates) -> Result<()> {
    let mut seen = Vec::new();
    for job in jobs {
        let text = |key: &str| job.get(key).and_then(Value::as_str);
        let (Some(_), Some(file), Some(codec)) = (text("decode"), text("file"), text("codec"))
        else {
            continue;
        };
        if seen.contains(&codec) {
            continue;
        }
        seen.push(codec);
        gain(codec, rates, || {
            let frames = frames(Path::new(file), SAMPLE)?;
            let largest = frames.iter().map(|frame| frame.size).max();
            let mut out = vec![0; largest.ok_or("no pieces")?];
            let mut decode = decoder(codec)?;
            Ok(Box::new(move || {
                for Frame { size, stored } in &frames {
                    decode(stored, out.get_mut(..*size).ok_or("no room")?)?;
                }
                Ok(())
            }))
        })?;
    }
    Ok(())
}

/// Measures how often per second work is done, by one thread and by two together.
fn gain(name: &str, rates: &mut Rates, make: impl Fn() -> Result<Work> + Sync) -> Result<()> {
    let mut fastest = [(1, f64::INFINITY), (2, f64::INFINITY)];
    for _ in 0..PASSES {
        for (threads, fastest) in &mut fastest {
            *fastest = fastest.min(seconds(*threads, &make)?);
        }
    }
    let [(_, one), (_, two)] = fastest;
    let times = TIMES as f64;
    rates.insert(format!("one thread: {name}"), times / one);
    rates.insert(format!("two threads: {name}"), 2.0 * times / two);
    Ok(())
}

/// Returns the wall clock seconds until all threads have done their work, without their preparation.
fn seconds(threads: usize, make: &(impl Fn() -> Result<Work> + Sync)) -> Result<f64> {
    let ready = Barrier::new(threads + 1);
    let work = || -> std::result::Result<(), String> {
        let warm = make().and_then(|mut work| work().map(|()| work));
        ready.wait();
        let mut work = warm.map_err(|error| error.to_string())?;
        for _ in 0..TIMES {
            work().map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        ready.wait();
        let started = Instant::now();
        for thread in running {
            thread.join().map_err(|_| "a thread has failed")??;
        }
        Ok(started.elapsed().as_secs_f64())
    })
}
