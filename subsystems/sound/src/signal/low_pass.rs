//! A filter of first order.

use core::f32::consts::TAU;

use wide::f32x4;

use crate::block::BLOCK;

/// Returns the share of the distance that a filter goes in a frame, for the frequency from which on it makes
/// quieter; 1 is no filter.
pub(crate) fn low_pass_share(frequency: f32, rate: u32) -> f32 {
    let share = frequency.max(0.0) / rate as f32;
    if share >= 0.5 { 1.0 } else { 1.0 - libm::expf(-TAU * share) }
}

/// Goes from sample to sample by a share of the distance, which changes by a line over a block.
///
/// Each sample needs the one before. Four are computed at a time: from the last one before them and from
/// sums of the four that came in, which wait for nothing. The share is the same for all four.
pub(crate) fn low_pass([begin, end]: [f32; 2], state: &mut f32, samples: &mut [f32]) {
    let (fours, rest) = samples.as_chunks_mut::<4>();
    let step = (end - begin) * (4.0 / BLOCK as f32);
    let mut last = *state;
    if step == 0.0 {
        let share = Shares::of(begin);
        fours.iter_mut().for_each(|four| share.filter(&mut last, four));
    } else {
        for (four, at) in fours.iter_mut().zip(0_i32..) {
            Shares::of(begin + step * at as f32).filter(&mut last, four);
        }
    }
    for sample in rest {
        last += end * (*sample - last);
        *sample = last;
    }
    // Numbers that are too small to be heard take a hundred times as long to compute with.
    *state = if last.abs() < 1e-15 { 0.0 } else { last };
}

/// What four samples have of each other and of the one before them.
struct Shares {
    share: f32,
    before: f32x4,
    own: [f32x4; 4],
}

impl Shares {
    #[inline(always)]
    fn of(share: f32) -> Self {
        let rest = 1.0 - share;
        let (two, three) = (rest * rest, rest * rest * rest);
        let own = [
            [1.0, rest, two, three],
            [0.0, 1.0, rest, two],
            [0.0, 0.0, 1.0, rest],
            [0.0, 0.0, 0.0, 1.0],
        ];
        let before = f32x4::new([rest, two, three, two * two]);
        Self { share, before, own: own.map(f32x4::new) }
    }

    #[inline(always)]
    fn filter(&self, last: &mut f32, four: &mut [f32; 4]) {
        let [x, y, z, w] = four.map(|sample| f32x4::splat(sample * self.share));
        let [a, b, c, d] = self.own;
        let sum = (a * x + b * y) + (c * z + d * w);
        *four = (sum + self.before * f32x4::splat(*last)).to_array();
        *last = four[3];
    }
}
