//! One compile's use of a cache.

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

use loligo_resources::ContentHash;

use super::answers::Answers;
use super::cache_report::CacheReport;
use super::key::{CacheKey, CacheKind};
use super::record::{CachedResult, Question, RECORD_BYTES_MAX, Record, next_key};
use super::state::CacheState;
use super::store::StoreError;
use super::team_cache::{CacheMode, TeamCache};
use crate::context::{Asked, Shared};
use crate::dependency::Dependency;
use crate::hash::{hash_of, hash_of_pieces};
use crate::index::Output;
use crate::resource_name::ResourceName;

/// The version of how keys are made.
const KEY_VERSION: u32 = 1;

/// The most lists of questions on the way to a result. Each has something that the ones before had
/// not, so compilers have few; records of others can have any number.
const STEPS_MAX: usize = 16;

/// The most bytes of a compiled resource in a cache.
const BLOB_BYTES_MAX: u64 = 2 << 30;

/// What identifies a resource before its compiler has run.
#[derive(Clone, Copy)]
pub(crate) struct Identity<'i> {
    pub(crate) name: &'i ResourceName,
    pub(crate) source: &'i Arc<str>,
    /// The hash of versions, byte order and the like.
    pub(crate) recipe: ContentHash,
}

/// How far a search came: where the result of a compile is to be written.
pub(crate) struct Trail {
    key: ContentHash,
    /// What was asked on the way, with the answers.
    known: BTreeMap<Question, Dependency>,
}

/// What a search found.
pub(crate) enum Found {
    /// A compiled resource, all of which was checked.
    Hit(Vec<u8>, Asked),
    /// Nothing; the trail is for [`CacheClient::put`].
    Miss(Option<Trail>),
}

/// What is under a key.
enum Fetched {
    Record(Record),
    /// Nothing that can be used: it can be written.
    Absent,
    /// It is not known.
    Unknown,
}

/// One compile's use of a cache.
pub(crate) struct CacheClient<'c> {
    cache: &'c TeamCache,
    answers: Answers<'c>,
    state: CacheState,
}

impl<'c> CacheClient<'c> {
    pub(crate) fn new(cache: &'c TeamCache, shared: Shared<'c>) -> Self {
        Self { cache, answers: Answers::new(shared), state: CacheState::default() }
    }

