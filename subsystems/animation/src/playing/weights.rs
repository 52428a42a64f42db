//! How much each of the four active keys counts.

use core::ops::{Add, Div, Mul, Neg, Sub};

use crate::lanes::Lanes;

/// A float, or eight of them: what weights are computed with, in the same steps.
pub(crate) trait Float:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Returns a constant.
    fn of(value: f32) -> Self;

    /// Returns `yes` where it is above 0, else `no`.
    fn pick(self, yes: Self, no: Self) -> Self;

    /// Returns the greater one; `low` where they are the same.
    fn at_least(self, low: Self) -> Self;

    /// Returns the lesser one; `high` where they are the same.
    fn at_most(self, high: Self) -> Self;
}

impl Float for f32 {
    #[inline(always)]
    fn of(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn pick(self, yes: Self, no: Self) -> Self {
        if self > 0.0 { yes } else { no }
    }

    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        if self > low { self } else { low }
    }

    #[inline(always)]
    fn at_most(self, high: Self) -> Self {
        if self < high { self } else { high }
    }
}

impl Float for Lanes {
    #[inline(always)]
    fn of(value: f32) -> Self {
        Self::splat(value)
    }

    #[inline(always)]
    fn pick(self, yes: Self, no: Self) -> Self {
        self.select_positive(yes, no)
    }

    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        self.at_least(low)
    }

    #[inline(always)]
    fn at_most(self, high: Self) -> Self {
        self.at_most(high)
    }
}

/// Returns the weights of the keys before, at the beginning, at the end and after an interval, for a
/// time within it.
///
/// The curve is the cubic whose slopes at both ends of the interval are those of the parabolas through
/// each end and its two neighbours (Bessel's tangents): exact for parabolas however far apart the keys
/// are. `before` and `after` are the lengths of the neighbouring intervals; 0 means that there is none
/// or that the curve jumps there, so the slope is that of the parabola which the other end has, and of
/// a line if that has none, too.
#[inline(always)]
pub(crate) fn key_weights<F: Float>(time: F, before: F, length: F, after: F) -> [F; 4] {
    let (zero, one, two, three) = (F::of(0.0), F::of(1.0), F::of(2.0), F::of(3.0));
    // An interval of length 0 is left at once, and is no reason to divide by 0.
    let length = length.at_least(one);
    let part = time / length;
    let part = part.at_least(zero).at_most(one);
    let square = part * part;
    let cube = square * part;
    // What the difference of the two keys and the slopes at both ends are multiplied with.
    let rise = three * square - two * cube;
    let slope_start = cube - two * square + part;
    let slope_end = cube - square;

    // Slopes as sums of the three differences of keys: over the interval, and over its neighbours.
    let (by_start, by_end) = (one / (before + length), one / (length + after));
    let (start_own, end_own) = (before * by_start, after * by_end);
    let start_before = before.pick(length * length * by_start / before.at_least(one), zero);
    let end_after = after.pick(length * length * by_end / after.at_least(one), zero);
    let start = before.pick(start_own, after.pick(two - end_own, one));
    let end = after.pick(end_own, before.pick(two - start_own, one));
    let start_after = before.pick(zero, -end_after);
    let end_before = after.pick(zero, -start_before);

    let over = rise + slope_start * start + slope_end * end;
    let over_before = slope_start * start_before + slope_end * end_before;
    let over_after = slope_end * end_after + slope_start * start_after;
    [-over_before, one - over + over_before, over - over_after, over_after]
}

#[cfg(test)]
mod tests {
    //! Curves through known points.

    use super::key_weights;
    use crate::lanes::{LANES, Lanes};

    /// Returns the value of a curve through four points at a time between the middle ones.
    fn value(times: [f32; 4], values: [f32; 4], time: f32) -> f32 {
        let [t0, t1, t2, t3] = times;
        let weights = key_weights(time - t1, t1 - t0, t2 - t1, t3 - t2);
        weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
    }

    #[test]
    fn a_parabola_is_exact_however_far_apart_the_keys_are() {
        let parabola = |time: f32| 3.0 + 2.0 * time - 0.25 * time * time;
        for times in [[0.0, 1.0, 2.0, 3.0], [0.0, 5.0, 6.0, 30.0], [4.0, 4.0, 9.0, 11.0]] {
            for step in 0..=8 {
                let time = times[1] + (times[2] - times[1]) * step as f32 / 8.0;
                let found = value(times, times.map(parabola), time);
                assert!((found - parabola(time)).abs() < 1.0e-4, "{times:?} {time}: {found}");
            }
        }
    }

    #[test]
    fn without_neighbours_it_is_a_line() {
        let found = value([3.0, 3.0, 7.0, 7.0], [99.0, 1.0, 5.0, -77.0], 4.0);
        assert_eq!(found, 2.0, "what is beyond a jump counts nothing");
    }

    #[test]
    fn lanes_are_computed_as_floats_are() {
        let mut lanes = [Lanes::ZERO; 4];
        for (row, values) in lanes.iter_mut().zip([
            [0.0, 0.5, 1.0, 3.0, -2.0, 9.0, 7.0, 0.25],
            [0.0, 0.0, 1.0, 4.0, 64.0, 0.0, 1.0, 2.0],
            [0.0, 1.0, 2.0, 5.0, 8.0, 10.0, 12.0, 1.0],
            [0.0, 3.0, 0.0, 6.0, 0.0, 64.0, 1.0, 0.0],
        ]) {
            *row = Lanes::from_array(values);
        }
        let [time, before, length, after] = lanes;
        let found = key_weights(time, before, length, after);
        for lane in 0..LANES {
            let [time, before, length, after] = lanes.map(|row| row.get(lane));
            let wanted = key_weights(time, before, length, after);
            assert_eq!(found.map(|row| row.get(lane)), wanted, "lane {lane}, bit for bit");
        }
    }

    #[test]
    fn a_key_is_passed_exactly() {
        let [before, start, end, after] = key_weights(0.0, 2.0, 3.0, 4.0);
        assert_eq!([before, start, end, after], [0.0, 1.0, 0.0, 0.0], "at the beginning");
        let [before, start, end, after] = key_weights(3.0, 2.0, 3.0, 4.0);
        assert_eq!([before, start, end, after], [0.0, 0.0, 1.0, 0.0], "at the end");
    }
}
