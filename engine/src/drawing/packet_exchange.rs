//! Frames handed from the main thread to the render thread and back.
//!
//! After "State reflection" by the makers of Stingray, whose main thread waits at a fence so that
//! it is never more than one frame ahead.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::packet::Packet;
use crate::error::RenderError;
use crate::memory::SharedAllocator;

/// The place at which two threads meet.
pub(crate) struct PacketExchange<'e> {
    state: Mutex<State<'e>>,
    changed: Condvar,
}

struct State<'e> {
    /// Not taken yet.
    waiting: Option<Packet<'e, SharedAllocator<'e>>>,
    /// Drawn, and not taken back yet.
    drawn: Option<Packet<'e, SharedAllocator<'e>>>,
    is_drawing: bool,
    /// Nothing comes any more.
    is_closed: bool,
    /// The render thread has ended.
    is_gone: bool,
}

impl<'e> PacketExchange<'e> {
    pub(crate) const fn new() -> Self {
        let state = State {
            waiting: None,
            drawn: None,
            is_drawing: false,
            is_closed: false,
            is_gone: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits until the frame before is drawn, hands the next one over, and returns that frame.
    pub(crate) fn exchange(
        &self,
        packet: Packet<'e, SharedAllocator<'e>>,
    ) -> Result<Option<Packet<'e, SharedAllocator<'e>>>, RenderError> {
        let mut state = self.idle();
        if state.is_gone {
            return Err(RenderError::Gone);
        }
        state.waiting = Some(packet);
        let drawn = state.drawn.take();
        drop(state);
        self.changed.notify_all();
        Ok(drawn)
    }

    /// Waits until all that was handed over is drawn, and returns the last frame.
    pub(crate) fn wait(&self) -> Option<Packet<'e, SharedAllocator<'e>>> {
        self.idle().drawn.take()
    }

    /// Lets the render thread end.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Serves frames until it is closed: what the render thread does.
    pub(crate) fn serve(&self, mut draw: impl FnMut(&mut Packet<'e, SharedAllocator<'e>>)) {
        // Also where drawing panics, so that nobody waits for ever.
        let _gone = Gone(self);
        while let Some(mut packet) = self.next() {
            draw(&mut packet);
            let mut state = self.lock();
            state.drawn = Some(packet);
            state.is_drawing = false;
            drop(state);
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<Packet<'e, SharedAllocator<'e>>> {
        let mut state = self.lock();
        loop {
            if let Some(packet) = state.waiting.take() {
                state.is_drawing = true;
                return Some(packet);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until nothing is under way.
    fn idle(&self) -> MutexGuard<'_, State<'e>> {
        let mut state = self.lock();
        while (state.waiting.is_some() || state.is_drawing) && !state.is_gone {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, State<'e>> {
        // Nothing of it is changed in half.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that the render thread has ended.
struct Gone<'h, 'e>(&'h PacketExchange<'e>);

impl Drop for Gone<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().is_gone = true;
        self.0.changed.notify_all();
    }
}
