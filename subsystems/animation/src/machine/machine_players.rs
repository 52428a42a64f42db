//! Poses of the characters of a machine.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::image::NONE;
use super::machine_table::MachineTable;
use super::machines::Machines;
use super::sample::MachineSample;
use crate::blending::{add_pose, blend_into, subtract_pose};
use crate::motion::take_ground;
use crate::playing::{ClipTable, PlayerPool, Players};
use crate::pose::{BoneGroup, Poses};

/// Players for the characters of a machine: some for each, which play one clip after another.
///
/// A character whose layers play more clips at the same time than it has players is sampled as exactly,
/// but the clips in excess are begun again in each step.
///
/// # Complexity
///
/// A pose is O(clips that are played · bones), and O(keys between two frames) for each clip. A clip that
/// begins costs what a leap does. Nothing is allocated but for characters that are added.
///
/// # Memory
///
/// For each player that of one of [`Players`] for the clip with the most tracks; two poses, and one for
/// each clip of a layer that is added.
///
/// # Examples
///
/// See the crate's page.
pub struct MachinePlayers<'a> {
    pool: PlayerPool<'a>,
    /// How many players a character has.
    players: usize,
    characters: usize,
    /// A sample, and a layer.
    scratch: Poses<'a>,
    /// The first frames of clips that are added, which they are differences from.
    references: Poses<'a>,
    /// Which of them that of each clip is.
    reference_of: Array<'a, u16>,
}

impl<'a> MachinePlayers<'a> {
    /// Makes `players` for each of `count` characters. `clips` are those that the table was made of.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    ///
    /// # Panics
    ///
    /// If there is no player for a character, or not as many clips as the machine has.
    pub fn try_new(
        count: usize,
        players: usize,
        table: &MachineTable<'_, '_>,
        clips: &[&ClipTable<'_, '_>],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        assert!(players > 0, "a character has a player");
        assert_eq!(clips.len(), table.machine.clips.len(), "the clips of the machine");
        let groups = clips.iter().map(|clip| clip.group_count()).max().unwrap_or(0);
        let bones = clips.first().map_or(0, |clip| clip.clip().bones());
        let mut reference_of = Array::try_with_capacity(clips.len(), memory)?;
        reference_of.try_resize(clips.len(), NONE)?;
        let mut added = 0;
        for layer in (0..table.machine.layers.len()).filter(|at| table.machine.is_additive(*at)) {
            for state in table.machine.states_of(layer) {
                for motion in table.machine.motions_of(&table.machine.states[state]) {
                    let place: &mut u16 = &mut reference_of[usize::from(motion.clip)];
                    if *place == NONE {
                        *place = added;
                        added += 1;
                    }
                }
            }
        }
        let mut references = Poses::try_new(usize::from(added), bones, memory)?;
        for (clip, place) in clips.iter().zip(&*reference_of).filter(|(_, place)| **place != NONE) {
            let pose = references.pose_mut(usize::from(*place));
            Players::try_new(1, clip, memory)?.sample(clip, 0, 0.0, pose);
        }
        Ok(Self {
            pool: PlayerPool::try_new(count.saturating_mul(players), groups, memory)?,
            players,
            characters: count,
            scratch: Poses::try_new(2, bones, memory)?,
            references,
            reference_of,
        })
    }

    /// Returns the number of characters.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.characters
    }

    /// Returns `true` if there is no character.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.characters == 0
    }

    /// Adds a character.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing was added then.
    pub fn try_push(&mut self) -> Result<(), GrowError> {
        self.pool.try_resize((self.characters + 1) * self.players)?;
        self.characters += 1;
        Ok(())
    }

    /// Removes a character. The last one takes its number, as that of [`Machines::swap_remove`] does.
    ///
    /// # Panics
    ///
    /// If there is no such character.
    pub fn swap_remove(&mut self, character: usize) {
        assert!(character < self.characters, "character {character} of {}", self.characters);
        self.characters -= 1;
        for player in 0..self.players {
            let last = self.characters * self.players + player;
            self.pool.copy(last, character * self.players + player);
        }
        // It becomes shorter, which takes no memory.
        let _ = self.pool.try_resize(self.characters * self.players);
    }

    /// Writes the pose of a character as the last step left it: all layers, without the way of the root.
    ///
    /// Layers that are added are differences from the first frames of their clips.
    ///
    /// # Panics
    ///
    /// If there is no such character, if the pose has fewer bones, or if these are not the clips and the
    /// table that the players were made for.
    pub fn write_pose(
        &mut self,
        table: &MachineTable<'_, '_>,
        clips: &[&ClipTable<'_, '_>],
        machines: &Machines<'_>,
        character: usize,
        pose: &mut [BoneGroup],
    ) {
        let mut used = 0;
        for layer in 0..table.machine.layers.len() {
            let (weight, samples) =
                (machines.layer_weight(character, layer), machines.samples(character, layer));
            let is_added = table.machine.is_additive(layer);
            if samples.is_empty() || (weight <= 0.0 && layer > 0) {
                continue;
            }
            for (at, sample) in samples.iter().enumerate() {
                let player = self.player_for(character, sample, &mut used);
                self.write_sample(table, clips, player, sample, is_added);
                let before: f32 = samples[..at].iter().map(|sample| sample.weight).sum();
                let (sampled, mixed) = self.scratch.split();
                match at {
                    0 => mixed.copy_from_slice(sampled),
                    _ => {
                        let part = sample.weight / (before + sample.weight);
                        blend_into(mixed, sampled, part, None);
                    }
                }
            }
            let mixed = self.scratch.pose(1);
            match (layer, is_added) {
                (_, true) => add_pose(pose, mixed, weight, table.mask(layer)),
                (0, _) => pose[..mixed.len()].copy_from_slice(mixed),
                _ => blend_into(pose, mixed, weight, table.mask(layer)),
            }
        }
    }

    /// Writes a sample into the first of the two poses.
    fn write_sample(
        &mut self,
        table: &MachineTable<'_, '_>,
        clips: &[&ClipTable<'_, '_>],
        player: usize,
        sample: &MachineSample,
        is_added: bool,
    ) {
        let clip = usize::from(sample.clip);
        let sampled = self.scratch.pose_mut(0);
        self.pool.sample(player, (sample.clip, clips[clip]), sample.frame, sampled);
        let reference = self.reference_of[clip];
        if is_added && reference != NONE {
            subtract_pose(sampled, self.references.pose(usize::from(reference)));
        } else if let Some(root) = table.root() {
            take_ground(sampled, root);
        }
    }

    /// Returns the player of a character that is nearest to a sample, of those that were not used for this
    /// pose; `used` has a bit for each.
    fn player_for(&self, character: usize, sample: &MachineSample, used: &mut u64) -> usize {
        let first = character * self.players;
        let far = |player: usize| match self.pool.place(first + player) {
            Some((clip, frame)) if clip == sample.clip => (frame - sample.frame).abs(),
            // One that has played nothing is taken before one of another clip.
            None => 1.0e6,
            Some(_) => 2.0e6,
        };
        let free = (0..self.players.min(64)).filter(|player| *used & (1 << player) == 0);
        let nearest = free.min_by(|a, b| far(*a).total_cmp(&far(*b)));
        let player = nearest.unwrap_or(self.players.min(64) - 1);
        *used |= 1 << player;
        first + player
    }
}

impl fmt::Debug for MachinePlayers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (characters, players) = (self.characters, self.players);
        f.debug_struct("MachinePlayers")
            .field("characters", &characters)
            .field("players", &players)
            .finish_non_exhaustive()
    }
}
