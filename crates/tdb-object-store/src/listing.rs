//! Listings of folders.

use std::collections::BTreeMap;

use object_store::list::PaginatedListOptions;
use object_store::path::Path;
use object_store::{ListResult, ObjectStore};
use tdb_store::{Listing, Object, Page, StoreError, join};

use crate::error::{broken, failed};
use crate::remote::Remote;

const CIRCLES: &str = "the server lists the same names again: the listing goes in circles";
const ENDLESS: &str = "the server gives pages without a name, and does not come to an end";

/// Maximum number of consecutive pages without entries.
const EMPTY: u64 = 1000;

/// Lists one page of a folder, or the whole folder if the store does not list in pages.
pub(crate) async fn list(
    remote: &Remote,
    prefix: &str,
    page: Option<Page>,
) -> Result<Listing, StoreError> {
    let path = join(&remote.root, prefix);
    let folder = path.trim_end_matches('/');
    let before = ListingProgress::of(page.as_ref());
    let (found, next) = match &remote.pages {
        Some(pages) => {
            let options = PaginatedListOptions {
                delimiter: Some("/".into()),
                page_token: before.token.clone(),
                ..PaginatedListOptions::default()
            };
            let within = inside(folder);
            let answer = pages
                .list_paginated(within.as_deref(), options)
                .await
                .map_err(|error| failed(named(prefix), error))?;
            (answer.result, answer.page_token)
        }
        None => (whole(remote, folder, prefix).await?, None),
    };
    let mut listing = within(&remote.root, folder, found);
    let last = before
        .goes_on(&listing)
        .map_err(|what| broken(named(prefix), what))?;
    listing.next = next.filter(|token| !token.is_empty()).map(|token| {
        let after = ListingProgress {
            token: Some(token),
            ..last
        };
        after.page()
    });
    Ok(listing)
}

/// Returns the name of a folder for error messages; the root has none of its own.
fn named(prefix: &str) -> &str {
    if prefix.is_empty() { "/" } else { prefix }
}

/// Returns the prefix of all paths in a folder; `None` for the root.
fn inside(folder: &str) -> Option<String> {
    (!folder.is_empty()).then(|| format!("{folder}/"))
}

/// Lists all objects in and below a folder with their sizes, by prefix instead of folder by folder. Returns `None` if
/// the store cannot list in pages.
pub(crate) async fn list_recursive(
    remote: &Remote,
    prefix: &str,
) -> Result<Option<BTreeMap<String, u64>>, StoreError> {
    let Some(pages) = &remote.pages else {
        return Ok(None);
    };
    let path = join(&remote.root, prefix);
    let folder = path.trim_end_matches('/');
    let mut objects = BTreeMap::new();
    let within = inside(folder);
    let (mut token, mut empty) = (None, 0_u64);
    loop {
        let options = PaginatedListOptions {
            page_token: token,
            ..PaginatedListOptions::default()
        };
        let answer = pages
            .list_paginated(within.as_deref(), options)
            .await
            .map_err(|error| failed(named(prefix), error))?;
        let before = objects.len();
        for object in &answer.result.objects {
            let path = object.location.as_ref();
            let inside = below(path, folder).filter(|name| !name.is_empty());
            let Some(key) = inside.and_then(|_| below(path, &remote.root)) else {
                continue;
            };
            let size = objects.entry(key.to_owned()).or_insert(object.size);
            // An object `a` and the folder marker `a/` arrive under the same name: keep the larger size.
            *size = object.size.max(*size);
        }
        let is_news = objects.len() > before;
        if !is_news && answer.result.objects.iter().any(|object| object.size > 0) {
            return Err(broken(named(prefix), CIRCLES));
        }
        empty = if is_news { 0 } else { empty + 1 };
        if empty > EMPTY {
            return Err(broken(named(prefix), ENDLESS));
        }
        token = answer.page_token.filter(|token| !token.is_empty());
        if token.is_none() {
            return Ok(Some(objects));
        }
    }
}

/// State of a listing after its previous pages. It is stored in the token of the next page, so that a listing that
/// repeats itself or never ends is noticed.
#[derive(Debug, Default)]
struct ListingProgress {
    token: Option<String>,
    /// The last name so far; names of folders end in a slash.
    last: String,
    /// The number of consecutive pages without entries up to here.
    empty: u64,
}

impl ListingProgress {
    fn of(page: Option<&Page>) -> Self {
        let parts = page.and_then(|page| {
            let (empty, rest) = page.token().split_once(' ')?;
            let (length, rest) = rest.split_once(' ')?;
            let (last, token) = rest.split_at_checked(length.parse().ok()?)?;
            Some((empty.parse().ok()?, last, token))
        });
        parts.map_or_else(Self::default, |(empty, last, token)| Self {
            token: Some(token.to_owned()),
            last: last.to_owned(),
            empty,
        })
    }

    fn page(&self) -> Page {
        let Self { token, last, empty } = self;
        let token = token.as_deref().unwrap_or("");
        Page::new(format!("{empty} {} {last}{token}", last.len()))
    }

    /// Returns the state after `page`; an error if the page does not continue after the previous ones.
    fn goes_on(self, page: &Listing) -> Result<Self, &'static str> {
        let objects = page.objects.iter().map(|object| object.key.clone());
        let folders = page.prefixes.iter().map(|folder| format!("{folder}/"));
        let (mut last, mut is_empty) = (self.last.clone(), true);
        for name in objects.chain(folders) {
            if name <= self.last {
                return Err(CIRCLES);
            }
            is_empty = false;
            last = last.max(name);
        }
        // The number comes from a token, and is not more than `EMPTY` unless somebody made the token.
        let empty = match self.empty {
            _ if !is_empty => 0,
            EMPTY.. => return Err(ENDLESS),
            before => before + 1,
        };
        Ok(Self {
            token: None,
            last,
            empty,
        })
    }
}

async fn whole(remote: &Remote, folder: &str, prefix: &str) -> Result<ListResult, StoreError> {
    let path = if folder.is_empty() {
        None
    } else {
        let path = Path::parse(folder);
        Some(path.map_err(|error| broken(named(prefix), error.to_string()))?)
    };
    let found = remote.store.list_with_delimiter(path.as_ref()).await;
    found.map_err(|error| failed(named(prefix), error))
}

/// Converts an answer into the listing of a folder. Leaves out folder markers: objects with the name of the folder
/// itself, which some programs create to make an empty folder visible.
fn within(root: &str, folder: &str, found: ListResult) -> Listing {
    let key = |path: &Path| {
        let path = path.as_ref();
        let name = below(path, folder)?;
        // A folder with a marker is listed with its slash, which is not part of the name.
        let is_direct = !name.is_empty() && !name.contains('/');
        is_direct.then(|| below(path, root).map(str::to_owned))?
    };
    let mut listing = Listing::default();
    for object in found.objects {
        if let Some(key) = key(&object.location) {
            listing.objects.push(Object {
                key,
                size: Some(object.size),
            });
        }
    }
    listing.prefixes = found.common_prefixes.iter().filter_map(key).collect();
    listing.objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    let sorted_as = |folder: &String| format!("{folder}/");
    listing.prefixes.sort_by_cached_key(sorted_as);
    listing
}

/// Returns the part of a path below a folder; `None` if the path is not in it.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}
