//! Decompression of text files.

use std::io::{self, BufReader, Cursor, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;
use tdb_cells::files::InputError;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Least and greatest maximum window of zstd, as powers of two; its library accepts no larger one.
const WINDOWS: std::ops::RangeInclusive<u32> = 20..=if usize::BITS < 64 { 30 } else { 31 };

/// Message of the zstd library for a window that is too large; the error has no code.
const WINDOW_TOO_LARGE: &str = "Frame requires too much memory for decoding";

/// Returns the text of a file, decompressed while it is read if its first bytes are those of gzip or zstd, which no
/// UTF-8 text begins with. Decompression uses up to a quarter of `memory`, in bytes.
///
/// # Errors
/// The input fails.
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
        return Ok(Box::new(DecompressedInput {
            format: "gzip",
            window: None,
            unpacked,
        }));
    }
    if is_zstd {
        let mut unpacked = zstd::Decoder::new(whole)?;
        let window = (memory / 4)
            .checked_ilog2()
            .unwrap_or(0)
            .clamp(*WINDOWS.start(), *WINDOWS.end());
        unpacked.window_log_max(window)?;
        return Ok(Box::new(DecompressedInput {
            format: "zstd",
            // At the library's maximum, more memory would not help.
            window: (window < *WINDOWS.end()).then(|| 1_u64 << window),
            unpacked,
        }));
    }
    Ok(Box::new(whole))
}

/// Decompresses, and adds the name of the format to errors.
struct DecompressedInput<R> {
    format: &'static str,
    /// Maximum window in bytes that memory allows; `None` if more memory would not allow a larger one.
    window: Option<u64>,
    unpacked: R,
}

impl<R: Read> Read for DecompressedInput<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacked.read(out);
        read.map_err(|error| self.told(error))
    }
}

impl<R> DecompressedInput<R> {
    fn told(&self, error: io::Error) -> io::Error {
        let format = self.format;
        match (error.kind(), self.window) {
            (ErrorKind::Interrupted, _) => error,
            // Errors of the operating system, which have a code, are not about the contents.
            _ if error.raw_os_error().is_some() => error,
            (_, Some(allowed)) if error.to_string() == WINDOW_TOO_LARGE => {
                io::Error::other(InputError::Window { format, allowed })
            }
            _ => {
                let what = format!("not valid {format}: {error}");
                io::Error::new(ErrorKind::InvalidData, what)
            }
        }
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
        // Several compressed parts in a row are one text.
        let parts = [gzip("a,b\n"), gzip("1,2\n")].concat();
        assert_eq!(read(parts), Ok("a,b\n1,2\n".to_owned()));
        let parts = [zstd("a,b\n"), zstd("1,2\n")].concat();
        assert_eq!(read(parts), Ok("a,b\n1,2\n".to_owned()));
    }

    #[test]
    fn a_window_beyond_a_quarter_of_the_memory_is_a_limit() {
        let packed = |window: u32| {
            let mut packed = zstd::Encoder::new(Vec::new(), 1).expect("to memory");
            packed.window_log(window).expect("a window");
            packed.write_all(&[b'x'; 4096]).expect("to memory");
            packed.finish().expect("to memory")
        };
        let read = |bytes: Vec<u8>, memory: u64| {
            let mut unpacked = unpacked(Cursor::new(bytes), memory).expect("from memory");
            let read = unpacked.read_to_end(&mut Vec::new());
            read.map_err(InputError::from)
        };
        for window in [21, 27, 28] {
            let memory = 4 << window;
            assert_eq!(read(packed(window), memory).expect("it fits"), 4096);
            let behind = [packed(20), packed(window)].concat();
            for bytes in [packed(window), behind] {
                let error = read(bytes, memory - 1).expect_err("too large");
                assert_eq!(error.kind(), tdb_tile::ErrorKind::Memory);
                let allowed = 1_u64 << (window - 1);
                let told =
                    format!("zstd data with a window of more than {allowed} bytes (memory budget)");
                assert_eq!(error.to_string(), told);
            }
        }
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
