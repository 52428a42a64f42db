//! What can be said of a median that was measured a few times.

/// Returns the values between which the median of what they are drawn from is with 95 %: each of
/// them is below it with one half, whatever the distribution, so how many are is a binomial.
pub(crate) fn interval(sorted: &[f64]) -> (f64, f64) {
    let (Some(from), Some(to)) = (sorted.first(), sorted.last()) else {
        return (f64::NEG_INFINITY, f64::INFINITY);
    };
    let count = sorted.len();
    let (mut cut, mut tail) = (0, 0.0);
    let mut chance = 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX));
    for below in 0..count / 2 {
        tail += chance;
        if tail > 0.025 {
            break;
        }
        cut = below;
        chance *= (count - below) as f64 / (below + 1) as f64;
    }
    let (from, to) = (sorted.get(cut).unwrap_or(from), sorted.get(count - 1 - cut).unwrap_or(to));
    (*from, *to)
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        // The tables: of 9 the 2nd and the 8th, of 15 the 4th and the 12th, of 25 the 8th and the
        // 18th.
        for (count, first) in [(6, 1), (9, 2), (15, 4), (20, 6), (25, 8)] {
            let sorted: Vec<f64> = (1..=count).map(f64::from).collect();
            let expected = (f64::from(first), f64::from(count + 1 - first));
            assert_eq!(interval(&sorted), expected, "of {count}");
        }
        assert_eq!(interval(&[]), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(interval(&[3.0]), (3.0, 3.0));
    }
}
