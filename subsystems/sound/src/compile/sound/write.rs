//! Writing a sound as a blob.

use std::vec::Vec;

use loligo_compiler::{CompileError, build_blob};
use loligo_containers::{BlobBuilder, BlobPlace, Endian, GrowError, blob_field};
use loligo_ids::{IdString32, IdString64};

use super::Draft;
use super::node::DraftNode;
use crate::tree::{SoundChildImage, SoundCurveImage, SoundImage, SoundMarkerImage, SoundNodeImage};

type Builder<'a> = BlobBuilder<'a, SoundImage>;

pub(super) fn write(draft: &Draft, endian: Endian) -> Result<Vec<u8>, CompileError> {
    build_blob(|memory| {
        let mut builder = Builder::try_new(endian, memory)?;
        let root = builder.root();
        builder.set(root.at(blob_field!(SoundImage, bus)), draft.bus);
        builder.set(root.at(blob_field!(SoundImage, group)), draft.group);
        builder.set(root.at(blob_field!(SoundImage, priority)), draft.priority);
        builder.set(root.at(blob_field!(SoundImage, fade_out)), draft.fade_out);
        builder.set(root.at(blob_field!(SoundImage, distance)), draft.distance);
        builder.set(root.at(blob_field!(SoundImage, cone)), draft.cone);
        builder.set(root.at(blob_field!(SoundImage, doppler)), draft.doppler);
        builder.set(root.at(blob_field!(SoundImage, occlusion)), draft.occlusion);
        let nodes = &draft.nodes.nodes;
        let places = builder.array(root.at(blob_field!(SoundImage, nodes)), nodes.len())?;
        let (mut children, mut curves) = (0, 0);
        for (place, node) in places.iter().zip(nodes) {
            let counts = [&mut children, &mut curves];
            write_node(&mut builder, place, node, counts);
        }
        write_children(&mut builder, nodes, children as usize)?;
        write_curves(&mut builder, nodes, curves as usize)?;
        write_markers(&mut builder, nodes)?;
        let waves: Vec<IdString64> =
            draft.nodes.waves.iter().map(|name| IdString64::new(name)).collect();
        builder.numbers(root.at(blob_field!(SoundImage, waves)), &waves)?;
        Ok(builder.finish())
    })
}

fn write_node(
    builder: &mut Builder<'_>,
    place: BlobPlace<SoundNodeImage>,
    node: &DraftNode,
    [children, curves]: [&mut u32; 2],
) {
    let own = [node.children.len() as u32, node.curves.len() as u32];
    builder.set(place.at(blob_field!(SoundNodeImage, kind)), node.kind as u32);
    builder.set(place.at(blob_field!(SoundNodeImage, wave)), node.wave);
    builder.set(place.at(blob_field!(SoundNodeImage, children)), [*children, own[0]]);
    builder.set(place.at(blob_field!(SoundNodeImage, curves)), [*curves, own[1]]);
    let parameter = hash_of(&node.parameter);
    builder.set(place.at(blob_field!(SoundNodeImage, parameter)), parameter);
    builder.set(place.at(blob_field!(SoundNodeImage, is_looped)), u32::from(node.is_looped));
    builder.set(place.at(blob_field!(SoundNodeImage, volume)), node.volume);
    builder.set(place.at(blob_field!(SoundNodeImage, speed)), node.speed);
    builder.set(place.at(blob_field!(SoundNodeImage, delay)), node.delay);
    builder.set(place.at(blob_field!(SoundNodeImage, fade)), node.fade);
    *children += own[0];
    *curves += own[1];
}

fn write_children(
    builder: &mut Builder<'_>,
    nodes: &[DraftNode],
    count: usize,
) -> Result<(), GrowError> {
    let root = builder.root();
    let places = builder.array(root.at(blob_field!(SoundImage, children)), count)?;
    for (place, child) in places.iter().zip(nodes.iter().flat_map(|node| &node.children)) {
        builder.set(place.at(blob_field!(SoundChildImage, node)), child.node);
        builder.set(place.at(blob_field!(SoundChildImage, weight)), child.weight);
        builder.set(place.at(blob_field!(SoundChildImage, word)), hash_of(&child.word));
    }
    Ok(())
}

fn write_curves(
    builder: &mut Builder<'_>,
    nodes: &[DraftNode],
    count: usize,
) -> Result<(), GrowError> {
    let root = builder.root();
    let places = builder.array(root.at(blob_field!(SoundImage, curves)), count)?;
    let mut points = Vec::new();
    for (place, curve) in places.iter().zip(nodes.iter().flat_map(|node| &node.curves)) {
        let own = [points.len() as u32, curve.points.len() as u32];
        points.extend(&curve.points);
        let parameter = hash_of(&curve.parameter);
        builder.set(place.at(blob_field!(SoundCurveImage, parameter)), parameter);
        builder.set(place.at(blob_field!(SoundCurveImage, target)), curve.target as u32);
        builder.set(place.at(blob_field!(SoundCurveImage, points)), own);
    }
    builder.numbers(root.at(blob_field!(SoundImage, points)), &points)
}

fn write_markers(builder: &mut Builder<'_>, nodes: &[DraftNode]) -> Result<(), GrowError> {
    let root = builder.root();
    let all =
        || (0_u32..).zip(nodes).flat_map(|(at, node)| node.markers.iter().map(move |of| (at, of)));
    let places = builder.array(root.at(blob_field!(SoundImage, markers)), all().count())?;
    for (place, (node, marker)) in places.iter().zip(all()) {
        builder.set(place.at(blob_field!(SoundMarkerImage, node)), node);
        builder.set(place.at(blob_field!(SoundMarkerImage, at)), marker.at);
        builder.set(place.at(blob_field!(SoundMarkerImage, name)), hash_of(&marker.name));
    }
    Ok(())
}

/// Returns the hash of a name; 0 if it is empty.
fn hash_of(name: &str) -> IdString32 {
    if name.is_empty() { IdString32::from_hash(0) } else { IdString32::new(name) }
}
