//! Content compiled and read again: a separate project for each test.

mod damage;
mod gltf_materials;
mod materials;
mod meshes;
mod models;
mod morphs;
mod shaders;
mod skins;
mod textures;

use core::num::NonZeroUsize;
use std::fs;
use std::path::PathBuf;

use loligo_compiler::{Compilers, Index, Project, Report, Threads};
use loligo_containers::BlobBytes;
use loligo_resources::{HEADER_BYTES, ResourceHeader};

/// A project in a folder that goes with it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    compilers: Compilers,
}

impl Place {
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let mut compilers = Compilers::built_in();
        loligo_render::compile::register(&mut compilers);
        let place = Self { folder: tempfile::tempdir().expect("a folder"), compilers };
        fs::create_dir(place.sources()).expect("a folder");
        for (path, contents) in files {
            place.write(path, contents);
        }
        place
    }

    fn sources(&self) -> PathBuf {
        self.folder.path().join("sources")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn write(&self, path: &str, contents: &[u8]) {
        let path = self.sources().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, contents).expect("it can be written");
    }

    pub(crate) fn compile(&self) -> Report {
        let project = Project::new(&self.sources(), &self.data(), &self.compilers);
        project.compile(&Threads::default()).expect("the folders are there")
    }

    /// Compiles on this thread alone.
    pub(crate) fn compile_here(&self) -> Report {
        let project = Project::new(&self.sources(), &self.data(), &self.compilers);
        project.compile(&Threads::new(NonZeroUsize::MIN)).expect("the folders are there")
    }

    /// Compiles what must be right, and returns the payload of a resource.
    pub(crate) fn payload(&self, type_name: &str, name: &str) -> Vec<u8> {
        let report = self.compile();
        assert_eq!(report.errors, [], "all is right");
        self.last_payload(type_name, name)
    }

    fn last_payload(&self, type_name: &str, name: &str) -> Vec<u8> {
        self.last_parts(type_name, name).0
    }

    /// Returns the payload of a resource and the tail of its file.
    pub(crate) fn last_parts(&self, type_name: &str, name: &str) -> (Vec<u8>, Vec<u8>) {
        let bytes = fs::read(self.data().join("index")).expect("it is there");
        let index = Index::from_bytes(&bytes).expect("it is whole");
        let is_it = |entry: &&loligo_compiler::Entry| {
            entry.name.type_name == type_name && entry.name.name == name
        };
        let entry = index.entries.iter().find(is_it).expect("it was compiled");
        let file = entry.output.expect("it went well").file;
        let bytes = fs::read(self.data().join(format!("blobs/{file}"))).expect("it is there");
        let tail = ResourceHeader::read(&bytes).expect("it is whole").tail as usize;
        let (front, tail) = bytes.split_at(bytes.len() - tail);
        (front[HEADER_BYTES..].to_vec(), tail.to_vec())
    }

    /// Compiles what has one fault, and returns its text without what was done.
    pub(crate) fn fault(&self) -> String {
        let report = self.compile();
        assert_eq!(report.errors.len(), 1, "{:?}", report.errors);
        report.errors[0].error.to_string()
    }
}

/// Calls `read` with bytes at an address that a loaded resource would have.
pub(crate) fn aligned<R>(bytes: &[u8], read: impl FnOnce(&[u8]) -> R) -> R {
    let pages = loligo_allocators::PageAllocator::new("pages");
    let heap = loligo_allocators::HeapAllocator::new_in("test", &pages);
    let copy = BlobBytes::try_copy_in(bytes, &heap).expect("there is memory");
    read(&copy)
}

/// Compiles one file.
pub(crate) fn compiled(path: &str, contents: &str) -> Vec<u8> {
    let place = Place::with(&[(path, contents.as_bytes())]);
    let (name, type_name) = path.rsplit_once('.').expect("a name and a type");
    place.payload(type_name, name)
}
