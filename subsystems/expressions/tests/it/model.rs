//! The model: a tree that is walked, one value at a time, by the plainest code there is, and
//! written as a source.
//!
//! Where the language's own sums of powers decide the last bit (sines, logarithms, powers) the
//! model asks for a source of that one function; how accurate those are is tested separately,
//! against 64-bit floats.

use loligo_expressions::{Expression, Function, Symbols};
use proptest::prelude::*;

/// The variables of all drawn expressions.
pub(crate) const VARIABLES: [&str; 4] = ["x", "y", "zoom.level", "t_2"];

/// Functions of the user's, one with a form for columns, one that varies.
pub(crate) static FUNCTIONS: [Function<'static>; 4] = [
    Function::new("half", 1, |a| a[0] * 0.5).with_batch(|columns, to| {
        to.iter_mut().zip(columns[0]).for_each(|(to, a)| *to = a * 0.5);
    }),
    Function::new("mix4", 4, |a| (a[0] - a[1]) * a[2] + a[3]),
    Function::new("seven", 0, |_| 7.0),
    Function::new("height_at", 2, height)
        .with_batch(|columns, to| {
            let places = columns[0].iter().zip(columns[1]);
            to.iter_mut().zip(places).for_each(|(to, (x, y))| *to = height(&[*x, *y]));
        })
        .varying(),
];

fn height(at: &[f32]) -> f32 {
    at[0] * 3.0 - at[1]
}

pub(crate) const SYMBOLS: Symbols<'static> =
    Symbols { variables: &VARIABLES, constants: &[("gravity", 9.81)], functions: &FUNCTIONS };

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Number(f32),
    Variable(usize),
    Prefix(&'static str, Box<Tree>),
    Infix(&'static str, Box<[Tree; 2]>),
    Choice(Box<[Tree; 3]>),
    Call(&'static str, Vec<Tree>),
    /// Parentheses that nothing needs.
    Nested(Box<Tree>),
}

const INFIX: [(&str, u8); 14] = [
    ("||", 2),
    ("&&", 3),
    ("<", 4),
    ("<=", 4),
    (">", 4),
    (">=", 4),
    ("==", 4),
    ("!=", 4),
    ("+", 5),
    ("-", 5),
    ("*", 6),
    ("/", 6),
    ("%", 6),
    ("^", 8),
];

const ONE: [&str; 17] = [
    "abs", "sign", "floor", "ceil", "round", "trunc", "fract", "sqrt", "sin", "cos", "tan", "asin",
    "acos", "atan", "exp", "ln", "half",
];
const TWO: [&str; 6] = ["min", "max", "atan2", "step", "pow", "height_at"];
const THREE: [&str; 3] = ["clamp", "lerp", "smoothstep"];

/// Draws a tree.
pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        2 => numbers().prop_map(Tree::Number),
        3 => (0..VARIABLES.len()).prop_map(Tree::Variable),
        1 => Just(Tree::Call("seven", Vec::new())),
    ];
    leaf.prop_recursive(8, 60, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let named = |names: &'static [&'static str], count: usize| {
            let arguments = proptest::collection::vec(inner.clone(), count);
            (proptest::sample::select(names), arguments)
                .prop_map(|(name, arguments)| Tree::Call(name, arguments))
        };
        let infix = (0..INFIX.len()).prop_map(|index| INFIX[index].0);
        prop_oneof![
            1 => (prop_oneof![Just("-"), Just("!")], boxed()).prop_map(|(s, a)| Tree::Prefix(s, a)),
            6 => (infix, inner.clone(), inner.clone())
                .prop_map(|(s, a, b)| Tree::Infix(s, Box::new([a, b]))),
            1 => [inner.clone(), inner.clone(), inner.clone()]
                .prop_map(|three| Tree::Choice(Box::new(three))),
            2 => named(&ONE, 1),
            2 => named(&TWO, 2),
            1 => named(&THREE, 3),
            1 => named(&["mix4"], 4),
            1 => boxed().prop_map(Tree::Nested),
        ]
    })
}

/// Numbers as they are written: none is negative.
fn numbers() -> impl Strategy<Value = f32> {
    prop_oneof![
        proptest::sample::select(&[0.0_f32, 0.5, 1.0, 2.0, 3.0, 4.0, 10.0, 9.81, 1e8][..]),
        any::<u32>()
            .prop_map(|bits| f32::from_bits(bits & 0x7fff_ffff))
            .prop_filter("it is a number", |value| value.is_finite()),
    ]
}

/// Values of variables: ordinary ones and the corners.
pub(crate) fn values() -> impl Strategy<Value = f32> {
    const CORNERS: [f32; 12] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1e-40,
        3e38,
        -2e9,
    ];
    prop_oneof![
        proptest::sample::select(&CORNERS[..]),
        -10.0_f32..10.0,
        any::<u32>().prop_map(f32::from_bits),
    ]
}

/// Makes all NaNs equal.
pub(crate) fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

