//! The operations of the virtual machine: what each computes, and how it is written in a word and
//! in a source.
//!
//! Each is defined once, in one of the tables below. Running one float and running a column both
//! use that definition, so they compute the same.

use crate::math;

/// First bytes of words that are not operations on floats; this one is the end.
pub(crate) const END: u8 = 0x00;
/// A float is pushed, which the next word holds.
pub(crate) const FLOAT: u8 = 0x01;
/// A variable is pushed, whose index is the data.
pub(crate) const VARIABLE: u8 = 0x02;
/// A function of the user is called, whose index is the data.
pub(crate) const CALL: u8 = 0x03;
/// Where the codes of operations on one float begin.
pub(crate) const UNARY: u8 = 0x10;
/// Where the codes of operations on three floats begin.
pub(crate) const TERNARY: u8 = 0x30;
/// Where those of operations on two floats begin, the second of which is popped first.
pub(crate) const BINARY: u8 = 0x40;
/// The same, with the variable of that index as the second.
pub(crate) const BINARY_VARIABLE: u8 = 0x80;
/// The same, with the float in the next word as the second.
pub(crate) const BINARY_FLOAT: u8 = 0xc0;

/// Runs something that is compiled for each operation on one float by itself.
pub(crate) trait OnUnary {
    fn run(self, operation: impl Fn(f32) -> f32);
}

/// Runs something that is compiled for each operation on two floats by itself.
pub(crate) trait OnBinary {
    fn run(self, operation: impl Fn(f32, f32) -> f32);
}

/// What runs one input: where the operands are that an operation does not have in hand.
pub(crate) trait Machine {
    /// Pops the value below the top.
    fn below(&mut self) -> f32;
    /// Returns the variable of that index.
    fn variable(&mut self, index: u32) -> f32;
    /// Returns the float in the next word.
    fn float(&mut self) -> f32;
    /// Pushes the top, so that another value may take its place.
    fn push(&mut self, top: f32);
    /// Calls a user's function; what it returns is the new top.
    fn call(&mut self, function: u32, top: f32) -> f32;
}

/// What a function is compiled as where one input is run: `near` in place, `far` as a function that
/// is called, so that the loop around stays short.
macro_rules! weighed {
    (near |$($a:ident),*| $value:expr) => { $value };
    (far |$($a:ident),*| $value:expr) => {{
        #[inline(never)]
        fn far($($a: f32),*) -> f32 {
            $value
        }
        far($($a),*)
    }};
}

