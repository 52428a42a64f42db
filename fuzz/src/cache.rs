//! Records of a team's cache from any bytes: refused and named, or exactly what was written.

use std::error::Error;
use std::fs;
use std::sync::{Arc, Mutex};

use loligo_compiler::{
    CacheKey, CacheKind, CacheMode, CacheStore, Compilers, Project, StoreError, StoredEntry,
    TeamCache, Threads, rewrite_record, verify,
};
use loligo_resources::ContentHash;

/// Where the body of a record begins: what is before has the hash of what follows.
const BODY: usize = 44;

/// Reads a record, which follows its key of 32 bytes, as a compile and as a check of a cache do.
pub fn cache_record(bytes: &[u8]) {
    let Some((key, record)) = bytes.split_first_chunk::<32>() else { return };
    let key = CacheKey { kind: CacheKind::Record, hash: ContentHash(*key) };
    let store = Entries(Mutex::new(vec![(key, record.to_vec())]));
    let damages = verify(&store, true).expect("memory answers");
    let is_left = !store.list().expect("memory answers").is_empty();
    match rewrite_record(key.hash, record) {
        Some(written) => {
            assert!(damages.is_empty() && is_left, "what is read is whole");
            assert_eq!(written[BODY..], record[BODY..], "a record is written in one way");
        }
        None => {
            assert!(damages.len() == 1 && damages[0].key == key, "the entry is named");
            assert!(!is_left, "it is removed");
        }
    }
}

/// Returns inputs to begin with, as the other seeds: the records of a small project.
///
/// # Errors
///
/// What the system says of the project's folder.
pub fn seeds() -> Result<Vec<(&'static str, &'static str, Vec<u8>)>, Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let (sources, data) = (place.path().join("sources"), place.path().join("data"));
    fs::create_dir_all(&sources)?;
    fs::write(sources.join("exit.data"), "EXIT")?;
    fs::write(sources.join("long.data"), "long ".repeat(7_000))?;
    fs::write(sources.join("level.package"), "data = [ \"*\" ]")?;
    let (store, compilers) = (Arc::new(Entries::default()), Compilers::built_in());
    let cache = TeamCache::new(Arc::clone(&store) as Arc<dyn CacheStore>, CacheMode::Write);
    let mut project = Project::new(&sources, &data, &compilers);
    project.set_cache(&cache);
    let report = project.compile(&Threads::default())?;
    assert!(report.errors.is_empty() && report.notes.is_empty(), "{:?}", report.notes);
    let names = ["questions", "long", "inline", "package"];
    let entries = store.0.lock().map_err(|_| "a thread has panicked")?;
    let mut records: Vec<_> =
        entries.iter().filter(|(key, _)| key.kind == CacheKind::Record).collect();
    records.sort_by_key(|(_, bytes)| bytes.len());
    assert_eq!(records.len(), names.len(), "one of each of the data, two of the package");
    let seed = |(name, (key, bytes)): (_, &(CacheKey, Vec<u8>))| {
        ("cache_record", name, [&key.hash.0, &**bytes].concat())
    };
    let seeds: Vec<_> = names.into_iter().zip(records.iter().copied()).map(seed).collect();
    for (_, _, bytes) in &seeds {
        check_near(bytes);
    }
    Ok(seeds)
}

/// Reads a record and what is near to it: cut at each place, and with each byte changed.
fn check_near(bytes: &[u8]) {
    cache_record(bytes);
    for at in 0..bytes.len() {
        cache_record(&bytes[..at]);
        let mut changed = bytes.to_vec();
        changed[at] ^= 1 << (at % 8);
        cache_record(&changed);
    }
}

/// A cache in memory.
#[derive(Default)]
struct Entries(Mutex<Vec<(CacheKey, Vec<u8>)>>);

impl Entries {
    fn with<R>(&self, act: impl FnOnce(&mut Vec<(CacheKey, Vec<u8>)>) -> R) -> R {
        act(&mut self.0.lock().expect("nobody panics with it"))
    }
}

impl CacheStore for Entries {
    fn place(&self) -> String {
        "memory".into()
    }

    fn get(&self, key: CacheKey, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.with(|all| all.iter().find(|(of, _)| *of == key).cloned());
        match found {
            Some((_, bytes)) if bytes.len() as u64 > bytes_max => {
                Err(StoreError::TooLong { bytes_max })
            }
            found => Ok(found.map(|(_, bytes)| bytes)),
        }
    }

    fn put(&self, key: CacheKey, bytes: &[u8]) -> Result<(), StoreError> {
        self.remove(key)?;
        self.with(|all| all.push((key, bytes.to_vec())));
        Ok(())
    }

    fn list(&self) -> Result<Vec<StoredEntry>, StoreError> {
        let entry = |(key, bytes): &(CacheKey, Vec<u8>)| StoredEntry {
            key: *key,
            bytes: bytes.len() as u64,
            used_seconds: 0,
        };
        Ok(self.with(|all| all.iter().map(entry).collect()))
    }

    fn remove(&self, key: CacheKey) -> Result<(), StoreError> {
        self.with(|all| all.retain(|(of, _)| *of != key));
        Ok(())
    }
}
