//! The pictures of the game for tools, encoded by a thread: a frame copies what was drawn, and nothing
//! more.
//!
//! The thread is there from the start, since a thread that begins or ends takes memory from the global
//! heap, which is guarded while frames run. It sleeps until a tool looks at the screen.

use core::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::tool_picture::ToolPicture;
use crate::memory::Library;

/// Pictures of the game, and whether one has come.
pub(super) struct Screen {
    has_come: bool,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    desk: Mutex<Desk>,
    changed: Condvar,
}

/// What the thread and the frame have in common. The thread has the picture out of it while it
/// encodes.
struct Desk {
    state: State,
    picture: ToolPicture,
}

impl Default for Desk {
    fn default() -> Self {
        Self { state: State::Starting, picture: ToolPicture::default() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The thread has not begun yet.
    Starting,
    /// The picture may be filled.
    Idle,
    /// It is to be encoded, or is.
    Filled,
    /// It may be sent.
    Encoded,
    /// The thread is to end.
    Closed,
}

impl Screen {
    /// Starts the thread, and waits until it has begun.
    ///
    /// # Errors
    ///
    /// What the system says where it gives no thread.
    pub(super) fn try_start() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let thread = thread::Builder::new().name("screen".into()).spawn(move || own.serve())?;
        let mut desk = shared.desk();
        while desk.state == State::Starting {
            desk = shared.changed.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
        drop(desk);
        Ok(Self { has_come: false, shared, thread: Some(thread) })
    }

    /// Notes that the picture that was asked for is there.
    pub(super) const fn picture_came(&mut self) {
        self.has_come = true;
    }

    /// Hands the picture that has come to the thread. Where that is still at the one before, this one
    /// is left out.
    pub(super) fn take_picture(&mut self, drawn: &[u8], of: [u32; 2]) {
        if !core::mem::take(&mut self.has_come) {
            return;
        }
        let mut desk = self.shared.desk();
        if desk.state == State::Idle {
            // It is the encoder's, which takes its memory from the global heap.
            Library::Png.run(|| {
                desk.picture.drawn.clear();
                desk.picture.drawn.extend_from_slice(drawn);
            });
            desk.picture.of = of;
            desk.state = State::Filled;
            self.shared.changed.notify_all();
        }
    }

    /// Calls `send` with the picture that was encoded since the last call, if one was.
    pub(super) fn send_picture(
        &mut self,
        send: &mut dyn FnMut(&ToolPicture) -> fmt::Result,
    ) -> fmt::Result {
        let mut desk = self.shared.desk();
        if desk.state != State::Encoded {
            return Ok(());
        }
        desk.state = State::Idle;
        send(&desk.picture)
    }
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        // A picture of which a part is there is encoded as well, or is none.
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the thread does.
    fn serve(&self) {
        let mut desk = self.desk();
        loop {
            match desk.state {
                State::Closed => return,
                State::Filled => {
                    let mut picture = core::mem::take(&mut desk.picture);
                    drop(desk);
                    Library::Png.run(|| picture.encode());
                    desk = self.desk();
                    desk.picture = picture;
                    if desk.state == State::Filled {
                        desk.state = State::Encoded;
                    }
                }
                State::Starting => {
                    desk.state = State::Idle;
                    self.changed.notify_all();
                }
                State::Idle | State::Encoded => {
                    desk = self.changed.wait(desk).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.shared.desk().state = State::Closed;
        self.shared.changed.notify_all();
        // If it has panicked, no picture comes any more.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_encoded_by_a_thread() {
        let mut screen = Screen::try_start().expect("there is a thread");
        let picture = [200; 8 * 4 * 4];
        screen.take_picture(&picture, [8, 4]);
        let mut sent = 0;
        for _ in 0..3 {
            screen.picture_came();
            screen.take_picture(&picture, [8, 4]);
            let before = sent;
            while sent == before {
                let mut send = |_: &ToolPicture| {
                    sent += 1;
                    Ok(())
                };
                screen.send_picture(&mut send).expect("it is sent");
                thread::yield_now();
            }
        }
        screen.send_picture(&mut |_| panic!("it was sent")).expect("nothing is there");
    }
}
