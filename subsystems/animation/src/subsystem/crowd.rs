//! What all characters do in a frame: they go on, they are moved, they are shown.

use glam::{Affine3A, Vec3, Vec4, Vec4Swizzles};
use loligo_entities::Pose;
use loligo_ids::IdString64;
use loligo_interface::{Frame, SubsystemError};

use super::body::Body;
use super::characters::Characters;
use super::description::ROOT_MOTION;
use super::drawer::{FrameBegun, Posed, RigKnown};
use super::events::{BoneLine, ClipEnded, ClipPassed};
use super::rig::Rig;
use super::{Animation, place};
use crate::machine::MachineView;
use crate::motion::PassedEvent;

/// How many characters a task has at the least.
const GRAIN: usize = 16;

/// How far outside of what a view sees a character is still made ready, in metres: its shadow may be
/// seen.
const SHADOWS: f32 = 4.0;

/// A clip that is less of a pose has no events.
const HEARD: f32 = 0.5;

/// The most characters whose bones are drawn as lines.
const LINED: usize = 16;

const STOPPED: SubsystemError = SubsystemError::Wrong {
    what: "a task that poses characters has panicked",
    remedy: "report it with the lines before",
};

impl<'m> Animation<'m> {
    /// Goes on by the time of an update.
    pub(super) fn go_on(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let seconds = frame.step as f32 / 1e9;
        self.note_releases(frame)?;
        let Self { assets, characters: Characters { rigs, bodies, .. }, .. } = self;
        let (rigs, assets) = (&**rigs, &*assets);
        let step = |_, bodies: &mut [Body<'m>]| {
            for same in bodies.chunk_by_mut(|one, next| one.rig == next.rig) {
                let rig = &rigs[same[0].rig as usize];
                let each = |same: &mut [Body<'m>], view: Option<&MachineView<'_, '_>>| {
                    same.iter_mut().for_each(|body| body.step(rig, view, seconds));
                };
                let machine = rig.machine.as_ref();
                let driven =
                    machine.and_then(|of| of.with_view(assets, |view| each(same, Some(view))));
                if driven.is_none() {
                    each(same, None);
                }
            }
        };
        let stepped = frame.worker.parallel_for_each_mut(&"step characters", bodies, GRAIN, step);
        self.notice()?;
        self.release(seconds)?;
        self.ask_for_ground(frame)?;
        self.walk(frame)?;
        stepped.map_err(|_| STOPPED)
    }

    /// Sends the events of clips that were passed.
    fn notice(&mut self) -> Result<(), SubsystemError> {
        let Self { assets, characters: Characters { rigs, bodies, .. }, events, .. } = self;
        for body in bodies.iter_mut() {
            let rig = &rigs[body.rig as usize];
            for at in 0..body.machine.passed.len() {
                let passed = body.machine.passed[at];
                if passed.weight >= HEARD {
                    let entity = body.entity.to_bits();
                    let (bone, at) = place_of(body, rig, assets, passed.bone);
                    let name = passed.name.hash();
                    events.try_push(ClipPassed { entity, name, bone, at })?;
                }
            }
            for at in 0..body.voices.len() {
                let voice = &body.voices[at];
                let Some(number) = voice.clip() else { continue };
                let (Some(passage), Some(clip)) = (voice.passage, rig.clip(number)) else {
                    continue;
                };
                let (entity, has_ended) = (body.entity.to_bits(), voice.has_ended());
                if has_ended {
                    let named = rig.description().and_then(|of| of.clips().nth(number.into()));
                    let clip = named.map_or(0, |clip| clip.short);
                    events.try_push(ClipEnded { entity, clip })?;
                }
                if voice.weight < HEARD || !clip.has_events {
                    continue;
                }
                let Some(image) = assets.clip(clip.clip) else { continue };
                let mut sent = Ok(());
                passage.each_event(&image, |event: PassedEvent| {
                    let (bone, at) = place_of(body, rig, assets, event.bone);
                    let event = ClipPassed { entity, name: event.name.hash(), bone, at };
                    sent = sent.and_then(|()| events.try_push(event));
                });
                sent?;
            }
        }
        Ok(())
    }

    /// Moves entities by the ways of their clips.
    fn walk(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let Self { characters: Characters { rigs, bodies, .. }, moved, poses, .. } = self;
        moved.clear();
        poses.clear();
        for body in bodies.iter().filter(|body| body.way != Pose::IDENTITY) {
            if let Some(pose) = frame.places.pose(body.entity)
                && is_moved(&rigs[body.rig as usize])
            {
                let mut to = pose.place(&body.way);
                to.rotation = to.rotation.normalize();
                moved.try_push(body.entity)?;
                poses.try_push(to)?;
            }
        }
        frame.places.set_poses(moved, poses);
        Ok(())
    }

    /// Computes the poses of those that are seen, and sends them to the drawer.
    pub(super) fn show(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let Self { assets, characters: Characters { rigs, bodies, .. }, .. } = self;
        let (rigs, assets) = (&**rigs, &*assets);
        for body in bodies.iter_mut() {
            body.matrix = frame.places.matrix(body.entity).unwrap_or(body.matrix);
            let seen = look(body, rigs, frame);
            if core::mem::replace(&mut body.seen, seen).is_none() {
                body.turn = u64::MAX;
            }
        }
        let now = frame.now;
        let pose = |_, bodies: &mut [Body<'m>]| {
            for body in bodies.iter_mut() {
                pose_seen(body, &rigs[body.rig as usize], assets, now);
            }
        };
        let posed = frame.worker.parallel_for_each_mut(&"pose characters", bodies, GRAIN, pose);
        self.send()?;
        if self.are_bones_shown {
            self.draw_bones()?;
        }
        posed.map_err(|_| STOPPED)
    }

