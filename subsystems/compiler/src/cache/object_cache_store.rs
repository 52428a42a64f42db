//! A cache in a store of objects: S3, Google Cloud Storage, Azure.

use core::fmt;
use core::time::Duration;
use std::env;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, parse_url_opts};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use super::key::CacheKey;
use super::store::{CacheStore, StoreError, StoredEntry};

/// How long a request can take, however often the client tries again. A compile waits shorter; this
/// ends what it left.
const REQUEST: Duration = Duration::from_secs(30);

/// How long a list of all entries, and reading one of many bytes, can take.
const LONG_REQUEST: Duration = Duration::from_secs(600);

/// A cache in a store of objects. Credentials, regions and endpoints come from the environment, by
/// the names that the crate `object_store` documents: `AWS_ACCESS_KEY_ID`, `GOOGLE_SERVICE_ACCOUNT`,
/// `AZURE_STORAGE_ACCOUNT_NAME` and so on.
///
/// An object is put whole, so none is seen in part.
pub struct ObjectCacheStore {
    url: String,
    store: Box<dyn ObjectStore>,
    folder: Path,
    runtime: Runtime,
}

impl ObjectCacheStore {
    /// Opens a store by its address: `s3://bucket/folder`, `gs://bucket/folder`,
    /// `az://container/folder`. No request is made.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it is not such an address, or a setting in the environment is wrong.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_with(
            url,
            env::vars_os().filter_map(|(name, value)| {
                // What is not UTF-8 is no setting of a store.
                Some((name.into_string().ok()?, value.into_string().ok()?))
            }),
        )
    }

    /// As [`open`](Self::open), with settings in place of the environment.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(
        url: &str,
        settings: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, StoreError> {
        let fail = |error: &dyn fmt::Display| StoreError::Failed(format!("{url}: {error}"));
        let parsed = Url::parse(url).map_err(|error| fail(&error))?;
        let (store, folder) = parse_url_opts(&parsed, settings).map_err(|error| fail(&error))?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("cache requests")
            .enable_all()
            .build()
            .map_err(|error| fail(&error))?;
        Ok(Self { url: url.to_owned(), store, folder, runtime })
    }

    fn path(&self, key: CacheKey) -> Path {
        let path = key.to_string();
        path.split('/').fold(self.folder.clone(), |folder, step| folder.join(step))
    }

    /// Waits for requests.
    fn wait<T>(
        &self,
        limit: Duration,
        requests: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let timeout = StoreError::Timeout { limit_ms: limit.as_millis() as u64 };
        let bounded = async { tokio::time::timeout(limit, requests).await };
        self.runtime.block_on(bounded).unwrap_or(Err(timeout))
    }
}

impl CacheStore for ObjectCacheStore {
    fn place(&self) -> String {
        self.url.clone()
    }

    fn get(&self, key: CacheKey, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.wait(LONG_REQUEST, async {
            let found = match self.store.get(&self.path(key)).await {
                Ok(found) => found,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
            // What follows has the length that the store reports, or is cut.
            if found.meta.size > bytes_max {
                return Err(StoreError::TooLong { bytes_max });
            }
            Ok(Some(found.bytes().await.map_err(failed)?.to_vec()))
        })
    }

    fn put(&self, key: CacheKey, bytes: &[u8]) -> Result<(), StoreError> {
        self.wait(LONG_REQUEST, async {
            let put = self.store.put(&self.path(key), bytes.to_vec().into()).await;
            put.map(|_| ()).map_err(failed)
        })
    }

    fn list(&self) -> Result<Vec<StoredEntry>, StoreError> {
        use futures_util::TryStreamExt as _;
        self.wait(LONG_REQUEST, async {
            let mut found = self.store.list(Some(&self.folder));
            let mut entries = Vec::new();
            while let Some(object) = found.try_next().await.map_err(failed)? {
                let path = object.location.as_ref();
                let inner = path.strip_prefix(self.folder.as_ref()).unwrap_or(path);
                let Some(key) = CacheKey::parse(inner.trim_start_matches('/')) else { continue };
                let used_seconds = u64::try_from(object.last_modified.timestamp()).unwrap_or(0);
                entries.push(StoredEntry { key, bytes: object.size, used_seconds });
            }
            Ok(entries)
        })
    }

    fn remove(&self, key: CacheKey) -> Result<(), StoreError> {
        self.wait(REQUEST, async {
            match self.store.delete(&self.path(key)).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(failed(error)),
            }
        })
    }
}

impl fmt::Debug for ObjectCacheStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectCacheStore").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Returns an error of the store in one line, without what a server sent as a page.
fn failed(error: Error) -> StoreError {
    let text = error.to_string();
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    StoreError::Failed(line.chars().take(400).collect())
}
