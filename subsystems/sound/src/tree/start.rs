//! What a sound comes to when it is played.

use loligo_allocators::Allocator;

use super::chance::Chance;
use super::choices::Choices;
use super::curve::Curved;
use super::{SOUND_NODES_MAX, SoundChildImage, SoundNodeImage, SoundNodeKind, SoundTree};
use crate::level::gain_of;
use crate::parameters::{Parameters, SoundParameters};
use crate::signal::SPEED_MAX;

/// The most decibels that curves and nodes add up to.
const VOLUME_MAX: f32 = 48.0;

/// A wave that is to be played as a part of a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The node that it is: by it and [`SoundTree::shape`] parameters go on to change it.
    pub node: u32,
    /// The place of its wave among those of the sound.
    pub wave: u32,
    /// How loud it is without curves, as chance has it, in decibels.
    pub decibels: f32,
    /// How fast it is without curves, as chance has it.
    pub speed: f32,
    /// The seconds that it waits for.
    pub delay: f32,
    /// The seconds over which it fades in.
    pub fade: f32,
    /// Whether the loop of its wave is followed.
    pub is_looped: bool,
    /// Whether it begins where the part before it ends.
    pub is_next: bool,
}

/// How a part is at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The factor of its samples.
    pub gain: f32,
    /// How fast it is.
    pub speed: f32,
    /// From which frequency on it is quieter, in hertz; infinite if nothing is.
    pub low_pass: f32,
}

/// A node that is to be looked at, with what is above it.
#[derive(Clone, Copy)]
struct Pending {
    node: u32,
    decibels: f32,
    speed: f32,
    delay: f32,
    fade: f32,
    is_next: bool,
}

impl SoundTree<'_> {
    /// Hands over the parts of the sound, in the order of its nodes.
    ///
    /// # Complexity
    ///
    /// O(nodes). Allocates nothing.
    pub fn start<A: Allocator + ?Sized>(
        &self,
        parameters: &Parameters<'_, A>,
        sound: &SoundParameters,
        choices: &mut Choices,
        chance: &mut Chance,
        mut each: impl FnMut(Part),
    ) {
        let root =
            Pending { node: 0, decibels: 0.0, speed: 1.0, delay: 0.0, fade: 0.0, is_next: false };
        // Each node is the child of one, so there is room for all.
        let mut stack = [root; SOUND_NODES_MAX];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let above = stack[len];
            let node = &self.nodes[above.node as usize];
            let own = Pending {
                decibels: above.decibels + chance.within(node.volume),
                speed: above.speed * chance.within(node.speed),
                delay: above.delay + chance.within(node.delay),
                fade: above.fade.max(node.fade),
                ..above
            };
            let children = self.children(node);
            let mut push = |child: &SoundChildImage, is_next: bool| {
                let delay = if is_next { 0.0 } else { own.delay };
                stack[len] = Pending { node: child.node, is_next, delay, ..own };
                len += 1;
            };
            match SoundNodeKind::of(node.kind) {
                None | Some(SoundNodeKind::Wave) => each(part(node, &own)),
                Some(SoundNodeKind::Layers) => {
                    children.iter().rev().for_each(|child| push(child, own.is_next));
                }
                Some(SoundNodeKind::Sequence) => {
                    for (at, child) in children.iter().enumerate().rev() {
                        push(child, at > 0 || own.is_next);
                    }
                }
                Some(SoundNodeKind::Random) => {
                    push(random(children, choices, chance, false), own.is_next);
                }
                Some(SoundNodeKind::Shuffle) => {
                    push(random(children, choices, chance, true), own.is_next);
                }
                Some(SoundNodeKind::Switch) => {
                    let word = parameters.word(sound, node.parameter);
                    let with = |word| children.iter().find(|child| child.word.hash() == word);
                    let chosen = word.and_then(|word| with(word.hash())).or_else(|| with(0));
                    match chosen {
                        Some(child) => push(child, own.is_next),
                        None if len > 0 && !own.is_next && stack[len - 1].is_next => {
                            // The first of a sequence comes to nothing, so the one after it is the first.
                            let next = &mut stack[len - 1];
                            (next.is_next, next.delay) = (false, next.delay + above.delay);
                        }
                        None => {}
                    }
                }
            }
        }
    }

    /// Returns how a part is with the parameters as they are.
    #[must_use]
    pub fn shape<A: Allocator + ?Sized>(
        &self,
        part: &Part,
        parameters: &Parameters<'_, A>,
        sound: &SoundParameters,
    ) -> Shape {
        let mut curved = Curved::NONE;
        let mut at = part.node;
        // From the part up to the root. Parents are before their children, so this ends.
        while let Some(node) = self.nodes.get(at as usize) {
            curved = curved.with(self, node, parameters, sound);
            let Some(parent) = self.parent(at) else { break };
            at = parent;
        }
        Shape {
            gain: gain_of((part.decibels + curved.decibels).min(VOLUME_MAX)),
            speed: (part.speed * curved.speed).min(SPEED_MAX),
            low_pass: curved.low_pass,
        }
    }

    /// Returns the node whose child a node is.
    fn parent(&self, node: u32) -> Option<u32> {
        let before = self.nodes.get(..node as usize)?;
        let is_parent =
            |parent: &SoundNodeImage| self.children(parent).iter().any(|child| child.node == node);
        before.iter().rposition(is_parent).map(|at| at as u32)
    }
}

fn part(node: &SoundNodeImage, pending: &Pending) -> Part {
    let Pending { node: at, decibels, speed, delay, fade, is_next } = *pending;
    let is_looped = node.is_looped == 1;
    Part { node: at, wave: node.wave, decibels, speed, delay, fade, is_looped, is_next }
}

/// Chooses a child by weights: not the one of the last time if there are others, and where each comes once
/// before any comes again, one that was not used since all were.
fn random<'c>(
    children: &'c [SoundChildImage],
    choices: &mut Choices,
    chance: &mut Chance,
    each_once: bool,
) -> &'c SoundChildImage {
    if each_once && children.iter().all(|child| choices.is_used(child.node)) {
        children.iter().for_each(|child| choices.set_used(child.node, false));
    }
    let before = *choices;
    let is_free = |child: &SoundChildImage| !(each_once && before.is_used(child.node));
    let has_other = children.iter().any(|child| is_free(child) && !before.is_last(child.node));
    let is_open =
        |child: &&SoundChildImage| is_free(child) && !(has_other && before.is_last(child.node));
    let free = || children.iter().filter(is_open);
    let mut left = free().map(|child| child.weight).sum::<f32>() * chance.part();
    let found = free().find(|child| {
        left -= child.weight;
        left < 0.0
    });
    // Sums are rounded, so the last one may be missed by a bit.
    let chosen = found.or_else(|| free().next_back()).unwrap_or(&children[0]);
    for child in children {
        choices.set_last(child.node, child.node == chosen.node);
    }
    choices.set_used(chosen.node, true);
    chosen
}
