//! Layouts with known exact results.

use super::{Layout, Place};

fn places(weights: &[u64], aspect: f64, expected: &[[f64; 4]]) {
    let layout = Layout { count: weights.len(), weight: &|thing| weights[thing], aspect };
    for (thing, expected) in expected.iter().enumerate() {
        let place = layout.place(thing).expect("it has weight");
        let Place { left, top, width, height } = place;
        let close =
            [left, top, width, height].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(close, "{thing}: {place:?} is not {expected:?}");
    }
}

#[test]
fn what_gets_no_worse_stays_in_one_row() {
    let expected = [[0.0, 0.0, 100.0, 50.0], [0.0, 50.0, 100.0, 50.0]];
    places(&[1, 1], 1.0, &expected);
}

/// The example of Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000): 6 by 4.
#[test]
fn the_example_of_the_paper_comes_out() {
    let units: [[f64; 4]; 7] = [
        [0.0, 0.0, 3.0, 2.0],
        [0.0, 2.0, 3.0, 2.0],
        [3.0, 0.0, 12.0 / 7.0, 7.0 / 3.0],
        [33.0 / 7.0, 0.0, 9.0 / 7.0, 7.0 / 3.0],
        [3.0, 7.0 / 3.0, 1.2, 5.0 / 3.0],
        [4.2, 7.0 / 3.0, 1.2, 5.0 / 3.0],
        [5.4, 7.0 / 3.0, 0.6, 5.0 / 3.0],
    ];
    let percent = units.map(|[left, top, width, height]| {
        [left * 100.0 / 6.0, top * 25.0, width * 100.0 / 6.0, height * 25.0]
    });
    places(&[6, 6, 4, 3, 2, 2, 1], 1.5, &percent);
}
