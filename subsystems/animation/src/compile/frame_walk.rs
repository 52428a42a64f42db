//! A frame after the other, bone by bone: what numbers tracks get.

use std::vec::Vec;

use glam::{Affine3A, Quat, Vec3};

use super::dense_body::{DenseBody, FittedBone};
use crate::clip::{number_of, rotation_of, turn_of};

/// The largest number of a track.
pub(super) const NUMBER_MAX: f32 = 32_000.0;

/// The numbers of a track in each frame.
pub(super) type TrackNumbers = Vec<[i16; 3]>;

/// What a round of fitting made.
#[derive(Clone, Debug)]
pub(super) struct DenseRound {
    /// The numbers of each track.
    pub(super) numbers: Vec<TrackNumbers>,
    /// The codes of the steps of each track.
    pub(super) codes: Vec<[u16; 3]>,
    /// How far the skin is off at the most.
    pub(super) error: f32,
    /// How far what each track moves is off at the most.
    pub(super) worst: Vec<f32>,
}

/// A walk from frame to frame: where bones came to be in the last one.
pub(super) struct FrameWalk<'w, 'f> {
    body: &'w DenseBody<'f>,
    steps: Vec<[(u16, f32); 3]>,
    /// Which numbers are to be shifted on the attempt, if it is not the first one.
    pub(super) shift: Option<u32>,
    /// The last turn of each track.
    turns: Vec<Quat>,
    spaces: Vec<Affine3A>,
    rotations: Vec<Quat>,
}

impl<'w, 'f> FrameWalk<'w, 'f> {
    /// Begins before the first frame, with the steps of each track's numbers.
    pub(super) fn new(body: &'w DenseBody<'f>, steps: Vec<[(u16, f32); 3]>) -> Self {
        let (tracks, bones) = (body.tracks.len(), body.bones.len());
        Self {
            body,
            steps,
            shift: None,
            turns: std::vec![Quat::IDENTITY; tracks],
            spaces: std::vec![Affine3A::IDENTITY; bones],
            rotations: std::vec![Quat::IDENTITY; bones],
        }
    }

    /// Fits the tracks of a frame, bone by bone.
    pub(super) fn fit_frame(&mut self, frame: usize, round: &mut DenseRound) -> Option<()> {
        let body = self.body;
        let bones = body.bones.len();
        for bone in 0..bones {
            let raw = body.clip.samples[frame * bones + bone];
            let parent = body.skeleton.parent(bone);
            let above = parent.map_or(Affine3A::IDENTITY, |parent| self.spaces[parent]);
            let turned = parent.map_or(Quat::IDENTITY, |parent| self.rotations[parent]);
            let mut pose = body.bones[bone].still;
            let [rotation, position, scale] = body.bones[bone].tracks;
            if let Some(track) = position {
                let wanted = match body.is_rigid {
                    true => above.inverse().transform_point3a(body.skin.place(frame, bone)).into(),
                    false => raw.position,
                };
                pose.position = self.fit_offset(track, frame, wanted, round)?;
            }
            if let Some(track) = scale {
                pose.scale = self.fit_offset(track, frame, raw.scale, round)?;
            }
            if let Some(track) = rotation {
                let wanted = match body.is_rigid {
                    true => turned.conjugate() * self.wanted(frame, bone, &above, pose.position),
                    false => raw.rotation,
                };
                pose.rotation = self.fit_turn(track, wanted, round)?;
            }
            self.rotations[bone] = (turned * pose.rotation).normalize();
            self.spaces[bone] = above * pose.matrix();
        }
        Some(())
    }

    /// Returns how a bone is to be turned in the space of the skeleton: as it was, but for what brings the
    /// bone that it aims at to its place.
    fn wanted(&self, frame: usize, bone: usize, above: &Affine3A, position: Vec3) -> Quat {
        let body = self.body;
        let raw = body.skin.rotation(frame, bone);
        let Some(aim) = body.bones[bone].aim else { return raw };
        let origin = above.transform_point3(position);
        let wanted = (Vec3::from(body.skin.place(frame, aim)) - origin).try_normalize();
        let found = (raw * body.bones[aim].still.position).try_normalize();
        match (found, wanted) {
            (Some(found), Some(wanted)) => (small_turn(found, wanted) * raw).normalize(),
            _ => raw,
        }
    }

