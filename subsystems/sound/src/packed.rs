//! Waves in four bits a sample.
//!
//! "Recommended Practices for Enhancing Digital Audio Compatibility in Multimedia Systems" (Interactive
//! Multimedia Association, 1992) has an adaptive code of differences: each nibble is a difference in units of
//! a step, which grows with large ones and shrinks with small ones. Ours differs in its blocks, which
//! all have the same number of frames and one channel after the other, so that a frame is found by a division.
//!
//! ```text
//! block    | channel: sample i16, step u8, 0 | 512 bytes: two frames each, the first in the lower bits | next channel
//! ```

/// The frames of a packed block.
pub const PACKED_FRAMES: usize = 1024;

/// The packed blocks of a piece, in which a wave that is streamed is read: two thirds of a second at 48 000 frames.
pub(crate) const PIECE_BLOCKS: u32 = 32;

/// The bytes of a block of one channel.
const CHANNEL_BYTES: usize = 4 + PACKED_FRAMES / 2;

/// How the step goes on after a nibble, without its sign.
const CHANGES: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

/// The steps of the recommendation: each is a tenth more than the one before, rounded by no formula.
const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,
    73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449,
    494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272,
    2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493,
    10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];

/// The bytes of a packed block with a number of channels.
#[must_use]
pub const fn packed_bytes(channels: u32) -> usize {
    channels as usize * CHANNEL_BYTES
}

/// A channel that is packed or unpacked.
#[derive(Clone, Copy, Debug, Default)]
struct Code {
    sample: i32,
    step: i32,
}

impl Code {
    /// Goes on by a nibble.
    fn next(&mut self, nibble: u8) -> i16 {
        let step = STEPS[self.step as usize];
        let size = i32::from(nibble & 7);
        let difference = (step * (2 * size + 1)) >> 3;
        let signed = if nibble & 8 == 0 { difference } else { -difference };
        self.sample = (self.sample + signed).clamp(-32_768, 32_767);
        self.step = (self.step + CHANGES[size as usize]).clamp(0, 88);
        self.sample as i16
    }

    /// Returns the nibble that comes nearest to a sample.
    fn nibble(&self, sample: i16) -> u8 {
        let distance = i32::from(sample) - self.sample;
        let size = ((distance.abs() << 2) / STEPS[self.step as usize]).min(7) as u8;
        if distance < 0 { size | 8 } else { size }
    }
}

/// Packs samples, block after block: the steps go on from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    steps: [i32; 2],
}

impl Packer {
    /// Packs up to 1 024 frames of one channel or two; those that are not there are as the last one.
    ///
    /// # Panics
    ///
    /// If `out` is not as long as [`packed_bytes`], or there are no samples.
    pub fn pack(&mut self, samples: &[i16], channels: u32, out: &mut [u8]) {
        let (len, expected) = (out.len(), packed_bytes(channels));
        assert!(len == expected && !samples.is_empty(), "{len} bytes for a block of {expected}");
        let channels = channels as usize;
        let parts = out.chunks_exact_mut(CHANNEL_BYTES);
        for ((channel, out), step) in parts.enumerate().zip(&mut self.steps) {
            let sample = |at: usize| {
                let at = at * channels + channel;
                samples.get(at).or_else(|| samples.get(samples.len() - channels + channel))
            };
            let sample = |at: usize| sample(at).copied().unwrap_or(0);
            let mut code = Code { sample: i32::from(sample(0)), step: *step };
            let [low, high] = sample(0).to_le_bytes();
            out[..4].copy_from_slice(&[low, high, code.step as u8, 0]);
            for (byte, at) in out[4..].iter_mut().zip((0..).step_by(2)) {
                let mut half = |at: usize| {
                    let nibble = code.nibble(sample(at));
                    code.next(nibble);
                    nibble
                };
                *byte = half(at) | half(at + 1) << 4;
            }
            *step = code.step;
        }
    }
}

/// Unpacks a block of one channel or two into 1 024 frames, the channels of each next to each other. Returns
/// `false` if it is no such block, or `out` is too short.
///
/// # Complexity
///
/// O(frames). Allocates nothing.
#[must_use]
pub fn unpack(packed: &[u8], channels: u32, out: &mut [i16]) -> bool {
    let channels = channels as usize;
    let is_block = (1..=2).contains(&channels)
        && packed.len() == channels * CHANNEL_BYTES
        && out.len() >= channels * PACKED_FRAMES;
    if !is_block {
        return false;
    }
    for (channel, packed) in packed.chunks_exact(CHANNEL_BYTES).enumerate() {
        let (head, nibbles) = packed.split_at(4);
        if head[2] > 88 || head[3] != 0 {
            return false;
        }
        let sample = i32::from(i16::from_le_bytes([head[0], head[1]]));
        let mut code = Code { sample, step: i32::from(head[2]) };
        for (pair, byte) in out.chunks_exact_mut(2 * channels).zip(nibbles) {
            pair[channel] = code.next(byte & 15);
            pair[channels + channel] = code.next(byte >> 4);
        }
    }
    true
}
