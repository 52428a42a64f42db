//! A compile that ends at any moment leaves a data folder that the next one accepts.

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{self, Command};
use std::sync::Arc;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{
    CacheMode, CompileSession, Compilers, DirectoryStore, Disk, GuardedFolder, Project, RealDisk,
    TeamCache,
};
use loligo_resources::{DataFolder, Resources};

use crate::place::{Place, contents, two};
use crate::scripted::compilers;

/// A disk that does `left` operations, half of the next, and nothing more: as if the process had
/// been killed there.
struct MortalDisk {
    left: AtomicU64,
    /// What happens then.
    end: fn() -> io::Error,
}

impl MortalDisk {
    fn new(left: u64, end: fn() -> io::Error) -> Self {
        Self { left: AtomicU64::new(left), end }
    }

    fn act(
        &self,
        whole: impl FnOnce() -> io::Result<()>,
        half: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let left = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match left {
            Ok(1) => {
                half()?;
                Err((self.end)())
            }
            Ok(_) => whole(),
            Err(_) => Err((self.end)()),
        }
    }
}

impl Disk for MortalDisk {
    fn create_folder(&self, at: &GuardedFolder, name: &str) -> io::Result<()> {
        self.act(|| RealDisk.create_folder(at, name), || Ok(()))
    }

    fn fill(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        self.act(|| RealDisk.fill(file, bytes), || RealDisk.fill(file, &bytes[..bytes.len() / 2]))
    }

    fn write(&self, at: &GuardedFolder, name: &str, bytes: &[u8]) -> io::Result<()> {
        let half = || RealDisk.write(at, name, &bytes[..bytes.len() / 2]);
        self.act(|| RealDisk.write(at, name, bytes), half)
    }

    fn rename(&self, from: (&GuardedFolder, &str), to: (&GuardedFolder, &str)) -> io::Result<()> {
        // A rename is done or not; here it is done, and nobody hears of it.
        self.act(|| RealDisk.rename(from, to), || RealDisk.rename(from, to))
    }

    fn remove(&self, at: &GuardedFolder, name: &str) -> io::Result<()> {
        self.act(|| RealDisk.remove(at, name), || RealDisk.remove(at, name))
    }
}

/// A project that was compiled once and then changed, as a compile would meet it.
fn changed() -> Place {
    let place = Place::with(&[
        ("a.script", "list \nread t.txt"),
        ("b.script", "stays"),
        ("c.script", "goes"),
        ("d.fr.data", "x"),
        ("all.package", "script = [ \"*\" ]"),
    ]);
    assert_eq!(place.compiled(&compilers(1)), 5, "all are new");
    place.write("t.txt", "new");
    place.write("d.fr.data", "y");
    place.write("e.script", "new");
    place.remove("c.script");
    place
}

/// Loads all that the table of a data folder names.
fn load_all(data: &Path) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let folder = DataFolder::new(data).expect("UTF-8");
    let mut resources = Resources::try_open_in(folder, &heap).expect("there is a table");
    let french = [loligo_ids::id64!("fr")];
    resources.try_set_preference_order(&french, &mut |_| {}).expect("memory");
    let keys: Vec<_> = resources.table().entries().iter().map(|entry| entry.key).collect();
    for key in keys {
        resources.load(key).expect("what the table names is there and whole");
    }
}

/// Returns what a compile from nothing makes of a place.
fn from_nothing(
    place: &Place,
    compilers: &Compilers,
) -> std::collections::BTreeMap<String, Vec<u8>> {
    let clean = tempfile::tempdir().expect("a temporary folder");
    let data = clean.path().join("data");
    let report = Project::new(&place.sources(), &data, compilers).compile(&two());
    assert_eq!(report.expect("it can be written").errors, [], "nothing is wrong");
    contents(&data)
}

#[test]
fn a_disk_that_ends_at_any_point_leaves_a_folder_that_is_accepted() {
    let compilers = compilers(1);
    for is_first in [true, false] {
        let mut left = 1;
        loop {
            let place = changed();
            if is_first {
                fs::remove_dir_all(place.data()).expect("it is there");
            }
            let disk = MortalDisk::new(left, || io::Error::other("killed"));
            let mut project = place.project(&compilers);
            project.set_disk(&disk);
            let ended = project.compile(&two()).is_err();
            if !is_first {
                load_all(&place.data());
            }
            check_mended(&place, &compilers, left);
            if !ended {
                break;
            }
            left += 1;
        }
        assert!(left > 10, "{left} points");
    }
}

/// Checks that the compile after one that was killed makes all right, and the next has nothing to do.
fn check_mended(place: &Place, compilers: &Compilers, left: u64) {
    assert_eq!(place.compile(compilers).errors, [], "after {left}");
    assert_eq!(contents(&place.data()), from_nothing(place, compilers), "after {left}");
    assert_eq!(place.compiled(compilers), 0, "after {left}");
}

#[test]
fn sources_that_go_back_after_the_end_are_compiled_back() {
    let compilers = compilers(1);
    let mut left = 1;
    loop {
        let place = Place::with(&[("a.script", "old"), ("b.script", "old")]);
        place.compiled(&compilers);
        let before = contents(&place.data());
        place.write("a.script", "new");
        place.remove("b.script");
        let disk = MortalDisk::new(left, || io::Error::other("killed"));
        let mut project = place.project(&compilers);
        project.set_disk(&disk);
        let ended = project.compile(&two()).is_err();
        place.write("a.script", "old");
        place.write("b.script", "old");
        place.compiled(&compilers);
        assert_eq!(contents(&place.data()), before, "after {left}");
        if !ended {
            assert!(left > 5, "{left} points");
            break;
        }
        left += 1;
    }
}