    fn fit_offset(
        &self,
        track: usize,
        frame: usize,
        wanted: Vec3,
        round: &mut DenseRound,
    ) -> Option<Vec3> {
        let source = &self.body.tracks[track];
        let last = self.body.clip.frames(self.body.bones.len()).max(2) - 1;
        let part = frame as f32 / last as f32;
        let [x, y, z, _] = self.body.bases[track].base;
        let drift = source.drift.map_or(Vec3::ZERO, |drift| Vec3::from_array(drift.map(number_of)));
        let base = Vec3::new(x, y, z) + drift * part;
        let values = self.quantise(track, (wanted - base).to_array(), round)?;
        Some(base + Vec3::from_array(values))
    }

    /// The way from frame to frame is the short one. Where that leads too far around, a clip of curves
    /// jumps, and this is none.
    fn fit_turn(&mut self, track: usize, wanted: Quat, round: &mut DenseRound) -> Option<Quat> {
        let base = Quat::from_array(self.body.bases[track].base);
        let turn = (base.conjugate() * wanted).normalize();
        let turn = if turn.dot(self.turns[track]) < 0.0 { -turn } else { turn };
        if turn.w < -0.5 {
            return None;
        }
        self.turns[track] = turn;
        let values = self.quantise(track, turn_of(turn.to_array()), round)?;
        Some(base * Quat::from_array(rotation_of(values)))
    }

    /// Adds the numbers that are nearest to values to those of a track; returns the values that they are.
    fn quantise(&self, track: usize, values: [f32; 3], round: &mut DenseRound) -> Option<[f32; 3]> {
        let mut numbers = [0; 3];
        let mut found = [0.0; 3];
        for axis in 0..3 {
            let (_, step) = self.steps[track][axis];
            let number = (values[axis] / step + self.shifted(track, axis)).round();
            if number.abs() > NUMBER_MAX {
                return None;
            }
            numbers[axis] = number as i16;
            found[axis] = number * step;
        }
        round.numbers[track].push(numbers);
        Some(found)
    }

    /// Returns how far a number is shifted before it is rounded: one of four by up to half a step.
    fn shifted(&self, track: usize, axis: usize) -> f32 {
        let Some(shift) = self.shift else { return 0.0 };
        let place = (3 * track + axis) as u32;
        let mut mixed = shift.wrapping_mul(0x9e37_79b9) ^ place.wrapping_mul(0x85eb_ca6b);
        mixed = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d);
        mixed = (mixed ^ mixed >> 13).wrapping_mul(0x297a_2d39);
        match mixed >> 30 {
            0 => (mixed & 0xffff) as f32 / 65536.0 - 0.5,
            _ => 0.0,
        }
    }

    /// Returns how far the skin is off in the frame that was fitted last.
    pub(super) fn error(&self, frame: usize) -> f32 {
        let bones = self.spaces.iter().enumerate();
        bones.map(|(bone, space)| self.body.skin.error_of(frame, bone, space)).fold(0.0, f32::max)
    }

    /// Measures how far what tracks move is off in the frame that was fitted last.
    pub(super) fn measure(&self, frame: usize, round: &mut DenseRound) {
        let body = self.body;
        let mut raise = |track: Option<usize>, error: f32| {
            if let Some(track) = track {
                round.worst[track] = round.worst[track].max(error);
            }
        };
        let mut worst = 0.0_f32;
        for (bone, space) in self.spaces.iter().enumerate() {
            let error = body.skin.error_of(frame, bone, space);
            worst = worst.max(error);
            let place = Vec3::from(space.translation - body.skin.place(frame, bone)).length();
            let FittedBone { tracks, turned_by, .. } = body.bones[bone];
            let turned = |bone: Option<usize>| bone.and_then(|bone| body.bones[bone].tracks[0]);
            raise(turned(turned_by), error);
            tracks[1..].iter().for_each(|track| raise(*track, error));
            if body.is_rigid {
                let above =
                    body.skeleton.parent(bone).and_then(|above| body.bones[above].turned_by);
                raise(
                    turned(above),
                    place.max(if turned_by == Some(bone) { 0.9 * error } else { error }),
                );
            } else {
                // What is above is off for all that is below.
                let mut above = body.skeleton.parent(bone);
                while let Some(at) = above {
                    body.bones[at].tracks.iter().for_each(|track| raise(*track, error));
                    above = body.skeleton.parent(at);
                }
            }
        }
        round.error = round.error.max(worst);
    }
}

/// Returns the turn from a direction to one that is near. That of `glam` is none below a thousandth.
fn small_turn(from: Vec3, to: Vec3) -> Quat {
    let half = 0.5 * from.cross(to);
    Quat::from_xyzw(half.x, half.y, half.z, 1.0).normalize()
}
