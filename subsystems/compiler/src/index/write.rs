//! Writing an index.

use std::collections::HashMap;

use loligo_resources::ContentHash;

use super::{Entry, HASH, Index, MAGIC, VERSION};
use crate::dependency::Dependency;
use crate::hash::hash_of;

/// Returns the bytes of an index.
pub(super) fn write(index: &Index) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.count(index.files.len());
    for file in &index.files {
        writer.text(&file.path);
        writer.body.push(file.is_settled.into());
        for number in file.stamp.numbers() {
            writer.u64(number);
        }
        writer.hash(&file.hash);
    }
    writer.count(index.entries.len());
    for entry in &index.entries {
        writer.entry(entry);
    }
    writer.finish()
}

#[derive(Default)]
struct Writer<'i> {
    strings: Vec<&'i str>,
    numbers: HashMap<&'i str, u32>,
    body: Vec<u8>,
}

impl<'i> Writer<'i> {
    fn entry(&mut self, entry: &'i Entry) {
        self.text(&entry.name.type_name);
        self.text(&entry.name.name);
        self.count(entry.name.properties.len());
        for property in &entry.name.properties {
            self.text(property);
        }
        self.text(&entry.source);
        self.hash(&entry.recipe);
        self.body.push(entry.is_failed.into());
        self.body.push(entry.output.is_some().into());
        if let Some(output) = &entry.output {
            self.hash(&output.file);
            self.u64(output.bytes);
        }
        self.count(entry.dependencies.len());
        for dependency in &entry.dependencies {
            self.dependency(dependency);
        }
        self.count(entry.names.len());
        for name in &entry.names {
            self.text(name);
        }
        self.count(entry.references.len());
        for reference in &entry.references {
            self.text(&reference.type_name);
            self.text(&reference.name);
            self.u32(reference.line);
            self.u32(reference.column);
        }
    }

    fn dependency(&mut self, dependency: &'i Dependency) {
        let (kind, name, is_there) = match dependency {
            Dependency::File { path, hash } => (0, path, hash.is_some()),
            Dependency::Listing { path, hash } => (2, path, hash.is_some()),
            Dependency::Option { name, value } => (4, name, value.is_some()),
        };
        self.body.push(kind | u8::from(is_there));
        self.text(name);
        match dependency {
            Dependency::File { hash: Some(hash), .. }
            | Dependency::Listing { hash: Some(hash), .. } => self.hash(hash),
            Dependency::Option { value: Some(value), .. } => self.text(value),
            _ => {}
        }
    }

    fn text(&mut self, text: &'i str) {
        let next = self.strings.len() as u32;
        let number = *self.numbers.entry(text).or_insert(next);
        if number == next {
            self.strings.push(text);
        }
        self.u32(number);
    }

    fn count(&mut self, count: usize) {
        let count = u32::try_from(count);
        let count = count.unwrap_or_else(|_| panic!("an index counts to 4 billion, not {count:?}"));
        self.u32(count);
    }

    fn u32(&mut self, number: u32) {
        self.body.extend_from_slice(&number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.body.extend_from_slice(&number.to_le_bytes());
    }

    fn hash(&mut self, hash: &ContentHash) {
        self.body.extend_from_slice(&hash.0);
    }

    /// Puts header and strings before the rest.
    fn finish(self) -> Vec<u8> {
        let mut front = Writer::default();
        front.count(self.strings.len());
        for string in self.strings {
            front.count(string.len());
            front.body.extend_from_slice(string.as_bytes());
        }
        let whole = HASH.end + front.body.len() + self.body.len();
        let mut bytes = Vec::with_capacity(whole);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&(whole as u64).to_le_bytes());
        bytes.extend_from_slice(&[0; 32]);
        bytes.extend_from_slice(&front.body);
        bytes.extend_from_slice(&self.body);
        let hash = hash_of(&bytes[HASH.end..]);
        bytes[HASH].copy_from_slice(&hash.0);
        bytes
    }
}
