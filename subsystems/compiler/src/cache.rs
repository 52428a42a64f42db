//! A team's cache: what one machine has compiled, others take.
//!
//! The key of a resource is found in steps, since what a compiler reads is known only when it has
//! run. This is the direct mode of ccache, with one difference: no record is ever changed.
//!
//! ```text
//! identity and hash of the source  ->  questions  ->  questions  ->  ..  ->  result  ->  bytes
//!                                      list a/         read b.txt            what it was made of
//! ```
//!
//! The first key is the hash of all inputs that are known before the compiler runs. The record
//! under a key is a list of questions (files, folders, options that some compiler asked for), or a
//! result. The next key is the hash of this one with the answers that the project gives here. So a
//! key depends on all answers on the way to it, a record is written once and stays right, and
//! machines that write at the same time cannot spoil each other's records.
//!
//! A result lists what the resource was made of, with hashes. All of it is compared with the
//! project before the result is used; bytes are compared with their hash.

mod answers;
mod bounded_store;
mod cache_report;
mod client;
mod codec;
mod directory_store;
mod key;
mod maintenance;
#[cfg(feature = "object-store")]
mod object_cache_store;
mod record;
mod state;
mod store;
mod team_cache;

pub use cache_report::CacheReport;
pub(crate) use client::{CacheClient, Found, Identity};
pub use directory_store::DirectoryStore;
pub use key::{CacheKey, CacheKind};
pub use maintenance::{CacheDamage, CacheSummary, TrimReport, summary, trim, verify};
#[cfg(feature = "object-store")]
pub use object_cache_store::ObjectCacheStore;
pub use record::rewrite_record;
pub use store::{CacheStore, StoreError, StoredEntry};
pub use team_cache::{CacheMode, TeamCache};
