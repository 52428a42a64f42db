//! Packages: resources that are loaded and unloaded together.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::IdString64;

use crate::key::ResourceKey;

/// The type of packages.
pub const PACKAGE_TYPE: &str = "package";

/// The version of a package's payload that is read here.
pub const PACKAGE_VERSION: u32 = 1;

blob_struct! {
    /// A package's payload: what is in it.
    pub struct PackageImage {
        /// The resources, in ascending order, none twice.
        pub resources: BlobArray<PackageItem>,
    }

    /// A resource in a package.
    pub struct PackageItem {
        /// The hash of its type.
        pub type_hash: IdString64,
        /// The hash of its name.
        pub name: IdString64,
    }
}

impl PackageItem {
    /// Returns what names the resource.
    #[must_use]
    pub const fn key(&self) -> ResourceKey {
        ResourceKey { type_hash: self.type_hash, name: self.name }
    }
}
