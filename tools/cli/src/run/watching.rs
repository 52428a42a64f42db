//! Compiling again whenever a source is saved, on a thread, while the game runs.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use loligo_compiler::{Compilers, Project, Watch};
use loligo_engine::Library;
use loligo_resources::ContentHash;

use super::Run;
use super::compiling::Listener;
use super::notices::{Notices, Saved};
use crate::content::compilers;
use crate::print::say;

/// How long it takes at the most until the end of the game is noticed.
const PAUSE: Duration = Duration::from_millis(30);

/// The pause after a look without notice, as a multiple of the look's duration: looking takes a
/// tenth of a processor at the most.
const PAUSE_RATIO: u32 = 9;

/// The pause after a look where the system gives notice of all folders, at the least: a look then
/// only finds what was lost.
const NOTICED_PAUSE: Duration = Duration::from_secs(1);

/// What is saved within this time of a notice is compiled with it: programs save in steps.
const TOGETHER: Duration = Duration::from_millis(5);

/// What the thread that watches and the one that runs the game say to each other.
#[derive(Debug, Default)]
pub(super) struct Watching {
    /// The project as the last compile saw it: what is saved meanwhile is not missed.
    seen: Mutex<Watch>,
    /// Whether there is new data.
    is_fresh: AtomicBool,
    is_over: AtomicBool,
}

impl Watching {
    /// Takes note of what a compile saw of the sources: what is saved from then on is found.
    pub(super) fn saw(&self, seen: Option<ContentHash>) {
        if let Some(seen) = seen {
            self.watch().saw(seen);
        }
    }

    /// Returns whether there is new data since it was asked last.
    pub(super) fn take_fresh(&self) -> bool {
        // Acquire pairs with the Release of the other thread: the data are written.
        self.is_fresh.load(Ordering::Relaxed) && self.is_fresh.swap(false, Ordering::Acquire)
    }

    /// Runs `game` while another thread watches the project of `run`.
    pub(super) fn with<R>(&self, run: &Run, data: &Path, game: impl FnOnce() -> R) -> R {
        thread::scope(|scope| {
            scope.spawn(|| Library::Compiler.run(|| self.watch_project(run, data)));
            let _ending = Ending(&self.is_over);
            game()
        })
    }

    fn watch_project(&self, run: &Run, data: &Path) {
        let compilers: Compilers = compilers(false);
        let project = Project::new(&run.project, data, &compilers);
        let notices = Notices::new();
        notices.listen_to(&run.project, data);
        while !self.is_over.load(Ordering::Relaxed) {
            let start = Instant::now();
            // What was saved is more urgent: on many files a look takes longer than its compile.
            let looked = self.watch().look_while(&project, &|| !notices.is_waiting());
            let least = if notices.is_complete() { NOTICED_PAUSE } else { Duration::ZERO };
            let pause = least.max(start.elapsed() * PAUSE_RATIO);
            let mut saved = match looked {
                Ok(Some(true)) => Saved::Anything,
                Ok(Some(false) | None) => Saved::Nothing,
                Err(error) => {
                    // A folder that is being moved, say: the next look may succeed.
                    say!("loligo: {error}");
                    Saved::Nothing
                }
            };
            // What the system gives notice of is compiled without a look, which would take longer
            // than the compile of a session.
            loop {
                if saved != Saved::Nothing {
                    self.compile(run, data, &saved);
                }
                if saved == Saved::Anything {
                    // There may be new folders. What is saved in one before this is found by a look.
                    notices.listen_to(&run.project, data);
                    break;
                }
                if start.elapsed() >= pause || self.is_over.load(Ordering::Relaxed) {
                    break;
                }
                saved = notices.wait(PAUSE);
                if saved != Saved::Nothing {
                    thread::sleep(TOGETHER);
                    saved = saved.and(notices.wait(Duration::ZERO));
                }
            }
        }
    }

    fn compile(&self, run: &Run, data: &Path, saved: &Saved) {
        let written = &mut || self.is_fresh.store(true, Ordering::Release);
        let error = &mut |error: &str| say!("loligo: {error}");
        let changed: Option<&BTreeSet<String>> = match saved {
            Saved::Files(files) => Some(files),
            Saved::Nothing | Saved::Anything => None,
        };
        match run.recompile(data, changed, &mut Listener { error, written }) {
            Ok(compiled) => self.saw(compiled.seen),
            Err(error) => say!("loligo: {error}"),
        }
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the thread, also where the game panics.
struct Ending<'w>(&'w AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
