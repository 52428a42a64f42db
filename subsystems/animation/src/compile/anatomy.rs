//! What is where in a compiled clip: for tools that show it.

use std::vec::Vec;

use crate::clip::{
    ALL_ZERO, BLOCK, Channel, Clip, Codes, END, Track, code_at, frames_of, groups_of_round,
    is_same_frame, lanes_of, read_forward, round_bytes, step_at,
};
use crate::lanes::LANES;

/// The tracks of a clip, and its keys in the order of the stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipAnatomy {
    /// What moves, in the order of tracks.
    pub tracks: Vec<TrackAnatomy>,
    /// The keys in the order of the stream.
    pub stream: Vec<StreamKey>,
}

/// A track of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackAnatomy {
    /// The bone.
    pub bone: usize,
    /// What of it moves.
    pub channel: Channel,
    /// The bytes of a key's value; of a dense clip, on average.
    pub key_bytes: usize,
    /// The frames of its keys.
    pub keys: Vec<u32>,
    /// The bits of its keys in the stream: values, and the time since the key before or, of a dense clip,
    /// the codes of blocks.
    pub bits: usize,
}

/// A key in the stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamKey {
    /// The track that it is of.
    pub track: usize,
    /// Its frame.
    pub frame: u32,
    /// The frame from which on a player needs it.
    pub needed: u32,
}

impl TrackAnatomy {
    /// Returns the bytes of its keys in the stream.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bits.div_ceil(8)
    }
}

impl ClipAnatomy {
    /// Walks through a clip.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    #[must_use]
    pub fn of(clip: &Clip<'_>) -> Self {
        let mut anatomy = Self::default();
        // The track of each lane, if there is one.
        let mut lanes: Vec<Option<usize>> = Vec::new();
        let mut group = None;
        for track in clip.tracks.iter().filter_map(Track::unpack) {
            let its = (track.channel, track.bone / LANES);
            if group.replace(its) != Some(its) {
                lanes.resize(lanes.len() + LANES, None);
            }
            let first = lanes.len() - LANES;
            lanes[first + track.bone % LANES] = Some(anatomy.tracks.len());
            anatomy.tracks.push(TrackAnatomy {
                bone: track.bone,
                channel: track.channel,
                key_bytes: if clip.is_dense() { 0 } else { track.bits.bytes() },
                keys: Vec::new(),
                bits: 0,
            });
        }
        if clip.is_dense() {
            anatomy.walk_differences(clip);
        } else {
            anatomy.walk_curves(clip, &lanes);
        }
        anatomy
    }

    /// Walks through the rounds of a clip of curves.
    fn walk_curves(&mut self, clip: &Clip<'_>, lanes: &[Option<usize>]) {
        let mut codes = std::vec![Codes::default(); lanes.len()];
        let mut frames = std::vec![0; lanes.len()];
        let (mut mask, mut step, mut begun) = (0, 0, 0_u32);
        for round in clip.rounds.chunks_exact(round_bytes(lanes.len() / LANES)) {
            begun += u32::from(!is_same_frame(round));
            for group in groups_of_round(round) {
                let bits = clip.masks.get(mask).copied().unwrap_or_default();
                mask += 1;
                for lane in lanes_of(bits).map(|lane| group * LANES + lane) {
                    let code = codes[lane].advance(step_at(clip.steps, step));
                    step += 1;
                    let Some(track) = lanes[lane].filter(|_| code != END) else { continue };
                    frames[lane] += u32::from(frames_of(code));
                    let (frame, needed) = (frames[lane], begun.saturating_sub(1));
                    let its = &mut self.tracks[track];
                    its.keys.push(frame);
                    its.bits += 8 * its.key_bytes + 4;
                    self.stream.push(StreamKey { track, frame, needed });
                }
            }
        }
    }

    /// Walks through the differences of a dense clip. The first two keys are in a jump frame.
    fn walk_differences(&mut self, clip: &Clip<'_>) {
        let tracks = self.tracks.len();
        let mut at = 0;
        for frame in 0..=clip.last_frame {
            let codes = (frame / BLOCK) as usize * 3 * tracks;
            for (track, its) in self.tracks.iter_mut().enumerate() {
                let before = at;
                for axis in (0..3).filter(|_| frame >= 2) {
                    let code = code_at(clip.codes, codes + 3 * track + axis);
                    if code != ALL_ZERO {
                        at += read_forward(clip.values, at, code).1;
                    }
                }
                let bits = (at - before) as usize;
                its.bits += bits + if frame % BLOCK == 0 { 12 } else { 0 };
                its.keys.push(frame);
                self.stream.push(StreamKey { track, frame, needed: frame.saturating_sub(2) });
            }
        }
        for its in &mut self.tracks {
            its.key_bytes = its.bits.div_ceil(8 * its.keys.len().max(1));
        }
    }
}
