//! How probable the numbers of a clip are, given those before: what is coded is how far each is from where
//! it was expected.
//!
//! ```text
//! how far, without its sign | its class: the bits of it, one decision each
//!                           | below the highest bit: two by their probability, the rest as they are
//! its sign                  | by the last one of the axis
//! ```
//!
//! How probable a class is depends on how far numbers of the axis were off lately, and how far the last
//! numbers of any axis were off as seen from that: movements begin and end in many tracks at once.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::bit_model::BitModel;
use super::predictor::{Near, Predictor};
use super::range_coder::BitCoder;
use crate::clip::dense_writer::Numbers;

/// The scales that probabilities are kept for: two for each doubling.
const SCALES: usize = 36;

/// The bits of a number without its sign.
const CLASSES: usize = 17;

/// As if that many numbers had been seen where nothing is known yet.
const SURE: u8 = 12;

/// How much of what was is kept, from number to number: of an axis, slowly and fast, and of all.
const SLOW: f32 = 0.93;
const FAST: f32 = 0.7;
const MOOD: f32 = 0.93;

/// How much the numbers of other axes count.
const MOOD_PART: f32 = 0.7;

/// How far the first number of an axis is expected to be off, and the second one.
const FIRST: f32 = 1024.0;
const SECOND: f32 = 48.0;

/// What is known of an axis.
#[derive(Clone, Copy, Debug)]
struct Axis {
    last: i16,
    predictor: Predictor,
    /// How far numbers were off, lately.
    slow: f32,
    fast: f32,
    /// Whether the last one was below, at or above where it was expected.
    sign: u8,
}

/// What is known of all numbers of a clip.
///
/// # Memory
///
/// 11 KiB, and 348 bytes an axis of each track.
pub(crate) struct NumberModel<'a, A: Allocator + ?Sized> {
    axes: Array<'a, Axis, A>,
    /// For each scale and number of bits, whether a number has more.
    classes: Array<'a, [BitModel; CLASSES], A>,
    /// The two bits below the highest one.
    upper: Array<'a, [[BitModel; 3]; CLASSES], A>,
    signs: [BitModel; 3],
    /// How far numbers were off, as doublings of what was expected.
    mood: f32,
    frame: u32,
}

impl<'a, A: Allocator + ?Sized> NumberModel<'a, A> {
    pub(crate) fn try_new_in(tracks: usize, memory: &'a A) -> Result<Self, GrowError> {
        let axis = Axis { last: 0, predictor: Predictor::new(), slow: 0.0, fast: 0.0, sign: 1 };
        let mut axes = Array::try_with_capacity_in(3 * tracks, memory)?;
        axes.try_resize(3 * tracks, axis)?;
        let mut classes = Array::try_with_capacity_in(SCALES, memory)?;
        let mut upper = Array::try_with_capacity_in(SCALES, memory)?;
        for scale in 0..SCALES {
            let mean = mean_of(scale);
            classes.try_push(core::array::from_fn(|class| more_bits(class, mean)))?;
            upper.try_push(core::array::from_fn(|class| upper_bits(class, mean)))?;
        }
        let signs = [0.5; 3].map(|one| BitModel::new(one, SURE));
        Ok(Self { axes, classes, upper, signs, mood: 0.0, frame: 0 })
    }

    /// Codes the numbers of a frame: a reader sets them.
    pub(crate) fn code_frame(&mut self, coder: &mut impl BitCoder, numbers: &mut [Numbers]) {
        let mut near = Near::default();
        for (at, number) in numbers.iter_mut().flatten().enumerate() {
            let steps = self.code_number(coder, at, number, &near);
            near = [steps, near[0], near[1]];
        }
        self.frame += 1;
    }

    /// Codes a number of an axis; returns its step, and the one before.
    fn code_number(
        &mut self,
        coder: &mut impl BitCoder,
        at: usize,
        number: &mut i16,
        near: &Near,
    ) -> [f32; 2] {
        let Axis { last, predictor, slow, fast, sign } = self.axes[at];
        let guess = predictor.guess(near);
        let (expected, mean) = match self.frame {
            0 => (0, FIRST),
            1 => (last, SECOND),
            _ => (last.wrapping_add(rounded(guess.step)), 0.55 * slow + 0.45 * fast),
        };
        let doublings = log2(mean + 0.4) + if self.frame > 1 { MOOD_PART * self.mood } else { 0.0 };
        let off = self.code_off(coder, doublings, usize::from(sign), number.wrapping_sub(expected));
        *number = expected.wrapping_add(off);
        let far = f32::from(off.unsigned_abs());
        if self.frame > 1 {
            let more = (log2(far + 0.4) - log2(mean + 0.4)).clamp(-3.0, 3.0);
            self.mood = self.mood * MOOD + more * (1.0 - MOOD);
        }
        let step = f32::from(*number) - f32::from(last);
        let before = predictor.step();
        let axis = &mut self.axes[at];
        axis.last = *number;
        axis.sign = (1 + off.signum()) as u8;
        match self.frame {
            0 => return [0.0; 2],
            1 => {
                axis.predictor.begin(step);
                (axis.slow, axis.fast) = (0.25 * far + 4.0, 0.25 * far + 4.0);
            }
            _ => {
                axis.predictor.follow(&guess, step);
                axis.slow = slow * SLOW + far * (1.0 - SLOW);
                axis.fast = fast * FAST + far * (1.0 - FAST);
            }
        }
        [step, before]
    }

