//! Questions of other subsystems about what is on a way, answered all at once.

use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::Entity;
use loligo_interface::{SubsystemError, SubsystemMemory};
use loligo_tasks::Worker;

use super::bodies::Bodies;
use super::messages::{AskRay, RayAnswered};
use super::outlines::Outlines;
use super::saved::{Words, Writer};
use crate::actor::ActorId;
use crate::cast::{CastHit, CastRules, RayCast};

/// The questions that wait for the next step.
pub(crate) struct Rays<'m> {
    asked: Array<'m, AskRay, SubsystemMemory<'m>>,
    casts: Array<'m, RayCast, SubsystemMemory<'m>>,
    hits: Array<'m, CastHit, SubsystemMemory<'m>>,
}

impl<'m> Rays<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            asked: Array::new_in(memory),
            casts: Array::new_in(memory),
            hits: Array::new_in(memory),
        }
    }

    pub(crate) fn ask(&mut self, ray: AskRay) -> Result<(), SubsystemError> {
        Ok(self.asked.try_push(ray)?)
    }

    /// Answers all that was asked, in its order, on all threads.
    pub(crate) fn answer(
        &mut self,
        worker: &Worker<'_>,
        bodies: &mut Bodies<'m>,
        outlines: &mut Outlines<'m>,
    ) -> Result<(), SubsystemError> {
        if self.asked.is_empty() {
            return Ok(());
        }
        self.casts.clear();
        self.hits.clear();
        self.casts.try_reserve(self.asked.len())?;
        for ask in &self.asked {
            let ignored = Entity::from_bits(ask.ignored).and_then(|entity| bodies.find(entity));
            self.casts.try_push(cast_of(ask, ignored))?;
        }
        self.hits.try_resize(self.asked.len(), CastHit::default())?;
        // Only a task that panics is an error.
        let _ = bodies.world.cast_rays(&self.casts, &mut self.hits, Some(worker));
        let mut noted = Ok(());
        for (cast, hit) in self.casts.iter().zip(&self.hits) {
            noted = noted.and_then(|()| outlines.note_cast(cast, hit));
        }
        let events = bodies.world.events_mut();
        let mut sent = Ok(());
        for (ask, hit) in self.asked.iter().zip(&self.hits) {
            sent = sent.and(events.try_push(RayAnswered {
                asker: ask.asker,
                hit: hit.is_hit().into(),
                entity: hit.entity,
                at: hit.point,
                normal: hit.normal,
                material: hit.material,
                distance: hit.distance,
            }));
        }
        self.asked.clear();
        sent?;
        noted
    }

    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        out.list(&self.asked)
    }

    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        Ok(Self { asked: from.list(memory)?, ..Self::new_in(memory) })
    }
}

/// Returns the cast of a question. One without a length or with numbers that are not finite meets nothing.
fn cast_of(ask: &AskRay, ignored: Option<ActorId>) -> RayCast {
    let (from, to) = (Vec3::from_array(ask.from), Vec3::from_array(ask.to));
    let way = to - from;
    RayCast {
        from: ask.from,
        direction: way.to_array(),
        distance: way.length(),
        radius: 0.0,
        rules: CastRules {
            meets: ask.groups,
            ignored: ignored.map_or(0, ActorId::to_bits),
            ..CastRules::SOLID
        },
    }
}
