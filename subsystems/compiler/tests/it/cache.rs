//! A cache that machines share gives the bytes that a compile gives, whatever becomes of it.

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use loligo_compiler::{
    CacheKey, CacheKind, CacheMode, CacheReport, CacheStore, CompileShard, Compilers,
    DirectoryStore, Platform, Project, Report, StoreError, StoredEntry, Target, TeamCache, summary,
    trim, verify,
};

use crate::place::{Place, contents, index, two};
use crate::scripted::compilers;

/// A project with all that a resource can be made of, and one that is too long for a record.
fn project() -> Place {
    let place = Place::with(&[
        ("a.script", "read t.txt\nlist in\noption quality\nname width\nrefer script b"),
        ("b.script", "alone"),
        ("c.script", "read none.txt\nread in/u.txt"),
        ("in/u.txt", "u"),
        ("t.txt", "t"),
        ("in/d.fr.data", "french"),
        ("all.package", "script = [ \"*\" ]"),
    ]);
    place.write("long.data", &"long ".repeat(20_000));
    place
}

/// The number of its resources.
const COUNT: usize = 6;

/// A folder for a cache and for the data of machines.
struct Team(tempfile::TempDir, AtomicU64);

impl Team {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"), AtomicU64::new(0))
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    fn store(&self) -> DirectoryStore {
        DirectoryStore::create(&self.folder()).expect("it may be made")
    }

    fn cache(&self, mode: CacheMode) -> TeamCache {
        TeamCache::new(Arc::new(self.store()), mode)
    }

    /// Compiles a project as a machine does that has nothing yet, and returns where its data are.
    fn compile_new(
        &self,
        place: &Place,
        compilers: &Compilers,
        cache: &TeamCache,
    ) -> (Report, PathBuf) {
        let number = self.1.fetch_add(1, Ordering::Relaxed);
        let data = self.0.path().join(format!("data{number}"));
        let mut project = Project::new(&place.sources(), &data, compilers);
        project.set_cache(cache);
        let report = project.compile(&two()).expect("it can be written");
        assert_eq!(report.errors, [], "nothing is wrong");
        (report, data)
    }

    /// Compiles, and compares with a compile without a cache.
    fn check(&self, place: &Place, cache: &TeamCache, what: &str) -> Report {
        let compilers = compilers(1);
        let (report, data) = self.compile_new(place, &compilers, cache);
        place.compiled(&compilers);
        assert_eq!(contents(&data), contents(&place.data()), "{what}: the same bytes");
        assert_eq!(index(&data).entries, index(&place.data()).entries, "{what}: the same is known");
        report
    }

    /// Returns the files of the cache's entries.
    fn entries(&self) -> Vec<PathBuf> {
        let entries = self.store().list().expect("it can be listed");
        let mut files: Vec<PathBuf> =
            entries.iter().map(|entry| self.folder().join(entry.key.to_string())).collect();
        files.sort();
        files
    }
}

fn did(report: &Report) -> &CacheReport {
    report.cache.as_ref().expect("there is a cache")
}

#[test]
fn what_one_machine_has_compiled_another_takes() {
    let (team, place) = (Team::new(), project());
    let first = team.check(&place, &team.cache(CacheMode::Write), "the first");
    assert_eq!((first.compiled, first.cached), (COUNT, 0));
    assert_eq!((did(&first).hits, did(&first).misses, did(&first).written), (0, 6, 6));
    let second = team.check(&place, &team.cache(CacheMode::Read), "the second");
    assert_eq!((second.compiled, second.cached), (0, COUNT));
    let CacheReport { hits, misses, written, bytes_read, bytes_written, damaged, .. } =
        *did(&second);
    assert_eq!((hits, misses, written, bytes_written, damaged), (6, 0, 0, 0, 0));
    assert_eq!(bytes_read, did(&first).bytes_written, "all is read that was written");
    assert_eq!(second.notes, [] as [&str; 0], "there is nothing to say");
}

#[test]
fn a_reader_writes_nothing() {
    let (team, place) = (Team::new(), project());
    drop(team.store());
    let report = team.check(&place, &team.cache(CacheMode::Read), "nothing is there");
    assert_eq!((report.compiled, did(&report).misses), (COUNT, 6));
    assert_eq!(team.entries(), [] as [PathBuf; 0], "nothing was written");
}

