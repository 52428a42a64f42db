//! Whole files of resources, read by a call into memory of ours, or mapped, and looked at.

use core::hint::black_box;
use core::ptr;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;
use std::rc::Rc;

use tempfile::TempDir;

use crate::clock;
use crate::contender::{Contender, Pass, Race};

/// The bytes of all files together: what the system keeps in memory, and caches of processors do
/// not.
const BYTES: usize = 32 << 20;

struct Files {
    _folder: TempDir,
    paths: Vec<PathBuf>,
    bytes: usize,
}

impl Files {
    fn new(bytes: usize) -> Self {
        let made = TempDir::with_prefix("loligo-benches-");
        let folder = made.unwrap_or_else(|error| unreachable!("there is a folder: {error}"));
        let paths = (0..BYTES / bytes).map(|number| folder.path().join(number.to_string()));
        let paths: Vec<PathBuf> = paths.collect();
        for path in &paths {
            let written = fs::write(path, vec![7; bytes]);
            written.unwrap_or_else(|error| unreachable!("it may be written: {error}"));
        }
        Self { _folder: folder, paths, bytes }
    }

    /// Calls `read` with each file, and measures.
    fn pass(&self, mut read: impl FnMut(File)) -> Pass {
        let began = clock::thread_cpu_ns();
        for path in &self.paths {
            let file = File::open(path);
            read(file.unwrap_or_else(|error| unreachable!("it is there: {error}")));
        }
        Pass { ns: clock::thread_cpu_ns() - began, operations: self.paths.len() as u64 }
    }
}

/// Looks at each word, as the hash of a resource's file does.
fn look(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8).filter_map(|word| word.first_chunk::<8>());
    words.fold(0, |sum, word| (sum ^ u64::from_le_bytes(*word)).wrapping_mul(31))
}

/// Returns files of a size read by a call, as the engine reads them, and files that are mapped.
pub(crate) fn read_beside_mapped(bytes: usize) -> Race {
    let files = Rc::new(Files::new(bytes));
    let (called, mapped) = (files.clone(), files);
    let mut buffer = vec![0; bytes];
    let ours = Contender::new("read", move || {
        called.pass(|mut file| {
            let read = file.read_exact(&mut buffer);
            assert!(read.is_ok(), "it is as long as it was written");
            black_box(look(&buffer));
        })
    });
    let peer =
        Contender::new("mapped", move || mapped.pass(|file| look_mapped(&file, mapped.bytes)));
    Race { ours, peers: vec![peer], absent: Vec::new() }
}

/// Maps a file, looks at it and gives the mapping back.
fn look_mapped(file: &File, bytes: usize) {
    let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_POPULATE);
    // SAFETY: a new mapping of a file that is open, at a place that the system chooses, touches no
    // memory of this program.
    let start =
        unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, file.as_raw_fd(), 0) };
    assert_ne!(start, libc::MAP_FAILED, "a file can be mapped");
    // SAFETY: the mapping is as long, readable until it is given back below, and its file is
    // written by nobody.
    let seen = unsafe { core::slice::from_raw_parts(start.cast::<u8>(), bytes) };
    black_box(look(seen));
    // SAFETY: it is the mapping that was made above, and nobody has a reference into it.
    let given_back = unsafe { libc::munmap(start, bytes) };
    assert_eq!(given_back, 0, "a mapping can be given back");
}
