//! Allocators that a program brings with it, of which a recorder of the C library's sees nothing.

use core::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol};

/// An allocator that is linked into a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAllocator {
    /// The file that it is in.
    pub file: PathBuf,
    /// Which it is.
    pub kind: OtherAllocatorKind,
}

/// Which allocator it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OtherAllocatorKind {
    /// One of those that are known by the names of their functions.
    Library(&'static str),
    /// One that a Rust program names by `#[global_allocator]`.
    RustGlobal,
    /// That of Go's runtime.
    Go,
    /// A `malloc` in the program itself.
    Malloc,
}

/// A function of each allocator that nothing else has, and the allocator's name.
const FUNCTIONS: [(&str, &str); 11] = [
    ("mi_malloc", "mimalloc"),
    ("_rjem_malloc", "jemalloc"),
    ("_rjem_mallocx", "jemalloc"),
    ("je_malloc", "jemalloc"),
    ("mallocx", "jemalloc"),
    ("tc_malloc", "tcmalloc"),
    ("TCMallocInternalMalloc", "tcmalloc"),
    ("sn_malloc", "snmalloc"),
    ("sn_rust_alloc", "snmalloc"),
    ("rpmalloc", "rpmalloc"),
    ("scalable_malloc", "the allocator of oneTBB"),
];

/// Looks for an allocator in a program, by its symbols; `None` if there is none, or if the program
/// was stripped of its symbols, or is no program.
///
/// # Complexity
///
/// O(symbols).
pub(super) fn find(path: &Path) -> Option<OtherAllocator> {
    let map = super::files::map(&File::open(path).ok()?).ok()?;
    let file = object::File::parse(&map[..]).ok()?;
    let is_of_go = |name| [".go.buildinfo", ".note.go.buildid"].contains(&name);
    let found = |kind| Some(OtherAllocator { file: path.to_owned(), kind });
    if file.sections().any(|section| section.name().is_ok_and(is_of_go)) {
        return found(OtherAllocatorKind::Go);
    }
    let (mut library, mut has_malloc) = (None, false);
    let (mut calls_rust_alloc, mut has_rust_default) = (false, false);
    let symbols = file.symbols().chain(file.dynamic_symbols());
    for name in symbols.filter(|symbol| symbol.is_definition()).filter_map(|s| s.name().ok()) {
        if let Some((_, of)) = FUNCTIONS.iter().find(|(function, _)| *function == name) {
            library = Some(*of);
        }
        has_malloc |= name == "malloc";
        // Mangled: `_RNv.._7___rustc12___rust_alloc`. What std brings is `__rdl_alloc`.
        calls_rust_alloc |= name.ends_with("__rust_alloc");
        has_rust_default |= name.ends_with("__rdl_alloc");
    }
    match library {
        Some(name) => found(OtherAllocatorKind::Library(name)),
        None if calls_rust_alloc && !has_rust_default => found(OtherAllocatorKind::RustGlobal),
        None if has_malloc => found(OtherAllocatorKind::Malloc),
        None => None,
    }
}

/// Returns `true` if a process with these maps is CPython, whose small objects come from pools of its
/// own, in pages from `mmap`; `setting` is its `PYTHONMALLOC`, which can turn them off.
pub(super) fn has_python_pools(maps: &str, setting: Option<&str>) -> bool {
    let names = maps.lines().filter_map(|line| line.rsplit_once('/')).map(|(_, name)| name);
    let is_python = |name: &str| name.starts_with("libpython3") || name.starts_with("python3");
    let is_off = setting.is_some_and(|setting| ["malloc", "malloc_debug"].contains(&setting));
    !is_off && names.into_iter().any(is_python)
}

impl OtherAllocator {
    /// Returns what to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self.kind {
            OtherAllocatorKind::RustGlobal => {
                "comment out `#[global_allocator]` for the recording, or let the program record \
                 itself with loligo_allocators::recording"
            }
            OtherAllocatorKind::Go => {
                "Go's memory cannot be recorded; its own profiler (pprof) shows it"
            }
            OtherAllocatorKind::Library(_) | OtherAllocatorKind::Malloc => {
                "build the program with the system's malloc for the recording; in Rust, comment out \
                 `#[global_allocator]`, or let the program record itself with \
                 loligo_allocators::recording"
            }
        }
    }
}

impl fmt::Display for OtherAllocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has ", self.file.display())?;
        match self.kind {
            OtherAllocatorKind::Library(name) => write!(f, "{name} linked in"),
            OtherAllocatorKind::RustGlobal => f.write_str("its own Rust #[global_allocator]"),
            OtherAllocatorKind::Go => f.write_str("the allocator of Go's runtime"),
            OtherAllocatorKind::Malloc => f.write_str("its own malloc"),
        }
    }
}
