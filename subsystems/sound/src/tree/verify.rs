//! Checking a sound once, when it comes in.

use loligo_resources::DataError;

use super::{
    SOUND_NODES_MAX, SOUND_PRIORITY_MAX, SOUND_TYPE, SoundMarkerImage, SoundNodeImage,
    SoundNodeKind, SoundTree,
};

/// The points of a curve.
const POINTS: core::ops::RangeInclusive<usize> = 1..=64;

/// The greatest number on a curve: sums of those of all nodes are finite.
const NUMBER_MAX: f32 = 1e6;

/// The seconds of a fade, and those that markers may be at.
const SECONDS: core::ops::RangeInclusive<f32> = 0.0..=3600.0;

/// Checks the invariants of a sound.
pub(super) fn verify(tree: &SoundTree<'_>) -> Result<(), DataError> {
    if !(1..=SOUND_NODES_MAX).contains(&tree.nodes.len()) {
        return wrong("nodes", "1 to 256", tree.nodes.len());
    }
    let mut is_child = [false; SOUND_NODES_MAX];
    for (at, node) in tree.nodes.iter().enumerate() {
        verify_numbers(tree, at, node)?;
        verify_children(tree, at, node, &mut is_child)?;
    }
    if let Some(at) = is_child[1..tree.nodes.len()].iter().position(|is_child| !is_child) {
        return wrong("children", "those of one node each, but for the first", at + 1);
    }
    verify_sequences(tree)?;
    verify_whole(tree)?;
    let is_right = |curve: &super::SoundCurveImage| {
        part(curve.points, tree.points).is_some_and(|points| {
            POINTS.contains(&points.len())
                && points.windows(2).all(|two| two[0][0] < two[1][0])
                && points.as_flattened().iter().all(|number| number.abs() <= NUMBER_MAX)
        }) && curve.target <= 2
    };
    match tree.curves.iter().position(|curve| !is_right(curve)) {
        Some(at) => {
            wrong("curves", "of a target, with 1 to 64 points that ascend, up to a million", at)
        }
        None => Ok(()),
    }
}

/// Checks a node without what it refers to.
fn verify_numbers(tree: &SoundTree<'_>, at: usize, node: &SoundNodeImage) -> Result<(), DataError> {
    let Some(kind) = SoundNodeKind::of(node.kind) else {
        return wrong("nodes", "of a kind", at);
    };
    let is_range = |[least, most]: [f32; 2], [low, high]: [f32; 2]| {
        least >= low && least <= most && most <= high
    };
    let is_right = is_range(node.volume, [-144.0, 48.0])
        && is_range(node.speed, [0.01, crate::SPEED_MAX])
        && is_range(node.delay, [0.0, 3600.0])
        && is_range([node.fade; 2], [0.0, 3600.0])
        && node.is_looped <= 1;
    if !is_right {
        return wrong("nodes", "with volume, speed, delay and fade within their ranges", at);
    }
    if part(node.curves, tree.curves).is_none() {
        return wrong("nodes", "with curves of the list", at);
    }
    let has_wave = (node.wave as usize) < tree.waves.len();
    if kind == SoundNodeKind::Wave && !has_wave {
        return wrong("nodes", "with a wave of the list", at);
    }
    Ok(())
}

/// Checks what concerns the sound as a whole, and its markers.
fn verify_whole(tree: &SoundTree<'_>) -> Result<(), DataError> {
    if tree.priority > SOUND_PRIORITY_MAX {
        return wrong("priority", "up to 100", tree.priority as usize);
    }
    let [near, far] = tree.distance;
    if !(SECONDS.contains(&tree.fade_out) && near > 0.0 && near < far && far <= NUMBER_MAX) {
        return wrong("distance", "from near to far, and `fade_out` up to an hour", 0);
    }
    let [inner, outer, gain] = tree.cone;
    let is_cone = (0.0..=360.0).contains(&outer) && (0.0..=outer).contains(&inner);
    let is_share = |share: f32| (0.0..=1.0).contains(&share);
    if !(is_cone && is_share(gain) && is_share(tree.occlusion)) {
        return wrong("cone", "of two angles up to 360, with shares up to 1", 0);
    }
    if !(0.0..=10.0).contains(&tree.doppler) {
        return wrong("doppler", "from 0 to 10", tree.doppler as usize);
    }
    let is_right = |at: usize, marker: &SoundMarkerImage| {
        let node = tree.nodes.get(marker.node as usize);
        let is_after = at == 0 || {
            let before = &tree.markers[at - 1];
            (before.node, before.at) < (marker.node, marker.at)
        };
        node.is_some_and(|node| node.kind == SoundNodeKind::Wave as u32)
            && SECONDS.contains(&marker.at)
            && is_after
    };
    match tree.markers.iter().enumerate().position(|(at, marker)| !is_right(at, marker)) {
        Some(at) => wrong("markers", "of waves, in the order of nodes and of time", at),
        None => Ok(()),
    }
}

/// Checks that the children of a node come after it and are of no other.
fn verify_children(
    tree: &SoundTree<'_>,
    at: usize,
    node: &SoundNodeImage,
    is_child: &mut [bool; SOUND_NODES_MAX],
) -> Result<(), DataError> {
    let Some(children) = part(node.children, tree.children) else {
        return wrong("nodes", "with children of the list", at);
    };
    if (node.kind == SoundNodeKind::Wave as u32) != children.is_empty() {
        return wrong("nodes", "waves without children, or others with some", at);
    }
    for child in children {
        let index = child.node as usize;
        let is_new = index > at && index < tree.nodes.len() && !is_child[index];
        if !(is_new && child.weight > 0.0 && child.weight <= 1e6) {
            return wrong("children", "after their node, with a weight, and of no other", at);
        }
        is_child[index] = true;
    }
    Ok(())
}

/// Checks that what is in a sequence comes to one wave.
fn verify_sequences(tree: &SoundTree<'_>) -> Result<(), DataError> {
    let mut is_single = [false; SOUND_NODES_MAX];
    for (at, node) in tree.nodes.iter().enumerate() {
        let kind = SoundNodeKind::of(node.kind);
        let is_many = matches!(kind, Some(SoundNodeKind::Layers | SoundNodeKind::Sequence));
        if is_single[at] && is_many {
            return wrong("children", "of sequences waves or choices of waves", at);
        }
        for child in tree.children(node) {
            is_single[child.node as usize] = is_single[at] || kind == Some(SoundNodeKind::Sequence);
        }
    }
    Ok(())
}

/// The elements that a first one and a count name, if they are there.
fn part<T>([first, count]: [u32; 2], all: &[T]) -> Option<&[T]> {
    let first = first as usize;
    all.get(first..first.checked_add(count as usize)?)
}

fn wrong(field: &'static str, must: &'static str, found: usize) -> Result<(), DataError> {
    Err(DataError::part(SOUND_TYPE, field, must, found as u64))
}
