//! How much each of the four active keys counts.

/// Returns the weights of the keys before, at the beginning, at the end and after an interval, for a
/// time within it.
///
/// The curve is the cubic whose slopes at both ends of the interval are those of the parabolas through
/// each end and its two neighbours (Bessel's tangents): exact for parabolas however far apart the keys
/// are. `before` and `after` are the lengths of the neighbouring intervals; 0 means that there is none
/// or that the curve jumps there, so the slope is that of the parabola which the other end has, and of
/// a line if that has none, too.
///
/// It has no branches but selections, so that the compiler makes vector code of a loop over lanes.
#[inline(always)]
pub(crate) fn key_weights(time: f32, before: f32, length: f32, after: f32) -> [f32; 4] {
    // An interval of length 0 is left at once, and is no reason to divide by 0.
    let length = if length > 1.0 { length } else { 1.0 };
    let part = time / length;
    let part = if part > 0.0 { part } else { 0.0 };
    let part = if part < 1.0 { part } else { 1.0 };
    let (square, cube) = (part * part, part * part * part);
    // What the difference of the two keys and the slopes at both ends are multiplied with.
    let rise = 3.0 * square - 2.0 * cube;
    let slope_start = cube - 2.0 * square + part;
    let slope_end = cube - square;

    let has_before = before > 0.0;
    let has_after = after > 0.0;
    let by_start = 1.0 / (before + length);
    let by_end = 1.0 / (length + after);
    // Slopes as sums of the three differences of keys: over the interval, and over its neighbours.
    let start_own = before * by_start;
    let end_own = after * by_end;
    let start_before = if has_before { length * length * by_start / before.max(1.0) } else { 0.0 };
    let end_after = if has_after { length * length * by_end / after.max(1.0) } else { 0.0 };
    let only_end = if has_after { 2.0 - end_own } else { 1.0 };
    let only_start = if has_before { 2.0 - start_own } else { 1.0 };
    let start = if has_before { start_own } else { only_end };
    let end = if has_after { end_own } else { only_start };
    let start_after = if has_before { 0.0 } else { -end_after };
    let end_before = if has_after { 0.0 } else { -start_before };

    let over = rise + slope_start * start + slope_end * end;
    let over_before = slope_start * start_before + slope_end * end_before;
    let over_after = slope_end * end_after + slope_start * start_after;
    [-over_before, 1.0 - over + over_before, over - over_after, over_after]
}

#[cfg(test)]
mod tests {
    //! Curves through known points.

    use super::key_weights;

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
    fn a_key_is_passed_exactly() {
        let [before, start, end, after] = key_weights(0.0, 2.0, 3.0, 4.0);
        assert_eq!([before, start, end, after], [0.0, 1.0, 0.0, 0.0], "at the beginning");
        let [before, start, end, after] = key_weights(3.0, 2.0, 3.0, 4.0);
        assert_eq!([before, start, end, after], [0.0, 0.0, 1.0, 0.0], "at the end");
    }
}
