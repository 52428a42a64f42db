//! Transforms in sources: `transform = { position = [ 0 0 0 ] rotation = [ 0 0 0 1 ] scale = [ 1 1
//! 1 ] }`.

use glam::{Quat, Vec3};
use loligo_containers::Array;

use super::component::ComponentCompiler;
use super::config::Config;
use super::error::CompileError;
use crate::component::ComponentType;
use crate::pose::Pose;

/// How far from 1 the length of a rotation may be, squared.
const LENGTH_ERROR: f32 = 1e-3;

/// Compiles transforms. What is not said is the identity; a rotation is a quaternion `[ x y z w ]`
/// of length 1, and `scale` may be one number.
#[derive(Clone, Copy, Debug)]
pub struct TransformCompiler;

impl ComponentCompiler for TransformCompiler {
    fn name(&self) -> &'static str {
        "transform"
    }

    fn component(&self) -> ComponentType {
        ComponentType::TRANSFORM
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        Ok(words.try_extend_from_slice(&read_pose(config)?.to_words())?)
    }
}

/// Reads a pose.
pub(super) fn read_pose<'s>(config: &Config<'_, 's>) -> Result<Pose, CompileError<'s>> {
    config.allow(&["position", "rotation", "scale"], "position, rotation, scale")?;
    let mut pose = Pose::IDENTITY;
    if let Some(position) = config.field("position") {
        pose.position = Vec3::from_array(position.numbers("a position `[ x y z ]`")?);
    }
    if let Some(rotation) = config.field("rotation") {
        let quat = Quat::from_array(rotation.numbers("a rotation `[ x y z w ]`")?);
        let length = quat.length_squared();
        if !((1.0 - LENGTH_ERROR)..=(1.0 + LENGTH_ERROR)).contains(&length) {
            return Err(rotation.error(
                    "the rotation is a quaternion `[ x y z w ]` whose length is not 1; divide it by its length",
                ));
        }
        pose.rotation = quat.normalize();
    }
    if let Some(scale) = config.field("scale") {
        pose.scale = match scale.number() {
            Ok(all) => Vec3::splat(all),
            Err(_) => Vec3::from_array(scale.numbers("a scale `[ x y z ]` or one number")?),
        };
    }
    Ok(pose)
}
