//! Bundles of a game's data, patches, and the data folder that bundles came from.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use loligo_allocators::Allocator;
use loligo_resources::{
    BLOCK_BYTES, BUNDLE_ENDING, BundleHeader, BundleSource, ContentHash, ResourceKey, TableSource,
    write_bundle, write_table,
};

use super::{BundlingError, GameData, VariantKey, bundle_names, source_of};
use crate::error::BuildError;
use crate::guarded_folder::GuardedFolder;

/// A bundle that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBundle {
    /// The name of its file.
    pub name: String,
    /// How many variants of resources it has, those that are removed included.
    pub variants: usize,
    /// How many files, and their bytes.
    pub files: (usize, u64),
    /// What its header says.
    pub header: BundleHeader,
}

/// What is in a bundle before it is written: variants in order, and files as they are to be put.
#[derive(Default)]
struct Plan<'s> {
    variants: Vec<TableSource<'s>>,
    files: Vec<(ContentHash, u64)>,
}

impl GameData<'_> {
    /// Writes all as bundles into a folder, which is made if it is not there: `package.NAME.bundle` for
    /// what is in one package alone, and `game.bundle` for the rest.
    ///
    /// # Errors
    ///
    /// [`BundlingError`] if the folder cannot be written or has other bundles, or a file cannot be read.
    pub fn build<A: Allocator + ?Sized>(
        &self,
        out: &Path,
        memory: &A,
    ) -> Result<Vec<WrittenBundle>, BundlingError> {
        fs::create_dir_all(out).map_err(|error| BuildError::io(out, "cannot be made", error))?;
        let folder = GuardedFolder::open(out)?;
        let plans = self.plans();
        let others = bundle_names(&folder)?;
        if let Some(other) = others.into_iter().find(|name| !plans.contains_key(name)) {
            return Err(BundlingError::Others(out.to_owned(), other));
        }
        let mut written = Vec::new();
        for (name, plan) in plans {
            let source = BundleSource {
                platform: &self.platform,
                endian: self.endian,
                layer: 0,
                below: 0,
                block_bytes: BLOCK_BYTES,
                variants: &plan.variants,
                files: &plan.files,
            };
            written.push(self.write(&folder, &name, &source, memory)?);
        }
        Ok(written)
    }

    /// Writes a patch that makes of bundles what this is, as a file of that name in a folder.
    ///
    /// # Errors
    ///
    /// [`BundlingError`] if nothing differs, the platforms do, or something cannot be read or written.
    pub fn patch<A: Allocator + ?Sized>(
        &self,
        old: &GameData<'_>,
        (out, name): (&Path, &str),
        memory: &A,
    ) -> Result<WrittenBundle, BundlingError> {
        let Some(bundles) = old.bundles() else {
            return Err(BundlingError::Nothing(old.path.clone()));
        };
        if (&old.platform, old.endian) != (&self.platform, self.endian) {
            return Err(BundlingError::Platform(old.platform.clone(), self.platform.clone()));
        }
        let wanted = self.sources();
        let difference = bundles.try_difference_in(&wanted, memory)?;
        if difference.variants.is_empty() {
            return Err(BundlingError::Same);
        }
        let layer = bundles.next_layer();
        let source = BundleSource {
            platform: &self.platform,
            endian: self.endian,
            layer,
            below: bundles.state(layer),
            block_bytes: BLOCK_BYTES,
            variants: &difference.variants,
            files: &self.in_order_of_names(&difference.files),
        };
        self.write(&GuardedFolder::open(out)?, name, &source, memory)
    }

    /// Writes a data folder as a compile would have: a table, and a file for each hash. Tools can read
    /// it, and a game as well where the byte order is this machine's.
    ///
    /// # Errors
    ///
    /// [`BundlingError`] if the folder is there and not empty, or something cannot be read or written.
    pub fn extract<A: Allocator + ?Sized>(
        &self,
        out: &Path,
        memory: &A,
    ) -> Result<usize, BundlingError> {
        fs::create_dir_all(out).map_err(|error| BuildError::io(out, "cannot be made", error))?;
        let folder = GuardedFolder::open(out)?;
        if !folder.names()?.is_empty() {
            let why = "there are files in it; name an empty folder or a new one";
            return Err(BuildError::new(out, "cannot be extracted into", why).into());
        }
        folder.create_folder("blobs")?;
        let blobs = folder.enter("blobs")?;
        let files: BTreeMap<ContentHash, u64> =
            self.variants.values().map(|of| (of.file, of.bytes)).collect();
        for (file, bytes) in &files {
            let mut content = vec![0; usize::try_from(*bytes).unwrap_or(usize::MAX)];
            self.read(*file, &mut content)?;
            put(&blobs, &file.to_string(), &content)?;
        }
        let table = write_table(&self.platform, self.endian, &self.sources(), memory)?;
        // Last, so that the folder is whole when it has one.
        put(&folder, "resources", &table)?;
        Ok(files.len())
    }

    /// Divides all among bundles by name.
    fn plans(&self) -> BTreeMap<String, Plan<'_>> {
        let mut owners: BTreeMap<ResourceKey, BTreeSet<&str>> = BTreeMap::new();
        for (package, items) in &self.packages {
            for item in items {
                owners.entry(*item).or_default().insert(package);
            }
        }
        let mut plans: BTreeMap<String, Plan<'_>> = BTreeMap::new();
        let game = format!("game{BUNDLE_ENDING}");
        plans.insert(game.clone(), Plan::default());
        let mut put = HashSet::new();
        for (key, of) in &self.variants {
            let owner = owners.get(&key.0).filter(|owners| owners.len() == 1);
            let owner = owner.and_then(BTreeSet::first);
            // A name has no dots.
            let name = owner.map_or(game.clone(), |package| {
                format!("package.{}{BUNDLE_ENDING}", package.replace('/', "."))
            });
            let plan = plans.entry(name).or_default();
            plan.variants.push(source_of((key, of)));
            if put.insert(of.file) {
                plan.files.push((of.file, of.bytes));
            }
        }
        for plan in plans.values_mut() {
            plan.files = self.in_order_of_names(&plan.files);
        }
        plans
    }

    /// Returns files in the order of types and names, so that those that are alike are in one block.
    fn in_order_of_names(&self, files: &[(ContentHash, u64)]) -> Vec<(ContentHash, u64)> {
        let named = |(key, of): (&VariantKey, &super::DataVariant)| {
            let name = of.name.as_ref().map(ToString::to_string);
            let type_name = of.name.as_ref().map(|name| name.type_name.clone());
            (of.file, (type_name, name, key.0))
        };
        let mut places: BTreeMap<ContentHash, _> = BTreeMap::new();
        for (file, place) in self.variants.iter().map(named) {
            places.entry(file).or_insert(place);
        }
        let mut files = files.to_vec();
        files.sort_by(|a, b| (places.get(&a.0), a.0).cmp(&(places.get(&b.0), b.0)));
        files
    }

    /// Writes a bundle as a file of a folder.
    fn write<A: Allocator + ?Sized>(
        &self,
        folder: &GuardedFolder,
        name: &str,
        source: &BundleSource<'_>,
        memory: &A,
    ) -> Result<WrittenBundle, BundlingError> {
        // The writer knows errors of the system alone; this one says more.
        let mut refused = None;
        let mut read = |file: ContentHash, into: &mut [u8]| {
            self.read(file, into).map_err(|error| {
                let kind = io::ErrorKind::InvalidData;
                refused = Some(error);
                io::Error::from(kind)
            })
        };
        let written = folder.replace(name, |file| write_bundle(source, &mut read, file, memory))?;
        let header = match written {
            Ok(header) => header,
            Err(error) => {
                let path = folder.path().join(name);
                return Err(refused.unwrap_or(BundlingError::Write(path, error)));
            }
        };
        let bytes = source.files.iter().map(|(_, bytes)| bytes).sum();
        Ok(WrittenBundle {
            name: name.to_owned(),
            variants: source.variants.len(),
            files: (source.files.len(), bytes),
            header,
        })
    }
}

/// Writes a file of a folder.
fn put(folder: &GuardedFolder, name: &str, content: &[u8]) -> Result<(), BundlingError> {
    let write = |file: &mut fs::File| io::Write::write_all(file, content);
    folder.replace(name, write)?.map_err(|error| {
        BuildError::io(&folder.path().join(name), "cannot be written", error).into()
    })
}
