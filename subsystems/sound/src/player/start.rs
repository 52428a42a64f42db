//! What is to be played, and how it begins.

use loligo_allocators::Allocator;
use loligo_containers::GrowError;
use loligo_ids::IdString64;

use super::event::SoundEventKind;
use super::in_space::InSpace;
use super::instance::{Instance, Ramp};
use super::part_state::PartState;
use super::{Player, SoundError, SoundEvent, SoundId};
use crate::level::gain_of;
use crate::parameters::SoundParameters;
use crate::tree::SoundTree;

/// A sound that is to be played, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundStart {
    /// Its name.
    pub name: IdString64,
    /// A number for events to have: the bits of an entity.
    pub owner: u32,
    /// Where it is; `None`: it is heard in the middle, as loud as it is.
    pub at: Option<[f32; 3]>,
    /// The decibels that are added.
    pub volume: f32,
    /// A factor of its speed.
    pub speed: f32,
}

impl SoundStart {
    /// Returns what plays a sound as it is.
    #[must_use]
    pub const fn new(name: IdString64) -> Self {
        Self { name, owner: 0, at: None, volume: 0.0, speed: 1.0 }
    }
}

impl<A: Allocator + ?Sized> Player<'_, A> {
    /// Plays a sound from the next step on. Parameters that are set until then are those of which its switches
    /// choose.
    ///
    /// # Errors
    ///
    /// [`SoundError`] if there is no such sound, too many play, or there is no memory.
    pub fn play(&mut self, start: &SoundStart) -> Result<SoundId, SoundError> {
        let tree = self.tree(start.name).ok_or(SoundError::Unknown(start.name))?;
        let mut instance = Instance {
            name: start.name,
            owner: start.owner,
            flags: Instance::STARTING,
            place: [0.0; 3],
            speed: finite_or(start.speed, 1.0).max(0.0),
            gain: Ramp::at(gain_of(finite_or(start.volume, 0.0).min(48.0))),
            share: Ramp::at(1.0),
            ..bytemuck::Zeroable::zeroed()
        };
        instance.take(&tree);
        let mut space = InSpace::default();
        space.take(&tree);
        if let Some(at) = start.at.filter(|at| at.iter().all(|number| number.is_finite())) {
            instance.place = at;
            instance.set(Instance::PLACED, true);
        }
        let id = self.instances.insert(instance).map_err(|_| SoundError::Full)?;
        let place = slot(id);
        if let Err(error) = self.reach(place) {
            self.instances.remove(id);
            return Err(error.into());
        }
        self.spaces[place] = space;
        Ok(id)
    }

    /// Has all that is known by the places of ids reach a place.
    fn reach(&mut self, place: usize) -> Result<(), GrowError> {
        let more = (place + 1).saturating_sub(self.parameters_of.len());
        self.parameters_of.try_extend_with(more, |_| SoundParameters::default())?;
        let more = (place + 1).saturating_sub(self.spaces.len());
        self.spaces.try_extend_with(more, |_| InSpace::default())
    }

    /// Chooses the parts of all sounds that begin.
    pub(super) fn begin_all(&mut self) -> Result<(), GrowError> {
        let mut done = Ok(());
        for place in 0..self.instances.len() {
            if self.instances.as_slice()[place].has(Instance::STARTING) {
                done = done.and(self.begin(place));
            }
        }
        done
    }

    /// Chooses the parts of a sound.
    fn begin(&mut self, place: usize) -> Result<(), GrowError> {
        let Self {
            sounds,
            waves,
            choices,
            instances,
            parameters,
            parameters_of,
            parts,
            chance,
            ..
        } = self;
        let Some(id) = instances.id_at(place) else { return Ok(()) };
        let instance = &mut instances.as_mut_slice()[place];
        let bytes = sounds.get(&instance.name);
        let Some(tree) = bytes.and_then(|bytes| SoundTree::open_verified(bytes).ok()) else {
            // It was given up since: it has no parts, and so it ends.
            instance.set(Instance::STARTING, false);
            return Ok(());
        };
        parts.try_reserve(tree.len())?;
        self.events.try_reserve(1)?;
        let chosen = choices.try_get_or_insert_with(instance.name, Default::default)?;
        let own = &parameters_of[slot(id)];
        let count = parts.len();
        let sought = core::mem::take(&mut instance.sought);
        tree.start(parameters, own, chosen, chance, |part| {
            let mut state = PartState::new(&part, &tree, id.to_bits());
            state.take(&tree.shape(&part, parameters, own));
            if let Some(known) = waves.get(&state.wave).filter(|_| sought > 0.0 && !part.is_next) {
                state.seek(sought, &known.info);
            }
            // There is room.
            let _ = parts.try_push(state);
        });
        instance.parts = (parts.len() - count) as u32;
        instance.set(Instance::STARTING | Instance::CHANGED, false);
        let (sound, owner, kind) = (id, instance.owner, SoundEventKind::Started);
        self.events.try_push(SoundEvent { sound, owner, kind })
    }
}

/// The place of an id among those of all.
pub(super) fn slot(id: SoundId) -> usize {
    id.index() as usize
}

/// A number from outside, or another one where it is none.
pub(super) fn finite_or(number: f32, other: f32) -> f32 {
    if number.is_finite() { number } else { other }
}
