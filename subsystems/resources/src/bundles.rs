//! The bundles of a game and its patches, of which the newest decides.

use core::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::{IdString64, murmur2_64a};

use crate::bundle::Bundle;
use crate::bundle_error::{BundleError, BundleErrorKind};
use crate::content_hash::ContentHash;
use crate::debug_name::DebugName;
use crate::key::ResourceKey;
use crate::packed_files::PackedFiles;
use crate::table::{TableEntry, TableSource};

/// How the names of the files of bundles end.
pub const BUNDLE_ENDING: &str = ".bundle";

/// The most bundles: each is an open file.
const BUNDLES_MAX: usize = 512;

/// Bundles that are one game: those of layer 0, and patches over them.
///
/// A patch has what changed, and which variants are removed. For each variant the newest layer that
/// has it decides. A patch is made for one state of the bundles below it, and is refused over another.
///
/// # Complexity
///
/// Opening is O(n log n) in the variants of all bundles. A file is found in O(bundles * log files).
///
/// # Memory
///
/// That of each [`Bundle`], and 8 bytes for each variant of the game.
///
/// # Threads
///
/// `Sync` where the allocator is: any threads read at the same time.
///
/// # Invariants
///
/// 1. Bundles are in the order of their layers, which have no gap, and each patch is one of what is
///    below it.
/// 2. `visible` is in ascending order of type, name and properties, none twice or removed, and each
///    file of it is in a bundle.
pub struct Bundles<'a, A: Allocator + ?Sized = dyn Allocator + Sync + 'a> {
    memory: &'a A,
    bundles: Array<'a, Bundle<'a, A>, A>,
    /// What the game sees: in which bundle, and which of its variants.
    visible: Array<'a, [u32; 2], A>,
}

impl<'a, A: Allocator + ?Sized> Bundles<'a, A> {
    /// Begins with no bundle.
    pub const fn new_in(memory: &'a A) -> Self {
        Self { memory, bundles: Array::new_in(memory), visible: Array::new_in(memory) }
    }

    /// Opens all bundles in a folder: the files whose names end in [`BUNDLE_ENDING`]. Without any, none
    /// is open afterwards, which [`is_empty`](Self::is_empty) says.
    ///
    /// # Errors
    ///
    /// [`BundleError`] names the bundle that cannot be opened, or that does not fit to the others.
    pub fn try_open_in(folder: &Path, memory: &'a A) -> Result<Self, BundleError> {
        let mut bundles = Self::new_in(memory);
        let of_folder = |error: io::Error| {
            let name = folder.to_string_lossy();
            BundleErrorKind::Io(error).of(DebugName::new(&name))
        };
        for entry in fs::read_dir(folder).map_err(of_folder)? {
            let path = entry.map_err(of_folder)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            // Hidden files are those that are being written.
            if name.ends_with(BUNDLE_ENDING) && !name.starts_with('.') {
                bundles.try_add(open(&path, name, memory)?)?;
            }
        }
        bundles.try_settle()?;
        Ok(bundles)
    }

    /// Opens the bundles of a folder that a game is to be played from; `None` if it has a table of loose
    /// files, which is looked for first, or no bundle.
    ///
    /// # Errors
    ///
    /// As [`try_open_in`](Self::try_open_in).
    pub fn try_find_in(folder: &Path, memory: &'a A) -> Result<Option<Self>, BundleError> {
        if folder.join("resources").exists() || !folder.is_dir() {
            return Ok(None);
        }
        let bundles = Self::try_open_in(folder, memory)?;
        Ok((!bundles.is_empty()).then_some(bundles))
    }

    /// Adds a bundle. [`try_settle`](Self::try_settle) is called after the last.
    ///
    /// # Errors
    ///
    /// [`BundleError`] if there is no memory, or there are too many.
    pub fn try_add(&mut self, bundle: Bundle<'a, A>) -> Result<(), BundleError> {
        let name = bundle.name();
        if self.bundles.len() == BUNDLES_MAX {
            let what = "there are 512 bundles before it, and each is an open file";
            return Err(BundleErrorKind::Part { what }.of(name));
        }
        self.bundles.try_push(bundle).map_err(|error| BundleErrorKind::from(error).of(name))
    }

