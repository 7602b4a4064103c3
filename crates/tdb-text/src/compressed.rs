//! Texts that are compressed.

use std::io::{self, BufReader, Cursor, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The least and the greatest window of zstd, as powers of two, that is looked back to.
const WINDOWS: std::ops::RangeInclusive<u32> = 20..=27;

/// A text as it is, whether its bytes are compressed with gzip or zstd, as their first ones say, or not at all: neither
/// begins a text of UTF-8. It is unpacked as it is read, with up to a quarter of `memory`.
///
/// # Errors
/// Where the input fails.
pub fn unpacked<R: Read + Send + 'static>(
    mut input: R,
    memory: u64,
) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::new();
    let (gzip, zstd) = (GZIP.as_slice(), ZSTD.as_slice());
    input
        .by_ref()
        .take(ZSTD.len() as u64)
        .read_to_end(&mut start)?;
    let (is_gzip, is_zstd) = (start.starts_with(gzip), start.starts_with(zstd));
    let whole = Cursor::new(start).chain(input);
    if is_gzip {
        let unpacked = MultiGzDecoder::new(BufReader::new(whole));
        return Ok(Box::new(Unpacked("gzip", unpacked)));
    }
    if is_zstd {
        let mut unpacked = zstd::Decoder::new(whole)?;
        let window = (memory / 4).checked_ilog2().unwrap_or(0);
        unpacked.window_log_max(window.clamp(*WINDOWS.start(), *WINDOWS.end()))?;
        return Ok(Box::new(Unpacked("zstd", unpacked)));
    }
    Ok(Box::new(whole))
}

/// Names the compression where it does not hold together.
struct Unpacked<R>(&'static str, R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Self(format, unpacked) = self;
        unpacked.read(out).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => error,
            // What the system itself says of the file has a number.
            _ if error.raw_os_error().is_some() => error,
            kind => io::Error::new(kind, format!("not valid {format}: {error}")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(bytes: Vec<u8>) -> Result<String, String> {
        let mut text = String::new();
        let mut unpacked = unpacked(Cursor::new(bytes), 1 << 30).map_err(|e| e.to_string())?;
        let read = unpacked.read_to_string(&mut text);
        read.map(|_| text).map_err(|error| error.to_string())
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).expect("to memory");
        packed.finish().expect("to memory")
    }

    #[test]
    fn the_first_bytes_tell_the_compression() {
        let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).expect("to memory");
        assert_eq!(read(b"a".to_vec()), Ok("a".to_owned()));
        assert_eq!(read(Vec::new()), Ok(String::new()));
        // Several parts behind one another are one text.
        let parts = [gzip("a,b\n"), gzip("1,2\n")].concat();
        assert_eq!(read(parts), Ok("a,b\n1,2\n".to_owned()));
        let parts = [zstd("a,b\n"), zstd("1,2\n")].concat();
        assert_eq!(read(parts), Ok("a,b\n1,2\n".to_owned()));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        for (format, whole) in [
            ("gzip", gzip("a,b\n1,2\n")),
            (
                "zstd",
                zstd::encode_all(&b"a,b\n1,2\n"[..], 1).expect("to memory"),
            ),
        ] {
            let cut = whole[..whole.len() - 3].to_vec();
            let error = read(cut).expect_err("cut off");
            assert!(
                error.starts_with(&format!("not valid {format}: ")),
                "{error}"
            );
        }
    }
}
