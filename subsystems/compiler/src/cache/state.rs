//! What a cache did so far in a compile, and whether it is still asked.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::cache_report::CacheReport;
use super::store::StoreError;

/// Counters of the threads of a compile. They order nothing: all are read when the threads are
/// joined, so each access is relaxed.
#[derive(Default)]
pub(super) struct CacheState {
    pub(super) hits: AtomicU64,
    pub(super) misses: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) bytes_read: AtomicU64,
    pub(super) bytes_written: AtomicU64,
    saved_us: AtomicU64,
    waited_us: AtomicU64,
    damaged: AtomicU64,
    /// Calls that are waited for now, and the most of them at a time.
    waiting: AtomicU64,
    waiting_max: AtomicU64,
    is_left_out: AtomicBool,
    is_read_only: AtomicBool,
    notes: Mutex<Vec<String>>,
}

impl CacheState {
    /// Returns whether the store is asked no more.
    pub(super) fn is_left_out(&self) -> bool {
        self.is_left_out.load(Ordering::Relaxed)
    }

    /// Returns whether nothing more is written to the store.
    pub(super) fn is_read_only(&self) -> bool {
        self.is_left_out() || self.is_read_only.load(Ordering::Relaxed)
    }

    /// Does a call to the store, and counts the time that it takes.
    pub(super) fn timed<T>(&self, call: impl FnOnce() -> T) -> T {
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed) + 1;
        self.waiting_max.fetch_max(waiting, Ordering::Relaxed);
        let start = Instant::now();
        let done = call();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        add(&self.waited_us, start.elapsed().as_micros());
        done
    }

    /// Counts a resource that came from the store, and how long it had taken to compile.
    pub(super) fn hit(&self, took: Duration) {
        self.hits.fetch_add(1, Ordering::Relaxed);
        add(&self.saved_us, took.as_micros());
    }

    /// Leaves the store out for the rest of the compile.
    pub(super) fn leave_out(&self, place: &str, why: &str) {
        if !self.is_left_out.swap(true, Ordering::Relaxed) {
            self.note(format!("cache {place}: {why}; it is left out for the rest of this compile"));
        }
    }

    /// Takes note of a call that failed: nothing more is read, or nothing more is written; after one
    /// that took too long, neither.
    pub(super) fn fail(&self, place: &str, error: &StoreError, is_write: bool) {
        match error {
            StoreError::Failed(why) if is_write => {
                if !self.is_left_out() && !self.is_read_only.swap(true, Ordering::Relaxed) {
                    self.note(format!(
                        "cache {place}: it cannot be written: {why}; nothing more is written to it"
                    ));
                }
            }
            error => self.leave_out(place, &error.to_string()),
        }
    }

    /// Counts an entry that is damaged; the first one is reported.
    pub(super) fn damage(&self, place: &str, entry: &str, what: &str) {
        if self.damaged.fetch_add(1, Ordering::Relaxed) == 0 {
            self.note(format!(
                "cache {place}: {entry} {what}; its resource is recompiled; `loligo cache verify` removes what is damaged"
            ));
        }
    }

    /// Returns whether waiting has cost more than the hits saved, by a limit for each thread.
    pub(super) fn is_slow(&self, loss_max: Duration) -> bool {
        let saved = self.saved_us.load(Ordering::Relaxed);
        let lost = self.waited_us.load(Ordering::Relaxed).saturating_sub(saved);
        let threads = self.waiting_max.load(Ordering::Relaxed).max(1);
        u128::from(lost) > loss_max.as_micros() * u128::from(threads)
    }

    /// Returns all that was counted, and what the user should know.
    pub(super) fn into_report(self) -> (CacheReport, Vec<String>) {
        let report = CacheReport {
            hits: self.hits.into_inner(),
            misses: self.misses.into_inner(),
            written: self.written.into_inner(),
            bytes_read: self.bytes_read.into_inner(),
            bytes_written: self.bytes_written.into_inner(),
            saved: Duration::from_micros(self.saved_us.into_inner()),
            waited: Duration::from_micros(self.waited_us.into_inner()),
            damaged: self.damaged.into_inner(),
        };
        (report, self.notes.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }
}

fn add(counter: &AtomicU64, microseconds: u128) {
    counter.fetch_add(u64::try_from(microseconds).unwrap_or(u64::MAX), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_slow_when_it_has_cost_more_than_it_saved_by_the_limit() {
        let state = CacheState::default();
        let limit = Duration::from_micros(10);
        add(&state.waited_us, 10);
        assert!(!state.is_slow(limit), "just the limit");
        add(&state.waited_us, 1);
        assert!(state.is_slow(limit), "more");
        state.hit(Duration::from_micros(1));
        assert!(!state.is_slow(limit), "a hit makes up for it");
        state.waiting_max.store(4, Ordering::Relaxed);
        add(&state.waited_us, 30);
        assert!(!state.is_slow(limit), "four threads waited at a time");
        add(&state.waited_us, 1);
        assert!(state.is_slow(limit), "for each of them longer");
    }

    #[test]
    fn a_failed_write_leaves_reading_and_a_timeout_leaves_nothing() {
        let state = CacheState::default();
        state.fail("here", &StoreError::Failed("denied".to_owned()), true);
        assert!(state.is_read_only() && !state.is_left_out(), "it can be read");
        state.fail("here", &StoreError::Failed("denied".to_owned()), true);
        state.fail("here", &StoreError::Timeout { limit_ms: 5 }, true);
        assert!(state.is_left_out(), "it does not answer");
        state.fail("here", &StoreError::Failed("again".to_owned()), false);
        let (_, notes) = state.into_report();
        assert_eq!(notes.len(), 2, "each is reported once: {notes:?}");
    }
}
