//! What is computed: each written once as a source, once as closures, once in Rust.

use super::closures::{Boxed, add, constant, cos, divide, multiply, sin, subtract, variable};

/// An expression that is run one by one.
pub(crate) struct One {
    /// Its name among the rows.
    pub(crate) name: &'static str,
    /// The source, which all libraries understand.
    pub(crate) source: &'static str,
    /// The same as closures.
    pub(crate) closures: fn() -> Boxed,
}

/// An expression that is run for columns.
pub(crate) struct Batch {
    /// Its name among the rows.
    pub(crate) name: &'static str,
    /// The source.
    pub(crate) source: &'static str,
    /// The loop in Rust: columns of t, x and y, and the results.
    pub(crate) native: fn([&[f32]; 3], &mut [f32]),
}

/// What is run one by one.
pub(crate) static ONES: [One; 5] = [
    One {
        name: "linear",
        source: "2 * x + 1",
        closures: || add(multiply(constant(2.0), variable(1)), constant(1.0)),
    },
    One {
        name: "article",
        source: "sin(t) + 0.1 * cos(10 * t)",
        closures: || {
            let fast = cos(multiply(constant(10.0), variable(0)));
            add(sin(variable(0)), multiply(constant(0.1), fast))
        },
    },
    One {
        name: "smooth",
        source: "x * x * x * (x * (x * 6 - 15) + 10)",
        closures: || {
            let x = || variable(1);
            let inner = subtract(multiply(x(), constant(6.0)), constant(15.0));
            let inner = add(multiply(x(), inner), constant(10.0));
            multiply(multiply(multiply(x(), x()), x()), inner)
        },
    },
    One {
        name: "falloff",
        source: "1 / (1 + 0.5 * x + 0.1 * x * x)",
        closures: || {
            let x = || variable(1);
            let linear = add(constant(1.0), multiply(constant(0.5), x()));
            let square = multiply(multiply(constant(0.1), x()), x());
            divide(constant(1.0), add(linear, square))
        },
    },
    One {
        name: "mixed",
        source: "(x + y) * (x - y) / (x * y + 3) + sin(x) * y - 3 * x + y / 2",
        closures: || {
            let (x, y) = (|| variable(1), || variable(2));
            let sums = multiply(add(x(), y()), subtract(x(), y()));
            let share = divide(sums, add(multiply(x(), y()), constant(3.0)));
            let wave = add(share, multiply(sin(x()), y()));
            let less = subtract(wave, multiply(constant(3.0), x()));
            add(less, divide(y(), constant(2.0)))
        },
    },
];

/// Names a loop over the columns of t, x and y.
macro_rules! native {
    (|$t:ident, $x:ident, $y:ident| $value:expr) => {
        |columns, results| {
            let [t, x, y] = columns.map(|column| &column[..results.len()]);
            let inputs = t.iter().zip(x.iter().zip(y));
            for (result, (&$t, (&$x, &$y))) in results.iter_mut().zip(inputs) {
                *result = $value;
            }
        }
    };
}

/// What is run for columns.
pub(crate) static BATCHES: [Batch; 8] = [
    Batch { name: "linear", source: "2 * x + 1", native: native!(|_t, x, _y| 2.0 * x + 1.0) },
    Batch {
        name: "article",
        source: ONES[1].source,
        native: native!(|t, _x, _y| t.sin() + 0.1 * (10.0 * t).cos()),
    },
    Batch {
        name: "smooth",
        source: ONES[2].source,
        native: native!(|_t, x, _y| x * x * x * (x * (x * 6.0 - 15.0) + 10.0)),
    },
    Batch {
        name: "falloff",
        source: ONES[3].source,
        native: native!(|_t, x, _y| 1.0 / (1.0 + 0.5 * x + 0.1 * x * x)),
    },
    Batch {
        name: "mixed",
        source: ONES[4].source,
        native: native!(
            |_t, x, y| (x + y) * (x - y) / (x * y + 3.0) + x.sin() * y - 3.0 * x + y / 2.0
        ),
    },
    Batch {
        name: "choice",
        source: "x < 0.5 ? x * x : 2 * x - y",
        native: native!(|_t, x, y| if x < 0.5 { x * x } else { 2.0 * x - y }),
    },
    Batch {
        name: "damped",
        source: "exp(-2 * t) * sin(10 * t + y)",
        native: native!(|t, _x, y| (-2.0 * t).exp() * (10.0 * t + y).sin()),
    },
    Batch {
        name: "distance",
        source: "clamp(1 - sqrt(t * t + x * x + y * y) / 3, 0, 1)",
        native: native!(|t, x, y| (1.0 - (t * t + x * x + y * y).sqrt() / 3.0).clamp(0.0, 1.0)),
    },
];
