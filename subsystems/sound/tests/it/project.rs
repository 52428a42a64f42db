//! Projects of sources, compiled.

use std::fs;
use std::path::PathBuf;

use loligo_compiler::{Compilers, Entry, Index, Project, Threads};
use loligo_resources::{HEADER_BYTES, ResourceHeader};
use loligo_sound::compile::register;
use tempfile::TempDir;

/// A project in a folder that is removed at the end.
pub(crate) struct TestProject {
    folder: TempDir,
}

impl TestProject {
    /// Makes a project of files.
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        let project = Self { folder: tempfile::tempdir().expect("a folder") };
        fs::create_dir(project.path("sources")).expect("a folder");
        for (name, bytes) in files {
            project.write(name, bytes);
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a source.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path("sources").join(name), bytes).expect("it can be written");
    }

    /// Compiles all; returns the errors, if there are any.
    pub(crate) fn compile(&self) -> Result<(), String> {
        let mut compilers = Compilers::built_in();
        register(&mut compilers);
        let (sources, data) = (self.path("sources"), self.path("data"));
        let project = Project::new(&sources, &data, &compilers);
        let report = project.compile(&Threads::default()).expect("the folders are there");
        let texts: Vec<_> = report.errors.iter().map(ToString::to_string).collect();
        if texts.is_empty() { Ok(()) } else { Err(texts.join("\n")) }
    }

    /// Returns type and name of all resources.
    pub(crate) fn resources(&self) -> Vec<(String, String)> {
        let index = fs::read(self.path("data").join("index")).expect("it is there");
        let index = Index::from_bytes(&index).expect("it is whole");
        let name = |entry: &Entry| (entry.name.type_name.to_string(), entry.name.name.to_string());
        index.entries.iter().filter(|entry| entry.output.is_some()).map(name).collect()
    }

    /// Returns the payload of a resource.
    pub(crate) fn payload(&self, type_name: &str, name: &str) -> Vec<u8> {
        self.parts(type_name, name).0
    }

    /// Returns the payload of a resource and the tail of its file.
    pub(crate) fn parts(&self, type_name: &str, name: &str) -> (Vec<u8>, Vec<u8>) {
        let index = fs::read(self.path("data").join("index")).expect("it is there");
        let index = Index::from_bytes(&index).expect("it is whole");
        let is_it =
            |entry: &&Entry| (&*entry.name.type_name, &*entry.name.name) == (type_name, name);
        let entry = index.entries.iter().find(is_it).expect("it was compiled");
        let file = entry.output.expect("it went well").file;
        let bytes = fs::read(self.path("data").join(format!("blobs/{file}"))).expect("it is there");
        let header = ResourceHeader::read(&bytes).expect("it is right");
        let (front, tail) = bytes.split_at(bytes.len() - header.tail as usize);
        (front[HEADER_BYTES..].to_vec(), tail.to_vec())
    }
}
