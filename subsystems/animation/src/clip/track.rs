//! Tracks: what moves, around which value, and how far.
//!
//! ```text
//! word 0   | channel: 2 bits | bytes of a key: 3 | bone: 11 |
//! words 1  | range of x | y | z |                   ten bits each: six of exponent, four of mantissa
//! words 3  | base x | base y | base z |             a rotation's in steps of 1/32768, others as the
//!                                                   upper half of a float
//! ```

use super::key::KeyBits;
use crate::lanes::LANES;

/// What of a bone a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// How it is turned.
    Rotation,
    /// Where it is.
    Position,
    /// How large it is.
    Scale,
}

impl Channel {
    /// All of them, in the order of tracks.
    pub const ALL: [Self; 3] = [Self::Rotation, Self::Position, Self::Scale];
}

/// A place that a track or a constant is for: channel and bone in one word, which orders them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Track {
    pub(crate) channel: Channel,
    pub(crate) bone: usize,
    /// The bits of its keys.
    pub(crate) bits: KeyBits,
    /// How far each number goes to both sides of the base.
    pub(crate) ranges: [f32; 3],
    /// A rotation's x, y, z and w; three numbers of the others.
    pub(crate) base: [f32; 4],
}

const BYTES_SHIFT: u32 = 11;
const BYTES_MASK: u16 = 7 << BYTES_SHIFT;
const BONE_MASK: u16 = (1 << BYTES_SHIFT) - 1;

/// The bits of a range's code.
const RANGE_MASK: u32 = (1 << 10) - 1;

impl Track {
    /// Returns what a track says, unless there is no such channel.
    pub(crate) fn unpack(words: &[u16; 6]) -> Option<Self> {
        let [place, low, high, base @ ..] = *words;
        let (channel, bone) = place_of(place)?;
        let codes = u32::from(low) | u32::from(high) << 16;
        let ranges = [0, 10, 20].map(|shift| range_of((codes >> shift & RANGE_MASK) as u16));
        let base = match channel {
            Channel::Rotation => rotation_of(base.map(|word| f32::from(word as i16) / 32768.0)),
            _ => {
                let [x, y, z] = base.map(number_of);
                [x, y, z, 0.0]
            }
        };
        let bits = KeyBits::new(bytes_of(place), ranges);
        Some(Self { channel, bone, bits, ranges, base })
    }

    /// Returns the words of a track, given the codes of its ranges and the words of its base.
    #[cfg(feature = "compile")]
    pub(crate) fn pack(
        (channel, bone): (Channel, usize),
        bytes: u8,
        ranges: [u16; 3],
        base: [u16; 3],
    ) -> [u16; 6] {
        let bytes = u16::from(bytes) << BYTES_SHIFT;
        let [rx, ry, rz] = ranges.map(u32::from);
        let codes = rx | ry << 10 | rz << 20;
        let [bx, by, bz] = base;
        [Self::place(channel, bone) | bytes, codes as u16, (codes >> 16) as u16, bx, by, bz]
    }

    /// Returns the word of a place.
    #[cfg(feature = "compile")]
    pub(crate) const fn place(channel: Channel, bone: usize) -> u16 {
        (channel as u16) << 14 | bone as u16
    }

    /// Returns how many groups of lanes the tracks are in: those of a channel's eight bones share one.
    pub(crate) fn group_count(tracks: &[[u16; 6]]) -> usize {
        let groups = tracks.iter().map(|[place, ..]| group_key(*place));
        let mut last = None;
        groups.filter(|key| last.replace(*key) != Some(*key)).count()
    }
}

/// Returns the channel and the bone of a place's word.
pub(crate) const fn place_of(word: u16) -> Option<(Channel, usize)> {
    let channel = match word >> 14 {
        0 => Channel::Rotation,
        1 => Channel::Position,
        2 => Channel::Scale,
        _ => return None,
    };
    Some((channel, (word & BONE_MASK) as usize))
}

/// Returns the bytes of the keys of a track's place: 1 to 6, or 0 where they are out of range.
pub(crate) const fn bytes_of(word: u16) -> u8 {
    let bytes = (word >> BYTES_SHIFT & 7) as u8;
    if bytes > 6 { 0 } else { bytes }
}

/// Returns what orders places, without the bytes of keys.
pub(crate) const fn order_of(word: u16) -> u16 {
    word & !BYTES_MASK
}

/// Returns what all places of a group have in common.
const fn group_key(word: u16) -> u16 {
    order_of(word) / LANES as u16
}

/// Returns the rotation of a turn: the axis times the tangent of a quarter of the angle.
pub(crate) fn rotation_of([x, y, z]: [f32; 3]) -> [f32; 4] {
    let square = x * x + y * y + z * z;
    let inverse = 1.0 / (1.0 + square);
    let twice = inverse + inverse;
    [x * twice, y * twice, z * twice, (1.0 - square) * inverse]
}

/// Returns the turn of a rotation that is no full turn.
#[cfg(feature = "compile")]
pub(crate) fn turn_of([x, y, z, w]: [f32; 4]) -> [f32; 3] {
    let inverse = 1.0 / (1.0 + w);
    [x * inverse, y * inverse, z * inverse]
}

/// Returns the range of a code: 0, or a power of two from 2^-40 to 2^23 times 1 to 2 in sixteenths.
fn range_of(code: u16) -> f32 {
    match code {
        0 => 0.0,
        code => f32::from_bits((u32::from(code) + 16 * (127 - 40)) << 19),
    }
}

/// Returns the code of the smallest range that holds numbers up to `high`, also those of few bits.
#[cfg(feature = "compile")]
pub(crate) fn range_code(high: f32) -> u16 {
    // The highest of 256 levels is a 128th below the range; what is coarser is off by more than that.
    let needed = high * (1.0 + 1.0 / 200.0);
    if needed < range_of(1) {
        return 0;
    }
    (1..RANGE_MASK as u16).find(|code| range_of(*code) >= needed).unwrap_or(RANGE_MASK as u16)
}

/// Returns the code of the range whose steps are as long as that at the most, and those steps.
#[cfg(feature = "compile")]
pub(crate) fn step_code(step: f32) -> (u16, f32) {
    let range = step / super::key::SCALE;
    let first = range_of(1);
    let code = (1..=RANGE_MASK as u16).rev().find(|code| range_of(*code) <= range).unwrap_or(1);
    (code, range_of(code).max(first) * super::key::SCALE)
}

/// Returns the words of a base that is near a value, and the base that they are read as.
#[cfg(feature = "compile")]
pub(crate) fn base_of(channel: Channel, value: [f32; 4]) -> ([u16; 3], [f32; 4]) {
    let words = match channel {
        Channel::Rotation => {
            let turned = if value[3] < 0.0 { value.map(|number| -number) } else { value };
            let step = |number: f32| (number * 32768.0).round().clamp(-32768.0, 32767.0);
            turn_of(turned).map(|number| step(number) as i16 as u16)
        }
        _ => [value[0], value[1], value[2]].map(upper_half),
    };
    let track = Track::unpack(&Track::pack((channel, 0), 1, [0; 3], words));
    (words, track.map_or(value, |track| track.base))
}

/// Returns the number whose upper half a word is, or 0 where it is none or too large to compute with.
pub(crate) fn number_of(word: u16) -> f32 {
    let number = f32::from_bits(u32::from(word) << 16);
    if number.abs() < 1.0e9 { number } else { 0.0 }
}

/// Returns the upper half of a number.
#[cfg(feature = "compile")]
pub(crate) const fn upper_half(number: f32) -> u16 {
    (number.to_bits() >> 16) as u16
}