    /// Codes how far a number is off.
    fn code_off(
        &mut self,
        coder: &mut impl BitCoder,
        doublings: f32,
        sign: usize,
        off: i16,
    ) -> i16 {
        let scale = scale_of(doublings);
        let far = off.unsigned_abs();
        let bits = 16 - far.leading_zeros() as usize;
        let mut class = 0;
        while class < CLASSES - 1 && self.classes[scale][class].code(coder, bits > class) {
            class += 1;
        }
        let Some(below) = class.checked_sub(1) else { return 0 };
        let mut found = 1_u16;
        let upper = &mut self.upper[scale][class];
        for bit in (0..below).rev() {
            let is_set = far >> bit & 1 != 0;
            let is_set = match below - 1 - bit {
                0 => upper[0].code(coder, is_set),
                1 => upper[1 + usize::from(found & 1)].code(coder, is_set),
                _ => coder.code(1 << 14, is_set),
            };
            found = found << 1 | u16::from(is_set);
        }
        let is_above = self.signs[sign].code(coder, off > 0);
        if is_above { found as i16 } else { (found as i16).wrapping_neg() }
    }
}

/// Returns the nearest whole number.
fn rounded(step: f32) -> i16 {
    // As a number that is added with wrapping, and the same on all machines.
    let up = if step < 0.0 { -0.5 } else { 0.5 };
    (step + up) as i32 as i16
}

/// Returns how many doublings a number above 0 is, nearly: the same on all machines.
fn log2(number: f32) -> f32 {
    number.to_bits() as f32 * (1.0 / 8_388_608.0) - 127.0
}

/// Returns the scale of a number of doublings.
fn scale_of(doublings: f32) -> usize {
    // From a third on.
    ((doublings + 1.5) * 2.0).clamp(0.0, (SCALES - 1) as f32) as usize
}

/// Returns how far numbers of a scale are off on average.
fn mean_of(scale: usize) -> f32 {
    exp2(scale as f32 * 0.5 - 1.25)
}

/// Undoes [`log2`].
fn exp2(doublings: f32) -> f32 {
    f32::from_bits(((doublings + 127.0) * 8_388_608.0) as u32)
}

/// Returns how probable it is that a number is off by more than that, if it is so by `mean` on average. What is
/// far off is more probable than in a normal distribution, as the average is only known nearly.
fn part_above(far: f32, mean: f32) -> f32 {
    let base = 1.0 / (1.0 + far / (4.0 * mean));
    base * base * base * base * base
}

/// Returns where the numbers of `bits` bits begin.
fn begin_of(bits: usize) -> f32 {
    match bits.checked_sub(1) {
        Some(below) => (1_u32 << below) as f32 - 0.5,
        None => 0.0,
    }
}

/// Returns how probable it is that a number of at least `bits` bits has more.
fn more_bits(bits: usize, mean: f32) -> BitModel {
    let [above, all] = [bits + 1, bits].map(|bits| part_above(begin_of(bits), mean));
    model(above, all)
}

/// Returns how probable the two bits below the highest one are, in numbers of `bits` bits.
fn upper_bits(bits: usize, mean: f32) -> [BitModel; 3] {
    let (begin, end) = (begin_of(bits), begin_of(bits + 1));
    let quarter = |at: usize| part_above(begin + (end - begin) * 0.25 * at as f32, mean);
    [(0, 2, 4), (0, 1, 2), (2, 3, 4)].map(|(low, middle, high)| {
        let [low, middle, high] = [low, middle, high].map(quarter);
        model(middle - high, low - high)
    })
}

fn model(part: f32, whole: f32) -> BitModel {
    let one = part / whole.max(1.0e-30);
    BitModel::new(one.clamp(0.002, 0.998), SURE)
}
