//! What a sound is made of: its tree, its curves and its bytes.

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{Blob, BlobBytes};
use loligo_ids::{IdString32, IdString64};
use loligo_sound::{SoundImage, SoundNodeKind, SoundTree};

use super::subject::{SoundError, Subject};

/// A node of the tree, as it is shown.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) depth: usize,
    pub(super) what: String,
    pub(super) volume: [f32; 2],
    pub(super) speed: [f32; 2],
    pub(super) delay: [f32; 2],
    pub(super) fade: f32,
    pub(super) weight: Option<f32>,
}

/// A curve of the tree: what it changes, by which parameter, and its points.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) node: String,
    pub(super) target: &'static str,
    pub(super) parameter: String,
    pub(super) points: Vec<[f32; 2]>,
}

/// Returns the names of the waves of a compiled sound.
pub(super) fn waves_of(name: &str, tree: &[u8]) -> Result<Vec<IdString64>, SoundError> {
    opened(name, tree, |tree, _| tree.waves().to_vec())
}

/// Returns the nodes of a sound in the order of the tree, and its curves.
pub(super) fn tree_of(
    subject: &Subject,
    names: &[String],
) -> Result<(Vec<Node>, Vec<Curve>), SoundError> {
    let Some(bytes) = &subject.tree else { return Ok((Vec::new(), Vec::new())) };
    opened(&subject.name, bytes, |_, blob| walk(subject, blob, names))
}

/// Opens a compiled sound.
fn opened<R>(
    name: &str,
    bytes: &[u8],
    look: impl FnOnce(&SoundTree<'_>, &Blob<'_, SoundImage>) -> R,
) -> Result<R, SoundError> {
    let pages = PageAllocator::new("sound pages");
    let heap = HeapAllocator::new("sound", &pages);
    let wrong = |error: &dyn core::fmt::Display| SoundError::sound(name, error);
    let aligned = BlobBytes::try_copy(bytes, &heap).map_err(|error| wrong(&error))?;
    let tree = SoundTree::open(&aligned).map_err(|error| wrong(&error))?;
    let blob = Blob::<SoundImage>::open_structure(&aligned).map_err(|error| wrong(&error))?;
    Ok(look(&tree, &blob))
}

fn walk(
    subject: &Subject,
    blob: &Blob<'_, SoundImage>,
    names: &[String],
) -> (Vec<Node>, Vec<Curve>) {
    let image = blob.root();
    let (nodes, children) = (blob.array(&image.nodes), blob.array(&image.children));
    let (all_curves, all_points) = (blob.array(&image.curves), blob.array(&image.points));
    let name_of = |hash: IdString32| {
        let known = names.iter().find(|name| IdString32::new(name) == hash);
        known.cloned().unwrap_or_else(|| hash.to_string())
    };
    let (mut found, mut curves) = (Vec::new(), Vec::new());
    let mut stack = vec![(0_u32, 0_usize, String::new(), None)];
    while let Some((at, depth, when, weight)) = stack.pop() {
        let Some(node) = nodes.get(at as usize) else { continue };
        let kind = SoundNodeKind::ALL.get(node.kind as usize).copied();
        let what = match kind {
            Some(SoundNodeKind::Wave) => {
                let wave = subject.waves.get(node.wave as usize);
                let wave = wave.map_or("", |wave| &*wave.name);
                format!("{wave}{}", if node.is_looped == 1 { ", looped" } else { "" })
            }
            Some(SoundNodeKind::Switch) => format!("switch by {}", name_of(node.parameter)),
            Some(kind) => format!("{kind:?}").to_lowercase(),
            None => String::new(),
        };
        let what = format!("{when}{what}");
        let [first, count] = node.curves.map(|number| number as usize);
        for curve in &all_curves[first..first + count] {
            let [first, count] = curve.points.map(|number| number as usize);
            curves.push(Curve {
                node: what.clone(),
                target: ["volume", "speed", "low-pass"][curve.target.min(2) as usize],
                parameter: name_of(curve.parameter),
                points: all_points[first..first + count].to_vec(),
            });
        }
        let (volume, speed, delay, fade) = (node.volume, node.speed, node.delay, node.fade);
        found.push(Node { depth, what, volume, speed, delay, fade, weight });
        let [first, count] = node.children.map(|number| number as usize);
        for child in children[first..first + count].iter().rev() {
            let when = match kind {
                Some(SoundNodeKind::Switch) if child.word.hash() == 0 => "else: ".to_owned(),
                Some(SoundNodeKind::Switch) => format!("{}: ", name_of(child.word)),
                _ => String::new(),
            };
            let is_choice = matches!(kind, Some(SoundNodeKind::Random | SoundNodeKind::Shuffle));
            stack.push((child.node, depth + 1, when, is_choice.then_some(child.weight)));
        }
    }
    (found, curves)
}