impl Tree {
    /// Walks the tree.
    pub(crate) fn value(&self, variables: &[f32]) -> f32 {
        match self {
            Self::Number(value) => *value,
            Self::Variable(index) => variables[*index],
            Self::Nested(inner) => inner.value(variables),
            Self::Prefix("-", a) => -a.value(variables),
            Self::Prefix(_, a) => truth(a.value(variables) == 0.0),
            Self::Infix(symbol, operands) => {
                let [a, b] = [&operands[0], &operands[1]].map(|tree| tree.value(variables));
                infix(symbol, a, b)
            }
            Self::Choice(three) => {
                let chosen = if three[0].value(variables) != 0.0 { &three[1] } else { &three[2] };
                chosen.value(variables)
            }
            Self::Call(name, arguments) => {
                let values: Vec<f32> = arguments.iter().map(|tree| tree.value(variables)).collect();
                call(name, &values)
            }
        }
    }

    /// Returns the tree as a source, with no parentheses but those it needs or holds.
    pub(crate) fn source(&self) -> String {
        match self {
            Self::Number(value) => format!("{value:?}"),
            Self::Variable(index) => VARIABLES[*index].to_owned(),
            Self::Nested(inner) => format!("({})", inner.source()),
            Self::Prefix(symbol, a) => format!("{symbol}{}", a.within(7)),
            Self::Infix(symbol, operands) => {
                let own = self.binding();
                let (left, right) = match own {
                    4 => (5, 5),
                    8 => (9, 7),
                    _ => (own, own + 1),
                };
                format!("{} {symbol} {}", operands[0].within(left), operands[1].within(right))
            }
            Self::Choice(three) => {
                format!("{} ? {} : {}", three[0].within(2), three[1].source(), three[2].source())
            }
            Self::Call(name, arguments) => {
                let sources: Vec<String> = arguments.iter().map(Self::source).collect();
                format!("{name}({})", sources.join(","))
            }
        }
    }

    fn binding(&self) -> u8 {
        match self {
            Self::Prefix(..) => 7,
            Self::Infix(symbol, _) => {
                INFIX.iter().find(|(known, _)| known == symbol).map_or(9, |(_, binding)| *binding)
            }
            Self::Choice(_) => 1,
            _ => 9,
        }
    }

    fn within(&self, least: u8) -> String {
        if self.binding() < least { format!("({})", self.source()) } else { self.source() }
    }
}

fn truth(is_true: bool) -> f32 {
    f32::from(u8::from(is_true))
}

fn infix(symbol: &str, a: f32, b: f32) -> f32 {
    match symbol {
        "||" => truth(a != 0.0 || b != 0.0),
        "&&" => truth(a != 0.0 && b != 0.0),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "%" => a % b,
        _ => pow(a, b),
    }
}

fn pow(a: f32, b: f32) -> f32 {
    match b {
        1.0 => a,
        2.0 => a * a,
        3.0 => a * a * a,
        4.0 => (a * a) * (a * a),
        -1.0 => 1.0 / a,
        0.5 => a.sqrt(),
        _ => alone("pow(x, y)", &[a, b]),
    }
}

fn call(name: &str, values: &[f32]) -> f32 {
    let value = |index: usize| values[index];
    match name {
        "abs" => value(0).abs(),
        "sign" if value(0) == 0.0 || value(0).is_nan() => value(0),
        "sign" => value(0).signum(),
        "floor" => value(0).floor(),
        "ceil" => value(0).ceil(),
        "round" => value(0).round(),
        "trunc" => value(0).trunc(),
        "fract" => value(0) - value(0).floor(),
        "sqrt" => value(0).sqrt(),
        "half" => value(0) * 0.5,
        "seven" => 7.0,
        "mix4" => (value(0) - value(1)) * value(2) + value(3),
        "height_at" => height(values),
        "min" => {
            if value(0) < value(1) {
                value(0)
            } else {
                value(1)
            }
        }
        "max" => {
            if value(0) > value(1) {
                value(0)
            } else {
                value(1)
            }
        }
        "clamp" => call("min", &[call("max", &values[..2]), value(2)]),
        "lerp" => value(0) + (value(1) - value(0)) * value(2),
        "step" => truth(value(0) <= value(1)),
        "smoothstep" => {
            let share = call("clamp", &[(value(2) - value(0)) / (value(1) - value(0)), 0.0, 1.0]);
            share * share * (3.0 - 2.0 * share)
        }
        "pow" => pow(value(0), value(1)),
        "atan2" => alone("atan2(x, y)", values),
        _ => alone(&format!("{name}(x)"), values),
    }
}

/// Asks for a source of one function.
fn alone(source: &str, values: &[f32]) -> f32 {
    crate::memory::with_memory(|memory| {
        let one = Expression::try_compile_in(source, &SYMBOLS, memory).expect("it is right");
        one.run(&[values, &[0.0; 2]].concat())
    })
}
