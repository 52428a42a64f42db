//! Checking a ragdoll once, when it comes in.

use loligo_resources::DataError;

use super::{BONES_MAX, HAS_LIMITS, HAS_REST, NO_BONE, RAGDOLL_TYPE, Ragdoll, RagdollBone};
use crate::component::JointForm;

/// Checks the invariants of a ragdoll.
pub(super) fn verify(ragdoll: &Ragdoll<'_>) -> Result<(), DataError> {
    let wrong = |field, must, found| Err(DataError::part(RAGDOLL_TYPE, field, must, found as u64));
    let count = ragdoll.bones.len();
    if !(1..=BONES_MAX).contains(&count) || ragdoll.shapes.len() != count {
        return wrong("bones", "1 to 64, each with a shape", count);
    }
    ragdoll.shapes.verify()?;
    let is_solid = |part: crate::collision::CollisionPart<'_>| {
        use crate::geometry::Geometry;
        !matches!(part.geometry, Geometry::Mesh { .. } | Geometry::HeightField { .. })
    };
    if let Some(at) = ragdoll.shapes.parts().position(|part| !is_solid(part)) {
        return wrong("shapes", "boxes, spheres, capsules and convex ones", at);
    }
    for (at, bone) in ragdoll.bones.iter().enumerate() {
        let is_twice = ragdoll.bones[..at].iter().any(|other| other.name == bone.name);
        let has_parent = bone.parent != NO_BONE;
        if is_twice || has_parent && bone.parent as usize >= at {
            return wrong("bones", "of different names, each after its parent", at);
        }
        if !is_joint(bone) {
            return wrong("bones", "fixed, hinges or balls, with limits within half a turn", at);
        }
    }
    Ok(())
}

fn is_joint(bone: &RagdollBone) -> bool {
    let form = JointForm::of(bone.joint);
    let half = -core::f32::consts::PI - 1e-3..=core::f32::consts::PI + 1e-3;
    let [low, high] = bone.limits;
    let is_turn = |turn: &[f32; 4]| {
        (turn.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1.0e-3
    };
    matches!(form, Some(JointForm::Fixed | JointForm::Hinge | JointForm::Ball))
        && bone.flags & !(HAS_LIMITS | HAS_REST) == 0
        && half.contains(&low)
        && half.contains(&high)
        && low <= high
        && is_turn(&bone.turn)
        && is_turn(&bone.rest)
}
