//! Which of the steps that need not run do so all the same.

use super::inputs::Hash;

/// How long the drawn steps take together at least, as long as there are more.
const SECONDS: u64 = 300;

/// A step that took longer is not drawn: it would cost more than all that has to be run.
const LONGEST: u64 = 600;

/// Draws among steps, each with its seconds, by a commit: nobody can choose.
pub(super) fn draw(commit: &str, steps: Vec<(&'static str, u64)>) -> Vec<&'static str> {
    let mut steps = steps;
    steps.retain(|(_, seconds)| *seconds <= LONGEST);
    steps.sort_by_key(|(step, _)| {
        let mut hash = Hash::default();
        hash.add(commit.as_bytes());
        hash.add(step.as_bytes());
        hash.value()
    });
    let mut drawn = Vec::new();
    let mut all = 0;
    for (step, seconds) in steps {
        if all >= SECONDS {
            break;
        }
        all += seconds;
        drawn.push(step);
    }
    drawn
}
