//! Reading an index, of which nothing is believed.

use std::sync::Arc;

use loligo_resources::ContentHash;

use super::{Entry, FileRecord, HASH, Index, IndexError, MAGIC, Output, Reference, VERSION};
use crate::dependency::Dependency;
use crate::hash::hash_of;
use crate::resource_name::ResourceName;
use crate::tree::Stamp;

/// Reads an index.
pub(super) fn read(bytes: &[u8]) -> Result<Index, IndexError> {
    let mut header = Reader { bytes, at: 0, strings: Vec::new() };
    if header.take(MAGIC.len()).ok() != Some(&MAGIC[..]) {
        return Err(IndexError::NoIndex);
    }
    let found = header.u32().map_err(|_| IndexError::NoIndex)?;
    if found != VERSION {
        return Err(IndexError::OtherVersion { found });
    }
    let padding = header.u32()?;
    let (told, length) = (header.u64()?, bytes.len() as u64);
    if told != length {
        return Err(IndexError::OtherLength { told, bytes: length });
    }
    let hash = header.hash()?;
    // No fuzzer guesses a hash; under one, what follows this is reached.
    if padding != 0 || (hash_of(&bytes[HASH.end..]) != hash && !cfg!(fuzzing)) {
        return Err(IndexError::Damaged);
    }
    let mut reader = header;
    let index = reader.index()?;
    if reader.at != bytes.len() {
        return Err(reader.error("there are bytes past the end"));
    }
    Ok(index)
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    strings: Vec<Arc<str>>,
}

impl<'b> Reader<'b> {
    fn index(&mut self) -> Result<Index, IndexError> {
        self.strings = self.list(4, |reader| {
            let bytes = reader.u32()?;
            let at = reader.at;
            let text = core::str::from_utf8(reader.take(bytes as usize)?);
            text.map(Arc::from).map_err(|_| IndexError::Part { what: "a string is not UTF-8", at })
        })?;
        let files = self.list(85, Self::file)?;
        if !files.is_sorted_by(|a, b| a.path < b.path) {
            return Err(self.error("the files are not in order"));
        }
        let entries = self.list(62, Self::entry)?;
        if !entries.is_sorted_by(|a, b| a.name < b.name) {
            return Err(self.error("the resources are not in order"));
        }
        Ok(Index { files, entries })
    }

    fn file(&mut self) -> Result<FileRecord, IndexError> {
        Ok(FileRecord {
            path: self.text()?,
            is_settled: self.flag()?,
            stamp: Stamp {
                bytes: self.u64()?,
                inode: self.u64()?,
                modified_seconds: self.u64()?,
                modified_nanoseconds: self.u64()?,
                changed_seconds: self.u64()?,
                changed_nanoseconds: self.u64()?,
            },
            hash: self.hash()?,
        })
    }

    fn entry(&mut self) -> Result<Entry, IndexError> {
        let type_name = self.text()?.as_ref().to_owned();
        let name = self.text()?.as_ref().to_owned();
        let properties = self.list(4, |reader| Ok(reader.text()?.as_ref().to_owned()))?;
        Ok(Entry {
            name: ResourceName { type_name, name, properties },
            source: self.text()?,
            recipe: self.hash()?,
            is_failed: self.flag()?,
            output: match self.flag()? {
                true => Some(Output { file: self.hash()?, bytes: self.u64()? }),
                false => None,
            },
            dependencies: self.list(5, Self::dependency)?,
            names: self.list(4, Self::text)?,
            references: self.list(16, Self::reference)?,
        })
    }

    fn dependency(&mut self) -> Result<Dependency, IndexError> {
        let [kind] = *self.array()?;
        let path = self.text()?;
        Ok(match kind {
            0 => Dependency::File { path, hash: None },
            1 => Dependency::File { path, hash: Some(self.hash()?) },
            2 => Dependency::Listing { path, hash: None },
            3 => Dependency::Listing { path, hash: Some(self.hash()?) },
            4 => Dependency::Option { name: path, value: None },
            5 => Dependency::Option { name: path, value: Some(self.text()?) },
            _ => return Err(self.error("a dependency is of no known kind")),
        })
    }

    fn reference(&mut self) -> Result<Reference, IndexError> {
        Ok(Reference {
            type_name: self.text()?,
            name: self.text()?,
            line: self.u32()?,
            column: self.u32()?,
        })
    }

    /// Reads a count, and that number of items, each of which takes at least `bytes_min` bytes.
    fn list<T>(
        &mut self,
        bytes_min: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, IndexError>,
    ) -> Result<Vec<T>, IndexError> {
        let count = self.u32()? as usize;
        if count > (self.bytes.len() - self.at) / bytes_min {
            return Err(self.error("a count is greater than what follows"));
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn text(&mut self) -> Result<Arc<str>, IndexError> {
        let number = self.u32()? as usize;
        let text = self.strings.get(number).cloned();
        text.ok_or_else(|| self.error("a string is not there"))
    }

    fn flag(&mut self) -> Result<bool, IndexError> {
        match *self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [_] => Err(self.error("something is neither so nor not")),
        }
    }

    fn hash(&mut self) -> Result<ContentHash, IndexError> {
        self.array().copied().map(ContentHash)
    }

    fn u32(&mut self) -> Result<u32, IndexError> {
        self.array().copied().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, IndexError> {
        self.array().copied().map(u64::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<&'b [u8; N], IndexError> {
        let at = self.at;
        let ends = IndexError::Part { what: "it ends too early", at };
        self.take(N)?.try_into().map_err(|_| ends)
    }

    fn take(&mut self, bytes: usize) -> Result<&'b [u8], IndexError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..bytes));
        let taken = taken.ok_or_else(|| self.error("it ends too early"))?;
        self.at += bytes;
        Ok(taken)
    }

    fn error(&self, what: &'static str) -> IndexError {
        IndexError::Part { what, at: self.at }
    }
}
