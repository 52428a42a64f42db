//! Playing a clip while it still loads.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::GrowError;

use super::clip_table::{ClipLanes, TableError};
use super::players::Players;
use crate::clip::{Clip, StoredClip, StoredClipError};
use crate::pose::BoneGroup;
use crate::skeleton::Skeleton;

/// A clip is not loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadingError {
    /// The bytes are not a clip, or there is no memory for it.
    Stored(StoredClipError),
    /// It cannot be played on the skeleton, or there is no memory for that.
    Table(TableError),
}

impl fmt::Display for LoadingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored(error) => error.fmt(f),
            Self::Table(error) => error.fmt(f),
        }
    }
}

impl Error for LoadingError {}

/// A clip that is played as far as it has come.
///
/// A packed clip comes in blocks of 32 frames. What is asked beyond those that are there is the pose of the
/// last one, and is [counted](Players::held_count); playheads and events go on as if all were there. When all
/// is, poses are those of the whole clip, bit by bit.
///
/// # Complexity
///
/// Feeding is that of [`StoredClip`]; sampling that of [`Players`].
///
/// # Memory
///
/// That of [`StoredClip`] and of [`ClipTable`](crate::ClipTable).
///
/// # Invariants
///
/// 1. `lanes` are those of the clip that is stored, and are there if its first frames are.
pub struct LoadingClip<'a> {
    stored: StoredClip<'a>,
    lanes: Option<ClipLanes<'a>>,
    memory: &'a (dyn Allocator + 'a),
}

impl<'a> LoadingClip<'a> {
    /// Begins with nothing.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self { stored: StoredClip::empty(memory), lanes: None, memory }
    }

    /// Takes the next bytes of the payload.
    ///
    /// # Errors
    ///
    /// [`LoadingError`]: they are damaged, the clip is for another skeleton, or there is no memory. What was
    /// there before can still be played.
    pub fn try_feed(&mut self, bytes: &[u8], skeleton: &Skeleton<'_>) -> Result<(), LoadingError> {
        self.stored.try_feed(bytes).map_err(LoadingError::Stored)?;
        self.prepare(skeleton)
    }

    /// Says that the payload has ended.
    ///
    /// # Errors
    ///
    /// [`LoadingError`], also if it is not whole.
    pub fn try_end(&mut self, skeleton: &Skeleton<'_>) -> Result<(), LoadingError> {
        self.stored.try_end().map_err(LoadingError::Stored)?;
        self.prepare(skeleton)
    }

    /// Returns `true` if all of it is there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.stored.is_whole()
    }

    /// Returns what is there, if the first frames are.
    #[must_use]
    pub fn clip(&self) -> Option<Clip<'_>> {
        self.lanes.as_ref().and_then(|_| self.stored.clip())
    }

    /// Makes players at the beginning, if the first frames are there.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_players(&self, count: usize) -> Result<Option<Players<'a>>, GrowError> {
        let (Some(clip), Some(lanes)) = (self.clip(), &self.lanes) else { return Ok(None) };
        Players::try_new_of(count, &clip, lanes.groups.len(), self.memory).map(Some)
    }

    /// Moves a player to a frame, or to the last one that is there, and writes the pose.
    ///
    /// # Panics
    ///
    /// If there is no such player, if the players were made for another clip, or if the pose has fewer
    /// bones than the clip.
    pub fn sample(
        &self,
        players: &mut Players<'_>,
        index: usize,
        frame: f32,
        pose: &mut [BoneGroup],
    ) {
        if let (Some(clip), Some(lanes)) = (self.clip(), &self.lanes) {
            players.sample_of(&clip, lanes, (index, frame), pose);
        }
    }

    fn prepare(&mut self, skeleton: &Skeleton<'_>) -> Result<(), LoadingError> {
        if self.lanes.is_none()
            && let Some(clip) = self.stored.clip()
        {
            let made = ClipLanes::try_new_in(&clip, skeleton, self.memory);
            self.lanes = Some(made.map_err(LoadingError::Table)?);
        }
        Ok(())
    }
}

impl fmt::Debug for LoadingClip<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadingClip").field("stored", &self.stored).finish_non_exhaustive()
    }
}
