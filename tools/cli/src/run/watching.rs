//! Compiling again whenever a source is saved, on a thread, while the game runs.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use loligo_compiler::{BuildError, Compilers, Project, Watch};
use loligo_engine::Library;

use super::Run;
use super::notices::Notices;
use crate::content::compilers;
use crate::print::say;

/// How long it takes at the most until the end of the game is noticed.
const PAUSE: Duration = Duration::from_millis(30);

/// The pause after a look without notice, as a multiple of the look's duration: looking takes a
/// tenth of a processor at the most.
const PAUSE_RATIO: u32 = 9;

/// What is saved within this time of a notice is compiled with it: programs save in steps.
const TOGETHER: Duration = Duration::from_millis(5);

/// What the thread that watches and the one that runs the game say to each other.
#[derive(Debug, Default)]
pub(super) struct Watching {
    /// The project as it was before it was compiled: what is saved meanwhile is not missed.
    seen: Mutex<Watch>,
    /// Whether there is new data.
    is_fresh: AtomicBool,
    is_over: AtomicBool,
}

impl Watching {
    /// Looks at the project of `run` for the first time.
    pub(super) fn new(run: &Run, data: &Path) -> Self {
        let watching = Self::default();
        // What cannot be read is said by the compile.
        let _ = watching.look(&Project::new(&run.project, data, &compilers(false)));
        watching
    }

    /// Returns whether there is new data since it was asked last.
    pub(super) fn take_fresh(&self) -> bool {
        // Acquire pairs with the Release of the other thread: the data are written.
        self.is_fresh.load(Ordering::Relaxed) && self.is_fresh.swap(false, Ordering::Acquire)
    }

    /// Runs `game` while another thread watches the project of `run`.
    pub(super) fn with<R>(&self, run: &Run, data: &Path, game: impl FnOnce() -> R) -> R {
        thread::scope(|scope| {
            scope.spawn(|| Library::Compiler.run(|| self.watch(run, data)));
            let _ending = Ending(&self.is_over);
            game()
        })
    }

    fn watch(&self, run: &Run, data: &Path) {
        let compilers: Compilers = compilers(false);
        let project = Project::new(&run.project, data, &compilers);
        let notices = Notices::new();
        while !self.is_over.load(Ordering::Relaxed) {
            notices.listen_to(&run.project, data);
            let start = Instant::now();
            match self.look(&project) {
                Ok(true) => {
                    let is_done = run.recompile(data, &mut |error| say!("loligo: {error}"));
                    self.is_fresh.store(is_done, Ordering::Release);
                }
                Ok(false) => {}
                // A folder that is being moved, say: the next look may succeed.
                Err(error) => say!("loligo: {error}"),
            }
            let pause = start.elapsed() * PAUSE_RATIO;
            while !self.is_over.load(Ordering::Relaxed) {
                if notices.wait(PAUSE) {
                    thread::sleep(TOGETHER);
                    break;
                }
                if start.elapsed() > pause {
                    break;
                }
            }
        }
    }

    fn look(&self, project: &Project<'_>) -> Result<bool, BuildError> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).look(project)
    }
}

/// Ends the thread, also where the game panics.
struct Ending<'w>(&'w AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
