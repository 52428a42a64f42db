//! The answers that this project gives to the questions of records.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use loligo_resources::ContentHash;

use super::record::Question;
use crate::context::Shared;
use crate::dependency::Dependency;
use crate::hash::hash_of;

/// What a file is: not there, of this hash, or not to be read.
type FileAnswer = Option<Option<ContentHash>>;

/// Answers questions as a [`Context`](crate::Context) would, and hashes each file once.
pub(super) struct Answers<'c> {
    shared: Shared<'c>,
    files: Mutex<HashMap<Arc<str>, FileAnswer>>,
    listings: Mutex<HashMap<Arc<str>, Option<ContentHash>>>,
}

impl<'c> Answers<'c> {
    pub(super) fn new(shared: Shared<'c>) -> Self {
        Self { shared, files: Mutex::default(), listings: Mutex::default() }
    }

    /// Returns the answer; none where a compiler would get an error in its place. What a path from
    /// a record leads to is looked for among the files that the project has, so no other is reached.
    pub(super) fn answer(&self, question: &Question) -> Option<Dependency> {
        Some(match question {
            Question::File(path) => Dependency::File { path: path.clone(), hash: self.file(path)? },
            Question::Listing(path) => {
                Dependency::Listing { path: path.clone(), hash: self.listing(path) }
            }
            Question::Option(name) => {
                let value = self.shared.options.get(&**name).map(|value| Arc::from(&**value));
                Dependency::Option { name: name.clone(), value }
            }
        })
    }

    fn file(&self, path: &Arc<str>) -> FileAnswer {
        if self.shared.tree.file(path).is_none() {
            return Some(None);
        }
        let files = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = files().get(path) {
            return *known;
        }
        // Read without the lock: two threads may do the same work, and none waits.
        let read = self.shared.tree.read(self.shared.project, path);
        let answer = read.ok().map(|bytes| Some(hash_of(&bytes)));
        *files().entry(path.clone()).or_insert(answer)
    }

    fn listing(&self, path: &Arc<str>) -> Option<ContentHash> {
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = listings.get(path) {
            return *known;
        }
        let hash = self.shared.tree.listing_hash(path);
        listings.insert(path.clone(), hash);
        hash
    }
}
