//! One run over up to [`LANES`] inputs.

use crate::batch::kernel::{Operand, canonicalise, run_binary, run_ternary, run_unary};
use crate::batch::pair::{is_pair, run_pair};
use crate::batch::{Input, LANES};
use crate::bytecode::{Bytecode, split};
use crate::operation::{
    BINARY, BINARY_FLOAT, BINARY_VARIABLE, CALL, FLOAT, TERNARY, UNARY, VARIABLE, choose, clamp,
    lerp, smoothstep, ternary,
};
use crate::symbols::{ARGUMENTS_MAX, Function};

/// Where the values of a slot are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// In its column.
    Column,
    /// Still with the variable of that index.
    Variable(u32),
    /// All are this.
    Same(f32),
}

pub(crate) struct Lanes<'r> {
    inputs: &'r [Input<'r>],
    /// The first input.
    first: usize,
    /// The column of slot 0, as long as there are inputs.
    results: &'r mut [f32],
    /// The columns of the slots above, and one more.
    columns: &'r mut [f32],
    slots: &'r mut [Slot],
    height: usize,
}

impl<'r> Lanes<'r> {
    pub(crate) fn new(
        inputs: &'r [Input<'r>],
        first: usize,
        results: &'r mut [f32],
        columns: &'r mut [f32],
        slots: &'r mut [Slot],
    ) -> Self {
        Self { inputs, first, results, columns, slots, height: 0 }
    }

    #[inline(always)]
    pub(crate) fn run(mut self, bytecode: &Bytecode<'_>) {
        let mut words = bytecode.words();
        while let [word, rest @ ..] = words {
            words = rest;
            if let Some((code, second, rest)) = with_leaf(*word, rest) {
                words = self.with(code, second, rest);
                continue;
            }
            let (operation, data) = split(*word);
            match operation {
                FLOAT => {
                    let [float, rest @ ..] = rest else { break };
                    self.push(Slot::Same(f32::from_bits(*float)));
                    words = rest;
                }
                VARIABLE => self.push(Slot::Variable(data)),
                UNARY..TERNARY => self.unary(operation - UNARY),
                BINARY..BINARY_VARIABLE => self.binary(operation - BINARY),
                TERNARY..BINARY => self.ternary(operation - TERNARY),
                CALL => match bytecode.functions().get(data as usize) {
                    Some(function) => self.call(function),
                    None => break,
                },
                _ => break,
            }
        }
        self.settle(0);
        canonicalise(self.results);
    }

    #[inline(always)]
    fn push(&mut self, slot: Slot) {
        self.slots[self.height] = slot;
        self.height += 1;
    }

    #[inline(always)]
    fn unary(&mut self, code: u8) {
        let at = self.height - 1;
        let a = self.operand(self.slots[at]);
        run_unary(code, self.column(at).0, a);
        self.slots[at] = Slot::Column;
    }

    /// Computes with the top and an operand that is in no column of the stack; where the next
    /// operation does so, too, and both are short, both in one loop. Returns the remaining words.
    #[inline(always)]
    fn with<'w>(&mut self, code: u8, second: Slot, words: &'w [u32]) -> &'w [u32] {
        let at = self.height - 1;
        let (a, b) = (self.operand(self.slots[at]), self.operand(second));
        self.slots[at] = Slot::Column;
        if let [next, rest @ ..] = words
            && let Some((then, third, rest)) = with_leaf(*next, rest)
            && is_pair(code, then)
        {
            let c = self.operand(third);
            run_pair([code, then], self.column(at).0, a, [b, c]);
            return rest;
        }
        run_binary(code, self.column(at).0, a, b);
        words
    }

    #[inline(always)]
    fn binary(&mut self, code: u8) {
        self.height -= 1;
        let at = self.height - 1;
        let (a, b) = (self.operand(self.slots[at]), self.operand(self.slots[at + 1]));
        let (to, above) = self.column(at);
        let b = if let Operand::Here = b { Operand::Column(&above[..to.len()]) } else { b };
        run_binary(code, to, a, b);
        self.slots[at] = Slot::Column;
    }

    #[inline(always)]
    fn ternary(&mut self, code: u8) {
        self.height -= 2;
        let at = self.height - 1;
        let a = self.operand(self.slots[at]);
        let others = [1, 2].map(|up| self.filled(at + up));
        let (to, above) = self.column(at);
        let count = to.len();
        let column = |up: usize| &above[(up - 1) * LANES..][..count];
        let others = [others[0].unwrap_or(column(1)), others[1].unwrap_or(column(2))];
        match code {
            ternary::CHOOSE => run_ternary(to, a, others, choose),
            ternary::CLAMP => run_ternary(to, a, others, clamp),
            ternary::LERP => run_ternary(to, a, others, lerp),
            ternary::SMOOTHSTEP => run_ternary(to, a, others, smoothstep),
            _ => {}
        }
        self.slots[at] = Slot::Column;
    }

    #[inline(never)]
    fn call(&mut self, function: &Function<'_>) {
        let count = function.arguments();
        let at = self.height - count;
        let lanes = self.results.len();
        let mut places = [None; ARGUMENTS_MAX];
        for (index, place) in places[..count].iter_mut().enumerate() {
            *place = self.filled(at + index);
        }
        // The results go to the column above the arguments, as these are still read.
        let (below, to) = self.columns_around(self.height);
        let mut arguments: [&[f32]; ARGUMENTS_MAX] = [&[]; ARGUMENTS_MAX];
        for (index, argument) in arguments[..count].iter_mut().enumerate() {
            *argument = match (places[index], at + index) {
                (Some(column), _) => column,
                (None, 0) => below.0,
                (None, slot) => &below.1[(slot - 1) * LANES..][..lanes],
            };
        }
        call_columns(function, &arguments[..count], to);
        if count > 0 {
            self.move_down(self.height, at);
        }
        self.height = at;
        self.push(Slot::Column);
    }

    /// Returns where the values of a slot are, seen from its own column.
    #[inline(always)]
    fn operand(&self, slot: Slot) -> Operand<'r> {
        match slot {
            Slot::Column => Operand::Here,
            Slot::Same(value) => Operand::Same(value),
            Slot::Variable(index) => match self.inputs[index as usize] {
                Input::Same(value) => Operand::Same(value),
                Input::Column(column) => {
                    Operand::Column(&column[self.first..][..self.results.len()])
                }
            },
        }
    }

    /// Makes sure that the values of a slot are in a column, and returns it if it is a variable's.
    #[inline(always)]
    fn filled(&mut self, at: usize) -> Option<&'r [f32]> {
        match self.operand(self.slots[at]) {
            Operand::Here => None,
            Operand::Column(column) => Some(column),
            Operand::Same(value) => {
                self.column(at).0.fill(value);
                None
            }
        }
    }

    /// Puts the values of a slot into its column.
    #[inline(always)]
    fn settle(&mut self, at: usize) {
        if let Some(column) = self.filled(at) {
            self.column(at).0.copy_from_slice(column);
        }
    }

    /// Returns the column of a slot and all that are above it.
    #[inline(always)]
    fn column(&mut self, at: usize) -> (&mut [f32], &[f32]) {
        let lanes = self.results.len();
        if at == 0 {
            return (self.results, self.columns);
        }
        let (column, above) = self.columns[(at - 1) * LANES..].split_at_mut(LANES);
        (&mut column[..lanes], above)
    }

    /// Returns the results and the columns that are below a slot, and the slot's own.
    fn columns_around(&mut self, at: usize) -> ((&[f32], &[f32]), &mut [f32]) {
        let lanes = self.results.len();
        if at == 0 {
            return ((&[], &[]), self.results);
        }
        let (below, column) = self.columns.split_at_mut((at - 1) * LANES);
        ((self.results, below), &mut column[..lanes])
    }

    fn move_down(&mut self, from: usize, to: usize) {
        let lanes = self.results.len();
        let from = (from - 1) * LANES;
        if to == 0 {
            self.results.copy_from_slice(&self.columns[from..][..lanes]);
        } else {
            self.columns.copy_within(from..from + lanes, (to - 1) * LANES);
        }
    }
}

/// Calls a user's function for all inputs.
fn call_columns(function: &Function<'_>, columns: &[&[f32]], to: &mut [f32]) {
    if let Some(batch) = function.batch() {
        return batch(columns, to);
    }
    let mut arguments = [0.0; ARGUMENTS_MAX];
    for (lane, to) in to.iter_mut().enumerate() {
        for (argument, column) in arguments.iter_mut().zip(columns) {
            *argument = column[lane];
        }
        *to = function.call(&arguments[..columns.len()]);
    }
}

/// Splits an operation whose second operand is a leaf: its code, the leaf, the remaining words.
#[inline(always)]
fn with_leaf(word: u32, rest: &[u32]) -> Option<(u8, Slot, &[u32])> {
    let (operation, data) = split(word);
    if operation >= BINARY_FLOAT {
        let [float, rest @ ..] = rest else { return None };
        return Some((operation - BINARY_FLOAT, Slot::Same(f32::from_bits(*float)), rest));
    }
    let is_variable = operation >= BINARY_VARIABLE;
    is_variable.then(|| (operation - BINARY_VARIABLE, Slot::Variable(data), rest))
}
