//! Skins of models in glTF 2.0: which bones there are, and how much each moves a vertex.

use std::format;
use std::string::String;
use std::vec::Vec;

use glam::Mat4;
use loligo_compiler::CompileError;
use loligo_formats::gltf::{Primitive, Semantic, Skin};
use loligo_formats::{AccessorView, GltfFile};
use loligo_ids::IdString64;

use crate::mesh::{BONES_MAX, SkinVertex};

/// Returns the bones of a skin: the hash of the name of each, and what leads from the mesh at rest to
/// it.
pub(super) fn bones(file: &GltfFile, skin: &Skin<'_>) -> Result<Vec<(u64, Mat4)>, CompileError> {
    let joints: Vec<_> = skin.joints().collect();
    if joints.len() > BONES_MAX {
        let reason = format!("its skin has {} bones", joints.len());
        let remedy = format!("make them {BONES_MAX} at the most, or several meshes of it");
        return Err(CompileError { remedy, ..file.wrong(&reason) });
    }
    let rests = skin.inverse_bind_matrices().map(|accessor| file.view(&accessor)).transpose()?;
    if let Some(rests) = &rests
        && (rests.components(), rests.len() >= joints.len()) != (16, true)
    {
        return Err(file.wrong("the matrices of its skin are not one for each bone"));
    }
    let mut bones: Vec<(u64, Mat4)> = Vec::new();
    for (number, joint) in joints.iter().enumerate() {
        let Some(name) = joint.name() else {
            let remedy = "name all bones: animations find them by their names".into();
            let reason = format!("bone {number} of its skin has no name");
            return Err(CompileError { remedy, ..file.wrong(&reason) });
        };
        let rest = rests
            .as_ref()
            .map_or(Mat4::IDENTITY, |rests| Mat4::from_cols_array(&rests.numbers::<16>(number)));
        let hash = IdString64::new(name).hash();
        if !rest.is_finite() || bones.iter().any(|(other, _)| *other == hash) {
            let reason = format!("its bone `{name}` comes twice, or its matrix is not finite");
            return Err(file.wrong(&reason));
        }
        bones.push((hash, rest));
    }
    Ok(bones)
}

/// Returns how bones move the vertices of a primitive.
pub(super) fn vertices(
    file: &GltfFile,
    primitive: &Primitive<'_>,
    count: usize,
    bones: usize,
) -> Result<Vec<SkinVertex>, CompileError> {
    let wrong = |reason: String| file.wrong(&reason);
    if primitive.get(&Semantic::Joints(1)).is_some() {
        let remedy = "export four bones a vertex at the most".into();
        let reason = "more than four bones move a vertex";
        return Err(CompileError { remedy, ..file.wrong(reason) });
    }
    let joints = view(file, primitive, &Semantic::Joints(0), count)?;
    let weights = view(file, primitive, &Semantic::Weights(0), count)?;
    let vertex = |index: usize| {
        let bones_of: [u32; 4] = joints.whole_numbers(index);
        let parts: [f32; 4] = weights.numbers(index);
        let weights = whole(parts).ok_or_else(|| {
            wrong(format!("the weights of vertex {index} are {parts:?}, which are no shares"))
        })?;
        let mut numbers = [0; 4];
        for ((number, bone), weight) in numbers.iter_mut().zip(bones_of).zip(weights) {
            // Exporters leave anything there where the weight is 0.
            if weight > 0 && bone as usize >= bones {
                return Err(wrong(format!(
                    "vertex {index} is moved by bone {bone}, and there are {bones}"
                )));
            }
            *number = if weight > 0 { bone as u8 } else { 0 };
        }
        let (bones, weights) = (u32::from_le_bytes(numbers), u32::from_le_bytes(weights));
        Ok(SkinVertex { bones, weights })
    };
    (0..count).map(vertex).collect()
}

fn view<'f>(
    file: &'f GltfFile,
    primitive: &Primitive<'_>,
    semantic: &Semantic,
    count: usize,
) -> Result<AccessorView<'f>, CompileError> {
    let missing = || file.wrong(&format!("a primitive with a skin has no {semantic:?}"));
    let view = file.view(&primitive.get(semantic).ok_or_else(missing)?)?;
    match (view.components(), view.len()) == (4, count) {
        true => Ok(view),
        false => {
            Err(file.wrong(&format!("{semantic:?} are not four for each of {count} vertices")))
        }
    }
}

/// Returns weights as parts of 255, which they are together; `None` for what are no shares of
/// something.
fn whole(parts: [f32; 4]) -> Option<[u8; 4]> {
    let sum: f32 = parts.iter().sum();
    if !(sum > 0.0 && sum.is_finite() && parts.iter().all(|part| *part >= 0.0)) {
        return None;
    }
    let mut weights = parts.map(|part| (part / sum * 255.0 + 0.5) as u8);
    // What rounding has left over, or taken, goes to the largest, where it changes least.
    let rest = 255 - weights.iter().map(|weight| i32::from(*weight)).sum::<i32>();
    let largest = weights.iter_mut().max_by_key(|weight| **weight)?;
    *largest = (i32::from(*largest) + rest) as u8;
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn weights_are_whole_and_255_together() {
        assert_eq!(whole([1.0, 0.0, 0.0, 0.0]), Some([255, 0, 0, 0]));
        assert_eq!(whole([0.25; 4]).map(|weights| weights.map(u32::from).iter().sum()), Some(255));
        assert_eq!(whole([2.0, 2.0, 0.0, 0.0]).map(|weights| weights[2..] == [0, 0]), Some(true));
        for wrong in [[0.0; 4], [-1.0, 2.0, 0.0, 0.0], [f32::NAN; 4], [f32::INFINITY; 4]] {
            assert_eq!(whole(wrong), None, "{wrong:?}");
        }
    }
}
