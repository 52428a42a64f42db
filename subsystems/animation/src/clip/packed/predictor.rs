//! Where a number is expected, from those before it.
//!
//! Four guesses of the next step are mixed, each by how well it did lately: none, the last step, the last
//! step and its change, and a sum of the last steps and those of numbers that were coded before, whose
//! weights are found by recursive least squares (Carl Friedrich Gauss, 1821; R. L. Plackett, "Some Theorems
//! in Least Squares", 1950).
//!
//! All numbers are floats of 32 bits, with sums, products and quotients in a fixed order, so a reader comes
//! to the same as the writer on any machine.

/// The steps that the sum has: three of the number, and of the numbers before it in the frame the step of the
/// frame and the last one: of the one before, the step of the second, both of the third, which is the
/// same axis of the track before.
const TAPS: usize = 8;

/// The steps of the three numbers that were coded before one, the nearest first: that of the frame, and the last.
pub(crate) type Near = [[f32; 2]; 3];

/// The guesses.
const GUESSES: usize = 4;

/// How much of what was is kept, from frame to frame.
const KEPT: f32 = 0.998;
const ERROR_KEPT: f32 = 0.85;

/// How sure the first weights are, in squared steps.
const SURE: f32 = 60.0;

/// Weights by which the sum is the last step.
const LAST_STEP: [f32; TAPS] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// Where the next number of an axis is expected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predictor {
    /// The last steps, the newest first.
    steps: [f32; 3],
    weights: [f32; TAPS],
    inverse: [[f32; TAPS]; TAPS],
    /// The squared errors of each guess, lately.
    errors: [f32; GUESSES],
}

/// Guesses of a step, and what they were made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    taps: [f32; TAPS],
    all: [f32; GUESSES],
    /// The mix of all.
    pub(crate) step: f32,
}

impl Predictor {
    pub(crate) const fn new() -> Self {
        Self {
            steps: [0.0; 3],
            weights: LAST_STEP,
            inverse: diagonal(1.0 / SURE),
            // The last step is the best guess as long as nothing is known.
            errors: [40.0, 8.0, 20.0, 12.0],
        }
    }

    /// Returns the last step.
    pub(crate) const fn step(&self) -> f32 {
        self.steps[0]
    }

    /// Guesses the next step, given the steps of the numbers that were coded before.
    pub(crate) fn guess(&self, near: &Near) -> Guess {
        let [a, b, c] = self.steps;
        let [first, second, third] = *near;
        let taps = [a, b, c, first[0], first[1], second[0], third[0], third[1]];
        let all = [0.0, a, a + (a - b), dot(&self.weights, &taps)];
        let (mut sum, mut whole) = (0.0, 0.0);
        for (guess, error) in all.iter().zip(&self.errors) {
            let weight = 1.0 / ((error + 0.5) * (error + 0.5));
            sum += guess * weight;
            whole += weight;
        }
        Guess { taps, all, step: sum / whole }
    }

    /// Follows the step that came.
    pub(crate) fn follow(&mut self, guess: &Guess, step: f32) {
        for (error, guess) in self.errors.iter_mut().zip(&guess.all) {
            let off = step - guess;
            *error = (*error * ERROR_KEPT + off * off).min(1.0e12);
        }
        let off = step - guess.all[GUESSES - 1];
        let gain = self.inverse.map(|row| dot(&row, &guess.taps));
        let part = 1.0 / (KEPT + dot(&gain, &guess.taps));
        for (weight, gain) in self.weights.iter_mut().zip(gain) {
            *weight += gain * part * off;
        }
        for (row, one) in self.inverse.iter_mut().zip(gain) {
            for (entry, other) in row.iter_mut().zip(gain) {
                *entry = (*entry - one * other * part) / KEPT;
            }
        }
        self.steps = [step, self.steps[0], self.steps[1]];
        let is_sound = |row: usize| (0.0..=1.0).contains(&self.inverse[row][row]);
        if !(0..TAPS).all(is_sound) || !self.weights.iter().all(|weight| weight.abs() < 64.0) {
            self.inverse = diagonal(1.0 / SURE);
            self.weights = LAST_STEP;
        }
    }

    /// Notes the first step, of which nothing was guessed.
    pub(crate) const fn begin(&mut self, step: f32) {
        self.steps = [step, 0.0, 0.0];
    }
}

const fn diagonal(number: f32) -> [[f32; TAPS]; TAPS] {
    let mut rows = [[0.0; TAPS]; TAPS];
    let mut at = 0;
    while at < TAPS {
        rows[at][at] = number;
        at += 1;
    }
    rows
}

fn dot(a: &[f32; TAPS], b: &[f32; TAPS]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}
