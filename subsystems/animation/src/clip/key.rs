//! The value of a key: three numbers over the ranges of its track.
//!
//! In memory each is a signed number of 16 bits, 32768 steps from zero to the range. Stored, a key has
//! one to six bytes in all; an axis has the upper ones of the 16, and more of them the wider its range
//! is, so that a step is nearly as long on all three. Packing moves bits and does nothing else, so that
//! the difference of two keys by exclusive or can be packed as well.

/// Three signed numbers of 16 bits.
pub(crate) type Key = [u16; 3];

/// What a range is multiplied with for one step of a key.
pub(crate) const SCALE: f32 = 1.0 / 32768.0;

/// How the bits of a track's keys are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyBits {
    bytes: u8,
    axes: [u8; 3],
}

impl KeyBits {
    /// The keys of no track.
    pub(crate) const NONE: Self = Self { bytes: 0, axes: [0; 3] };

    /// Divides the bits of that many bytes: one by one, each to the axis with the longest step.
    pub(crate) fn new(bytes: u8, ranges: [f32; 3]) -> Self {
        let mut axes = [0; 3];
        let mut steps = ranges;
        for _ in 0..8 * u32::from(bytes) {
            let mut longest = None;
            for axis in 0..3 {
                let is_longer = longest.is_none_or(|other: usize| steps[axis] > steps[other]);
                if axes[axis] < 16 && is_longer {
                    longest = Some(axis);
                }
            }
            if let Some(axis) = longest {
                axes[axis] += 1;
                steps[axis] *= 0.5;
            }
        }
        Self { bytes, axes }
    }

    /// Returns how many bytes a key has.
    #[inline]
    pub(crate) const fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Returns the key at the beginning of bytes; those that are missing are 0.
    #[inline]
    pub(crate) fn unpack(self, bytes: &[u8]) -> Key {
        let mut all = [0; 8];
        // Eight bytes are read at once, but for the last keys of a clip.
        match bytes.first_chunk::<8>() {
            Some(chunk) => all = *chunk,
            None => all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from),
        }
        // What belongs to the next key is beyond the fields.
        let all = u64::from_le_bytes(all);
        let [x, y, z] = self.axes.map(u32::from);
        let field = |from: u32, count: u32| {
            let bits = all >> from & ((1 << count) - 1);
            (bits << (16 - count)) as u16
        };
        [field(0, x), field(x, y), field(x + y, z)]
    }

    /// Returns the bytes of a key whose other bits are zero.
    #[cfg(feature = "compile")]
    pub(crate) fn pack(self, key: Key) -> impl Iterator<Item = u8> {
        let mut all = 0_u64;
        let mut from = 0;
        for (word, count) in key.into_iter().zip(self.axes) {
            all |= (u64::from(word) >> (16 - count)) << from;
            from += u32::from(count);
        }
        all.to_le_bytes().into_iter().take(self.bytes())
    }

    /// Returns the key that is nearest to three numbers.
    #[cfg(feature = "compile")]
    pub(crate) fn quantised(self, value: [f32; 3], ranges: [f32; 3]) -> Key {
        core::array::from_fn(|axis| match (self.axes[axis], ranges[axis]) {
            (bits @ 1.., range @ f32::MIN_POSITIVE..) => {
                let half = (1_u32 << (bits - 1)) as f32;
                let level = (value[axis] / range * half).round().clamp(-half, half - 1.0);
                ((level as i32) << (16 - bits)) as u16
            }
            _ => 0,
        })
    }
}

/// Returns a number of a key in steps.
#[inline(always)]
pub(crate) fn level(word: u16) -> f32 {
    f32::from(word as i16)
}

#[cfg(all(test, feature = "compile"))]
mod tests {
    //! Keys of all sizes.

    use std::vec::Vec;

    use super::{KeyBits, SCALE, level};

    #[test]
    fn a_wide_axis_has_more_bits() {
        assert_eq!(KeyBits::new(4, [0.5, 0.5, 0.5]).axes, [11, 11, 10]);
        assert_eq!(KeyBits::new(4, [1.0, 0.125, 0.125]).axes, [13, 10, 9]);
        assert_eq!(KeyBits::new(2, [1.0, 0.0, 0.0]).axes, [16, 0, 0]);
        assert_eq!(KeyBits::new(4, [0.0, 1.0, 0.0]).axes, [16, 16, 0]);
        assert_eq!(KeyBits::new(6, [1.0, 0.1, 0.0]).axes, [16, 16, 16]);
    }

    #[test]
    fn packed_keys_are_the_same_and_near_their_values() {
        let ranges = [0.75, 0.25, 0.0];
        for bytes in 1..=6 {
            let bits = KeyBits::new(bytes, ranges);
            for step in -20_i32..=20 {
                let value = [0.74 * step as f32 / 20.0, -0.2 * step as f32 / 20.0, 0.0];
                let key = bits.quantised(value, ranges);
                let packed: Vec<u8> = bits.pack(key).collect();
                assert_eq!(packed.len(), bits.bytes(), "bytes");
                assert_eq!(bits.unpack(&packed), key, "{value:?} in {bytes} bytes");
                for axis in 0..3 {
                    let found = level(key[axis]) * SCALE * ranges[axis];
                    let off = ranges[axis] / (1_u32 << bits.axes[axis]).max(1) as f32;
                    // The highest level is a step below the range.
                    assert!((found - value[axis]).abs() <= off * 2.01, "{found} {value:?} {bytes}");
                }
            }
        }
    }

    #[test]
    fn differences_are_packed_as_keys_are() {
        let bits = KeyBits::new(4, [0.5, 0.1, 0.3]);
        let (a, b) =
            (bits.quantised([0.4, -0.1, 0.0], [0.5; 3]), bits.quantised([-0.3; 3], [0.5; 3]));
        let mixed = core::array::from_fn(|axis| a[axis] ^ b[axis]);
        let packed: Vec<u8> = bits.pack(mixed).collect();
        assert_eq!(bits.unpack(&packed), mixed, "exclusive or moves through");
    }
}
