/// What lies directly in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The objects, sorted by key.
    pub objects: Vec<Object>,
    /// The folders, as whole keys without a slash at the end, sorted as if with one.
    pub prefixes: Vec<String>,
    /// Names that no key can hold, such as those that are not UTF-8, as readable as can be.
    pub foreign: Vec<String>,
    /// Where to go on, if there is more.
    pub next: Option<Page>,
}

/// One object in a [`Listing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The whole key.
    pub key: String,
    /// The size in bytes, where the store gets it without another request; files have none.
    pub size: Option<u64>,
}

/// Where a listing goes on. Only the store that made it knows what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page(String);

impl Page {
    /// For those who write a store.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// What [`Page::new`] was given.
    pub fn token(&self) -> &str {
        &self.0
    }
}
