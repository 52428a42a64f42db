//! A project in a temporary folder.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use loligo_compiler::{Compilers, Index, Project, Report, Threads};
use tempfile::TempDir;

/// A project with a data folder.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir(place.sources()).expect("it may be made");
        place
    }

    /// A project with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (path, contents) in files {
            place.write(path, contents);
        }
        place
    }

    pub(crate) fn sources(&self) -> PathBuf {
        self.0.path().join("sources")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    pub(crate) fn write(&self, path: &str, contents: &str) {
        let path = self.sources().join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it may be made");
        fs::write(path, contents).expect("it may be written");
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.sources().join(path)).expect("it is there");
    }

    /// Sets when a file was changed, in seconds since 1970, without changing it.
    pub(crate) fn touch(&self, path: &str, seconds: u64) {
        let file =
            File::options().append(true).open(self.sources().join(path)).expect("it is there");
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).expect("it may be set");
    }

    pub(crate) fn project<'c>(&self, compilers: &'c Compilers) -> Project<'c> {
        Project::new(&self.sources(), &self.data(), compilers)
    }

    pub(crate) fn compile(&self, compilers: &Compilers) -> Report {
        self.project(compilers).compile(&two()).expect("the folders can be read and written")
    }

    /// Compiles, and returns how many resources were compiled where nothing may be wrong.
    pub(crate) fn compiled(&self, compilers: &Compilers) -> usize {
        let report = self.compile(compilers);
        assert_eq!(report.errors, [], "nothing is wrong");
        report.compiled
    }

    pub(crate) fn index(&self) -> Index {
        index(&self.data())
    }
}

/// The clock.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs()
}

/// One that is an hour ahead, by which all files have settled.
pub(crate) fn later() -> u64 {
    now() + 3_600
}

/// Returns two threads.
pub(crate) fn two() -> Threads {
    Threads::new(NonZeroUsize::new(2).expect("two"))
}

/// Returns the index of a data folder.
pub(crate) fn index(data: &Path) -> Index {
    Index::from_bytes(&fs::read(data.join("index")).expect("there is one")).expect("it is whole")
}

/// Returns all that a program may read of a data folder.
pub(crate) fn contents(data: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut contents = BTreeMap::new();
    let read = |path: PathBuf| fs::read(path).expect("it can be read");
    for name in ["resources", "names"] {
        contents.insert(name.to_owned(), read(data.join(name)));
    }
    for folder in ["blobs", "partial"] {
        for entry in data.join(folder).read_dir().expect("it is there") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("it has one").to_string_lossy();
            contents.insert(format!("{folder}/{name}"), read(path));
        }
    }
    contents
}
