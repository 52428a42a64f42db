//! Animations of glTF files, sampled for the bones of a skeleton.

use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

use glam::{Quat, Vec3};
use loligo_compiler::CompileError;
use loligo_entities::Pose;
use loligo_formats::GltfFile;
use loligo_formats::gltf::Animation;
use loligo_formats::gltf::animation::Property;

use super::gltf_curve::GltfCurve;
use super::gltf_skeleton::{node_name, pose_of};
use super::raw_clip::{RawClip, RawJump};
use super::raw_skeleton::RawSkeleton;
use crate::clip::{Channel, FRAMES_MAX};

/// The most samples that a clip may have, before it is compressed.
const SAMPLES_MAX: usize = 1 << 23;

/// Samples an animation for a skeleton at a rate in frames a second; the only one, if none is named.
///
/// Bones are those of the nodes with their names, so the file can be another than that of the skeleton.
/// What moves other nodes is left out. A bone that no channel moves is where its node is, or as in the
/// bind pose if there is none. Values that step become jumps.
///
/// # Errors
///
/// [`CompileError`] if there is no such animation, if it moves morph targets of a bone's file, or if its
/// numbers are wrong.
pub fn gltf_clip(
    file: &GltfFile,
    skeleton: &RawSkeleton,
    animation: Option<&str>,
    rate: f32,
) -> Result<RawClip, CompileError> {
    let animation = animation_of(file, animation)?;
    let curves = curves_of(file, skeleton, &animation)?;
    let end = curves.values().map(GltfCurve::end).fold(0.0, f32::max);
    let steps = end * rate;
    // An end that is a frame but for rounding is that frame.
    let last = if (steps - steps.round()).abs() < 1.0e-3 { steps.round() } else { steps.ceil() };
    let most = (SAMPLES_MAX / skeleton.len().max(1)).min(FRAMES_MAX as usize);
    if !(0.0..=most as f32).contains(&last) {
        let reason = format!("the animation has {last} frames at {rate} a second");
        let remedy =
            format!("{most} are possible for this skeleton: cut it, or sample it less often");
        return Err(CompileError { remedy, ..file.wrong(&reason) });
    }
    let rest = rest_poses(file, skeleton);
    let mut clip = RawClip { rate, ..RawClip::default() };
    for frame in 0..=last as usize {
        let time = (frame as f32 / rate).min(end);
        clip.samples.extend_from_slice(&rest);
        let start = frame * skeleton.len();
        for ((bone, channel), curve) in &curves {
            let value = curve.at(time);
            set(&mut clip.samples[start + bone], *channel, value);
            if curve.is_stepped() && frame > 0 {
                let before = clip.samples[start - skeleton.len() + bone];
                if before != clip.samples[start + bone] {
                    clip.jumps.push(RawJump { bone: *bone, channel: *channel, frame, before });
                }
            }
        }
    }
    Ok(clip)
}

/// Returns the curves of an animation by bone and channel.
fn curves_of(
    file: &GltfFile,
    skeleton: &RawSkeleton,
    animation: &Animation<'_>,
) -> Result<BTreeMap<(usize, Channel), GltfCurve>, CompileError> {
    let bones = bones_by_name(skeleton);
    let mut curves = BTreeMap::new();
    for from in animation.channels() {
        let name = node_name(&from.target().node());
        let channel = match from.target().property() {
            Property::Rotation => Channel::Rotation,
            Property::Translation => Channel::Position,
            Property::Scale => Channel::Scale,
            Property::MorphTargetWeights => {
                let reason = format!(
                    "the animation `{}` moves morph targets of `{name}`, which are not played",
                    animation.name().unwrap_or("without a name")
                );
                let remedy = "export it without shape keys".into();
                return Err(CompileError { remedy, ..file.wrong(&reason) });
            }
        };
        let Some(bone) = bones.get(&*name) else { continue };
        let curve = GltfCurve::read(file, &from, channel, &name)?;
        if curves.insert((*bone, channel), curve).is_some() {
            return Err(file.wrong(&format!("two channels are the {channel:?} of `{name}`")));
        }
    }
    if curves.is_empty() {
        let remedy = "name another animation, or another skeleton".into();
        return Err(CompileError {
            remedy,
            ..file.wrong("the animation moves no bone of the skeleton")
        });
    }
    Ok(curves)
}

fn bones_by_name(skeleton: &RawSkeleton) -> BTreeMap<&str, usize> {
    skeleton.names.iter().enumerate().map(|(bone, name)| (&**name, bone)).collect()
}

/// Returns where bones are that nothing moves.
fn rest_poses(file: &GltfFile, skeleton: &RawSkeleton) -> Vec<Pose> {
    let bones = bones_by_name(skeleton);
    let mut rest = skeleton.bind.clone();
    for node in file.document().nodes() {
        if let Some(bone) = bones.get(&*node_name(&node)) {
            rest[*bone] = pose_of(&node);
        }
    }
    rest
}

fn set(pose: &mut Pose, channel: Channel, [x, y, z, w]: [f32; 4]) {
    match channel {
        Channel::Rotation => pose.rotation = Quat::from_xyzw(x, y, z, w),
        Channel::Position => pose.position = Vec3::new(x, y, z),
        Channel::Scale => pose.scale = Vec3::new(x, y, z),
    }
}

fn animation_of<'f>(file: &'f GltfFile, name: Option<&str>) -> Result<Animation<'f>, CompileError> {
    let mut animations = file.document().animations();
    let names = || -> Vec<String> {
        let all = file.document().animations();
        all.filter_map(|animation| animation.name().map(ToOwned::to_owned)).collect()
    };
    if let Some(name) = name {
        return animations
            .find(|animation| animation.name() == Some(name))
            .ok_or_else(|| file.unnamed("animation", name, &names()));
    }
    match (animations.next(), animations.next()) {
        (Some(animation), None) => Ok(animation),
        (None, _) => Err(CompileError {
            remedy: "export it with its animations".into(),
            ..file.wrong("there is no animation in it")
        }),
        (Some(_), Some(_)) => Err(CompileError {
            remedy: format!("name one of {}: `animation = \"..\"`", names().join(", ")),
            ..file.wrong("there are several animations in it")
        }),
    }
}