#[test]
fn whatever_a_resource_is_made_of_decides_whether_it_is_found() {
    let (team, place) = (Team::new(), project());
    let cache = team.cache(CacheMode::Write);
    team.check(&place, &cache, "the first");
    let compiled = |what: &str| team.check(&place, &cache, what).compiled;
    place.write("t.txt", "u");
    assert_eq!(compiled("a file that a script reads"), 1);
    place.write("none.txt", "is there now");
    assert_eq!(compiled("a file that was absent, in a folder that a package lists"), 2);
    place.write("in/more.txt", "");
    assert_eq!(compiled("the names in a folder"), 1);
    place.write("b.script", "other");
    assert_eq!(compiled("a source"), 1);
    // And all the way back: each state was written once, and is found again.
    place.write("b.script", "alone");
    place.remove("in/more.txt");
    place.remove("none.txt");
    place.write("t.txt", "t");
    assert_eq!(compiled("all as it was"), 0);
    place.write("t.txt", "u");
    assert_eq!(compiled("as it was once"), 0);
}

#[test]
fn versions_byte_order_options_and_names_are_part_of_the_key() {
    let (team, place) = (Team::new(), project());
    let cache = team.cache(CacheMode::Write);
    team.check(&place, &cache, "the first");
    let compiled = |version: u32, target: Target, quality: Option<&str>| {
        let compilers = compilers(version);
        let data = tempfile::tempdir().expect("a temporary folder");
        let mut project = Project::new(&place.sources(), &data.path().join("d"), &compilers);
        project.set_target(target);
        quality.iter().for_each(|value| project.set_option("quality", value));
        project.set_cache(&cache);
        project.compile(&two()).expect("it can be written").compiled
    };
    let here = Target::default;
    assert_eq!(compiled(1, here(), None), 0, "as it was");
    assert_eq!(compiled(1, here(), Some("high")), 1, "an option that one asks for");
    assert_eq!(compiled(1, here(), Some("high")), 0, "the same");
    assert_eq!(compiled(2, here(), None), 3, "another version of the scripts' compiler");
    let ps3 = Platform::find("ps3").expect("it is known");
    assert_eq!(compiled(1, Target { destination: ps3, ..here() }, None), COUNT, "the byte order");
    let shipped = Target { has_debug_names: false, ..here() };
    assert_eq!(compiled(1, shipped, None), COUNT, "without names");
}

#[test]
fn resources_with_the_same_source_are_not_mixed_up() {
    let team = Team::new();
    let place = Place::with(&[("a.data", "same"), ("b.data", "same"), ("a.fr.data", "same")]);
    team.check(&place, &team.cache(CacheMode::Write), "the first");
    let report = team.check(&place, &team.cache(CacheMode::Read), "the second");
    assert_eq!((report.compiled, report.cached), (0, 3));
}

#[test]
fn a_damaged_entry_is_found_reported_once_and_written_again() {
    let (team, place) = (Team::new(), project());
    team.check(&place, &team.cache(CacheMode::Write), "the first");
    let files = team.entries();
    assert!(files.iter().any(|file| file.starts_with(team.folder().join("blobs"))), "a blob, too");
    type Damage = fn(&[u8], &[u8]) -> Vec<u8>;
    let damages: [(&str, Damage); 5] = [
        ("empty", |_, _| Vec::new()),
        ("cut", |bytes, _| bytes[..bytes.len() - 1].to_vec()),
        ("a changed bit", |bytes, _| {
            let mut bytes = bytes.to_vec();
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            bytes
        }),
        ("longer", |bytes, _| [bytes, b"x"].concat()),
        ("another entry", |_, other| other.to_vec()),
    ];
    for (what, damage) in damages {
        for (at, file) in files.iter().enumerate() {
            let good = fs::read(file).expect("it is there");
            let other = fs::read(&files[(at + 1) % files.len()]).expect("it is there");
            fs::write(file, damage(&good, &other)).expect("it may be written");
            let report = team.check(&place, &team.cache(CacheMode::Read), what);
            assert_eq!((report.compiled, did(&report).damaged), (1, 1), "{what} {file:?}");
            let [note] = &*report.notes else { panic!("one note: {:?}", report.notes) };
            assert!(note.contains("its resource is recompiled"), "{note}");
            let report = team.check(&place, &team.cache(CacheMode::Write), what);
            assert_eq!((report.compiled, did(&report).written), (1, 1), "{what} {file:?}");
            assert_eq!(fs::read(file).expect("it is there").len(), good.len(), "{what}: repaired");
            let report = team.check(&place, &team.cache(CacheMode::Read), "repaired");
            assert_eq!((report.compiled, did(&report).damaged), (0, 0), "{what} {file:?}");
        }
    }
    for file in &files {
        fs::write(file, "all of them").expect("it may be written");
    }
    let report = team.check(&place, &team.cache(CacheMode::Read), "all");
    assert_eq!((report.compiled, report.notes.len()), (COUNT, 1), "one note for all");
}

