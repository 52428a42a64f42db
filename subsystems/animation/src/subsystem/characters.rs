//! All characters, and the rigs that they share.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::body::Body;
use super::description::{ANIMATION, Description, SCATTER};
use super::rig::Rig;
use crate::motion::Playhead;

/// The place of an entity that is no character.
const NONE: u32 = u32::MAX;

/// The manager of the component `animation`.
///
/// # Memory
///
/// About 1 KiB for each character, 256 bytes for each eight bones that move in each clip that it plays,
/// and 900 for each eight bones. What a component says is there once for all that have the same.
///
/// # Invariants
///
/// 1. `places` has the number of each body at the index of its entity.
/// 2. The rig of each body has it among its users.
pub(crate) struct Characters<'m> {
    pub(crate) rigs: Array<'m, Rig<'m>, SubsystemMemory<'m>>,
    pub(crate) bodies: Array<'m, Body<'m>, SubsystemMemory<'m>>,
    places: Array<'m, u32, SubsystemMemory<'m>>,
    /// Whether there may be something that is to be made ready.
    pub(crate) is_stale: bool,
}

impl<'m> Characters<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            rigs: Array::new_in(memory),
            bodies: Array::new_in(memory),
            places: Array::new_in(memory),
            is_stale: false,
        }
    }

    pub(crate) fn memory(&self) -> SharedRef<'m> {
        self.bodies.memory()
    }

    /// Returns the number of the body of an entity. O(1).
    pub(crate) fn find(&self, entity: Entity) -> Option<usize> {
        let place = *self.places.get(entity.index() as usize)? as usize;
        let is_it = self.bodies.get(place).is_some_and(|body| body.entity == entity);
        is_it.then_some(place)
    }

    /// Returns the number of the rig of a component. O(rigs).
    pub(crate) fn rig_of(&mut self, of: &Description<'_>) -> Result<u32, SubsystemError> {
        if let Some(at) = self.rigs.iter().position(|rig| rig.words() == of.words()) {
            return Ok(at as u32);
        }
        let rig = Rig::try_new(of, self.memory())?;
        // One that nobody uses is given up.
        match self.rigs.iter().position(|rig| rig.users == 0) {
            Some(unused) => {
                self.rigs[unused] = rig;
                Ok(unused as u32)
            }
            None => {
                self.rigs.try_push(rig)?;
                Ok(self.rigs.len() as u32 - 1)
            }
        }
    }

    /// Adds a character that is not there yet.
    pub(crate) fn add(&mut self, body: Body<'m>) -> Result<(), SubsystemError> {
        let index = body.entity.index() as usize;
        if index >= self.places.len() {
            self.places.try_resize(index + 1, NONE)?;
        }
        // One that had the place of the entity before.
        if let Some(stale) = self.bodies.get(self.places[index] as usize)
            && stale.entity.index() as usize == index
        {
            self.remove_one(stale.entity);
        }
        self.bodies.try_reserve(1)?;
        self.places[index] = self.bodies.len() as u32;
        self.rigs[body.rig as usize].users += 1;
        self.bodies.push(body);
        self.is_stale = true;
        Ok(())
    }

    fn remove_one(&mut self, entity: Entity) {
        let Some(at) = self.find(entity) else { return };
        let body = self.bodies.swap_remove(at);
        self.rigs[body.rig as usize].users -= 1;
        self.places[entity.index() as usize] = NONE;
        if let Some(moved) = self.bodies.get(at) {
            self.places[moved.entity.index() as usize] = at as u32;
        }
    }

    /// Makes ready what is new or was changed.
    pub(crate) fn prepare(&mut self, assets: &Assets<'_>) -> Result<(), SubsystemError> {
        if !core::mem::take(&mut self.is_stale) {
            return Ok(());
        }
        let Self { rigs, bodies, .. } = self;
        let mut failed = Ok(());
        for (number, rig) in (0..).zip(rigs.iter_mut()) {
            if rig.is_stale && rig.users > 0 {
                failed = failed.and(rig.prepare(assets));
                let own = bodies.iter_mut().filter(|body| body.rig == number);
                own.for_each(|body| body.is_stale = true);
            }
        }
        for body in bodies.iter_mut().filter(|body| body.is_stale) {
            failed = failed.and(body.fit(&rigs[body.rig as usize], assets));
        }
        failed
    }

    /// Has all be made ready again, since resources have changed.
    pub(crate) fn refresh(&mut self) {
        self.rigs.iter_mut().for_each(|rig| rig.is_stale = true);
        self.is_stale = true;
    }

    /// Makes a character of a component.
    fn try_spawn(&mut self, entity: Entity, of: &Description<'_>) -> Result<(), SubsystemError> {
        let rig = self.rig_of(of)?;
        let mut body = Body::new(entity, rig, self.memory());
        body.speed = of.speed();
        let mixed = entity.to_bits().wrapping_mul(0x9E37_79B9) >> 8;
        let scattered = mixed as f32 / (1 << 24) as f32;
        let phase = of.phase() + if of.has(SCATTER) { scattered } else { 0.0 };
        body.beginning = Some(phase - libm::floorf(phase));
        if let Some(first) = of.first_clip() {
            body.voices[0].begin(first as u16, Playhead::new(0.0, true), 1.0);
        }
        self.add(body)
    }
}

/// What keeps a component from being made, as managers say it.
const fn refusal(error: SubsystemError) -> ComponentError {
    match error {
        SubsystemError::Grow(error) => ComponentError::Grow(error),
        _ => ComponentError::data(0, "there is no memory for a character"),
    }
}

impl ComponentManager for Characters<'_> {
    fn component(&self) -> ComponentType {
        ANIMATION
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let before = self.bodies.len();
        let wrong = |at| ComponentError::data(at, "the data are not a character");
        let mut words = batch.data();
        for at in 0..batch.len() {
            let (_, rest) = Description::read(words).ok_or(wrong(at))?;
            words = rest;
        }
        if !words.is_empty() {
            return Err(wrong(batch.len()));
        }
        for copy in 0..batch.copies() {
            let mut words = batch.data();
            for entity in batch.owners(copy) {
                let Some((of, rest)) = Description::read(words) else { break };
                words = rest;
                if let Err(error) = self.try_spawn(entity, &of) {
                    while self.bodies.len() > before {
                        self.remove_one(self.bodies[self.bodies.len() - 1].entity);
                    }
                    return Err(refusal(error));
                }
            }
        }
        Ok(())
    }

    fn remove(&mut self, entities: &[Entity]) {
        for entity in entities.iter().rev() {
            self.remove_one(*entity);
        }
    }
}
