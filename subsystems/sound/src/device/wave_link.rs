//! Waves between the thread of the game, which allocates and frees them, and that of the mixer.

use core::fmt;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use loligo_allocators::{Allocator, Own};
use loligo_ids::{HoleTable, InsertError, Lifo, Retire};

use crate::mixer::{Mixer, WaveId};
use crate::wave::Wave;

/// What the mixer is to do with a wave.
enum Order<'a, A: Allocator + ?Sized> {
    Add(WaveId, Wave<'a, A>),
    Remove(WaveId),
    /// Another mixer takes its place.
    Replace(Own<'a, Mixer<'a, A>, A>),
}

/// What comes back, to be freed.
enum Freed<'a, A: Allocator + ?Sized> {
    Wave { _wave: Wave<'a, A> },
    Mixer { _mixer: Own<'a, Mixer<'a, A>, A> },
}

/// The end of the game: it gives waves to a mixer on another thread, and frees those that the mixer gives back.
pub struct WavesIn<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    ids: HoleTable<'a, (), WaveId, Lifo, Retire, A>,
    orders: SyncSender<Order<'a, A>>,
    back: Receiver<Freed<'a, A>>,
}

/// The end of the mixer.
pub struct WavesOut<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    orders: Receiver<Order<'a, A>>,
    back: SyncSender<Freed<'a, A>>,
    /// How many waves the mixer may have.
    waves: usize,
}

/// Returns both ends of a link for a mixer: how many waves it may have, and how many orders may wait each way.
///
/// It is a bounded channel of `std`: it has all its memory from the beginning, on the global heap, and where no
/// end ever waits none takes its lock.
#[must_use]
pub fn wave_link<'a, A: Allocator + ?Sized>(
    waves: usize,
    waiting: usize,
    memory: &'a A,
) -> (WavesIn<'a, A>, WavesOut<'a, A>) {
    // Each order takes back what came, so at most all orders and the one that is sent meanwhile come back.
    let ((orders, to_do), (back, freed)) = (sync_channel(waiting), sync_channel(waiting + 1));
    let ids = HoleTable::with_limit_in(waves, memory);
    (WavesIn { ids, orders, back: freed }, WavesOut { orders: to_do, back, waves })
}

impl<'a, A: Allocator + ?Sized> WavesIn<'a, A> {
    /// Gives a wave to the mixer. What is played of it after this is played.
    ///
    /// # Errors
    ///
    /// The wave, if as many wait as there is room for, or there are too many: try again in the next update.
    pub fn add(&mut self, wave: Wave<'a, A>) -> Result<WaveId, Wave<'a, A>> {
        self.collect();
        let Ok(id) = self.ids.insert(()) else { return Err(wave) };
        match self.orders.try_send(Order::Add(id, wave)) {
            Ok(()) => Ok(id),
            Err(TrySendError::Full(order) | TrySendError::Disconnected(order)) => {
                self.ids.remove(id);
                match order {
                    Order::Add(_, wave) => Err(wave),
                    Order::Remove(_) | Order::Replace(_) => unreachable!("it was an addition"),
                }
            }
        }
    }

    /// Has the mixer give a wave back. Voices that play it stop at once. Returns `false` if there is none of this
    /// id, or as many orders wait as there is room for.
    pub fn remove(&mut self, wave: WaveId) -> bool {
        self.collect();
        let is_sent = self.ids.contains(wave) && self.orders.try_send(Order::Remove(wave)).is_ok();
        if is_sent {
            self.ids.remove(wave);
        }
        is_sent
    }

    /// Has another mixer go on in place of the one that plays, with the waves of that: with other buses or
    /// effects. All voices of that end without being said; [`Control::restart`](crate::Control::restart) forgets
    /// them. Returns `false` if there is no memory, or as many orders wait as there is room for.
    pub fn replace(&mut self, mut mixer: Own<'a, Mixer<'a, A>, A>) -> bool {
        self.collect();
        self.reserve(&mut mixer).is_ok() && self.orders.try_send(Order::Replace(mixer)).is_ok()
    }

    /// Has a mixer have room for all waves that there may be.
    pub(crate) fn reserve(&self, mixer: &mut Mixer<'a, A>) -> Result<(), InsertError> {
        mixer.reserve_waves(self.ids.limit())
    }

    /// Puts a wave into a mixer that does not play yet, of which the other end is to be. Returns its id; `None` if
    /// there is no room.
    #[cfg(feature = "subsystem")]
    pub(crate) fn put(&mut self, wave: Wave<'a, A>, mixer: &mut Mixer<'a, A>) -> Option<WaveId> {
        let id = self.ids.insert(()).ok()?;
        mixer.add_wave_as(id, wave);
        Some(id)
    }

    /// Frees what came back. Returns how much that was.
    pub fn collect(&mut self) -> usize {
        self.back.try_iter().count()
    }
}

impl<'a, A: Allocator + ?Sized> WavesOut<'a, A> {
    /// How many waves the mixer may have.
    pub(super) const fn waves(&self) -> usize {
        self.waves
    }

    /// Does with a mixer what was ordered.
    pub(super) fn obey(&mut self, mixer: &mut Own<'a, Mixer<'a, A>, A>) {
        for order in self.orders.try_iter() {
            match order {
                Order::Add(id, wave) => mixer.add_wave_as(id, wave),
                // There is room: see `wave_link`. Where the other end is gone, it is freed here.
                Order::Remove(id) => {
                    if let Some(wave) = mixer.remove_wave(id) {
                        let _ = self.back.try_send(Freed::Wave { _wave: wave });
                    }
                }
                Order::Replace(mut other) => {
                    other.take_over(mixer);
                    core::mem::swap(mixer, &mut other);
                    let _ = self.back.try_send(Freed::Mixer { _mixer: other });
                }
            }
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for WavesIn<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WavesIn").field("waves", &self.ids.len()).finish_non_exhaustive()
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for WavesOut<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WavesOut").field("waves", &self.waves).finish_non_exhaustive()
    }
}
