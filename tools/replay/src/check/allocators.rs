//! What a program is run under.

use std::fs;
use std::path::{Path, PathBuf};

/// An allocator that a program is run under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it is called in the table.
    pub name: String,
    /// The library that is preloaded; without one it is the program's own.
    pub library: Option<PathBuf>,
    /// The program that replaces `{}` in the command.
    pub program: Option<PathBuf>,
}

impl Candidate {
    /// Returns the program's own allocator.
    #[must_use]
    pub fn own() -> Self {
        Self { name: "own".to_owned(), library: None, program: None }
    }
}

/// Where libraries are installed.
const FOLDERS: [&str; 6] = [
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
];

/// Peers and how their libraries' names begin.
const PEERS: [(&str, &str); 3] = [
    ("mimalloc", "libmimalloc.so"),
    ("jemalloc", "libjemalloc.so"),
    ("tcmalloc", "libtcmalloc_minimal.so"),
];

/// Returns the peers that are installed on this machine.
#[must_use]
pub fn installed() -> Vec<Candidate> {
    installed_in(&FOLDERS.map(Path::new))
}

/// Returns the peers that are installed in some folders.
pub(super) fn installed_in(folders: &[&Path]) -> Vec<Candidate> {
    let find = |start: &str| {
        folders.iter().find_map(|folder| {
            let names = fs::read_dir(folder).ok()?;
            let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            let mut fit: Vec<String> = names.filter(|name| name.starts_with(start)).collect();
            // The shortest is what the others are links to, or links to them.
            fit.sort_by_key(|name| (name.len(), name.clone()));
            fit.first().map(|name| folder.join(name))
        })
    };
    PEERS
        .iter()
        .filter_map(|(name, start)| {
            let library = Some(find(start)?);
            Some(Candidate { name: (*name).to_owned(), library, program: None })
        })
        .collect()
}
