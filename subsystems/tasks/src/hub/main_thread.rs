//! Main threads: made outside, registered with the task manager for a time.

use core::ops::Deref;

use crate::error::RegisterError;
use crate::hub::Hub;
use crate::hub::handle::Handle;
use crate::hub::worker::Worker;
use crate::sync::Current;

/// A main thread: made outside, registered as long as this lives.
///
/// When it is dropped, what only this thread might run and has not started is given up
/// ([`WaitError::ThreadGone`](crate::WaitError::ThreadGone)).
#[derive(Debug)]
pub struct MainThread<'t> {
    worker: Worker<'t>,
    /// What this system thread was before.
    before: Current,
}

impl<'t> MainThread<'t> {
    pub(crate) fn new(hub: &'t Hub<'t>, thread: u8) -> Self {
        let before = hub.arrive(thread);
        Self { worker: Worker::new(hub, hub.table.me(thread), None), before }
    }
}

impl<'t> Deref for MainThread<'t> {
    type Target = Worker<'t>;

    fn deref(&self) -> &Worker<'t> {
        &self.worker
    }
}

impl Drop for MainThread<'_> {
    fn drop(&mut self) {
        let thread = self.worker.me().thread;
        self.worker.hub().with(|turn| turn.unregister(thread));
        self.worker.hub().depart(thread, self.before);
    }
}

impl<'t> Handle<'t> {
    /// Registers the calling thread as a main thread, until what is returned is dropped.
    ///
    /// # Errors
    ///
    /// [`RegisterError`] if there are as many as were asked for.
    pub fn register(&self) -> Result<MainThread<'t>, RegisterError> {
        let index = self.hub().with(|turn| turn.register_main());
        let thread = index.map_err(|main_threads| RegisterError { main_threads })?;
        Ok(MainThread::new(self.hub(), thread))
    }
}
