//! All files of a game in one, one after the other, without compression: the layout of Godot's PCK,
//! version 2, written and read by us from its description. Godot opens the pack again for each file
//! and reads by a cursor; here it is open, and a read is one call of the system, so that what is
//! compared is the layout.
//!
//! ```text
//! "GDPC" | version | engine's version: 3 | flags | base: u64 | 0: 16 | files: u32
//! file   | bytes of the path: u32 | path | offset: u64 | bytes: u64 | MD5: 16 bytes | flags: u32
//! the bytes of the files, each at a multiple of 32
//! ```

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use loligo_resources::ContentHash;

use super::loose;

/// What files begin at a multiple of.
const ALIGNMENT: u64 = 32;

/// A pack that is open.
pub(super) struct FlatPack {
    file: File,
    /// Where each file begins, and its bytes, by path.
    places: HashMap<String, (u64, u64)>,
}

impl FlatPack {
    /// Writes a pack of loose files.
    pub(super) fn write(path: &Path, files: &[(ContentHash, u64)], data: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        let directory: u64 = files.iter().map(|(file, _)| entry_bytes(*file)).sum();
        let base = (100 + directory).next_multiple_of(ALIGNMENT);
        out.write_all(b"GDPC")?;
        for number in [2_u32, 4, 3, 0, 0] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&base.to_le_bytes())?;
        out.write_all(&[0; 64])?;
        out.write_all(&(files.len() as u32).to_le_bytes())?;
        let mut offset = 0;
        for (file, bytes) in files {
            let path = padded_path(*file);
            out.write_all(&(path.len() as u32).to_le_bytes())?;
            out.write_all(&path)?;
            out.write_all(&u64::to_le_bytes(offset))?;
            out.write_all(&bytes.to_le_bytes())?;
            out.write_all(&[0; 20])?;
            offset = (offset + bytes).next_multiple_of(ALIGNMENT);
        }
        let mut at = 100 + directory;
        for (file, bytes) in files {
            let start = at.next_multiple_of(ALIGNMENT);
            out.write_all(&[0; ALIGNMENT as usize][..(start - at) as usize])?;
            out.write_all(&fs::read(loose(data, *file))?)?;
            at = start + bytes;
        }
        out.flush()
    }

    /// Opens a pack and reads its directory.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = [0; 100];
        file.read_exact(&mut head)?;
        let long = |bytes: &[u8], at: usize| {
            u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
        };
        let base = long(&head, 24);
        let mut directory = vec![0; (base - 100) as usize];
        file.seek(SeekFrom::Start(100))?;
        file.read_exact(&mut directory)?;
        let count = u32::from_le_bytes(head[96..].try_into().unwrap_or_default());
        let mut places = HashMap::with_capacity(count as usize);
        let mut rest = &directory[..];
        for _ in 0..count {
            let len = u32::from_le_bytes(rest[..4].try_into().unwrap_or_default()) as usize;
            let path = String::from_utf8_lossy(&rest[4..4 + len]);
            let (offset, bytes) = (long(rest, 4 + len), long(rest, 12 + len));
            places.insert(path.trim_end_matches('\0').to_owned(), (base + offset, bytes));
            rest = &rest[4 + len + 36..];
        }
        Ok(Self { file, places })
    }

    /// Reads the first bytes of a file.
    pub(super) fn read(&self, file: ContentHash, into: &mut [u8]) -> io::Result<()> {
        let place = self.places.get(&path_of(file)).copied();
        let (offset, bytes) = place.ok_or(io::ErrorKind::NotFound)?;
        if bytes < into.len() as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.file.read_exact_at(into, offset)
    }
}

fn path_of(file: ContentHash) -> String {
    format!("res://blobs/{file}")
}

/// Returns a path with zeros up to a multiple of 4.
fn padded_path(file: ContentHash) -> Vec<u8> {
    let mut path = path_of(file).into_bytes();
    path.resize(path.len().next_multiple_of(4), 0);
    path
}

/// Returns the bytes of a file in the directory.
fn entry_bytes(file: ContentHash) -> u64 {
    4 + padded_path(file).len() as u64 + 36
}