/// What a store of the next tests does from some call on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Error,
    Hang,
    Panic,
    Junk,
}

/// A store that works for some calls, and then no more.
struct FaultyStore {
    inner: DirectoryStore,
    left: AtomicU64,
    fault: Fault,
    /// Held calls end when the test lets go of the other end.
    held: Mutex<Receiver<()>>,
}

impl FaultyStore {
    fn new(inner: DirectoryStore, left: u64, fault: Fault) -> (Self, Sender<()>) {
        let (release, held) = channel();
        (Self { inner, left: AtomicU64::new(left), fault, held: Mutex::new(held) }, release)
    }

    fn call<T>(
        &self,
        junk: T,
        call: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        if self.left.fetch_update(set, fetch, |left| left.checked_sub(1)).is_ok() {
            return call();
        }
        match self.fault {
            Fault::Error => Err(StoreError::Failed("503 slow down".to_owned())),
            Fault::Junk => Ok(junk),
            Fault::Panic => panic!("as a library may"),
            Fault::Hang => {
                let held = self.held.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let _ = held.recv();
                Err(StoreError::Failed("too late".to_owned()))
            }
        }
    }
}

impl CacheStore for FaultyStore {
    fn place(&self) -> String {
        "faulty".to_owned()
    }

    fn get(&self, key: CacheKey, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.call(Some(b"<html>proxy</html>".to_vec()), || self.inner.get(key, bytes_max))
    }

    fn put(&self, key: CacheKey, bytes: &[u8]) -> Result<(), StoreError> {
        self.call((), || self.inner.put(key, bytes))
    }

    fn list(&self) -> Result<Vec<StoredEntry>, StoreError> {
        self.inner.list()
    }

    fn remove(&self, key: CacheKey) -> Result<(), StoreError> {
        self.inner.remove(key)
    }
}

#[test]
fn an_outage_at_any_call_is_a_note_and_no_error() {
    let place = project();
    for fault in [Fault::Error, Fault::Hang, Fault::Panic, Fault::Junk] {
        for mode in [CacheMode::Read, CacheMode::Write] {
            let team = Team::new();
            if mode == CacheMode::Read {
                team.check(&place, &team.cache(CacheMode::Write), "the first");
            }
            for left in [0, 1, 2, 5, 9, 14, 17] {
                let (store, release) = FaultyStore::new(team.store(), left, fault);
                let mut cache = TeamCache::new(Arc::new(store), mode);
                if fault == Fault::Hang {
                    // Calls that go well need not: then they are left out, too.
                    cache.set_timeout(Duration::from_millis(20));
                }
                let what = format!("{fault:?} after {left} of {mode:?}");
                let report = team.check(&place, &cache, &what);
                assert_eq!(report.compiled + report.cached, COUNT, "{what}");
                if left == 0 {
                    assert_eq!(report.notes.len(), 1, "{what}: {:?}", report.notes);
                    assert_eq!(report.cached, 0, "{what}");
                }
                // A call that is held can hold no other.
                drop(release);
            }
            // Whatever was written before it failed is right.
            team.check(&place, &team.cache(CacheMode::Write), "afterwards");
            let report = team.check(&place, &team.cache(CacheMode::Read), "at last");
            assert_eq!(report.cached, COUNT, "{fault:?} of {mode:?}");
        }
    }
}

