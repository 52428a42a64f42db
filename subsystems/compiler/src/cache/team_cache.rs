//! A cache that a project is compiled with.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use super::bounded_store::BoundedStore;
use super::store::CacheStore;

/// Whether a client adds to a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Only what others have compiled is used.
    #[default]
    Read,
    /// What is compiled here is written as well.
    Write,
}

/// How long a call to the store can take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How much longer than compiling a cache that is only read can take, for each thread.
const LOSS_MAX: Duration = Duration::from_secs(10);

/// A cache of compiled resources that machines share.
///
/// A compile asks it for each resource that it would compile. What comes from it is checked against
/// its hash, and what it was made of against the project. A store that does not answer within the
/// limit, or fails, is left out for the rest of the compile, which is never an error:
///
/// - A call takes at most [`set_timeout`](Self::set_timeout), 5 s. All threads wait at the same
///   time, so an outage costs at most twice that: for the call that fails, and for those that began
///   while it did.
/// - A cache that is only read is left out when waiting for it has cost 10 s a thread more than its
///   hits saved ([`set_loss_max`](Self::set_loss_max)).
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use loligo_compiler::{CacheMode, Compilers, DirectoryStore, Project, TeamCache, Threads};
///
/// # let folder = tempfile::tempdir()?;
/// # let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
/// # let (shared, elsewhere) = (folder.path().join("cache"), folder.path().join("elsewhere"));
/// # std::fs::create_dir(&sources)?;
/// std::fs::write(sources.join("door.config"), "width = 0.9")?;
/// let compilers = Compilers::built_in();
/// let store = Arc::new(DirectoryStore::create(&shared)?);
/// let cache = TeamCache::new(store, CacheMode::Write);
///
/// let mut project = Project::new(&sources, &data, &compilers);
/// project.set_cache(&cache);
/// assert_eq!(project.compile(&Threads::default())?.compiled, 1);
///
/// let mut project = Project::new(&sources, &elsewhere, &compilers);
/// project.set_cache(&cache);
/// let report = project.compile(&Threads::default())?;
/// assert_eq!((report.compiled, report.cached), (0, 1));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct TeamCache {
    store: BoundedStore,
    mode: CacheMode,
    loss_max: Duration,
}

impl TeamCache {
    /// Uses a store.
    #[must_use]
    pub fn new(store: Arc<dyn CacheStore>, mode: CacheMode) -> Self {
        Self { store: BoundedStore::new(store, TIMEOUT), mode, loss_max: LOSS_MAX }
    }

    /// Sets how long a call to the store can take.
    pub fn set_timeout(&mut self, limit: Duration) {
        self.store.set_limit(limit);
    }

    /// Sets how much longer than compiling a cache that is only read can take, for each thread.
    pub fn set_loss_max(&mut self, limit: Duration) {
        self.loss_max = limit;
    }

    /// Returns whether a client adds to it.
    #[must_use]
    pub const fn mode(&self) -> CacheMode {
        self.mode
    }

    pub(super) const fn store(&self) -> &BoundedStore {
        &self.store
    }

    pub(super) const fn loss_max(&self) -> Duration {
        self.loss_max
    }
}

impl fmt::Debug for TeamCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.store.place();
        f.debug_struct("TeamCache").field("place", &place).field("mode", &self.mode).finish()
    }
}
