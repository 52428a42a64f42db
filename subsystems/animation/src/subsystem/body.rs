//! A character: what it plays, and the pose that comes of it.

use glam::{Affine3A, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::{Entity, Pose};
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::feet::Feet;
use super::goals::{GOALS_MAX, Goal};
use super::hand_over::HandOver;
use super::machine_body::MachineBody;
use super::rig::Rig;
use super::rig_clip::RigClip;
use super::voice::Voice;
use crate::blending::blend_lanes;
use crate::lanes::Lanes;
use crate::machine::MachineView;
use crate::motion::{Playhead, as_seen_from};
use crate::playing::sample_clip;
use crate::pose::{BoneGroup, bone, set_bone};
use crate::skeleton::Skeleton;

/// The most clips that a character plays at a time, those that fade out included.
pub(crate) const VOICES: usize = 6;

/// How long a clip of a part of the body takes to give way when it has ended.
const GIVE_WAY: f32 = 0.2;

/// A character.
pub(crate) struct Body<'m> {
    pub(crate) entity: Entity,
    /// The number of its rig.
    pub(crate) rig: u32,
    /// Whether it is to be made ready for its rig.
    pub(crate) is_stale: bool,
    /// Where it begins in its first clip, until it has begun.
    pub(crate) beginning: Option<f32>,
    pub(crate) is_hidden: bool,
    pub(crate) speed: f32,
    pub(crate) voices: [Voice<'m>; VOICES],
    pub(crate) machine: MachineBody<'m>,
    pub(crate) goals: [Option<Goal>; GOALS_MAX],
    pub(crate) feet: Feet,
    pub(crate) hand_over: HandOver<'m>,
    /// Where the entity was drawn last.
    pub(crate) matrix: Affine3A,
    /// How far the last step moves it, in its own space.
    pub(crate) way: Pose,
    /// The level of detail at which it is seen, and none where it is not seen; which turn it had last.
    pub(crate) seen: Option<u8>,
    pub(crate) turn: u64,
    /// Whether its pose is that of now.
    pub(crate) is_posed: bool,
    /// The pose, and room for that of another clip.
    pub(crate) pose: Array<'m, BoneGroup, SubsystemMemory<'m>>,
    scratch: Array<'m, BoneGroup, SubsystemMemory<'m>>,
    /// Where the bones are in the space of the skeleton.
    pub(crate) spaces: Array<'m, Affine3A, SubsystemMemory<'m>>,
    /// The same in the world, as rows, and a sphere around them.
    pub(crate) rows: Array<'m, [f32; 12], SubsystemMemory<'m>>,
    pub(crate) sphere: [f32; 4],
}

impl<'m> Body<'m> {
    pub(crate) fn new(entity: Entity, rig: u32, memory: SharedRef<'m>) -> Self {
        Self {
            entity,
            rig,
            is_stale: true,
            beginning: None,
            is_hidden: false,
            speed: 1.0,
            voices: core::array::from_fn(|_| Voice::new(memory)),
            machine: MachineBody::new(memory),
            goals: [None; GOALS_MAX],
            feet: Feet::LEVEL,
            hand_over: HandOver::new(memory),
            matrix: Affine3A::IDENTITY,
            way: Pose::IDENTITY,
            seen: None,
            turn: u64::MAX,
            is_posed: false,
            pose: Array::new_in(memory),
            scratch: Array::new_in(memory),
            spaces: Array::new_in(memory),
            rows: Array::new_in(memory),
            sphere: [0.0; 4],
        }
    }

    /// Makes room for the bones and keys of its rig.
    pub(crate) fn fit(&mut self, rig: &Rig<'m>, assets: &Assets<'_>) -> Result<(), SubsystemError> {
        let groups = rig.bind.len();
        self.machine.fit(rig.machine.as_ref(), groups, assets)?;
        for pose in [&mut self.pose, &mut self.scratch] {
            pose.clear();
            pose.try_resize(groups, BoneGroup::IDENTITY)?;
        }
        self.spaces.try_resize(rig.bones, Affine3A::IDENTITY)?;
        self.rows.try_resize(rig.bones, [0.0; 12])?;
        for voice in &mut self.voices {
            let clip = voice.clip().and_then(|clip| rig.clip(clip));
            if let (Some(phase), Some(clip)) = (self.beginning, clip) {
                let playhead = Playhead::new(clip.last_frame, clip.loops);
                voice.playhead = playhead.at(phase * clip.last_frame);
            }
            voice.fit(clip)?;
        }
        if rig.bones > 0 {
            self.beginning = None;
        }
        (self.is_stale, self.is_posed) = (false, false);
        Ok(())
    }

    /// Plays a clip: what it was playing of the same bones fades out in that time.
    pub(crate) fn play(&mut self, rig: &Rig<'m>, number: u16, seconds: f32) {
        let is_part = |clip: u16| rig.clip(clip).is_some_and(|clip| !clip.mask.is_empty());
        let (part, is_ready) = (is_part(number), rig.clip(number).is_some());
        let mut is_alone = !part;
        let mut found = None;
        for (at, voice) in self.voices.iter_mut().enumerate() {
            let Some(clip) = voice.clip() else { continue };
            if clip == number && voice.is_wanted() && rig.clip(clip).is_some_and(|of| of.loops) {
                found = Some(at);
            } else if is_part(clip) == part {
                is_alone = false;
                voice.fade(0.0, seconds);
            }
        }
        if found.is_some() || !is_ready {
            return;
        }
        let Some(clip) = rig.clip(number) else { return };
        let playhead = Playhead::new(clip.last_frame, clip.loops);
        let voice = self.free_voice();
        voice.begin(number, playhead, if is_alone || seconds <= 0.0 { 1.0 } else { 0.0 });
        voice.fade(1.0, seconds);
        // Without memory for its keys it is silent.
        if voice.fit(Some(clip)).is_err() {
            voice.end();
        }
        self.is_posed = false;
    }

    /// Returns a silent voice, or the one that is heard least.
    fn free_voice(&mut self) -> &mut Voice<'m> {
        let loud = |voice: &Voice<'_>| if voice.is_silent() { -1.0 } else { voice.weight };
        let least =
            |a: &usize, b: &usize| loud(&self.voices[*a]).total_cmp(&loud(&self.voices[*b]));
        let at = (0..VOICES).min_by(least).unwrap_or(0);
        &mut self.voices[at]
    }

    /// Returns the voice that plays a clip.
    pub(crate) fn voice(&self, number: u16) -> Option<&Voice<'m>> {
        self.voices.iter().find(|voice| voice.clip() == Some(number) && voice.is_wanted())
    }

    /// Returns the voice that plays a clip, to be changed.
    pub(crate) fn voice_mut(&mut self, number: u16) -> Option<&mut Voice<'m>> {
        self.is_posed = false;
        self.voices.iter_mut().find(|voice| voice.clip() == Some(number) && voice.is_wanted())
    }

    /// Goes on by some seconds.
    pub(crate) fn step(&mut self, rig: &Rig<'m>, view: Option<&MachineView<'_, '_>>, seconds: f32) {
        self.is_posed = false;
        self.feet.step(seconds);
        self.hand_over.step(seconds);
        self.way = match view {
            Some(view) => self.machine.step(view, seconds * self.speed),
            None => Pose::IDENTITY,
        };
        let mut sum = 0.0;
        for voice in &mut self.voices {
            voice.passage = None;
            let Some(clip) = voice.clip().and_then(|clip| rig.clip(clip)) else { continue };
            voice.step(clip, seconds * self.speed, seconds);
            let Some(passage) = voice.passage else { continue };
            if !clip.mask.is_empty() {
                if voice.has_ended() {
                    voice.fade(0.0, GIVE_WAY);
                }
            } else if view.is_none() && !clip.path.is_empty() && voice.weight > 0.0 {
                let [before, after] = [passage.from(), passage.to()].map(|at| clip.ground(at));
                let way = clip.way().step(&before, &after, &passage);
                sum += voice.weight;
                let part = voice.weight / sum;
                self.way.position = self.way.position.lerp(way.position, part);
                self.way.rotation = self.way.rotation.slerp(way.rotation, part);
            }
        }
        // What was sent to the ground by a clip without a way stays.
        self.way.rotation = self.way.rotation.normalize();
        if self.hand_over.is_released() {
            self.way = Pose::IDENTITY;
        }
    }

    /// Computes the pose of now.
    pub(crate) fn sample(&mut self, rig: &Rig<'m>, assets: &Assets<'_>, mask: Option<&[Lanes]>) {
        let Some(skeleton) = rig.skeleton(assets) else { return };
        if self.is_stale || self.pose.len() != rig.bind.len() {
            return;
        }
        self.is_posed = mask.is_none();
        self.mix(rig, assets, mask);
        if let Some(mask) = mask {
            let resting = |lanes: &Lanes| Lanes::ONE - *lanes;
            for ((pose, bind), lanes) in self.pose.iter_mut().zip(&rig.bind).zip(mask) {
                if *lanes != Lanes::ONE {
                    let (pose, bind) = (core::slice::from_mut(pose), core::slice::from_ref(bind));
                    blend_lanes(pose, bind, 1.0, Some(&[resting(lanes)]));
                }
            }
        }
        if rig.has_feet
            && !self.hand_over.is_released()
            && let Some(of) = rig.description()
        {
            self.feet.apply(&of, &skeleton, (&rig.bind, &mut self.pose), &self.matrix);
        }
        for goal in self.goals.iter().flatten() {
            goal.apply(&skeleton, (&rig.bind, &mut self.pose), &self.matrix);
        }
        self.hand_over.apply(&skeleton, &mut self.pose, &self.matrix);
        skeleton.write_matrices(&self.pose, &mut self.spaces);
    }

    /// Mixes what is played.
    fn mix(&mut self, rig: &Rig<'m>, assets: &Assets<'_>, mask: Option<&[Lanes]>) {
        let Self { voices, machine, pose, scratch, .. } = self;
        let own = rig.machine.as_ref();
        let is_driven = own.is_some_and(|of| machine.mix(of, assets, mask, (pose, scratch)));
        // What is played besides a machine is over it.
        let mut sum = if is_driven { 1.0 } else { 0.0 };
        // Those of the whole body first.
        for is_part in [false, true] {
            for voice in voices.iter_mut().filter(|voice| voice.weight > 0.0) {
                let Some(clip) = voice.clip().and_then(|clip| rig.clip(clip)) else { continue };
                if clip.mask.is_empty() == is_part {
                    continue;
                }
                let is_first = sum == 0.0 && !is_part;
                let to = if is_first { &mut **pose } else { &mut **scratch };
                if !sample_voice(voice, clip, assets, mask, to) {
                    continue;
                }
                if is_part {
                    blend_lanes(pose, scratch, voice.weight, Some(&clip.mask));
                    continue;
                }
                if is_driven {
                    blend_lanes(pose, scratch, voice.weight, None);
                    continue;
                }
                sum += voice.weight;
                if !is_first {
                    blend_lanes(pose, scratch, voice.weight / sum, None);
                }
            }
            if sum == 0.0 && !is_part {
                pose.copy_from_slice(&rig.bind);
            }
        }
    }

    /// Returns where a bone is in the world, as of now.
    pub(crate) fn place_of(&self, skeleton: &Skeleton<'_>, bone: usize) -> Pose {
        let (scale, rotation, position) = self.matrix.to_scale_rotation_translation();
        let own = Pose { position, rotation, scale };
        own.place(&crate::kinematics::space_of(skeleton, &self.pose, bone))
    }

    /// Writes where the bones are in the world.
    pub(crate) fn place(&mut self, rig: &Rig<'m>) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (row, space) in self.rows.iter_mut().zip(&self.spaces) {
            let at = Vec3::from(space.translation);
            (low, high) = (low.min(at), high.max(at));
            *row = (self.matrix * *space).to_cols_array();
        }
        let middle = (low + high) * 0.5;
        let scale = self.matrix.matrix3.x_axis.length();
        let radius = ((high - low).length() * 0.5 + rig.flesh) * scale;
        self.sphere = self.matrix.transform_point3(middle).extend(radius).to_array();
    }
}

/// Writes the pose of a voice; `false` if its clip is not there.
fn sample_voice(
    voice: &mut Voice<'_>,
    clip: &RigClip<'_>,
    assets: &Assets<'_>,
    mask: Option<&[Lanes]>,
    to: &mut [BoneGroup],
) -> bool {
    let Some(image) = assets.clip(clip.clip) else { return false };
    if voice.active.len() != clip.lanes.group_count() {
        return false;
    }
    let frame = voice.playhead.frame();
    let at = (&mut *voice.active, &mut voice.cursor);
    sample_clip(&image, &clip.lanes, at, frame, mask, to);
    if !clip.path.is_empty() {
        let whole = bone(to, 0);
        set_bone(to, 0, &as_seen_from(&clip.ground(frame), &whole));
    }
    true
}