#[test]
fn a_cache_that_costs_more_than_compiling_is_left_out() {
    let (team, place) = (Team::new(), project());
    drop(team.store());
    let mut cache = team.cache(CacheMode::Read);
    // Any time at all is more than none, and there are no hits.
    cache.set_loss_max(Duration::ZERO);
    let report = team.check(&place, &cache, "slow");
    let [note] = &*report.notes else { panic!("one note: {:?}", report.notes) };
    assert!(note.contains("waiting for it takes longer than compiling"), "{note}");
    let mut cache = team.cache(CacheMode::Write);
    cache.set_loss_max(Duration::ZERO);
    let report = team.check(&place, &cache, "a writer");
    assert_eq!((report.notes.len(), did(&report).written), (0, 6), "it is to fill the cache");
}

#[test]
fn machines_that_compile_at_once_give_the_same_bytes() {
    let (team, place) = (Team::new(), project());
    let compilers = compilers(1);
    place.compiled(&compilers);
    let expected = contents(&place.data());
    let barrier = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let cache = team.cache(CacheMode::Write);
                barrier.wait();
                let (report, data) = team.compile_new(&place, &compilers, &cache);
                assert_eq!(report.notes, [] as [&str; 0], "nothing is damaged");
                assert_eq!(contents(&data), expected, "the same bytes");
            });
        }
    });
    let report = team.check(&place, &team.cache(CacheMode::Read), "afterwards");
    assert_eq!(report.cached, COUNT, "all is there");
    assert_eq!(verify(&team.store(), false), Ok(Vec::new()), "and whole");
}

#[test]
fn shards_with_one_cache_make_what_one_process_makes() {
    let place = project();
    for number in 0..40 {
        place.write(&format!("many/{number}.script"), &format!("number {number}\nrefer script b"));
    }
    for of in [1, 2, 3, 8, 60] {
        let team = Team::new();
        let compilers = compilers(1);
        let of = NonZeroU32::new(of).expect("it is not 0");
        let mut compiled = 0;
        // At the same time, as processes of a farm are.
        let compile = |number: u32| {
            let shard = NonZeroU32::new(number).and_then(|number| CompileShard::new(number, of));
            let data = team.0.path().join(format!("shard{number}"));
            let cache = team.cache(CacheMode::Write);
            let mut project = Project::new(&place.sources(), &data, &compilers);
            project.set_cache(&cache);
            project.set_shard(shard.expect("it is from 1 on"));
            let report = project.compile(&two()).expect("it can be written");
            // What another shard has is not missing.
            assert_eq!(report.errors, [], "{number} of {of}");
            assert_eq!(report.cached, 0, "no resource is in two shards: {number} of {of}");
            report.compiled
        };
        thread::scope(|scope| {
            let compile = &compile;
            let shards = (1..=of.get()).map(|number| scope.spawn(move || compile(number)));
            let shards: Vec<_> = shards.collect();
            compiled +=
                shards.into_iter().map(|shard| shard.join().expect("it works")).sum::<usize>();
        });
        assert_eq!(compiled, COUNT + 40, "each resource is in a shard of {of}");
        let report = team.check(&place, &team.cache(CacheMode::Read), "merged");
        assert_eq!((report.compiled, report.cached), (0, COUNT + 40), "{of} shards");
    }
}

#[test]
fn what_is_missing_is_reported_by_the_shard_that_names_it_and_by_the_merge() {
    let (team, compilers) = (Team::new(), compilers(1));
    let place = Place::with(&[("a.script", "refer script none")]);
    let one = NonZeroU32::MIN;
    let cache = team.cache(CacheMode::Write);
    let mut project = place.project(&compilers);
    project.set_cache(&cache);
    project.set_shard(CompileShard::new(one, one).expect("the only one"));
    let sharded = project.compile(&two()).expect("it can be written");
    let merged = place.compile(&compilers);
    assert_eq!(sharded.errors.len(), 1, "{:?}", sharded.errors);
    assert_eq!(sharded.errors, merged.errors, "the same error");
}

