//! Two short operations in one loop: what is loaded and stored between them would take longer than
//! they do.

use crate::batch::kernel::Operand;
use crate::operation::binary;

/// Returns `true` if two operations that follow each other have a common loop: sums, differences
/// and products in any order, and the two sides of a clamp.
#[inline(always)]
pub(crate) const fn is_pair(first: u8, second: u8) -> bool {
    is_short(first) && is_short(second) || first == binary::MAX && second == binary::MIN
}

const fn is_short(code: u8) -> bool {
    matches!(code, binary::ADD | binary::MULTIPLY | binary::SUBTRACT | binary::SUBTRACT_TURNED)
}

/// Computes with `a` and the first of the others, then with what came out and the second.
#[inline(always)]
pub(crate) fn run_pair(codes: [u8; 2], to: &mut [f32], a: Operand<'_>, others: [Operand<'_>; 2]) {
    let pair = Pair { to, a, others };
    match codes {
        [binary::ADD, second] => pair.then(
            second,
            #[inline(always)]
            |a, b| a + b,
        ),
        [binary::MULTIPLY, second] => pair.then(
            second,
            #[inline(always)]
            |a, b| a * b,
        ),
        [binary::SUBTRACT, second] => pair.then(
            second,
            #[inline(always)]
            |a, b| a - b,
        ),
        [binary::SUBTRACT_TURNED, second] => pair.then(
            second,
            #[inline(always)]
            |a, b| b - a,
        ),
        // The same result as the two operations in turn, also where one of the operands is NaN.
        _ => pair.run(
            #[inline(always)]
            |a, b, c| {
                let a = if a > b { a } else { b };
                if a < c { a } else { c }
            },
        ),
    }
}

struct Pair<'l> {
    to: &'l mut [f32],
    a: Operand<'l>,
    others: [Operand<'l>; 2],
}

impl Pair<'_> {
    #[inline(always)]
    fn then(self, second: u8, first: impl Fn(f32, f32) -> f32) {
        match second {
            binary::ADD => self.run(
                #[inline(always)]
                |a, b, c| first(a, b) + c,
            ),
            binary::MULTIPLY => self.run(
                #[inline(always)]
                |a, b, c| first(a, b) * c,
            ),
            binary::SUBTRACT => self.run(
                #[inline(always)]
                |a, b, c| first(a, b) - c,
            ),
            _ => self.run(
                #[inline(always)]
                |a, b, c| c - first(a, b),
            ),
        }
    }

    #[inline(always)]
    fn run(self, operation: impl Fn(f32, f32, f32) -> f32) {
        let to = self.to;
        let a = match self.a {
            Operand::Here => None,
            Operand::Column(a) => Some(a),
            Operand::Same(value) => {
                to.fill(value);
                None
            }
        };
        // The second and third operands are never where the results go.
        match self.others {
            [Operand::Column(b), Operand::Column(c)] => {
                each(
                    to,
                    a,
                    b.iter().zip(c),
                    #[inline(always)]
                    |a, (b, c)| operation(a, *b, *c),
                );
            }
            [Operand::Column(b), Operand::Same(c)] => {
                each(
                    to,
                    a,
                    b.iter(),
                    #[inline(always)]
                    |a, b| operation(a, *b, c),
                );
            }
            [Operand::Same(b), Operand::Column(c)] => {
                each(
                    to,
                    a,
                    c.iter(),
                    #[inline(always)]
                    |a, c| operation(a, b, *c),
                );
            }
            [Operand::Same(b), Operand::Same(c)] => {
                each(
                    to,
                    a,
                    core::iter::repeat(()),
                    #[inline(always)]
                    |a, ()| operation(a, b, c),
                );
            }
            _ => {}
        }
    }
}

#[inline(always)]
fn each<T>(
    to: &mut [f32],
    a: Option<&[f32]>,
    others: impl Iterator<Item = T>,
    operation: impl Fn(f32, T) -> f32,
) {
    if let Some(a) = a {
        for ((to, a), others) in to.iter_mut().zip(a).zip(others) {
            *to = operation(*a, others);
        }
    } else {
        for (to, others) in to.iter_mut().zip(others) {
            *to = operation(*to, others);
        }
    }
}
