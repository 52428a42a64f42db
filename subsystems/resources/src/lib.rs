//! Resources at run time.
#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(
    feature = "std",
    expect(unsafe_code, reason = "says that bytes are plain, and maps files")
)]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "std")]
mod bundle;
#[cfg(feature = "std")]
mod bundle_error;
#[cfg(feature = "std")]
mod bundles;
mod config;
mod content_hash;
#[cfg(feature = "std")]
mod data;
mod data_error;
mod debug_name;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
mod folder;
mod header;
mod key;
#[cfg(feature = "std")]
mod names;
mod package;
#[cfg(feature = "std")]
mod packed_files;
mod preference;
mod preference_order;
#[cfg(feature = "std")]
mod request;
#[cfg(feature = "std")]
mod resource;
#[cfg(feature = "std")]
mod resources;
mod table;

#[cfg(feature = "std")]
pub use bundle::{
    BLOCK_BYTES, BUNDLE_FORMAT, Bundle, BundleDamage, BundleHeader, BundleSource, BundleWriteError,
    write_bundle,
};
#[cfg(feature = "std")]
pub use bundle_error::{BlockError, BundleError, BundleErrorKind};
#[cfg(feature = "std")]
pub use bundles::{BUNDLE_ENDING, BundleDifference, Bundles};
pub use config::{Config, ConfigError, ConfigImage, ConfigKind, ConfigNode, ConfigValue};
pub use content_hash::ContentHash;
pub use data_error::{DataError, DataErrorKind};
pub use debug_name::DebugName;
#[cfg(feature = "std")]
pub use error::{LoadError, LoadErrorKind, NamedLoadError, OpenError};
#[cfg(feature = "std")]
pub use folder::DataFolder;
pub use header::{HEADER_BYTES, HeaderError, RESOURCE_FORMAT, ResourceHeader};
pub use key::ResourceKey;
#[cfg(feature = "std")]
pub use names::Names;
pub use package::{PACKAGE_TYPE, PACKAGE_VERSION, PackageImage, PackageItem};
pub use preference::{PREFERENCES_MAX, rank};
pub use preference_order::{PreferenceError, PreferenceOrder};
#[cfg(feature = "std")]
pub use request::{FileRequest, LoadRequest, Loaded};
#[cfg(feature = "std")]
pub use resource::Resource;
#[cfg(feature = "std")]
pub use resources::{Reloaded, Resources};
pub use table::{EntryImage, Table, TableEntry, TableError, TableImage, TableSource, write_table};
