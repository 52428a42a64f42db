//! What is under a key: questions that lead to the next key, or a result.
//!
//! ```text
//!  0  "lolicach"                                       8 bytes
//!  8  version of the format, now 1                     u32, all numbers with the least byte first
//! 12  BLAKE3 of the key and of all that follows        32 bytes
//! 44  0: questions: how many, then each: kind u8, text
//!     1: result: microseconds of the compile u64, hash and length of the bytes, the bytes if they
//!        are few, what it was made of, names that it holds, resources that it names
//! ```
//!
//! A text is its length, u32, and UTF-8. The hash includes the key, so that a record which was
//! copied to another key is damage as well.

use core::time::Duration;
use std::sync::Arc;

use loligo_resources::ContentHash;

use super::codec::{Reader, Writer};
use crate::dependency::Dependency;
use crate::hash::{hash_of, hash_of_pieces};
use crate::index::{Output, Reference};

const MAGIC: [u8; 8] = *b"lolicach";
const VERSION: u32 = 1;

/// Where the body begins.
const BODY: usize = 44;

/// The most bytes of a record: the answers of a package of some hundred thousand resources.
pub(super) const RECORD_BYTES_MAX: u64 = 64 << 20;

/// Compiled bytes of at most this length are in the record, which saves a request.
const INLINE_BYTES_MAX: usize = 32 << 10;

/// Something that a compiler asked for, without the answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    /// A file.
    File(Arc<str>),
    /// The names in a folder.
    Listing(Arc<str>),
    /// An option of the compile.
    Option(Arc<str>),
}

impl Question {
    pub(super) fn of(dependency: &Dependency) -> Self {
        match dependency {
            Dependency::File { path, .. } => Self::File(path.clone()),
            Dependency::Listing { path, .. } => Self::Listing(path.clone()),
            Dependency::Option { name, .. } => Self::Option(name.clone()),
        }
    }
}

/// A resource that was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CachedResult {
    /// How long that took.
    pub(super) took: Duration,
    /// Hash and length of its bytes.
    pub(super) output: Output,
    /// The bytes, if they are few. Else they are a blob.
    pub(super) inline: Option<Vec<u8>>,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) names: Vec<Arc<str>>,
    pub(super) references: Vec<Reference>,
}

impl CachedResult {
    /// Returns the bytes as a record has them: none where they are a blob.
    pub(super) fn inlined(bytes: &[u8]) -> Option<Vec<u8>> {
        (bytes.len() <= INLINE_BYTES_MAX).then(|| bytes.to_vec())
    }
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// What is to be asked next.
    Questions(Vec<Question>),
    /// What came of it.
    Result(CachedResult),
}

impl Record {
    /// Writes the record of a key.
    pub(super) fn to_bytes(&self, key: ContentHash) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.0.resize(BODY, 0);
        match self {
            Self::Questions(questions) => {
                writer.byte(0);
                writer.count(questions.len());
                questions.iter().for_each(|question| write_question(&mut writer, question));
            }
            Self::Result(result) => {
                writer.byte(1);
                write_result(&mut writer, result);
            }
        }
        let mut bytes = writer.0;
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        let hash = hash_of_pieces(&[&key.0, &bytes[BODY..]]);
        bytes[12..BODY].copy_from_slice(&hash.0);
        bytes
    }

    /// Reads the record of a key; none if the bytes are damaged, of another key or of another
    /// version.
    pub(super) fn from_bytes(key: ContentHash, bytes: &[u8]) -> Option<Self> {
        let (head, body) = bytes.split_first_chunk::<BODY>()?;
        let is_ours = head.starts_with(&MAGIC) && head[8..12] == VERSION.to_le_bytes();
        // No fuzzer guesses a hash; under one, what follows this is reached.
        let is_whole = cfg!(fuzzing) || hash_of_pieces(&[&key.0, body]).0 == head[12..];
        if !is_ours || !is_whole {
            return None;
        }
        let mut reader = Reader(body);
        let record = match reader.byte()? {
            0 => Self::Questions(reader.list(5, read_question)?),
            1 => Self::Result(read_result(&mut reader)?),
            _ => return None,
        };
        reader.0.is_empty().then_some(record)
    }
}