    /// Looks for a resource.
    pub(crate) fn find(&self, identity: Identity<'_>) -> Found {
        let found =
            if self.state.is_left_out() { Found::Miss(None) } else { self.search(identity) };
        if matches!(found, Found::Miss(_)) {
            self.state.misses.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    /// Writes a resource that was compiled, if this client may.
    pub(crate) fn put(&self, trail: Trail, bytes: &[u8], asked: &Asked, took: Duration) {
        let is_writer = self.cache.mode() == CacheMode::Write && !self.state.is_read_only();
        if !is_writer || bytes.len() as u64 > BLOB_BYTES_MAX {
            return;
        }
        let mut missing = Vec::new();
        for dependency in &asked.dependencies {
            match trail.known.get(&Question::of(dependency)) {
                None => missing.push(dependency.clone()),
                Some(known) if known == dependency => {}
                // The source was saved while it was being compiled.
                Some(_) => return,
            }
        }
        let output = Output { file: hash_of(bytes), bytes: bytes.len() as u64 };
        let result = CachedResult {
            took,
            output,
            inline: CachedResult::inlined(bytes),
            dependencies: asked.dependencies.clone(),
            names: asked.names.clone(),
            references: asked.references.clone(),
        };
        // The bytes before the result, that before the questions that lead to it: a reader that
        // comes between finds nothing yet.
        let blob = CacheKey { kind: CacheKind::Blob, hash: output.file };
        let is_put = result.inline.is_some() || self.store_put(blob, bytes.to_vec());
        let questions = missing.iter().map(Question::of).collect::<Vec<_>>();
        let key = if missing.is_empty() { trail.key } else { next_key(trail.key, &missing) };
        let is_put = is_put && self.put_record(key, &Record::Result(result));
        let is_put = is_put
            && (missing.is_empty() || self.put_record(trail.key, &Record::Questions(questions)));
        if is_put {
            self.state.written.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns what the cache did, and what the user should know.
    pub(crate) fn into_report(self) -> (CacheReport, Vec<String>) {
        self.state.into_report()
    }

    fn search(&self, identity: Identity<'_>) -> Found {
        let source = Question::File(identity.source.clone());
        // What cannot be read is an error of its compiler.
        let Some(answer) = self.answers.answer(&source) else { return Found::Miss(None) };
        let key = next_key(key_of(identity), core::slice::from_ref(&answer));
        let mut trail = Trail { key, known: BTreeMap::from([(source, answer)]) };
        for _ in 0..STEPS_MAX {
            let questions = match self.fetch(trail.key) {
                Fetched::Record(Record::Questions(questions)) => questions,
                Fetched::Record(Record::Result(result)) => return self.check(result, trail),
                Fetched::Absent => return Found::Miss(Some(trail)),
                Fetched::Unknown => return Found::Miss(None),
            };
            let answers = questions.iter().map(|question| self.answers.answer(question));
            let Some(answers) = answers.collect::<Option<Vec<_>>>() else {
                return Found::Miss(None);
            };
            trail.key = next_key(trail.key, &answers);
            trail.known.extend(questions.into_iter().zip(answers));
        }
        Found::Miss(None)
    }

    /// Compares a result with the project, and its bytes with their hash.
    fn check(&self, result: CachedResult, trail: Trail) -> Found {
        let is_so = |made_of: &Dependency| {
            self.answers.answer(&Question::of(made_of)).as_ref() == Some(made_of)
        };
        let record = CacheKey { kind: CacheKind::Record, hash: trail.key };
        if !result.dependencies.iter().all(is_so) {
            self.damage(record, "was made of other sources");
            return Found::Miss(Some(trail));
        }
        let Output { file, bytes } = result.output;
        let blob = CacheKey { kind: CacheKind::Blob, hash: file };
        let found = match result.inline {
            Some(bytes) => Ok(Some(bytes)),
            None if bytes > BLOB_BYTES_MAX => Ok(None),
            None => self.store_get(blob, bytes),
        };
        match found {
            Ok(Some(found)) if found.len() as u64 == bytes && hash_of(&found) == file => {
                self.state.hit(result.took);
                let CachedResult { dependencies, names, references, .. } = result;
                Found::Hit(found, Asked { dependencies, names, references })
            }
            Ok(Some(_)) | Err(StoreError::TooLong { .. }) => {
                self.damage(blob, "does not have the bytes that it is named after");
                Found::Miss(Some(trail))
            }
            // It was removed to make room.
            Ok(None) => Found::Miss(Some(trail)),
            Err(error) => {
                self.state.fail(&self.place(), &error, false);
                Found::Miss(None)
            }
        }
    }

    fn fetch(&self, key: ContentHash) -> Fetched {
        let name = CacheKey { kind: CacheKind::Record, hash: key };
        match self.store_get(name, RECORD_BYTES_MAX) {
            Ok(None) => Fetched::Absent,
            Ok(Some(bytes)) => match Record::from_bytes(key, &bytes) {
                Some(record) => Fetched::Record(record),
                None => {
                    self.damage(name, "is damaged");
                    Fetched::Absent
                }
            },
            Err(StoreError::TooLong { .. }) => {
                self.damage(name, "is longer than any record");
                Fetched::Absent
            }
            Err(error) => {
                self.state.fail(&self.place(), &error, false);
                Fetched::Unknown
            }
        }
    }

    fn put_record(&self, key: ContentHash, record: &Record) -> bool {
        self.store_put(CacheKey { kind: CacheKind::Record, hash: key }, record.to_bytes(key))
    }

    fn store_get(&self, key: CacheKey, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let call = || self.cache.store().call(move |store| store.get(key, bytes_max));
        let found = self.state.timed(call);
        let bytes = found.as_ref().map_or(0, |found| found.as_ref().map_or(0, Vec::len));
        self.state.bytes_read.fetch_add(bytes as u64, Ordering::Relaxed);
        if self.cache.mode() == CacheMode::Read && self.state.is_slow(self.cache.loss_max()) {
            let why = "waiting for it takes longer than compiling";
            self.state.leave_out(&self.place(), why);
        }
        found
    }

    /// Writes an entry; returns whether it is there.
    fn store_put(&self, key: CacheKey, bytes: Vec<u8>) -> bool {
        if self.state.is_read_only() {
            return false;
        }
        let length = bytes.len() as u64;
        let call = || self.cache.store().call(move |store| store.put(key, &bytes));
        match self.state.timed(call) {
            Ok(()) => {
                let written = &self.state.bytes_written;
                written.fetch_add(length, Ordering::Relaxed);
                true
            }
            Err(error) => {
                self.state.fail(&self.place(), &error, true);
                false
            }
        }
    }

    fn damage(&self, key: CacheKey, what: &str) {
        self.state.damage(&self.place(), &key.to_string(), what);
    }

    fn place(&self) -> String {
        self.cache.store().place()
    }
}

/// Returns the key of a resource, whatever its source has in it.
fn key_of(identity: Identity<'_>) -> ContentHash {
    let Identity { name, recipe, .. } = identity;
    let (version, properties) = (KEY_VERSION.to_le_bytes(), name.properties.iter());
    let mut pieces: Vec<&[u8]> =
        vec![b"loligo cache resource", &version, &recipe.0, name.type_name.as_bytes()];
    pieces.push(name.name.as_bytes());
    pieces.extend(properties.map(String::as_bytes));
    hash_of_pieces(&pieces)
}

#[cfg(test)]
mod tests;
