//! What characters and other subsystems have to do with each other: bones that are handed over, and the ground
//! under feet. All of it is events and commands, in the order of characters.

use glam::Affine3A;
use loligo_interface::{Frame, SubsystemError};

use super::Animation;
use super::characters::Characters;
use super::crowd::is_moved;
use super::events::BoneReleased;

impl<'m> Animation<'m> {
    /// Notes where the bones are that this step releases.
    pub(super) fn note_releases(&mut self, frame: &Frame<'_>) -> Result<(), SubsystemError> {
        let Self { assets, characters: Characters { rigs, bodies, .. }, .. } = self;
        for body in bodies.iter_mut().filter(|body| body.hand_over.is_due) {
            let rig = &rigs[body.rig as usize];
            body.hand_over.begin();
            let Some(skeleton) = rig.skeleton(assets) else { continue };
            body.matrix = frame.places.matrix(body.entity).unwrap_or(body.matrix);
            body.sample(rig, assets, None);
            if body.pose.len() == rig.bind.len() {
                for bone in 0..skeleton.len() {
                    let place = body.place_of(&skeleton, bone);
                    body.hand_over.note(place)?;
                }
            }
        }
        Ok(())
    }

    /// Releases bones: where they are after the step, and how they move. Those of a character that is not
    /// ready wait.
    pub(super) fn release(&mut self, seconds: f32) -> Result<(), SubsystemError> {
        let Self { assets, characters: Characters { rigs, bodies, .. }, events, .. } = self;
        for body in bodies.iter_mut().filter(|body| body.hand_over.is_due) {
            let rig = &rigs[body.rig as usize];
            let Some(skeleton) = rig.skeleton(assets) else { continue };
            if body.hand_over.noted() != skeleton.len() {
                continue;
            }
            if is_moved(rig) {
                let way = &body.way;
                let way = Affine3A::from_rotation_translation(way.rotation, way.position);
                body.matrix *= way;
            }
            body.sample(rig, assets, None);
            for (bone, name) in skeleton.names().iter().enumerate() {
                let now = body.place_of(&skeleton, bone);
                let released = body.hand_over.released(bone, name.hash(), &now, seconds);
                events.try_push(BoneReleased { entity: body.entity.to_bits(), ..released })?;
            }
            body.hand_over.release();
        }
        Ok(())
    }

    /// Asks for the ground under feet.
    pub(super) fn ask_for_ground(&mut self, frame: &Frame<'_>) -> Result<(), SubsystemError> {
        let Self { assets, characters: Characters { rigs, bodies, .. }, events, .. } = self;
        for body in bodies.iter_mut() {
            let rig = &rigs[body.rig as usize];
            if !rig.has_feet || body.feet.weight <= 0.0 || body.hand_over.is_released() {
                continue;
            }
            let (Some(of), Some(skeleton)) = (rig.description(), rig.skeleton(assets)) else {
                continue;
            };
            body.matrix = frame.places.matrix(body.entity).unwrap_or(body.matrix);
            if !body.is_posed {
                body.sample(rig, assets, None);
            }
            if body.pose.len() != rig.bind.len() {
                continue;
            }
            let base = body.matrix.translation.y;
            for (foot, (name, reach)) in of.feet().enumerate() {
                let Some(bone) = skeleton.find(name) else { continue };
                let at = body.place_of(&skeleton, bone).position;
                events.try_push(body.feet.ask((body.entity, foot), at, base, reach))?;
            }
        }
        Ok(())
    }
}
