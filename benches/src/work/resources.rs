//! The courtyard as loose files, in a bundle and in a flat pack, and patches from one version of it
//! to the next.

pub(crate) mod booting;
mod flat_pack;
pub(crate) mod patches;
pub(crate) mod reading;

use core::fmt::Display;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator};
use loligo_compiler::{Compilers, Entry, GameData, Index, Platform, Project, Threads};
use loligo_resources::ContentHash;

use flat_pack::FlatPack;

/// The courtyard, compiled and packed.
pub(crate) struct Packed {
    /// What it was compiled into: loose files.
    pub(crate) data: PathBuf,
    /// The folder of its bundle.
    pub(crate) shipped: PathBuf,
    /// All files in one, without compression.
    pub(crate) flat: PathBuf,
    /// The files and their bytes, in the order in which the bundle has them.
    pub(crate) files: Vec<(ContentHash, u64)>,
}

/// Returns the courtyard. It is compiled once, into the target folder of the checkout.
pub(crate) fn packed() -> &'static Packed {
    static PACKED: OnceLock<Packed> = OnceLock::new();
    PACKED.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        packed_into(&root.join("samples/10-courtyard"), &root.join("target/scoreboard/courtyard"))
    })
}

/// Compiles sources and packs what became of them, both in a folder.
pub(crate) fn packed_into(sources: &Path, folder: &Path) -> Packed {
    let [data, shipped, flat] = ["data", "shipped", "flat.pack"].map(|name| folder.join(name));
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    needed(fs::create_dir_all(folder));
    let report = needed(Project::new(sources, &data, &compilers).compile(&Threads::default()));
    assert!(report.errors.is_empty(), "the sample is right: {:?}", report.errors);
    if shipped.exists() {
        needed(fs::remove_dir_all(&shipped));
    }
    with_heap(|heap| {
        let game = needed(GameData::open(&data, Platform::here(), heap));
        needed(game.build(&shipped, heap));
    });
    let files = in_order(&data);
    needed(FlatPack::write(&flat, &files, &data));
    Packed { data, shipped, flat, files }
}

/// Returns the files of compiled data in the order of types and names, as they are in a bundle.
fn in_order(data: &Path) -> Vec<(ContentHash, u64)> {
    let index = needed(Index::from_bytes(&needed(fs::read(data.join("index")))));
    let place = |entry: &Entry| {
        let output = entry.output?;
        Some((entry.name.type_name.clone(), entry.name.to_string(), output.file, output.bytes))
    };
    let mut places: Vec<_> = index.entries.iter().filter_map(place).collect();
    places.sort();
    let mut known = BTreeSet::new();
    let files = places.into_iter().map(|(_, _, file, bytes)| (file, bytes));
    files.filter(|(file, _)| known.insert(*file)).collect()
}

/// Calls `act` with a heap that all threads may use.
pub(crate) fn with_heap<R>(
    act: impl FnOnce(&(dyn loligo_allocators::Allocator + Sync + '_)) -> R,
) -> R {
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("bundles", &pages));
    act(&heap)
}

/// Returns a heap that stays: what is measured gets memory that was used before, as in a game that runs, and not
/// pages that the system has to clear first.
pub(crate) fn kept_heap() -> &'static (dyn loligo_allocators::Allocator + Sync) {
    static PAGES: PageAllocator = PageAllocator::new("pages");
    static HEAP: OnceLock<Locked<HeapAllocator<'static, PageAllocator>>> = OnceLock::new();
    HEAP.get_or_init(|| Locked::new(HeapAllocator::new_in("bundles", &PAGES)))
}

/// Returns the path of a loose file.
fn loose(data: &Path, file: ContentHash) -> PathBuf {
    data.join("blobs").join(file.to_string())
}

/// Returns what must not fail here.
pub(crate) fn needed<T, E: Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| unreachable!("the courtyard is packed: {error}"))
}