    /// Puts the bundles into their order, looks whether they fit together, and works out what a game
    /// sees.
    ///
    /// # Errors
    ///
    /// [`BundleError`] names a bundle that does not fit to the others, or there is no memory.
    pub fn try_settle(&mut self) -> Result<(), BundleError> {
        self.bundles.sort_unstable_by_key(|bundle| (bundle.header().layer, bundle.header().id));
        self.visible.clear();
        let mut expected = 0;
        for bundle in &self.bundles {
            let (header, first) = (bundle.header(), self.bundles[0].header());
            let fail = |kind: BundleErrorKind| Err(kind.of(bundle.name()));
            if header.endian != first.endian || header.platform() != first.platform() {
                return fail(BundleErrorKind::OtherPlatform);
            }
            if header.layer > expected {
                expected += 1;
            }
            if header.layer != expected || header.below != self.state(header.layer) {
                return fail(BundleErrorKind::OtherBelow { layer: header.layer });
            }
        }
        self.find_visible()
    }

    /// Returns what the bundles below a layer are, as one number; 0 if there are none. A patch of that
    /// layer has it in its header.
    #[must_use]
    pub fn state(&self, layer: u32) -> u64 {
        let below = self.bundles.iter().take_while(|bundle| bundle.header().layer < layer);
        below.fold(0, |state, bundle| {
            let sum = murmur2_64a(&bundle.header().id.to_le_bytes()[..], state);
            // 0 is for what is no patch.
            sum.max(1)
        })
    }

    /// Returns the layer of the next patch: one more than the newest.
    #[must_use]
    pub fn next_layer(&self) -> u32 {
        self.bundles.last().map_or(0, |newest| newest.header().layer.saturating_add(1))
    }

    /// Returns whether there is no bundle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bundles.is_empty()
    }

    /// Returns the bundles, those of layer 0 first.
    #[must_use]
    pub fn bundles(&self) -> &[Bundle<'a, A>] {
        &self.bundles
    }

    /// Returns what a game sees, in ascending order of type, name and properties.
    pub fn variants(&self) -> impl ExactSizeIterator<Item = TableSource<'_>> + '_ {
        self.visible.iter().map(move |place| self.variant(*place))
    }

    /// Returns the bytes of a file, if one of the bundles has it.
    #[must_use]
    pub fn bytes_of(&self, file: ContentHash) -> Option<u64> {
        self.bundles.iter().rev().find_map(|bundle| bundle.bytes_of(file))
    }

    /// Reads a part of a file: as many bytes as `into` has, from `from` on.
    ///
    /// # Errors
    ///
    /// [`BundleError`] as of [`Bundle::read`], of the newest bundle that has the file.
    pub fn read(&self, file: ContentHash, from: u64, into: &mut [u8]) -> Result<(), BundleError> {
        match self.bundles.iter().rev().find(|bundle| bundle.bytes_of(file).is_some()) {
            Some(bundle) => bundle.read(file, from, into),
            None => Err(BundleErrorKind::NoFile.of(DebugName::new("of all"))),
        }
    }

    /// Works out what a bundle must have that makes of these what is wanted: as a patch of
    /// [`next_layer`](Self::next_layer), or as all of a game if there are none. `wanted` is in ascending
    /// order of type, name and properties.
    ///
    /// # Complexity
    ///
    /// O(n log n) in the variants.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_difference_in<'s, B: Allocator + ?Sized>(
        &'s self,
        wanted: &[TableSource<'s>],
        memory: &'s B,
    ) -> Result<BundleDifference<'s, B>, GrowError> {
        let (mut variants, mut files) = (Array::new_in(memory), Array::new_in(memory));
        let place = |of: &TableSource<'s>| (of.key, of.properties);
        let removed =
            |of: TableSource<'s>| TableSource { file: ContentHash::default(), bytes: 0, ..of };
        let mut old = self.variants().peekable();
        for new in wanted {
            while let Some(gone) = old.next_if(|old| place(old) < place(new)) {
                variants.try_push(removed(gone))?;
            }
            let same = old.next_if(|old| place(old) == place(new));
            if same.is_some_and(|old| (old.file, old.bytes) == (new.file, new.bytes)) {
                continue;
            }
            variants.try_push(*new)?;
            if self.bytes_of(new.file).is_none() {
                files.try_push((new.file, new.bytes))?;
            }
        }
        for gone in old {
            variants.try_push(removed(gone))?;
        }
        files.sort_unstable();
        files.dedup();
        Ok(BundleDifference { variants, files })
    }

    /// Works out what a game sees.
    fn find_visible(&mut self) -> Result<(), BundleError> {
        let count = self.bundles.iter().map(|bundle| bundle.variants().entries().len()).sum();
        let name = self.bundles.last().map_or(DebugName::default(), Bundle::name);
        let no_memory = |error: GrowError| BundleErrorKind::from(error).of(name);
        let mut all = Array::try_with_capacity_in(count, self.memory).map_err(no_memory)?;
        for (index, bundle) in (0..).zip(&self.bundles) {
            let places = (0..bundle.variants().entries().len()).map(|at| [index, at as u32]);
            all.try_extend(places).map_err(no_memory)?;
        }
        // The newest of each first.
        all.sort_unstable_by(|a: &[u32; 2], b| (self.place(*a), b[0]).cmp(&(self.place(*b), a[0])));
        for pair in all.windows(2) {
            let [newer, older] = [pair[0], pair[1]];
            let layer = |place: [u32; 2]| self.bundle(place).header().layer;
            if self.place(newer) == self.place(older) && layer(newer) == layer(older) {
                return Err(BundleErrorKind::Twice.of(self.bundle(newer).name()));
            }
        }
        all.dedup_by(|newer, older| self.place(*newer) == self.place(*older));
        all.retain(|place| self.variant(*place).bytes != 0);
        for place in &all {
            let TableSource { file, bytes, .. } = self.variant(*place);
            if self.bytes_of(file) != Some(bytes) {
                return Err(BundleErrorKind::NoFile.of(self.bundle(*place).name()));
            }
        }
        self.visible = all;
        Ok(())
    }

    fn bundle(&self, [bundle, _]: [u32; 2]) -> &Bundle<'a, A> {
        &self.bundles[bundle as usize]
    }

    fn entry(&self, place: [u32; 2]) -> (&TableEntry, &[IdString64]) {
        let table = self.bundle(place).variants();
        let entry = &table.entries()[place[1] as usize];
        (entry, table.properties(entry))
    }

    /// Returns what variants are sorted by.
    fn place(&self, place: [u32; 2]) -> (ResourceKey, &[IdString64]) {
        let (entry, properties) = self.entry(place);
        (entry.key, properties)
    }

    fn variant(&self, place: [u32; 2]) -> TableSource<'_> {
        let (entry, properties) = self.entry(place);
        TableSource { key: entry.key, properties, file: entry.file, bytes: entry.bytes }
    }
}

