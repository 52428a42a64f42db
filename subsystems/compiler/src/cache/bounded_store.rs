//! A store that answers within a limit, or not at all.

use core::time::Duration;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::store::{CacheStore, StoreError};

/// Something to do with a store, on another thread.
type Task = Box<dyn FnOnce(&dyn CacheStore) + Send>;

/// Has each call done by another thread, and waits for it up to a limit. A folder on a network that
/// does not answer holds its thread for as long as the system likes; the compile goes on without it.
///
/// Threads are kept for the next call, so there are at most as many as calls at the same time, and
/// those that never came back.
pub(super) struct BoundedStore {
    store: Arc<dyn CacheStore>,
    limit: Duration,
    idle: Mutex<Vec<SyncSender<Task>>>,
}

impl BoundedStore {
    pub(super) fn new(store: Arc<dyn CacheStore>, limit: Duration) -> Self {
        Self { store, limit, idle: Mutex::default() }
    }

    pub(super) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    pub(super) fn place(&self) -> String {
        self.store.place()
    }

    /// Has a call done.
    pub(super) fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn CacheStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answers) = sync_channel(1);
        let task: Task = Box::new(move |store| {
            // Nobody hears an answer that comes too late.
            let _ = answer.send(work(store));
        });
        let worker = self.send(task)?;
        match answers.recv_timeout(self.limit) {
            Ok(answered) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                answered
            }
            // Its thread ends once it has come back, as its sender is dropped here.
            Err(RecvTimeoutError::Timeout) => {
                Err(StoreError::Timeout { limit_ms: self.limit.as_millis() as u64 })
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(StoreError::Failed("the store panicked; this is a fault of it".to_owned()))
            }
        }
    }

    /// Gives a task to a thread that has nothing to do, or to a new one.
    fn send(&self, task: Task) -> Result<SyncSender<Task>, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (worker, task) = match idle {
            None => (self.start()?, task),
            Some(worker) => match worker.send(task) {
                Ok(()) => return Ok(worker),
                // It has panicked since.
                Err(error) => (self.start()?, error.0),
            },
        };
        let sent = worker.send(task);
        sent.map_err(|_| StoreError::Failed("its thread ended".to_owned()))?;
        Ok(worker)
    }

    fn start(&self) -> Result<SyncSender<Task>, StoreError> {
        let (worker, tasks): (_, Receiver<Task>) = sync_channel(1);
        let store = Arc::clone(&self.store);
        let builder = thread::Builder::new().name("cache".to_owned());
        let started = builder.spawn(move || tasks.iter().for_each(|task| task(&*store)));
        started.map_err(|error| StoreError::Failed(format!("it has no thread: {error}")))?;
        Ok(worker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::key::CacheKey;
    use crate::cache::store::StoredEntry;

    struct Empty;

    impl CacheStore for Empty {
        fn place(&self) -> String {
            "nowhere".to_owned()
        }

        fn get(&self, _: CacheKey, _: u64) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(None)
        }

        fn put(&self, _: CacheKey, _: &[u8]) -> Result<(), StoreError> {
            Ok(())
        }

        fn list(&self) -> Result<Vec<StoredEntry>, StoreError> {
            Ok(Vec::new())
        }

        fn remove(&self, _: CacheKey) -> Result<(), StoreError> {
            Ok(())
        }
    }

    #[test]
    fn a_call_that_never_ends_is_an_error_and_the_next_one_works() {
        let mut store = BoundedStore::new(Arc::new(Empty), Duration::from_millis(1));
        let (release, held) = sync_channel::<()>(0);
        let error = store.call(move |_| {
            let _ = held.recv();
            Ok(())
        });
        assert_eq!(error, Err(StoreError::Timeout { limit_ms: 1 }));
        store.set_limit(Duration::from_secs(3_600));
        assert_eq!(store.call(|_| Ok(7)), Ok(7), "another thread does it");
        assert_eq!(store.call(|_| Ok(8)), Ok(8), "and the same one again");
        assert_eq!(store.idle.lock().expect("nobody panics with it").len(), 1);
        let error: Result<(), _> = store.call(|_| panic!("as a store of others may"));
        assert!(matches!(error, Err(StoreError::Failed(_))), "{error:?}");
        assert_eq!(store.call(|_| Ok(9)), Ok(9), "a panic ends its thread alone");
        drop(release);
    }
}
