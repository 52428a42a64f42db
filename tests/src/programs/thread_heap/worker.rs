//! A thread that does one piece of work at a time, while the thread that sent it waits.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

use crate::attempt::text_of;

type Work<'scope> = Box<dyn FnOnce() + Send + 'scope>;

/// A running thread and the way to send work to it.
pub(super) struct Worker<'scope> {
    work: SyncSender<Work<'scope>>,
    thread: ScopedJoinHandle<'scope, ()>,
}

impl<'scope> Worker<'scope> {
    pub(super) fn start(scope: &'scope Scope<'scope, '_>) -> Self {
        let (work, queue) = sync_channel::<Work<'scope>>(0);
        let thread = scope.spawn(move || queue.into_iter().for_each(|work| work()));
        Self { work, thread }
    }

    /// Runs `work` on the thread and returns its result.
    ///
    /// # Panics
    ///
    /// If `work` does.
    pub(super) fn run<R: Send + 'scope>(&self, work: impl FnOnce() -> R + Send + 'scope) -> R {
        let (answer, answers) = sync_channel(1);
        let caught = move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            // The other end waits for it below.
            let _ = answer.send(result.map_err(|payload| text_of(payload.as_ref())));
        };
        self.work.send(Box::new(caught)).expect("the thread ends only in `end`");
        answers.recv().expect("it is sent in any case").unwrap_or_else(|text| panic!("{text}"))
    }

    /// Ends the thread and waits until its thread-local variables are dropped.
    ///
    /// # Panics
    ///
    /// If a destructor of theirs does.
    pub(super) fn end(self) {
        drop(self.work);
        self.thread.join().unwrap_or_else(|payload| panic!("{}", text_of(payload.as_ref())));
    }
}
