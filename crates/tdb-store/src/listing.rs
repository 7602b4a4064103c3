/// The entries directly in a folder, or one page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The objects, sorted by key.
    pub objects: Vec<Object>,
    /// The folders, as whole keys without a final slash, but sorted as if each had one.
    pub prefixes: Vec<String>,
    /// Names that cannot be keys, for example because they are not UTF-8; invalid bytes are replaced.
    pub foreign: Vec<String>,
    /// Where the next page begins; `None` on the last page.
    pub next: Option<Page>,
}

/// One object in a [`Listing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The whole key.
    pub key: String,
    /// The size in bytes; `None` if the store would need another request for it, as for local files.
    pub size: Option<u64>,
}

/// Position at which a listing continues. Only the store that created it can interpret it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page(String);

impl Page {
    /// Wraps a token of a store; meant for implementations of [`Store`](crate::Store).
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// Returns the token given to [`Page::new`].
    pub fn token(&self) -> &str {
        &self.0
    }
}