#[test]
fn a_session_that_ends_while_it_compiles_an_edit_leaves_a_folder_that_is_accepted() {
    let compilers = compilers(1);
    let mut left = 1;
    loop {
        let place = changed();
        let disk = MortalDisk::new(u64::MAX, || io::Error::other("killed"));
        let mut project = place.project(&compilers);
        project.set_disk(&disk);
        let mut session = CompileSession::new(&project);
        assert_eq!(session.compile(&two()).expect("it can be written").errors, [], "all is well");
        // Two edits: after the first the index is older than the rest.
        let mut edit = |text: &str| {
            place.write("t.txt", text);
            session.compile_changed(&BTreeSet::from(["t.txt".to_owned()]), &two())
        };
        assert_eq!(edit("an edit").expect("it can be written").compiled, 1, "after {left}");
        disk.left.store(left, Ordering::Relaxed);
        let ended = edit("another").is_err();
        load_all(&place.data());
        if left.is_multiple_of(2) {
            // Back to what the index on the disk is about.
            place.write("t.txt", "new");
        }
        check_mended(&place, &compilers, left);
        if !ended {
            break;
        }
        left += 1;
    }
    assert!(left > 4, "{left} points");
}

#[test]
fn a_compile_that_ends_while_it_writes_a_cache_leaves_all_well() {
    let compilers = compilers(1);
    let long = "long ".repeat(20_000);
    let mut left = 1;
    loop {
        let team = tempfile::tempdir().expect("a temporary folder");
        let place = Place::with(&[("a.script", "list \nread t.txt"), ("t.txt", "t")]);
        place.write("long.data", &long);
        let folder = team.path().join("cache");
        let compile = |data: &str, cache: &TeamCache| {
            let data = team.path().join(data);
            let mut project = Project::new(&place.sources(), &data, &compilers);
            project.set_cache(cache);
            let report = project.compile(&two()).expect("a cache fails no compile");
            assert_eq!(report.errors, [], "after {left}");
            assert_eq!(contents(&data), from_nothing(&place, &compilers), "after {left}");
            report
        };
        let disk = MortalDisk::new(left, || io::Error::other("killed"));
        let created = DirectoryStore::create_on(&folder, Box::new(disk));
        let is_made = created.is_ok();
        let ended = created.is_err()
            || created.is_ok_and(|store| {
                let cache = TeamCache::new(Arc::new(store), CacheMode::Write);
                !compile("first", &cache).notes.is_empty()
            });
        // Whatever is there, a reader finds nothing that is damaged, and a writer completes it.
        if is_made {
            let store = DirectoryStore::open(&folder).expect("it is a cache");
            let report = compile("second", &TeamCache::new(Arc::new(store), CacheMode::Read));
            assert_eq!(report.notes, [] as [&str; 0], "after {left}");
        }
        let store =
            || Arc::new(DirectoryStore::create(&folder).expect("it is one, or becomes one"));
        compile("third", &TeamCache::new(store(), CacheMode::Write));
        let report = compile("fourth", &TeamCache::new(store(), CacheMode::Read));
        assert_eq!((report.compiled, report.cached), (0, 2), "after {left}");
        if !ended {
            break;
        }
        left += 1;
    }
    assert!(left > 8, "{left} points");
}

/// The environment variable with the number of the child's last operation.
const LAST: &str = "LOLIGO_COMPILER_TEST_LAST";
const FOLDER: &str = "LOLIGO_COMPILER_TEST_FOLDER";

/// Is the child of the next test, which ends itself in the middle of a compile; without its
/// environment it has nothing to do.
#[test]
fn the_child_that_is_killed() {
    let (Ok(last), Ok(folder)) = (env::var(LAST), env::var(FOLDER)) else { return };
    let disk = MortalDisk::new(last.parse().expect("a number"), || process::abort());
    let compilers = compilers(1);
    let folder = Path::new(&folder);
    let mut project = Project::new(&folder.join("sources"), &folder.join("data"), &compilers);
    project.set_disk(&disk);
    project.compile(&two()).expect("it can be written");
}

#[test]
fn a_process_that_is_killed_leaves_a_folder_that_is_accepted() {
    let compilers = compilers(1);
    let child = env::current_exe().expect("this program");
    let mut killed = 0;
    for last in (1..).step_by(3) {
        let place = changed();
        let folder = place.sources();
        let status = Command::new(&child)
            .args(["--exact", "killed::the_child_that_is_killed"])
            .env(LAST, last.to_string())
            .env(FOLDER, folder.parent().expect("it is in the place"))
            .output()
            .expect("it runs")
            .status;
        load_all(&place.data());
        assert_eq!(place.compile(&compilers).errors, [], "after {last}");
        assert_eq!(contents(&place.data()), from_nothing(&place, &compilers), "after {last}");
        if status.success() {
            break;
        }
        killed += 1;
    }
    assert!(killed > 3, "{killed} children were killed");
}
