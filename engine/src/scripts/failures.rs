//! What failed in scripts: said once for each place, and counted.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_ids::IdString64;
use loligo_script::ScriptError;

use crate::memory::SharedAllocator;

/// The most places that are named; failures at others are counted alone.
const PLACES_MAX: usize = 64;

/// How often scripts failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScriptFailures {
    /// How many loads and calls of scripts did not come to their end.
    pub count: u64,
    /// How many of them the log names: the first at each place since its script was loaded.
    pub named: u64,
}

/// What is to be said of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Say {
    /// All of it: nothing failed at this place before.
    All,
    /// That there are more places than are kept.
    TooMany,
    /// Nothing: it was said.
    Nothing,
}

/// The places at which scripts failed.
pub(super) struct Failures<'m> {
    /// Hashes of file and line, or of the whole message where it names none.
    places: Array<'m, u64, SharedAllocator<'m>>,
    counts: ScriptFailures,
    is_full: bool,
}

impl<'m> Failures<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        let counts = ScriptFailures { count: 0, named: 0 };
        Self { places: Array::new_in(memory), counts, is_full: false }
    }

    pub(super) const fn counts(&self) -> ScriptFailures {
        self.counts
    }

    /// Counts a failure. O(places).
    pub(super) fn add(&mut self, error: &ScriptError<'_>) -> Say {
        self.add_at(place_of(error))
    }

    /// As [`add`](Self::add), of a failure at a place of one's own. O(places).
    pub(super) fn add_at(&mut self, place: u64) -> Say {
        self.counts.count += 1;
        if self.places.contains(&place) {
            return Say::Nothing;
        }
        if self.places.len() < PLACES_MAX {
            // Without memory for the place it is said again the next time.
            let _ = self.places.try_push(place);
            self.counts.named += 1;
            return Say::All;
        }
        if core::mem::replace(&mut self.is_full, true) { Say::Nothing } else { Say::TooMany }
    }

    /// Returns `true` if nothing was said of a place yet, and keeps it: for warnings, which are not
    /// failures. O(places).
    pub(super) fn is_first(&mut self, place: u64) -> bool {
        let is_first = !self.places.contains(&place) && self.places.len() < PLACES_MAX;
        if is_first {
            // Without memory for the place it is said again the next time.
            let _ = self.places.try_push(place);
        }
        is_first
    }

    /// Forgets the places, since scripts were loaded again: what still fails is said again. Counts
    /// stay.
    pub(super) fn forget_places(&mut self) {
        self.places.clear();
        self.is_full = false;
    }
}

fn place_of(error: &ScriptError<'_>) -> u64 {
    match error.place() {
        // The reason may differ from frame to frame, by an id in it.
        Some((file, line, _)) => {
            IdString64::new(file).hash().rotate_left(32) ^ u64::from(line).wrapping_mul(0x9e37_79b9)
        }
        None => IdString64::new(error.message()).hash(),
    }
}