#[test]
fn a_folder_that_is_not_a_cache_is_left_alone() {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::write(place.path().join("photo"), "mine").expect("it may be written");
    for opened in [DirectoryStore::create(place.path()), DirectoryStore::open(place.path())] {
        let error = opened.err().expect("it is somebody's").to_string();
        assert!(error.contains("it is not a cache"), "{error}");
    }
    assert!(DirectoryStore::open(&place.path().join("none")).is_err(), "it is not made to be read");
    assert!(!place.path().join("none").exists(), "nothing was made");
    assert_eq!(fs::read_dir(place.path()).expect("it is there").count(), 1, "nothing was changed");
}

/// Sets when a file was last used.
fn set_used(file: &Path, seconds: u64) {
    let file = fs::File::options().append(true).open(file).expect("it is there");
    file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(seconds)).expect("it may be set");
}

#[test]
fn what_was_not_used_for_the_longest_time_is_removed_first() {
    let (team, place) = (Team::new(), project());
    team.check(&place, &team.cache(CacheMode::Write), "the first");
    let (store, files) = (team.store(), team.entries());
    for (number, file) in files.iter().enumerate() {
        // One that is used is marked so, if it was not for a day.
        set_used(file, 1_000_000 + number as u64);
    }
    let all = summary(&store).expect("it can be listed");
    assert_eq!(all.oldest_seconds, Some(1_000_000), "the first one");
    assert_eq!(all.kinds[&CacheKind::Blob].0, 1, "the long one is a blob");
    assert_eq!(
        trim(&store, all.bytes()).expect("it may be removed").removed,
        0,
        "it is small enough"
    );
    let report = trim(&store, all.bytes() - 1).expect("it may be removed");
    assert_eq!((report.removed, report.left_bytes + report.removed_bytes), (1, all.bytes()));
    assert_eq!(team.entries(), files[1..], "the oldest");
    let report = team.check(&place, &team.cache(CacheMode::Write), "it is written again");
    assert_eq!(report.compiled, 1);
    let used = store.list().expect("it can be listed");
    assert!(used.iter().all(|entry| entry.used_seconds > 2_000_000), "all were used: {used:?}");
    let report = trim(&store, 0).expect("it may be removed");
    assert_eq!((report.left_bytes, team.entries().len()), (0, 0), "nothing is left");
}

#[test]
fn leftovers_of_killed_processes_are_removed_and_others_stay() {
    let team = Team::new();
    let store = team.store();
    let partial = team.folder().join("partial");
    for (name, seconds) in [("1-2-3", 1_000_000), ("4-5-6", 1_000_000), ("notes", 1_000_000)] {
        fs::write(partial.join(name), "left").expect("it may be written");
        set_used(&partial.join(name), seconds);
    }
    fs::write(partial.join("7-8-9"), "is being written").expect("it may be written");
    assert_eq!(store.remove_leftovers(), Ok(2), "the old ones");
    assert!(partial.join("7-8-9").exists() && partial.join("notes").exists(), "others stay");
}

#[test]
fn verifying_finds_and_removes_what_is_damaged() {
    let (team, place) = (Team::new(), project());
    team.check(&place, &team.cache(CacheMode::Write), "the first");
    let (store, files) = (team.store(), team.entries());
    assert_eq!(verify(&store, false), Ok(Vec::new()), "all is whole");
    let blob = files.iter().find(|file| file.starts_with(team.folder().join("blobs")));
    for file in [blob.expect("there is one"), files.last().expect("there are some")] {
        let mut bytes = fs::read(file).expect("it is there");
        bytes[50] ^= 4;
        fs::write(file, bytes).expect("it may be written");
    }
    let found = verify(&store, true).expect("it can be read");
    let kinds: Vec<CacheKind> = found.iter().map(|damage| damage.key.kind).collect();
    assert_eq!(kinds, [CacheKind::Record, CacheKind::Blob], "{found:?}");
    assert_eq!(verify(&store, false), Ok(Vec::new()), "they are removed");
    assert_eq!(team.check(&place, &team.cache(CacheMode::Read), "at last").notes.len(), 0);
}
