//! A game's data as it is shipped: from a data folder into bundles, and back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use loligo_allocators::Allocator;
use loligo_containers::Endian;
use loligo_ids::IdString64;
use loligo_resources::{BUNDLE_ENDING, Bundle, Bundles, ContentHash, ResourceKey, TableSource};

use crate::error::BuildError;
use crate::guarded_folder::GuardedFolder;
use crate::hash::hash_of;
use crate::index::{Entry, Index};
use crate::platform::Platform;
use crate::resource_name::ResourceName;

mod bundling_error;
mod write;

pub use bundling_error::BundlingError;
pub use write::WrittenBundle;

/// The most bytes of an index that are read.
const INDEX_BYTES_MAX: u64 = 1 << 30;

/// What names a variant: type and name, and its properties in ascending order.
pub type VariantKey = (ResourceKey, Vec<IdString64>);

/// A variant of a resource in a game's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataVariant {
    /// The hash of its file.
    pub file: ContentHash,
    /// The bytes of its file.
    pub bytes: u64,
    /// What it is called, where the data has names: a folder that was compiled into.
    pub name: Option<ResourceName>,
}

/// All that a game's data has: of a folder that was compiled into, or of bundles.
///
/// # Complexity
///
/// Opening is O(variants), for bundles as [`Bundles::try_open_in`].
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_compiler::{Compilers, GameData, Platform, Project, Threads};
///
/// # let folder = tempfile::tempdir()?;
/// # let [sources, data, shipped] = ["sources", "data", "shipped"].map(|name| folder.path().join(name));
/// # std::fs::create_dir(&sources)?;
/// std::fs::write(sources.join("door.config"), "width = 0.9")?;
/// let compilers = Compilers::built_in();
/// Project::new(&sources, &data, &compilers).compile(&Threads::default())?;
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("bundles", &pages);
/// let loose = GameData::open(&data, Platform::here(), &heap)?;
/// loose.build(&shipped, &heap)?;
/// let packed = GameData::open(&shipped, Platform::here(), &heap)?;
/// assert!(packed.differences(&loose).is_empty());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GameData<'h> {
    path: PathBuf,
    platform: String,
    endian: Endian,
    variants: BTreeMap<VariantKey, DataVariant>,
    /// What is in each package, by the package's name.
    packages: BTreeMap<String, BTreeSet<ResourceKey>>,
    /// Nothing where the files are loose.
    bundles: Option<Bundles<'h, dyn Allocator + 'h>>,
}

/// How a variant of one game's data differs from another's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDifference {
    /// Which variant.
    pub key: VariantKey,
    /// What the one has.
    pub old: Option<DataVariant>,
    /// What the other has.
    pub new: Option<DataVariant>,
}