    /// Sends what is seen to the drawer.
    fn send(&mut self) -> Result<(), SubsystemError> {
        let Self { assets, characters: Characters { rigs, bodies, .. }, messages, .. } = self;
        let shown = bodies.iter().filter(|body| body.seen.is_some() && !body.is_hidden);
        messages.try_push(FrameBegun { characters: shown.clone().count() as u32 })?;
        for (number, rig) in (0..).zip(rigs.iter_mut()) {
            if !rig.is_known
                && rig.users > 0
                && let Some(skeleton) = rig.skeleton(assets)
            {
                messages.try_push_with_tail(RigKnown { rig: number }, skeleton.mesh_names())?;
                rig.is_known = true;
            }
        }
        for body in shown {
            let Some(of) = rigs[body.rig as usize].description() else { continue };
            let (Some(mesh), Some(material)) = (of.mesh(), of.material()) else { continue };
            let [mesh, material] = [mesh, material].map(words);
            let posed = Posed { rig: body.rig, mesh, material, sphere: body.sphere };
            messages.try_push_with_tail(posed, &body.rows)?;
        }
        Ok(())
    }

    /// Sends the bones of the first characters that are seen as lines.
    fn draw_bones(&mut self) -> Result<(), SubsystemError> {
        let Self { assets, characters: Characters { rigs, bodies, .. }, events, .. } = self;
        for body in bodies.iter().filter(|body| body.seen.is_some()).take(LINED) {
            let Some(skeleton) = rigs[body.rig as usize].skeleton(assets) else { continue };
            let at = |bone: usize| {
                let [.., x, y, z] = body.rows[bone];
                [x, y, z]
            };
            for bone in 0..body.rows.len().min(skeleton.len()) {
                if let Some(parent) = skeleton.parent(bone) {
                    let color = [0.2, 1.0, 0.4];
                    events.try_push(BoneLine { from: at(parent), to: at(bone), color })?;
                }
            }
        }
        Ok(())
    }
}

/// Returns `true` if the way of its clips moves the entity.
pub(super) fn is_moved(rig: &Rig<'_>) -> bool {
    rig.machine.is_some() || rig.description().is_some_and(|of| of.has(ROOT_MOTION))
}

/// Returns the level of detail at which a character is seen: 0 before the first of its rig.
fn look(body: &Body<'_>, rigs: &[Rig<'_>], frame: &Frame<'_>) -> Option<u8> {
    let rig = &rigs[body.rig as usize];
    if rig.bones == 0 || body.is_stale {
        return None;
    }
    let sphere = Vec4::from_array(rig.sphere);
    let scale = body.matrix.matrix3.x_axis.length();
    let (center, radius) = match body.hand_over.sphere() {
        Some((center, radius)) => (center, radius + rig.flesh * scale + SHADOWS),
        None => (body.matrix.transform_point3(sphere.xyz()), sphere.w * scale + SHADOWS),
    };
    let seeing = frame.views.iter().filter(|view| view.stage == 0 && view.sees(center, radius));
    let distances = seeing.map(|view| center.distance(Vec3::from(view.eye.translation)));
    let nearest = distances.reduce(f32::min)?;
    let passed = rig.details.iter().filter(|detail| detail.of.distance <= nearest).count();
    Some(passed as u8)
}

/// Computes the pose of a character that is seen, unless it is not its turn.
fn pose_seen<'m>(body: &mut Body<'m>, rig: &Rig<'m>, assets: &super::Assets<'_>, now: u64) {
    let Some(level) = body.seen else { return };
    let detail = usize::from(level).checked_sub(1).and_then(|at| rig.details.get(at));
    let turn = detail.map_or(0, |detail| turn_at(detail.of.rate, body.entity.to_bits(), now));
    let is_due = turn == 0 || turn != body.turn;
    body.turn = turn;
    if is_due && !body.is_posed {
        body.sample(rig, assets, detail.map(|detail| &*detail.mask));
    }
    body.place(rig);
}

/// Returns the number of the pose that is due at a time, at a rate a second; 0 where each frame has one.
/// Not all characters have a new one in the same frame.
fn turn_at(rate: f32, entity: u32, now: u64) -> u64 {
    if rate <= 0.0 {
        return 0;
    }
    let nanoseconds = ((1e9 / f64::from(rate)) as u64).max(1);
    let shift = u64::from(entity.wrapping_mul(0x9E37_79B9) >> 8) % nanoseconds;
    (now + shift) / nanoseconds + 1
}

/// Returns the hash of the name of a bone, and where it is: where the entity is without one.
fn place_of<'m>(
    body: &mut Body<'m>,
    rig: &Rig<'m>,
    assets: &super::Assets<'_>,
    bone: Option<usize>,
) -> (u32, [f32; 3]) {
    let (matrix, skeleton): (Affine3A, _) = (body.matrix, rig.skeleton(assets));
    let Some((skeleton, bone)) = skeleton.zip(bone).filter(|(of, bone)| *bone < of.len()) else {
        return (0, place(&matrix, Vec3::ZERO));
    };
    if !body.is_posed {
        body.sample(rig, assets, None);
    }
    if body.pose.len() != rig.bind.len() {
        return (0, place(&matrix, Vec3::ZERO));
    }
    let at = crate::kinematics::space_of(&skeleton, &body.pose, bone).position;
    (skeleton.names()[bone].hash(), place(&matrix, at))
}

/// Returns a hash as messages have it.
const fn words(name: IdString64) -> [u32; 2] {
    [name.hash() as u32, (name.hash() >> 32) as u32]
}
