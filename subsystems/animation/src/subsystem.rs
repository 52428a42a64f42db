//! The animation of a game as a subsystem of an engine: characters whose component names a skeleton,
//! a mesh and clips.

use core::fmt;

use glam::{Affine3A, Vec3};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventRecord, EventStream};
use loligo_entities::{ComponentManager, Entity, Pose};
use loligo_ids::IdString64;
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, ResourceChange, Subsystem, SubsystemError,
    SubsystemMemory, SubsystemRow,
};

use crate::clip::CLIP_TYPE;
use crate::machine::MACHINE_TYPE;
use crate::skeleton::SKELETON_TYPE;

mod assets;
mod attachments;
mod body;
mod characters;
mod crowd;
mod description;
mod drawer;
mod events;
mod feet;
#[cfg(feature = "script")]
mod functions;
mod goals;
mod hand_over;
mod machine_body;
mod others;
mod rig;
mod rig_clip;
mod rig_machine;
mod saved;
#[cfg(all(test, feature = "compile"))]
mod tests;
mod voice;

use assets::Assets;
use attachments::{Attachment, Attachments};
use characters::Characters;
#[cfg(feature = "compile")]
pub(crate) use description::{
    ANIMATION, ATTACH, CLIPS_MAX, DETAILS_MAX, FEET_MAX, FEET_SHIFT, HEAD, LOOPS, RESTING,
    ROOT_MOTION, SCATTER,
};
pub use events::{
    BoneLine, BoneReleased, BonesTaken, ClipEnded, ClipPassed, FootAnswered, FootAsked, PlaceBone,
};

/// The row by which it joins an engine.
pub const ROW: SubsystemRow =
    SubsystemRow::new("animation", make).with_drawer(drawer::make).with_needs(description::needs);

/// The characters of a game.
///
/// Clips go on, events happen and entities are moved in [`Phase::Simulate`], whether anyone sees the
/// character or not. Poses are computed on all threads: of those whose bones entities follow in
/// [`Phase::Pose`], of all others that a view sees in [`Phase::Listen`].
///
/// # Memory
///
/// That of the resources, once, and of the characters: about 1 KiB each, 256 bytes for eight bones that
/// move in each clip that one plays, and 900 for eight bones. A frame allocates nothing once each
/// character has played its clips.
pub struct Animation<'m> {
    assets: Assets<'m>,
    characters: Characters<'m>,
    attachments: Attachments<'m>,
    events: EventStream<'m, SubsystemMemory<'m>>,
    messages: EventStream<'m, SubsystemMemory<'m>>,
    /// Who is moved, and where to.
    moved: Array<'m, Entity, SubsystemMemory<'m>>,
    poses: Array<'m, Pose, SubsystemMemory<'m>>,
    /// Whether bones are drawn as lines.
    are_bones_shown: bool,
}

impl<'m> Animation<'m> {
    /// Returns one without characters.
    #[must_use]
    pub const fn new(memory: SharedRef<'m>) -> Self {
        Self {
            assets: Assets::new_in(memory),
            characters: Characters::new_in(memory),
            attachments: Attachments::new_in(memory),
            events: EventStream::new_in(memory),
            messages: EventStream::new_in(memory),
            moved: Array::new_in(memory),
            poses: Array::new_in(memory),
            are_bones_shown: false,
        }
    }

    /// Makes ready what is new.
    fn prepare(&mut self) -> Result<(), SubsystemError> {
        self.characters.prepare(&self.assets)
    }

    /// Has entities follow the bones that they are attached to.
    fn follow(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let Self { assets, characters, attachments, moved, poses, .. } = self;
        moved.clear();
        poses.clear();
        for attachment in &attachments.list {
            let Some((child, owner)) = attachment.entities() else { continue };
            let Some(at) = characters.find(owner) else { continue };
            let Characters { rigs, bodies, .. } = &mut *characters;
            let (body, Attachment { bone, .. }) = (&mut bodies[at], *attachment);
            let rig = &rigs[body.rig as usize];
            let Some(skeleton) = rig.skeleton(assets) else { continue };
            let Some(bone) = skeleton.find(loligo_ids::IdString32::from_hash(bone)) else {
                continue;
            };
            if !body.is_posed {
                body.sample(rig, assets, None);
            }
            if body.pose.len() == rig.bind.len() {
                let space = crate::kinematics::space_of(&skeleton, &body.pose, bone);
                moved.try_push(child)?;
                poses.try_push(space.place(&attachment.offset()))?;
            }
        }
        frame.places.set_poses(moved, poses);
        Ok(())
    }

