//! Sources in, hashed files out.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod build;
mod builtin;
mod bundling;
mod cache;
mod compiler;
mod compilers;
mod context;
mod dependency;
mod disk;
mod error;
mod executor;
mod folder;
mod folder_error;
mod guarded_folder;
mod hash;
mod index;
mod language;
mod memory;
mod platform;
mod project;
mod property;
mod report;
mod resource_name;
mod select;
mod session;
mod shard;
mod source_file;
mod target;
mod tree;
mod walk;
mod watch;

pub use builtin::{CONFIG_VERSION, ConfigCompiler, CopyCompiler, PackageCompiler};
pub use bundling::{
    BundlingError, DataDifference, DataVariant, GameData, VariantKey, WrittenBundle,
};
#[cfg(feature = "object-store")]
pub use cache::ObjectCacheStore;
pub use cache::{
    CacheDamage, CacheKey, CacheKind, CacheMode, CacheReport, CacheStore, CacheSummary,
    DirectoryStore, StoreError, StoredEntry, TeamCache, TrimReport, rewrite_record, summary, trim,
    verify,
};
pub use compiler::Compiler;
pub use compilers::Compilers;
pub use context::Context;
pub use dependency::Dependency;
pub use disk::{Disk, RealDisk};
pub use error::{BuildError, CompileError, ResourceError};
pub use executor::{Executor, Threads};
pub use folder_error::{FolderError, FolderErrorKind};
pub use guarded_folder::{EntryKind, GuardedFolder};
pub use index::{Entry, FileRecord, Index, IndexError, Output, Reference};
pub use language::is_language;
pub use loligo_diagnostics::nearest;
pub use memory::{build_blob, with_heap};
pub use platform::{PLATFORMS, Platform};
pub use project::{CompileObserver, Project};
pub use property::{Property, PropertyValue};
pub use report::Report;
pub use resource_name::{NameError, ResourceName};
pub use session::CompileSession;
pub use shard::CompileShard;
pub use source_file::{SOURCE_BYTES_MAX, read_source};
pub use target::Target;
pub use tree::{FolderEntry, Stamp};
pub use watch::Watch;
