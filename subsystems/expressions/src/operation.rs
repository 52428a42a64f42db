//! The operations of the virtual machine: what each computes, and how it is written in a word and
//! in a source.
//!
//! Each is defined once, in one of the tables below. Running one float and running a column both
//! use that definition, so they compute the same.

use crate::float::{self, Float, choose, clamp, lerp, smoothstep};
use crate::math;
use crate::operands::{Machine, OnBinary, OnUnary, Wide, wide_ternary, wide_variable};

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

macro_rules! operations {
    (
        short unary { $($u:ident $u_code:literal $u_text:literal |$ua:ident| $u_value:expr,)* }
        long unary { $($v:ident $v_code:literal $v_text:literal |$va:ident| $v_value:expr,)* }
        short binary {
            $($b:ident $b_code:literal $b_text:literal |$ba:ident, $bb:ident| $b_value:expr,)*
        }
        long binary {
            $($c:ident $c_code:literal $c_text:literal |$ca:ident, $cb:ident| $c_value:expr,)*
        }
    ) => {
        /// The codes of operations on one float.
        #[expect(dead_code, reason = "all have names, the parser and the compiler need some")]
        pub(crate) mod unary {
            $(pub(crate) const $u: u8 = $u_code;)*
            $(pub(crate) const $v: u8 = $v_code;)*
        }

        /// The codes of operations on two floats.
        #[expect(dead_code, reason = "all have names, the parser and the compiler need some")]
        pub(crate) mod binary {
            $(pub(crate) const $b: u8 = $b_code;)*
            $(pub(crate) const $c: u8 = $c_code;)*
        }

        /// How words of operations on one float begin.
        mod alone {
            $(pub(super) const $u: u8 = super::UNARY + $u_code;)*
            $(pub(super) const $v: u8 = super::UNARY + $v_code;)*
        }

        /// How words of operations on two floats begin, both on the stack.
        mod on_stack {
            $(pub(super) const $b: u8 = super::BINARY + $b_code;)*
            $(pub(super) const $c: u8 = super::BINARY + $c_code;)*
        }

        /// How those begin with a variable as the second.
        mod with_variable {
            $(pub(super) const $b: u8 = super::BINARY_VARIABLE + $b_code;)*
            $(pub(super) const $c: u8 = super::BINARY_VARIABLE + $c_code;)*
        }

        /// How those begin with a float in the next word as the second.
        mod with_float {
            $(pub(super) const $b: u8 = super::BINARY_FLOAT + $b_code;)*
            $(pub(super) const $c: u8 = super::BINARY_FLOAT + $c_code;)*
        }

        /// The names of operations on one float, by code.
        pub(crate) const UNARY_NAMES: &[&str] = &{
            let mut names = [""; [$($u_code,)* $($v_code,)*].len()];
            $(names[$u_code] = $u_text;)*
            $(names[$v_code] = $v_text;)*
            names
        };

        /// The names of operations on two floats, by code. A name of letters is a function's.
        pub(crate) const BINARY_NAMES: &[&str] = &{
            let mut names = [""; [$($b_code,)* $($c_code,)*].len()];
            $(names[$b_code] = $b_text;)*
            $(names[$c_code] = $c_text;)*
            names
        };

        /// Runs one operation for one input and returns the new top of the stack.
        #[inline(always)]
        pub(crate) fn step(operation: u8, top: f32, machine: &mut impl Machine) -> f32 {
            // One table of jumps for all.
            match operation {
                FLOAT => {
                    machine.push(top);
                    machine.float()
                }
                VARIABLE => {
                    machine.push(top);
                    machine.variable()
                }
                $(alone::$u => {
                    let $ua = top;
                    $u_value
                })*
                $(on_stack::$b => {
                    let ($ba, $bb) = (machine.below(), top);
                    $b_value
                })*
                $(with_variable::$b => {
                    let ($ba, $bb) = (top, machine.variable());
                    $b_value
                })*
                $(with_float::$b => {
                    let ($ba, $bb) = (top, machine.float());
                    $b_value
                })*
                // Those that are long are functions that are called, so that the loop stays short.
                $(alone::$v => called(top, #[inline(always)] |$va| $v_value),)*
                $(on_stack::$c => {
                    called2(machine.below(), top, #[inline(always)] |$ca, $cb| $c_value)
                })*
                $(with_variable::$c => {
                    called2(top, machine.variable(), #[inline(always)] |$ca, $cb| $c_value)
                })*
                $(with_float::$c => {
                    called2(top, machine.float(), #[inline(always)] |$ca, $cb| $c_value)
                })*
                TERNARY..BINARY => {
                    let b = machine.below();
                    apply_ternary(operation - TERNARY, machine.below(), b, top)
                }
                CALL => machine.call(top),
                _ => top,
            }
        }

        /// Computes one value, where it does not matter how fast.
        pub(crate) fn apply_unary(code: u8, a: f32) -> f32 {
            match code {
                $($u_code => { let $ua = a; $u_value })*
                $($v_code => { let $va = a; $v_value })*
                _ => f32::NAN,
            }
        }

        /// As [`apply_unary`], of two.
        pub(crate) fn apply_binary(code: u8, a: f32, b: f32) -> f32 {
            match code {
                $($b_code => { let ($ba, $bb) = (a, b); $b_value })*
                $($c_code => { let ($ca, $cb) = (a, b); $c_value })*
                _ => f32::NAN,
            }
        }

        /// Runs a long operation on one float over a column.
        #[inline(always)]
        pub(crate) fn on_long_unary(code: u8, on: impl OnUnary) {
            match code {
                $($v_code => on.run(#[inline(always)] |$va| $v_value),)*
                _ => {}
            }
        }

        /// As [`on_long_unary`], of two.
        #[inline(always)]
        pub(crate) fn on_long_binary(code: u8, on: impl OnBinary) {
            match code {
                $($c_code => on.run(#[inline(always)] |$ca, $cb| $c_value),)*
                _ => {}
            }
        }

        /// Runs all operations after a word, over a block whose top is given, and returns the last
        /// top.
        #[inline(always)]
        pub(crate) fn run_wide<W: Wide>(mut top: W::Block, machine: &mut W) -> W::Block {
            loop {
                // One table of jumps for all. It has an entry for each byte, as the first and the
                // last one are named, so no byte is compared with its ends.
                let operation = machine.next_operation();
                top = match operation {
                    FLOAT => {
                        machine.push(top);
                        W::block(machine.float())
                    }
                    VARIABLE => {
                        machine.push(top);
                        wide_variable(machine)
                    }
                    $(alone::$u => W::map(top, #[inline(always)] |$ua| $u_value),)*
                    // The second operand is the top.
                    $(on_stack::$b => {
                        W::zip(top, machine.below(), #[inline(always)] |$bb, $ba| $b_value)
                    })*
                    $(with_variable::$b => {
                        if let Some(kept) = machine.kept() {
                            W::zip(top, kept, #[inline(always)] |$ba, $bb| $b_value)
                        } else if let Some(column) = machine.column() {
                            W::zip(top, column, #[inline(always)] |$ba, $bb| $b_value)
                        } else {
                            W::zip(top, machine.same(), #[inline(always)] |$ba, $bb| $b_value)
                        }
                    })*
                    $(with_float::$b => {
                        W::zip(top, machine.float(), #[inline(always)] |$ba, $bb| $b_value)
                    })*
                    on_three::CHOOSE => wide_ternary(machine, top, choose),
                    on_three::CLAMP => wide_ternary(machine, top, clamp),
                    on_three::LERP => wide_ternary(machine, top, lerp),
                    on_three::SMOOTHSTEP => wide_ternary(machine, top, smoothstep),
                    CALL => machine.call(top),
                    END | 0xff => return top,
                    UNARY..TERNARY => machine.long_unary(operation, top),
                    _ => machine.long_binary(operation, top),
                };
            }
        }
    };
}

// Short operations are a few instructions, of vectors as of floats, and are written over `Float`.
//
// Of the operations on two floats the first six are the same with their operands swapped. After
// them each even code has a twin, one greater, whose operands are swapped.
operations! {
    short unary {
        NEGATE 0 "-" |a| -a,
        NOT 1 "!" |a| a.truth(a.equal(a.same(0.0))),
        ABS 2 "abs" |a| Float::abs(a),
        SIGN 3 "sign" |a| float::sign(a),
        SQRT 9 "sqrt" |a| Float::sqrt(a),
        SQUARE 18 "^ 2" |a| float::square(a),
        CUBE 19 "^ 3" |a| float::cube(a),
        FOURTH 20 "^ 4" |a| float::fourth(a),
    }
    long unary {
        FLOOR 4 "floor" |a| math::floor(a),
        CEIL 5 "ceil" |a| math::ceil(a),
        ROUND 6 "round" |a| math::round(a),
        TRUNC 7 "trunc" |a| math::trunc(a),
        FRACT 8 "fract" |a| math::fract(a),
        SIN 10 "sin" |a| math::sin(a),
        COS 11 "cos" |a| math::cos(a),
        TAN 12 "tan" |a| math::tan(a),
        ASIN 13 "asin" |a| libm::asinf(a),
        ACOS 14 "acos" |a| libm::acosf(a),
        ATAN 15 "atan" |a| libm::atanf(a),
        EXP 16 "exp" |a| math::exp(a),
        LN 17 "ln" |a| math::ln(a),
    }
    short binary {
        ADD 0 "+" |a, b| a + b,
        MULTIPLY 1 "*" |a, b| a * b,
        EQUAL 2 "==" |a, b| a.truth(a.equal(b)),
        UNEQUAL 3 "!=" |a, b| a.truth(a.unequal(b)),
        AND 4 "&&" |a, b| a.truth(a.is_true() & b.is_true()),
        OR 5 "||" |a, b| a.truth(a.is_true() | b.is_true()),
        SUBTRACT 6 "-" |a, b| a - b,
        SUBTRACT_TURNED 7 "-" |a, b| b - a,
        DIVIDE 8 "/" |a, b| a / b,
        DIVIDE_TURNED 9 "/" |a, b| b / a,
        LESS 14 "<" |a, b| a.truth(a.less(b)),
        GREATER 15 ">" |a, b| a.truth(b.less(a)),
        AT_MOST 16 "<=" |a, b| a.truth(a.at_most(b)),
        AT_LEAST 17 ">=" |a, b| a.truth(b.at_most(a)),
        MIN 18 "min" |a, b| a.lesser(b),
        MIN_TURNED 19 "min" |a, b| b.lesser(a),
        MAX 20 "max" |a, b| a.greater(b),
        MAX_TURNED 21 "max" |a, b| b.greater(a),
        STEP 24 "step" |a, b| a.truth(a.at_most(b)),
        STEP_TURNED 25 "step" |a, b| a.truth(b.at_most(a)),
    }
    long binary {
        REMAINDER 10 "%" |a, b| a % b,
        REMAINDER_TURNED 11 "%" |a, b| b % a,
        POWER 12 "^" |a, b| math::pow(a, b),
        POWER_TURNED 13 "^" |a, b| math::pow(b, a),
        ATAN2 22 "atan2" |a, b| libm::atan2f(a, b),
        ATAN2_TURNED 23 "atan2" |a, b| libm::atan2f(b, a),
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

/// How words of operations on three floats begin.
mod on_three {
    use super::{TERNARY, ternary};

    pub(super) const CHOOSE: u8 = TERNARY + ternary::CHOOSE;
    pub(super) const CLAMP: u8 = TERNARY + ternary::CLAMP;
    pub(super) const LERP: u8 = TERNARY + ternary::LERP;
    pub(super) const SMOOTHSTEP: u8 = TERNARY + ternary::SMOOTHSTEP;
}

/// Calls a function that is not compiled in place.
#[inline(never)]
fn called(a: f32, f: impl Fn(f32) -> f32) -> f32 {
    f(a)
}

/// As [`called`], with two floats.
#[inline(never)]
fn called2(a: f32, b: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    f(a, b)
}