    /// Returns the character of an entity.
    fn body_of(&mut self, entity: u32) -> Option<&mut body::Body<'m>> {
        let at = self.characters.find(Entity::from_bits(entity)?)?;
        Some(&mut self.characters.bodies[at])
    }

    /// Returns where a bone of a character is in the world, as of now.
    #[cfg_attr(not(feature = "script"), expect(dead_code, reason = "scripts ask"))]
    fn bone(&mut self, entity: Entity, name: loligo_ids::IdString32) -> Option<Pose> {
        let at = self.characters.find(entity)?;
        let Self { assets, characters: Characters { rigs, bodies, .. }, .. } = self;
        let body = &mut bodies[at];
        let rig = &rigs[body.rig as usize];
        let skeleton = rig.skeleton(assets)?;
        let bone = skeleton.find(name)?;
        if !body.is_posed {
            body.sample(rig, assets, None);
        }
        (body.pose.len() == rig.bind.len()).then(|| body.place_of(&skeleton, bone))
    }
}

impl<'m> Subsystem<'m> for Animation<'m> {
    fn managers<'s>(&'s mut self, each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's))) {
        each(&mut self.characters);
        each(&mut self.attachments);
    }

    fn resource_types(&self) -> &'static [&'static str] {
        &[SKELETON_TYPE, CLIP_TYPE, MACHINE_TYPE]
    }

    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        self.assets.put(change)?;
        self.characters.refresh();
        Ok(())
    }

    fn drop_resource(&mut self, type_hash: IdString64, name: IdString64) {
        self.assets.remove(type_hash, name);
        self.characters.refresh();
    }

    fn needs(&self, each: &mut dyn FnMut(&'static str, IdString64)) {
        for rig in self.characters.rigs.iter().filter(|rig| rig.users > 0) {
            if let Some(description) = rig.description() {
                description.needs(each);
            }
        }
    }

    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let prepared = self.prepare();
        let stepped = match phase {
            Phase::Simulate => self.go_on(frame),
            Phase::Pose => self.follow(frame),
            Phase::Listen => self.show(frame),
            Phase::Input | Phase::Think => Ok(()),
        };
        prepared.and(stepped)
    }

    fn schemas(&self) -> &'static [EventSchema] {
        &events::SCHEMAS
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.events)
    }

    fn drawn(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.messages)
    }

    fn state_version(&self) -> u32 {
        2
    }

    fn obeys(&self, kind: u32) -> bool {
        [FootAnswered::TYPE, PlaceBone::TYPE].contains(&kind)
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        if let Some(answer) = command.get::<FootAnswered>() {
            if let Some(body) = self.body_of(answer.asker as u32) {
                body.feet.hear((answer.asker >> 32) as usize, &answer);
            }
        } else if let Some(to) = command.get::<PlaceBone>()
            && let Some(body) = self.body_of(to.entity)
        {
            body.hand_over.place(&to)?;
            body.is_posed = false;
        }
        Ok(())
    }

    fn state_hash(&self) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        saved::each_word(&self.characters, &self.attachments, &mut |word| {
            hash = (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01B3);
        });
        hash
    }

    fn save(&self, out: &mut Array<'m, u8, SubsystemMemory<'m>>) -> Result<(), SubsystemError> {
        let mut pushed = Ok(());
        saved::each_word(&self.characters, &self.attachments, &mut |word| {
            pushed = pushed.and_then(|()| out.try_extend_from_slice(&word.to_ne_bytes()));
        });
        Ok(pushed?)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        let memory = self.characters.memory();
        (self.characters, self.attachments) = saved::load(state, memory)?;
        Ok(())
    }

    #[cfg(feature = "script")]
    fn functions(&self) -> &'static [loligo_interface::SubsystemFunction] {
        &functions::FUNCTIONS
    }

    #[cfg(feature = "script")]
    fn call(
        &mut self,
        function: usize,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        functions::call(self, function, call)
    }
}

impl fmt::Debug for Animation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let characters = self.characters.bodies.len();
        f.debug_struct("Animation").field("characters", &characters).finish_non_exhaustive()
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let made = Own::new_in(Animation::new(memory), memory)?;
    Ok(own_dyn!(made => dyn Subsystem<'_> + '_))
}

/// Returns the place of a pose, for an event.
fn place(matrix: &Affine3A, at: Vec3) -> [f32; 3] {
    matrix.transform_point3(at).to_array()
}
