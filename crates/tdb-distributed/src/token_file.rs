//! Token files, which only their owner may access.

use std::env;
use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom, SystemRandom};

use crate::{ClusterError, Token};

/// Number of random bytes in a generated token.
const RANDOM: usize = 32;

/// File name of the user's token, in a folder of its own.
const NAME: &str = "token";

impl Token {
    /// Reads a token from a file with one line of [`Token::SHORTEST`] to [`Token::LONGEST`] bytes.
    ///
    /// # Errors
    /// A file that does not exist, belongs to another user, is accessible to other users, or does not contain a
    /// token.
    pub fn from_file(path: &Path) -> Result<Self, ClusterError> {
        let text = read(path)?;
        Self::new(&text).map_err(|error| of_file(path, error))
    }

    /// Returns the token shared by all workers and clients of this user on this machine. The first process creates
    /// it.
    ///
    /// # Errors
    /// As [`Token::from_file`]; a folder accessible to other users; no home folder.
    pub fn of_user() -> Result<Self, ClusterError> {
        let folder = folder().ok_or(ClusterError::Homeless)?;
        Self::in_folder(&folder)
    }

    /// Reads the token in a folder, creating it if there is none.
    fn in_folder(folder: &Path) -> Result<Self, ClusterError> {
        private_folder(folder)?;
        let path = folder.join(NAME);
        match Self::from_file(&path) {
            Err(ClusterError::TokenFile { source, .. })
                if source.kind() == io::ErrorKind::NotFound =>
            {
                make(folder, &path)?;
                Self::from_file(&path)
            }
            read => read,
        }
    }
}

/// The folder of the user's token, by the XDG rules for state: `$XDG_STATE_HOME/tdb/workers`, else
/// `~/.local/state/tdb/workers`.
fn folder() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute());
    let home = || env::var_os("HOME").map(PathBuf::from);
    let home = || home().filter(|home| home.is_absolute());
    let state = state.or_else(|| Some(home()?.join(".local/state")));
    Some(state?.join("tdb/workers"))
}

/// Creates a token file. If several processes do so concurrently, the first file stays and the others are discarded.
fn make(folder: &Path, path: &Path) -> Result<(), ClusterError> {
    let failed = |source| ClusterError::token_file(path, source);
    let mut random = [0; RANDOM];
    let filled = SystemRandom::new().fill(&mut random);
    filled.map_err(|_| failed(io::Error::other("the system gives no random bytes")))?;
    // A temporary file has mode 600 and a unique name.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    let text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    writeln!(file, "{text}").map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(failed(error.error)),
    }
}

/// Reads a file that only its owner may access; at most two bytes more than the longest token.
fn read(path: &Path) -> Result<String, ClusterError> {
    let failed = |source| ClusterError::token_file(path, source);
    #[expect(clippy::disallowed_methods, reason = "a file of the user is no object")]
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    check_private(path, &metadata, 0o600)?;
    let mut bytes = Vec::new();
    let mut part = file.take(Token::LONGEST as u64 + 2);
    part.read_to_end(&mut bytes).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| of_file(path, ClusterError::OddToken))
}

/// Creates the folder if needed, and checks that only the user may access it.
fn private_folder(folder: &Path) -> Result<(), ClusterError> {
    let failed = |source| ClusterError::token_file(folder, source);
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above).map_err(failed)?;
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    let metadata = folder.metadata().map_err(failed)?;
    check_private(folder, &metadata, 0o700)
}

/// Fails if another user owns the file or folder, or has any permission on it.
#[cfg(unix)]
fn check_private(path: &Path, metadata: &Metadata, mode: u32) -> Result<(), ClusterError> {
    use std::os::unix::fs::MetadataExt;

    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(ClusterError::ForeignToken {
            path: path.to_owned(),
            owner: metadata.uid(),
        });
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(ClusterError::open_token(
            path,
            metadata.mode() & 0o777,
            mode,
        ));
    }
    Ok(())
}

/// Other systems protect the user's folders by default.
#[cfg(not(unix))]
fn check_private(_: &Path, _: &Metadata, _: u32) -> Result<(), ClusterError> {
    Ok(())
}

/// Adds the path of the token file to an error.
fn of_file(path: &Path, error: ClusterError) -> ClusterError {
    ClusterError::InFile {
        path: path.to_owned(),
        error: Box::new(error),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path, mode: u32) {
        let mode = std::fs::Permissions::from_mode(mode);
        assert!(std::fs::set_permissions(path, mode).is_ok());
    }

    #[test]
    fn whoever_starts_first_makes_the_token_and_all_have_that_one() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("state/tdb/workers");
        let tokens: Vec<Token> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Token::in_folder(&folder).unwrap()))
                .collect();
            let ended = started.into_iter();
            ended.map(|thread| thread.join().unwrap()).collect()
        });
        let first = tokens[0].seeds().worker;
        assert!(tokens.iter().all(|token| token.seeds().worker == first));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join(NAME)), 0o600);
        // No temporary file is left.
        assert_eq!(folder.read_dir().unwrap().count(), 1);
        let text = std::fs::read_to_string(folder.join(NAME)).unwrap();
        assert_eq!(text.trim().len(), 2 * RANDOM);
    }

    #[test]
    fn a_token_that_others_may_read_or_that_is_no_token_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let told = |text: &[u8], bits| {
            std::fs::write(&path, text).unwrap();
            mode(&path, bits);
            let error = Token::from_file(&path).unwrap_err();
            let hint = error.hint().unwrap_or("").to_owned();
            let text = format!("{error} | {hint}");
            text.replace(&path.display().to_string(), "FILE")
        };
        let good = b"a token of 26 bytes, or so\n";
        let told = [
            told(good, 0o644),
            told(good, 0o620),
            told(b"", 0o600),
            told(b"short\n", 0o600),
            told(b"two lines\nof a token, both", 0o600),
            told(b"\xff\xfe a token that is no text", 0o600),
            told(&[b'x'; 5000], 0o600),
        ];
        insta::assert_snapshot!(told.join("\n"));
        std::fs::write(&path, good).unwrap();
        assert!(Token::from_file(&path).is_ok());
        mode(folder.path(), 0o755);
        let error = Token::in_folder(folder.path()).unwrap_err();
        assert!(matches!(error, ClusterError::OpenToken { .. }), "{error}");
    }
}
