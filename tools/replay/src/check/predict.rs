//! What a replay promises for the whole program, to be put next to what the program did.
//!
//! A program that allocates as was recorded runs under all that the program ran under, in turn. What
//! it needs more or less than under the program's own allocator is what the program is promised; the
//! rest of the program is taken to be the same under each.

use serde::{Deserialize, Serialize};

use super::compare::{Checked, Figure, Ran};
use super::{Candidate, CheckError, Plan, as_recorded, run};
use crate::strategies::StrategyConfig;
use crate::trace::Trace;

/// What is promised of an allocator, as ratios to the program under its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// Its name.
    pub name: String,
    /// Processor time.
    pub cpu: f64,
    /// Peak memory.
    pub peak: f64,
}

/// What a replay says of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Promises {
    /// Which part of the program's processor time the replay takes under the program's own allocator:
    /// the calls of the allocator, and each block written and read once.
    pub share: f64,
    /// The promises, without the program's own allocator.
    pub promised: Vec<Promise>,
}

/// Replays the whole of a recording under the candidates that the program ran under; `own` are the
/// program's figures under its own allocator. `read` reads the recording, and is called in a separate
/// process; `progress` is called as by [`run`].
///
/// # Errors
///
/// [`CheckError`] if what replays it cannot be built or run.
pub fn promise(
    plan: &Plan,
    candidates: &[Candidate],
    strategies: &[StrategyConfig],
    read: &dyn Fn() -> Result<Trace, String>,
    own: &Ran,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Promises, CheckError> {
    let built = as_recorded::build(plan, candidates, strategies, read)?;
    let plan = Plan { command: built.command.clone(), ..plan.clone() };
    let replayed = run(&plan, &built.candidates, progress)?;
    Ok(promises(&replayed, own))
}

/// Makes promises of a replay.
fn promises(replayed: &Checked, own: &Ran) -> Promises {
    let Some((first, others)) = replayed.ran.split_first() else {
        return Promises { share: 0.0, promised: Vec::new() };
    };
    let promised = |of: Figure, first: Figure, own: Figure| {
        1.0 + (of.ratio - 1.0) * first.median / own.median.max(1e-9)
    };
    let promise = |one: &Ran| Promise {
        name: one.name.clone(),
        cpu: promised(one.cpu, first.cpu, own.cpu),
        peak: promised(one.peak, first.peak, own.peak),
    };
    Promises {
        share: first.cpu.median / own.cpu.median.max(1e-9),
        promised: others.iter().map(promise).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::promises;
    use crate::check::{Answer, Checked, Figure, Ran};

    #[test]
    fn what_the_calls_save_is_a_part_of_the_program() {
        let figure = |median, ratio| Figure { median, ratio, from: ratio, to: ratio };
        let ran = |name: &str, cpu, peak| Ran { name: name.to_owned(), cpu, wall: cpu, peak };
        let own = ran("own", figure(2.0, 1.0), figure(4e6, 1.0));
        let replayed = Checked {
            command: "as-recorded".to_owned(),
            rounds: 9,
            ran: vec![
                ran("own", figure(0.5, 1.0), figure(3e6, 1.0)),
                ran("heap", figure(0.4, 0.8), figure(3.3e6, 1.1)),
            ],
            answer: Answer::default(),
        };
        // A fifth less of half a second is a twentieth of two.
        let promises = promises(&replayed, &own);
        let [heap] = &promises.promised[..] else { panic!("{promises:?}") };
        assert_eq!(heap.name, "heap");
        assert!((heap.cpu - 0.95).abs() < 1e-9, "{heap:?}");
        assert!((heap.peak - 1.075).abs() < 1e-9, "{heap:?}");
        assert!((promises.share - 0.25).abs() < 1e-9);
    }
}