macro_rules! operations {
    (
        unary { $($u:ident $u_code:literal $u_text:literal $u_weight:ident |$ua:ident| $u_value:expr,)* }
        binary { $($b:ident $b_code:literal $b_text:literal $b_weight:ident |$ba:ident, $bb:ident| $b_value:expr,)* }
    ) => {
        /// The codes of operations on one float.
        #[expect(dead_code, reason = "all have names, the parser and the compiler need some")]
        pub(crate) mod unary {
            $(pub(crate) const $u: u8 = $u_code;)*
        }

        /// The codes of operations on two floats.
        #[expect(dead_code, reason = "all have names, the parser and the compiler need some")]
        pub(crate) mod binary {
            $(pub(crate) const $b: u8 = $b_code;)*
        }

        /// How words of operations on one float begin.
        mod alone {
            $(pub(super) const $u: u8 = super::UNARY + $u_code;)*
        }

        /// How words of operations on two floats begin, both on the stack.
        mod on_stack {
            $(pub(super) const $b: u8 = super::BINARY + $b_code;)*
        }

        /// How those begin with a variable as the second.
        mod with_variable {
            $(pub(super) const $b: u8 = super::BINARY_VARIABLE + $b_code;)*
        }

        /// How those begin with a float in the next word as the second.
        mod with_float {
            $(pub(super) const $b: u8 = super::BINARY_FLOAT + $b_code;)*
        }

        /// The names of operations on one float, by code.
        pub(crate) const UNARY_NAMES: &[&str] = &[$($u_text,)*];

        /// The names of operations on two floats, by code. A name of letters is a function's.
        pub(crate) const BINARY_NAMES: &[&str] = &[$($b_text,)*];

        /// Runs one operation for one input and returns the new top of the stack; `None` at the
        /// end.
        #[inline(always)]
        pub(crate) fn step(
            operation: u8,
            data: u32,
            top: f32,
            machine: &mut impl Machine,
        ) -> Option<f32> {
            // One table of jumps for all.
            Some(match operation {
                FLOAT => {
                    machine.push(top);
                    machine.float()
                }
                VARIABLE => {
                    machine.push(top);
                    machine.variable(data)
                }
                $(alone::$u => {
                    let $ua = top;
                    weighed!($u_weight |$ua| $u_value)
                })*
                $(on_stack::$b => {
                    let ($ba, $bb) = (machine.below(), top);
                    weighed!($b_weight |$ba, $bb| $b_value)
                })*
                $(with_variable::$b => {
                    let ($ba, $bb) = (top, machine.variable(data));
                    weighed!($b_weight |$ba, $bb| $b_value)
                })*
                $(with_float::$b => {
                    let ($ba, $bb) = (top, machine.float());
                    weighed!($b_weight |$ba, $bb| $b_value)
                })*
                TERNARY..BINARY => {
                    let b = machine.below();
                    apply_ternary(operation - TERNARY, machine.below(), b, top)
                }
                CALL => machine.call(data, top),
                _ => return None,
            })
        }

        /// Computes one value, where it does not matter how fast.
        pub(crate) fn apply_unary(code: u8, a: f32) -> f32 {
            match code {
                $($u_code => { let $ua = a; $u_value })*
                _ => f32::NAN,
            }
        }

        /// As [`apply_unary`], of two.
        pub(crate) fn apply_binary(code: u8, a: f32, b: f32) -> f32 {
            match code {
                $($b_code => { let ($ba, $bb) = (a, b); $b_value })*
                _ => f32::NAN,
            }
        }

        #[inline(always)]
        pub(crate) fn on_unary(code: u8, on: impl OnUnary) {
            match code {
                $($u_code => on.run(#[inline(always)] |$ua| $u_value),)*
                _ => {}
            }
        }

        #[inline(always)]
        pub(crate) fn on_binary(code: u8, on: impl OnBinary) {
            match code {
                $($b_code => on.run(#[inline(always)] |$ba, $bb| $b_value),)*
                _ => {}
            }
        }
    };
}

// Of the operations on two floats the first six are the same with their operands swapped. After
// them each even code has a twin, one greater, whose operands are swapped.
operations! {
    unary {
        NEGATE 0 "-" near |a| -a,
        NOT 1 "!" near |a| truth(a == 0.0),
        ABS 2 "abs" near |a| a.abs(),
        SIGN 3 "sign" near |a| math::sign(a),
        FLOOR 4 "floor" far |a| math::floor(a),
        CEIL 5 "ceil" far |a| math::ceil(a),
        ROUND 6 "round" far |a| math::round(a),
        TRUNC 7 "trunc" far |a| math::trunc(a),
        FRACT 8 "fract" far |a| math::fract(a),
        SQRT 9 "sqrt" near |a| math::sqrt(a),
        SIN 10 "sin" far |a| math::sin(a),
        COS 11 "cos" far |a| math::cos(a),
        TAN 12 "tan" far |a| math::tan(a),
        ASIN 13 "asin" far |a| libm::asinf(a),
        ACOS 14 "acos" far |a| libm::acosf(a),
        ATAN 15 "atan" far |a| libm::atanf(a),
        EXP 16 "exp" far |a| math::exp(a),
        LN 17 "ln" far |a| math::ln(a),
        SQUARE 18 "^ 2" near |a| math::square(a),
        CUBE 19 "^ 3" near |a| math::cube(a),
        FOURTH 20 "^ 4" near |a| math::fourth(a),
    }
    binary {
        ADD 0 "+" near |a, b| a + b,
        MULTIPLY 1 "*" near |a, b| a * b,
        EQUAL 2 "==" near |a, b| truth(a == b),
        UNEQUAL 3 "!=" near |a, b| truth(a != b),
        AND 4 "&&" near |a, b| truth((a != 0.0) & (b != 0.0)),
        OR 5 "||" near |a, b| truth((a != 0.0) | (b != 0.0)),
        SUBTRACT 6 "-" near |a, b| a - b,
        SUBTRACT_TURNED 7 "-" near |a, b| b - a,
        DIVIDE 8 "/" near |a, b| a / b,
        DIVIDE_TURNED 9 "/" near |a, b| b / a,
        REMAINDER 10 "%" far |a, b| a % b,
        REMAINDER_TURNED 11 "%" far |a, b| b % a,
        POWER 12 "^" far |a, b| math::pow(a, b),
        POWER_TURNED 13 "^" far |a, b| math::pow(b, a),
        LESS 14 "<" near |a, b| truth(a < b),
        GREATER 15 ">" near |a, b| truth(a > b),
        AT_MOST 16 "<=" near |a, b| truth(a <= b),
        AT_LEAST 17 ">=" near |a, b| truth(a >= b),
        MIN 18 "min" near |a, b| lesser(a, b),
        MIN_TURNED 19 "min" near |a, b| lesser(b, a),
        MAX 20 "max" near |a, b| greater(a, b),
        MAX_TURNED 21 "max" near |a, b| greater(b, a),
        ATAN2 22 "atan2" far |a, b| libm::atan2f(a, b),
        ATAN2_TURNED 23 "atan2" far |a, b| libm::atan2f(b, a),
        STEP 24 "step" near |a, b| truth(a <= b),
        STEP_TURNED 25 "step" near |a, b| truth(b <= a),
    }
}

/// The codes of operations on three floats.
pub(crate) mod ternary {
    pub(crate) const CHOOSE: u8 = 0;
    pub(crate) const CLAMP: u8 = 1;
    pub(crate) const LERP: u8 = 2;
    pub(crate) const SMOOTHSTEP: u8 = 3;
}

/// The names of operations on three floats, by code.
pub(crate) const TERNARY_NAMES: &[&str] = &["?", "clamp", "lerp", "smoothstep"];

#[inline(always)]
pub(crate) fn apply_ternary(code: u8, a: f32, b: f32, c: f32) -> f32 {
    match code {
        ternary::CHOOSE => choose(a, b, c),
        ternary::CLAMP => clamp(a, b, c),
        ternary::LERP => lerp(a, b, c),
        ternary::SMOOTHSTEP => smoothstep(a, b, c),
        _ => f32::NAN,
    }
}

/// Returns the code that does the same with the operands the other way about.
pub(crate) const fn turned(binary: u8) -> u8 {
    if binary < binary::SUBTRACT { binary } else { binary ^ 1 }
}

#[inline(always)]
fn truth(is_true: bool) -> f32 {
    if is_true { 1.0 } else { 0.0 }
}

/// The second where one of them is NaN.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// As [`lesser`].
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn choose(condition: f32, yes: f32, no: f32) -> f32 {
    if condition != 0.0 { yes } else { no }
}

#[inline(always)]
pub(crate) fn clamp(x: f32, low: f32, high: f32) -> f32 {
    lesser(greater(x, low), high)
}

#[inline(always)]
pub(crate) fn lerp(from: f32, to: f32, share: f32) -> f32 {
    from + (to - from) * share
}

#[inline(always)]
pub(crate) fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let share = clamp((x - from) / (to - from), 0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}
