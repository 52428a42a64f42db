//! How loud buses are, between the thread that mixes and the game.

use loligo_interface::SubsystemMemory;

use crate::mixer::Mixer;
use crate::pipe::sync::{AtomicU32, Ordering};

/// The most buses of a mixer.
const BUSES: usize = 64;

/// What the thread of a device measures while somebody looks. Each number is whole; numbers of different buses may be of
/// different blocks, which nobody sees.
#[derive(Debug)]
pub(super) struct Meters {
    is_on: AtomicU32,
    levels: [[AtomicU32; 2]; BUSES],
}

impl Default for Meters {
    fn default() -> Self {
        let levels = core::array::from_fn(|_| [AtomicU32::new(0), AtomicU32::new(0)]);
        Self { is_on: AtomicU32::new(0), levels }
    }
}

impl Meters {
    /// Has the other thread measure from now on, or no longer.
    pub(super) fn set(&self, is_on: bool) {
        self.is_on.store(is_on.into(), Ordering::Relaxed);
    }

    /// Measures, if it is wanted.
    pub(super) fn measure<'m>(&self, mixer: &mut Mixer<'m, SubsystemMemory<'m>>) {
        let is_on = self.is_on.load(Ordering::Relaxed) != 0;
        mixer.set_metered(is_on);
        if !is_on {
            return;
        }
        for (bus, place) in mixer.buses().zip(&self.levels) {
            for (number, place) in [bus.peak_held, bus.loudness].iter().zip(place) {
                place.store(number.to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// Returns the highest sample and the loudness of a bus by its place, as they were last.
    pub(super) fn level(&self, bus: usize) -> [f32; 2] {
        let numbers = self.levels.get(bus).map(|level| level.each_ref());
        numbers.map_or([0.0; 2], |level| {
            level.map(|number| f32::from_bits(number.load(Ordering::Relaxed)))
        })
    }
}
