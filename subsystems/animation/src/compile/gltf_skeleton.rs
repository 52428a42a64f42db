//! Skeletons of glTF files: the joints of a skin, and all nodes above them.
//!
//! Units are metres, y is up, and rotations are quaternions of length 1, as glTF has them. A tool's own up
//! axis is in a node above the joints; as such nodes are bones as well, nothing has to be turned.

use std::borrow::ToOwned;
use std::format;
use std::string::String;
use std::vec::Vec;

use glam::{Affine3A, Mat4, Quat, Vec3};
use loligo_compiler::CompileError;
use loligo_entities::Pose;
use loligo_formats::GltfFile;
use loligo_formats::gltf::{Node, Skin};

use super::raw_skeleton::RawSkeleton;

/// Reads the skeleton of a skin; of the only one, if none is named.
///
/// Bones are the skin's joints and all nodes above them, parents first, named as their nodes; a node
/// without a name is called after its number.
///
/// # Errors
///
/// [`CompileError`] if there is no such skin, if a joint is not in the scene, or if the bones are no
/// skeleton.
pub fn gltf_skeleton(file: &GltfFile, skin: Option<&str>) -> Result<RawSkeleton, CompileError> {
    let skin = skin_of(file, skin)?;
    let count = file.document().nodes().len();
    let mut parents = std::vec![None; count];
    let mut order = Vec::new();
    file.walk(file.scene()?.nodes(), Mat4::IDENTITY, &mut |node, _| {
        order.push(node.index());
        node.children().for_each(|child| parents[child.index()] = Some(node.index()));
        Ok(())
    })?;
    let mut is_bone = std::vec![false; count];
    for joint in skin.joints() {
        if !order.contains(&joint.index()) {
            let reason = format!("the joint `{}` is not in the scene", node_name(&joint));
            return Err(file.wrong(&reason));
        }
        let mut above = Some(joint.index());
        while let Some(node) = above.filter(|node| !is_bone[*node]) {
            is_bone[node] = true;
            above = parents[node];
        }
    }
    let nodes: Vec<_> = file.document().nodes().collect();
    let mut bones = std::vec![None; count];
    let mut skeleton = RawSkeleton::default();
    for node in order.into_iter().filter(|node| is_bone[*node]) {
        let parent = parents[node].and_then(|parent| bones[parent]);
        bones[node] = Some(skeleton.add(&node_name(&nodes[node]), parent, pose_of(&nodes[node])));
    }
    if let Some(accessor) = skin.inverse_bind_matrices() {
        let view = file.view(&accessor)?;
        if view.components() != 16 || view.len() < skin.joints().len() {
            let (joints, found) = (skin.joints().len(), view.len());
            let reason = format!("a skin of {joints} joints has {found} inverse bind matrices");
            return Err(file.wrong(&reason));
        }
        for (at, joint) in skin.joints().enumerate() {
            if let Some(bone) = bones[joint.index()] {
                let matrix = Mat4::from_cols_array(&view.numbers(at));
                skeleton.inverse_bind[bone] = Affine3A::from_mat4(matrix);
            }
        }
    }
    skeleton.check().map_err(|error| file.wrong(&format!("{error}")))?;
    Ok(skeleton)
}

/// Returns what a node is called.
pub(super) fn node_name(node: &Node<'_>) -> String {
    node.name().map_or_else(|| format!("node {}", node.index()), ToOwned::to_owned)
}

/// Returns where a node is in its parent.
pub(super) fn pose_of(node: &Node<'_>) -> Pose {
    let (position, rotation, scale) = node.transform().decomposed();
    // What is no rotation is found where the skeleton is checked.
    let rotation = Quat::from_array(rotation);
    let turned = if rotation.length_squared() > 1.0e-6 { rotation.normalize() } else { rotation };
    Pose { position: Vec3::from_array(position), rotation: turned, scale: Vec3::from_array(scale) }
}

fn skin_of<'f>(file: &'f GltfFile, name: Option<&str>) -> Result<Skin<'f>, CompileError> {
    let mut skins = file.document().skins();
    if let Some(name) = name {
        let names: Vec<_> =
            file.document().skins().filter_map(|skin| skin.name().map(ToOwned::to_owned)).collect();
        return skins
            .find(|skin| skin.name() == Some(name))
            .ok_or_else(|| file.unnamed("skin", name, &names));
    }
    match (skins.next(), skins.next()) {
        (Some(skin), None) => Ok(skin),
        (None, _) => Err(CompileError {
            remedy: "bind a mesh to bones, and export it with its skin".into(),
            ..file.wrong("there is no skin in it")
        }),
        (Some(_), Some(_)) => Err(CompileError {
            remedy: "name one of them: `skin = \"..\"`".into(),
            ..file.wrong("there are several skins in it")
        }),
    }
}