/// Reads the record of a key and writes it again; none if it is damaged. For fuzzers: a record that
/// is read has one form.
#[doc(hidden)]
#[must_use]
pub fn rewrite_record(key: ContentHash, bytes: &[u8]) -> Option<Vec<u8>> {
    Record::from_bytes(key, bytes).map(|record| record.to_bytes(key))
}

/// Returns the key that follows one, with the answers to the questions there.
pub(super) fn next_key(key: ContentHash, answers: &[Dependency]) -> ContentHash {
    let mut writer = Writer::default();
    answers.iter().for_each(|answer| write_dependency(&mut writer, answer));
    hash_of_pieces(&[b"loligo cache key", &key.0, &writer.0])
}

fn write_question(writer: &mut Writer, question: &Question) {
    let (kind, text) = match question {
        Question::File(text) => (0, text),
        Question::Listing(text) => (1, text),
        Question::Option(text) => (2, text),
    };
    writer.byte(kind);
    writer.bytes(text.as_bytes());
}

fn read_question(reader: &mut Reader<'_>) -> Option<Question> {
    let (kind, text) = (reader.byte()?, reader.text()?);
    Some(match kind {
        0 => Question::File(text),
        1 => Question::Listing(text),
        2 => Question::Option(text),
        _ => return None,
    })
}

fn write_dependency(writer: &mut Writer, dependency: &Dependency) {
    write_question(writer, &Question::of(dependency));
    match dependency {
        Dependency::File { hash: Some(hash), .. }
        | Dependency::Listing { hash: Some(hash), .. } => {
            writer.byte(1);
            writer.hash(*hash);
        }
        Dependency::Option { value: Some(value), .. } => {
            writer.byte(1);
            writer.bytes(value.as_bytes());
        }
        _ => writer.byte(0),
    }
}

fn read_dependency(reader: &mut Reader<'_>) -> Option<Dependency> {
    let question = read_question(reader)?;
    let has_answer = match reader.byte()? {
        0 => false,
        1 => true,
        _ => return None,
    };
    let hash = |reader: &mut Reader<'_>| match has_answer {
        true => reader.hash().map(Some),
        false => Some(None),
    };
    Some(match question {
        Question::File(path) => Dependency::File { path, hash: hash(reader)? },
        Question::Listing(path) => Dependency::Listing { path, hash: hash(reader)? },
        Question::Option(name) => {
            let value = if has_answer { Some(reader.text()?) } else { None };
            Dependency::Option { name, value }
        }
    })
}

fn write_result(writer: &mut Writer, result: &CachedResult) {
    writer.u64(u64::try_from(result.took.as_micros()).unwrap_or(u64::MAX));
    writer.hash(result.output.file);
    writer.u64(result.output.bytes);
    writer.byte(result.inline.is_some().into());
    result.inline.iter().for_each(|bytes| writer.bytes(bytes));
    writer.count(result.dependencies.len());
    result.dependencies.iter().for_each(|dependency| write_dependency(writer, dependency));
    writer.count(result.names.len());
    result.names.iter().for_each(|name| writer.bytes(name.as_bytes()));
    writer.count(result.references.len());
    for reference in &result.references {
        writer.bytes(reference.type_name.as_bytes());
        writer.bytes(reference.name.as_bytes());
        writer.u32(reference.line);
        writer.u32(reference.column);
    }
}

fn read_result(reader: &mut Reader<'_>) -> Option<CachedResult> {
    let took = Duration::from_micros(reader.u64()?);
    let output = Output { file: reader.hash()?, bytes: reader.u64()? };
    let inline = match reader.byte()? {
        0 => None,
        1 => Some(reader.bytes()?.to_vec()),
        _ => return None,
    };
    // A hash is cheap next to what damage would cost: all is checked before it is used.
    let is_right =
        |bytes: &Vec<u8>| bytes.len() as u64 == output.bytes && hash_of(bytes) == output.file;
    if !inline.as_ref().is_none_or(is_right) {
        return None;
    }
    let dependencies = reader.list(6, read_dependency)?;
    let names = reader.list(4, Reader::text)?;
    let references = reader.list(16, |reader| {
        let (type_name, name) = (reader.text()?, reader.text()?);
        Some(Reference { type_name, name, line: reader.u32()?, column: reader.u32()? })
    })?;
    Some(CachedResult { took, output, inline, dependencies, names, references })
}

#[cfg(test)]
mod tests;
