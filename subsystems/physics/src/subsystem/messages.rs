//! Commands that other subsystems ask physics by, and its events that answer them: an engine's wires
//! make the one of what others send, and of the other what these take.

use bytemuck::{Pod, Zeroable};
use loligo_containers::Event;

/// Asks what is first on a way. The answer is a [`RayAnswered`] in the next step; answers come in the
/// order of the questions.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct AskRay {
    /// What the answer is to name: whatever the asker wants.
    pub asker: u64,
    /// Where the ray begins.
    pub from: [f32; 3],
    /// Where it ends.
    pub to: [f32; 3],
    /// The bits of the groups that it meets; all bits for everything but triggers.
    pub groups: u32,
    /// The bits of an entity whose actor it passes through; 0 for none.
    pub ignored: u32,
}

impl AskRay {
    /// Returns a question for everything that is not a trigger.
    #[must_use]
    pub const fn new(asker: u64, from: [f32; 3], to: [f32; 3]) -> Self {
        Self { asker, from, to, groups: u32::MAX, ignored: 0 }
    }
}

/// What is first on a way: the answer to an [`AskRay`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct RayAnswered {
    /// That of the question.
    pub asker: u64,
    /// 1 if something is there, else 0, and all that follows is 0 as well.
    pub hit: u32,
    /// The bits of its entity; 0 for none.
    pub entity: u32,
    /// Where it was met.
    pub at: [f32; 3],
    /// The direction away from the surface there.
    pub normal: [f32; 3],
    /// The hash of its material.
    pub material: u32,
    /// How far that is from the beginning, in metres.
    pub distance: f32,
}

/// A foot is put down: asks for the effect of a footstep on what is there. The answer, where the table
/// has one, is an [`ImpactDue`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct StepOn {
    /// The bits of the entity whose foot it is; its actor is passed through.
    pub entity: u32,
    /// The hash of the foot's material.
    pub material: u32,
    /// Where the foot is. The ground is looked for from 0.3 metres above it to 0.6 below.
    pub at: [f32; 3],
    /// How fast it comes down, in metres a second.
    pub speed: f32,
}

/// An effect is due, by the table `game.impacts`: two surfaces have hit each other, rub against each
/// other, or a foot was put down.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct ImpactDue {
    /// The hash of the effect's name: an [`IdString64`](loligo_ids::IdString64).
    pub effect: u64,
    /// The lower half of it, as `Physics.effect` returns it.
    pub name: u32,
    /// An [`ImpactKind`](crate::ImpactKind).
    pub kind: u32,
    /// The bits of the first entity; 0 for none. Of a footstep that of the foot.
    pub entity: u32,
    /// Those of the other.
    pub other: u32,
    /// Where.
    pub at: [f32; 3],
    /// The direction from the first to the other.
    pub normal: [f32; 3],
    /// How strong the effect is to be, from 0 to 1 as a rule.
    pub strength: f32,
    /// The impulse, in newton seconds, or the speed, in metres a second.
    pub amount: f32,
}

/// Has physics move a bone of an entity with the component `ragdoll`, from where it is. It does so until
/// it is asked to [`DropBones`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct HoldBone {
    /// The bits of the entity.
    pub entity: u32,
    /// The hash of the bone's name.
    pub bone: u32,
    /// Where it is in the world.
    pub at: [f32; 3],
    /// How it is turned there.
    pub turn: [f32; 4],
    /// How fast it moves, in metres a second.
    pub speed: [f32; 3],
    /// How it turns, in radians a second around the axis.
    pub spin: [f32; 3],
}

/// Has physics move no bone of an entity any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct DropBones {
    /// The bits of the entity.
    pub entity: u32,
}

/// Where a bone is that physics moves: sent in each update while it is awake.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct BoneMoved {
    /// The bits of the entity.
    pub entity: u32,
    /// The hash of the bone's name.
    pub bone: u32,
    /// Where it is in the world.
    pub at: [f32; 3],
    /// How it is turned there.
    pub turn: [f32; 4],
}