/// What makes of some bundles what is wanted: see [`Bundles::try_difference_in`].
#[derive(Debug)]
pub struct BundleDifference<'s, B: Allocator + ?Sized = dyn Allocator + Sync + 's> {
    /// Variants that are new or have another file, and those that are removed, in order.
    pub variants: Array<'s, TableSource<'s>, B>,
    /// Files that none of the bundles has, and their bytes, in the order of their hashes.
    pub files: Array<'s, (ContentHash, u64), B>,
}

/// Opens the file of a bundle.
fn open<'a, A: Allocator + ?Sized>(
    path: &Path,
    name: &str,
    memory: &'a A,
) -> Result<Bundle<'a, A>, BundleError> {
    let fail = |error: io::Error| BundleErrorKind::Io(error).of(DebugName::new(name));
    // A process that opens a pipe waits for what comes through it.
    if !fs::metadata(path).map_err(fail)?.is_file() {
        return Err(fail(io::ErrorKind::InvalidInput.into()));
    }
    Bundle::try_open_in(name, File::open(path).map_err(fail)?, memory)
}

impl<A: Allocator + Sync + ?Sized> PackedFiles for Bundles<'_, A> {
    fn visit(
        &self,
        each: &mut dyn FnMut(&TableSource<'_>) -> Result<(), GrowError>,
    ) -> Result<(), GrowError> {
        self.variants().try_for_each(|variant| each(&variant))
    }

    fn bytes_of(&self, file: ContentHash) -> Option<u64> {
        self.bytes_of(file)
    }

    fn read(&self, file: ContentHash, from: u64, into: &mut [u8]) -> Result<(), BundleError> {
        self.read(file, from, into)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Bundles<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bundles")
            .field("bundles", &self.bundles.as_slice())
            .field("variants", &self.visible.len())
            .finish_non_exhaustive()
    }
}
