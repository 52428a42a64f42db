//! The world manager: what touches mean to those who play effects, by the table `game.impacts`.

use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::Entity;
use loligo_ids::IdString32;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::bodies::Bodies;
use super::messages::{ImpactDue, StepOn};
use crate::actor::ActorId;
use crate::cast::{CastRules, RayCast};
use crate::events::{TouchBegan, TouchStayed};
use crate::impacts::{ImpactKind, ImpactTable};

/// From how far above a foot the ground is looked for, and how far, in metres.
const ABOVE: f32 = 0.3;
const WAY: f32 = 0.9;

/// How many touches are in the stream already, before an update: nothing is due for these again.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    began: usize,
    stayed: usize,
}

/// The effects of an update, before they are sent.
pub(crate) struct Effects<'m> {
    due: Array<'m, ImpactDue, SubsystemMemory<'m>>,
}

impl<'m> Effects<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { due: Array::new_in(memory) }
    }

    pub(crate) fn seen(bodies: &Bodies<'_>) -> Seen {
        let events = bodies.world.events();
        let (began, stayed) =
            (events.of::<TouchBegan>().count(), events.of::<TouchStayed>().count());
        Seen { began, stayed }
    }

    /// Sends the effects of the touches since.
    pub(crate) fn send(
        &mut self,
        seen: Seen,
        assets: &Assets<'_>,
        bodies: &mut Bodies<'m>,
    ) -> Result<(), SubsystemError> {
        let events = bodies.world.events();
        if events.is_empty() {
            return Ok(());
        }
        let Some(table) = assets.impacts() else { return Ok(()) };
        self.due.clear();
        for touch in events.of::<TouchBegan>().skip(seen.began) {
            let materials = [touch.material, touch.other_material];
            let due = ImpactDue {
                entity: touch.entity,
                other: touch.other,
                at: touch.point,
                normal: touch.normal,
                ..of_table(&table, ImpactKind::Impact, materials, touch.impulse)
            };
            if due.effect != 0 {
                self.due.try_push(due)?;
            }
        }
        for touch in events.of::<TouchStayed>().skip(seen.stayed) {
            let materials = [touch.material, touch.other_material];
            let due = ImpactDue {
                entity: touch.entity,
                other: touch.other,
                at: touch.point,
                normal: touch.normal,
                ..of_table(&table, ImpactKind::Slide, materials, touch.sliding)
            };
            if due.effect != 0 {
                self.due.try_push(due)?;
            }
        }
        Ok(bodies.world.events_mut().try_push_all(&self.due)?)
    }
}

/// Sends the effect of a foot on the ground, where there is one.
pub(crate) fn step_on(
    step: &StepOn,
    assets: &Assets<'_>,
    bodies: &mut Bodies<'_>,
) -> Result<(), SubsystemError> {
    let Some(table) = assets.impacts() else { return Ok(()) };
    let up = (-bodies.world.settings().gravity).try_normalize().unwrap_or(Vec3::Y);
    let ignored = Entity::from_bits(step.entity).and_then(|entity| bodies.find(entity));
    let cast = RayCast {
        from: (Vec3::from_array(step.at) + up * ABOVE).to_array(),
        direction: (-up).to_array(),
        distance: WAY,
        radius: 0.0,
        rules: CastRules { ignored: ignored.map_or(0, ActorId::to_bits), ..CastRules::SOLID },
    };
    // What is not finite meets nothing.
    let hit = bodies.world.cast_ray(&cast).unwrap_or_default();
    let due = ImpactDue {
        entity: step.entity,
        other: hit.entity,
        at: hit.point,
        normal: Vec3::from_array(hit.normal).map(|number| -number).to_array(),
        ..of_table(&table, ImpactKind::Footstep, [step.material, hit.material], step.speed)
    };
    match hit.is_hit() && due.effect != 0 {
        true => Ok(bodies.world.events_mut().try_push(due)?),
        false => Ok(()),
    }
}

/// Returns what the table has for two materials; an effect of 0 where it has none.
fn of_table(
    table: &ImpactTable<'_>,
    kind: ImpactKind,
    materials: [u32; 2],
    amount: f32,
) -> ImpactDue {
    let none = ImpactDue { kind: kind as u32, amount, ..bytemuck::Zeroable::zeroed() };
    match table.find(kind, materials.map(IdString32::from_hash), amount) {
        Some(found) => ImpactDue {
            effect: found.effect.hash(),
            name: found.effect.hash() as u32,
            strength: found.strength,
            ..none
        },
        None => none,
    }
}
