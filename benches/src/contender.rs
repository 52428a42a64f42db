//! The sides of a race, and how they take turns.

use core::fmt;

/// What one pass over a workload took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// CPU time of the thread in nanoseconds, of the workload alone (of several threads, the time
    /// on the wall).
    pub ns: u64,
    /// How many operations it was.
    pub operations: u64,
}

impl Pass {
    /// Returns the time of one operation in nanoseconds.
    #[must_use]
    pub fn ns_per_operation(self) -> f64 {
        self.ns as f64 / self.operations as f64
    }
}

/// An allocator at work on a row's workload, made and warm to run pass after pass.
pub struct Contender {
    name: &'static str,
    pass: Box<dyn FnMut() -> Pass>,
}

impl Contender {
    /// Makes a contender. `pass` sets up what it needs again, runs the workload once and takes the
    /// time of the workload alone.
    pub fn new(name: &'static str, pass: impl FnMut() -> Pass + 'static) -> Self {
        Self { name, pass: Box::new(pass) }
    }

    /// Gives it another name: that of what it is compared as.
    #[must_use]
    pub fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns the contender's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the workload once.
    pub fn pass(&mut self) -> Pass {
        (self.pass)()
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Contender").field(&self.name).finish()
    }
}

/// The contenders of a row.
#[derive(Debug)]
pub struct Race {
    /// Ours.
    pub ours: Contender,
    /// The peers that are compiled in.
    pub peers: Vec<Contender>,
    /// The peers that belong to the row and are not compiled in.
    pub absent: Vec<&'static str>,
}

/// The figures of each contender, round by round, in nanoseconds an operation.
pub type Rounds = Vec<Vec<f64>>;

/// Runs `contenders` in turns: one round that warms up and is not counted, then `rounds` rounds, in
/// each of which every contender runs once. The order is rotated by one place a round, so no
/// contender always runs after the same neighbour.
pub fn interleave(contenders: &mut [&mut Contender], rounds: u32) -> Rounds {
    let count = contenders.len();
    let mut figures = vec![Vec::with_capacity(rounds as usize); count];
    for contender in &mut *contenders {
        contender.pass();
    }
    for round in 0..rounds as usize {
        for turn in 0..count {
            let index = (turn + round) % count;
            figures[index].push(contenders[index].pass().ns_per_operation());
        }
    }
    figures
}

#[cfg(test)]
mod tests;
