//! Many sources.

use core::fmt;

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::listener::Ears;
use super::placement::{Heard, placed};
use super::{Cone, DistanceCurve, Listener, Placement, Source, SpaceSettings};

/// The most listeners: a screen for each of four players, and as many cameras.
const LISTENERS: usize = 8;

/// Many sources, an array for each of their fields: what moves each frame is written without the rest.
///
/// Places in it are those of the caller: the last source takes the place of one that is removed.
///
/// # Memory
///
/// 60 bytes a source, in seven arrays.
pub struct Sources<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    at: Array<'a, Vec3, A>,
    speed: Array<'a, Vec3, A>,
    toward: Array<'a, Vec3, A>,
    cone: Array<'a, Cone, A>,
    curve: Array<'a, u32, A>,
    occlusion: Array<'a, f32, A>,
    low: Array<'a, f32, A>,
}

impl<'a> Sources<'a> {
    /// Returns no sources.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Sources<'a, A> {
    /// As [`new`](Sources::new), over any allocator.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            at: Array::new_in(memory),
            speed: Array::new_in(memory),
            toward: Array::new_in(memory),
            cone: Array::new_in(memory),
            curve: Array::new_in(memory),
            occlusion: Array::new_in(memory),
            low: Array::new_in(memory),
        }
    }

    /// The number of sources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Adds a source after all others.
    ///
    /// # Complexity
    ///
    /// O(1), amortised; may allocate.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing is added then.
    pub fn try_push(&mut self, source: &Source) -> Result<(), GrowError> {
        self.at.try_reserve(1)?;
        self.speed.try_reserve(1)?;
        self.toward.try_reserve(1)?;
        self.cone.try_reserve(1)?;
        self.curve.try_reserve(1)?;
        self.occlusion.try_reserve(1)?;
        self.low.try_reserve(1)?;
        // There is room, so none of these fails.
        self.at.try_push(source.at)?;
        self.speed.try_push(source.speed)?;
        self.toward.try_push(source.toward)?;
        self.cone.try_push(source.cone)?;
        self.curve.try_push(source.curve)?;
        self.occlusion.try_push(source.occlusion)?;
        self.low.try_push(source.low)
    }

    /// Removes a source, whose place the last one takes.
    ///
    /// # Panics
    ///
    /// If there is none at that place.
    pub fn swap_remove(&mut self, place: usize) {
        self.at.swap_remove(place);
        self.speed.swap_remove(place);
        self.toward.swap_remove(place);
        self.cone.swap_remove(place);
        self.curve.swap_remove(place);
        self.occlusion.swap_remove(place);
        self.low.swap_remove(place);
    }

    /// Returns a source.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<Source> {
        Some(Source {
            at: *self.at.get(place)?,
            speed: self.speed[place],
            toward: self.toward[place],
            cone: self.cone[place],
            curve: self.curve[place],
            occlusion: self.occlusion[place],
            low: self.low[place],
        })
    }

    /// Moves a source. Returns whether there is one.
    pub fn set_motion(&mut self, place: usize, at: Vec3, speed: Vec3, toward: Vec3) -> bool {
        if place >= self.at.len() {
            return false;
        }
        self.at[place] = at;
        self.speed[place] = speed;
        self.toward[place] = toward;
        true
    }

    /// Sets how much of a source is occluded. Returns whether there is one.
    pub fn set_occlusion(&mut self, place: usize, occlusion: f32) -> bool {
        self.occlusion.get_mut(place).map(|found| *found = occlusion).is_some()
    }

    /// The places of all sources, to be written.
    pub fn places_mut(&mut self) -> &mut [Vec3] {
        &mut self.at
    }

    /// Writes where each source is heard, as [`place`](super::place) returns it for one. Of the listeners the
    /// first eight count.
    ///
    /// # Complexity
    ///
    /// O(sources * listeners). Allocates nothing.
    ///
    /// # Panics
    ///
    /// If `out` has another length than there are sources.
    pub fn place(
        &self,
        listeners: &[Listener],
        curves: &[DistanceCurve<'_>],
        settings: &SpaceSettings,
        out: &mut [Placement],
    ) {
        let (count, found) = (self.len(), out.len());
        assert!(count == found, "there are {count} sources and {found} placements");
        let mut ears = [Ears::of(&Listener::default()); LISTENERS];
        let ears = &mut ears[..listeners.len().min(LISTENERS)];
        for (ears, listener) in ears.iter_mut().zip(listeners) {
            *ears = Ears::of(listener);
        }
        for (place, out) in out.iter_mut().enumerate() {
            let Some(source) = self.get(place) else { return };
            let curve = curves.get(source.curve as usize).unwrap_or(&DistanceCurve::EVERYWHERE);
            let mut best: Option<(Heard, usize)> = None;
            for (index, ears) in ears.iter().enumerate() {
                let heard = Heard::at(&source, ears.at, ears.gain, curve);
                if best.as_ref().is_none_or(|(other, _)| heard.is_before(other)) {
                    best = Some((heard, index));
                }
            }
            *out = best.map_or(Placement::SILENT, |(heard, index)| {
                placed(&source, &heard, &ears[index], index as u32, settings)
            });
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Sources<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").field("len", &self.len()).finish_non_exhaustive()
    }
}