impl<'h> GameData<'h> {
    /// Opens a folder that was compiled into, a folder of bundles, or one bundle. `platform` is whose
    /// machines a folder was compiled for; bundles say it themselves.
    ///
    /// # Errors
    ///
    /// [`BundlingError`] if it cannot be read or is damaged, if a resource of a folder was never
    /// compiled as it is now, or if two names differ by case only.
    pub fn open(
        path: &Path,
        platform: Platform,
        memory: &'h (dyn Allocator + 'h),
    ) -> Result<Self, BundlingError> {
        let is_loose = path.join("index").is_file();
        if is_loose { Self::open_loose(path, platform) } else { Self::open_bundles(path, memory) }
    }

    /// Returns the name of the platform that it is for.
    #[must_use]
    pub fn platform(&self) -> &str {
        &self.platform
    }

    /// Returns all variants.
    #[must_use]
    pub const fn variants(&self) -> &BTreeMap<VariantKey, DataVariant> {
        &self.variants
    }

    /// Returns the bundles, where it is of bundles.
    #[must_use]
    pub const fn bundles(&self) -> Option<&Bundles<'h, dyn Allocator + 'h>> {
        self.bundles.as_ref()
    }

    /// Returns in what another game's data differs from this, in the order of the keys.
    #[must_use]
    pub fn differences(&self, new: &GameData<'_>) -> Vec<DataDifference> {
        let keys: BTreeSet<&VariantKey> = self.variants.keys().chain(new.variants.keys()).collect();
        let difference = |key: &VariantKey| {
            let [old, new] = [&self.variants, &new.variants].map(|variants| variants.get(key));
            let content = |of: &DataVariant| (of.file, of.bytes);
            let is_same = old.map(content) == new.map(content);
            let key = key.clone();
            (!is_same).then(|| DataDifference { key, old: old.cloned(), new: new.cloned() })
        };
        keys.into_iter().filter_map(difference).collect()
    }

    /// Reads a file, and looks whether it is what its hash says.
    ///
    /// # Errors
    ///
    /// [`BundlingError`] if it cannot be read or is damaged.
    pub fn read(&self, file: ContentHash, into: &mut [u8]) -> Result<(), BundlingError> {
        match &self.bundles {
            Some(bundles) => bundles.read(file, 0, into).map_err(|error| self.refused(error))?,
            None => {
                let blobs = GuardedFolder::open(&self.path)?.enter("blobs")?;
                let name = file.to_string();
                let found = blobs.read(&name, into.len() as u64)?.unwrap_or_default();
                if found.len() != into.len() {
                    return Err(damaged(&blobs.path().join(name)));
                }
                into.copy_from_slice(&found);
            }
        }
        if hash_of(into) == file { Ok(()) } else { Err(damaged(&self.path)) }
    }

    fn open_loose(path: &Path, platform: Platform) -> Result<Self, BundlingError> {
        let fail = |why| BundlingError::from(BuildError::new(path, "cannot be bundled", why));
        let folder = GuardedFolder::open(path)?;
        let index = folder.read("index", INDEX_BYTES_MAX)?;
        let index = index.and_then(|bytes| Index::from_bytes(&bytes).ok());
        let index =
            index.ok_or_else(|| fail("its file `index` is damaged; compile the project"))?;
        check_names(&index)?;
        let mut data = Self {
            path: path.to_owned(),
            platform: platform.name.to_owned(),
            endian: platform.endian,
            variants: BTreeMap::new(),
            packages: BTreeMap::new(),
            bundles: None,
        };
        for entry in index.entries {
            data.add(entry)?;
        }
        data.check_order()?;
        Ok(data)
    }

    /// Adds a resource that was compiled.
    fn add(&mut self, entry: Entry) -> Result<(), BundlingError> {
        let Some(output) = entry.output.filter(|_| !entry.is_failed) else {
            return Err(BundlingError::Wrong(entry.source.to_string()));
        };
        if entry.name.type_name == loligo_resources::PACKAGE_TYPE {
            let keys = entry.references.iter().map(|of| ResourceKey::new(&of.type_name, &of.name));
            self.packages.entry(entry.name.name.clone()).or_default().extend(keys);
        }
        let hashed = entry.name.properties.iter().map(|property| IdString64::new(property));
        let mut properties: Vec<IdString64> = hashed.collect();
        properties.sort_unstable();
        let key = (entry.name.key(), properties);
        let name = Some(entry.name);
        self.variants.insert(key, DataVariant { file: output.file, bytes: output.bytes, name });
        Ok(())
    }

    /// Looks whether the files are for machines of the platform's byte order, by the first of them.
    fn check_order(&self) -> Result<(), BundlingError> {
        let Some(first) = self.variants.values().next() else { return Ok(()) };
        let mut file = vec![0; usize::try_from(first.bytes).unwrap_or(usize::MAX)];
        self.read(first.file, &mut file)?;
        let order = file.get(8..12).unwrap_or_default();
        let wanted = match self.endian {
            Endian::Little => 1_u32.to_le_bytes(),
            Endian::Big => 1_u32.to_be_bytes(),
        };
        if order == wanted { Ok(()) } else { Err(BundlingError::Order(self.path.clone())) }
    }

    fn open_bundles(path: &Path, memory: &'h (dyn Allocator + 'h)) -> Result<Self, BundlingError> {
        let refused = |error| BundlingError::Bundle(path.to_owned(), error);
        let bundles = if path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let file = fs::File::open(path)
                .map_err(|error| BuildError::io(path, "cannot be read", error))?;
            let mut bundles = Bundles::new_in(memory);
            bundles
                .try_add(Bundle::try_open(&name, file, memory).map_err(refused)?)
                .map_err(refused)?;
            bundles.try_settle().map_err(refused)?;
            bundles
        } else {
            Bundles::try_open_in(path, memory).map_err(refused)?
        };
        let Some(first) = bundles.bundles().first() else {
            return Err(BundlingError::Nothing(path.to_owned()));
        };
        let (platform, endian) = (first.header().platform().to_owned(), first.header().endian);
        let variant = |of: TableSource<'_>| {
            let key = (of.key, of.properties.to_vec());
            (key, DataVariant { file: of.file, bytes: of.bytes, name: None })
        };
        let variants = bundles.variants().map(variant).collect();
        let (path, packages) = (path.to_owned(), BTreeMap::new());
        Ok(Self { path, platform, endian, variants, packages, bundles: Some(bundles) })
    }

    fn refused(&self, error: loligo_resources::BundleError) -> BundlingError {
        BundlingError::Bundle(self.path.clone(), error)
    }

    /// Returns the variants as tables have them.
    fn sources(&self) -> Vec<TableSource<'_>> {
        self.variants.iter().map(source_of).collect()
    }
}

/// Returns a variant as tables have it.
fn source_of<'s>(((key, properties), of): (&'s VariantKey, &DataVariant)) -> TableSource<'s> {
    TableSource { key: *key, properties, file: of.file, bytes: of.bytes }
}

fn damaged(path: &Path) -> BundlingError {
    let why = "a file of it is damaged or gone; remove the folder and compile the project";
    BuildError::new(path, "cannot be read", why).into()
}

/// Refuses names that differ by case only: other systems would take them for one, and so do people.
fn check_names(index: &Index) -> Result<(), BundlingError> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for entry in &index.entries {
        let name = entry.name.to_string();
        if let Some(other) = seen.insert(name.to_lowercase(), name.clone())
            && other != name
        {
            return Err(BundlingError::Case(other, name));
        }
    }
    Ok(())
}

/// Returns the names of the bundles in a folder.
fn bundle_names(folder: &GuardedFolder) -> Result<BTreeSet<String>, BundlingError> {
    let names = folder.names()?;
    let names = names.iter().filter_map(|name| name.to_str());
    Ok(names.filter(|name| name.ends_with(BUNDLE_ENDING)).map(str::to_owned).collect())
}
