//! What was chosen before.

use super::SOUND_NODES_MAX;

/// What the choices of a sound were, so that they do not repeat: shared by all that play it.
///
/// # Memory
///
/// 64 bytes: two bits for each node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The children of shuffled nodes that were chosen since all were.
    used: Nodes,
    /// The children that were chosen the last time.
    last: Nodes,
}

/// A bit for each node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Nodes([u64; SOUND_NODES_MAX / 64]);

impl Choices {
    /// Returns them as words, to be saved.
    #[must_use]
    pub fn to_words(&self) -> [u64; 2 * SOUND_NODES_MAX / 64] {
        let all = [self.used.0, self.last.0];
        core::array::from_fn(|at| all.as_flattened()[at])
    }

    /// Returns what was saved.
    #[must_use]
    pub fn from_words(words: &[u64; 2 * SOUND_NODES_MAX / 64]) -> Self {
        let half = SOUND_NODES_MAX / 64;
        let nodes = |first: usize| Nodes(core::array::from_fn(|at| words[first + at]));
        Self { used: nodes(0), last: nodes(half) }
    }

    /// Returns whether a node was used since all of its siblings were.
    pub(super) const fn is_used(&self, node: u32) -> bool {
        self.used.has(node)
    }

    pub(super) const fn set_used(&mut self, node: u32, is_used: bool) {
        self.used.set(node, is_used);
    }

    /// Returns whether a node was chosen the last time.
    pub(super) const fn is_last(&self, node: u32) -> bool {
        self.last.has(node)
    }

    pub(super) const fn set_last(&mut self, node: u32, is_last: bool) {
        self.last.set(node, is_last);
    }
}

impl Nodes {
    const fn has(&self, node: u32) -> bool {
        self.0[node as usize / 64] >> (node % 64) & 1 == 1
    }

    const fn set(&mut self, node: u32, is_in: bool) {
        let bit = 1 << (node % 64);
        let word = &mut self.0[node as usize / 64];
        *word = if is_in { *word | bit } else { *word & !bit };
    }
}
