//! How loud a sound is, by EBU R128.

use core::fmt;

use ebur128::{EbuR128, Mode};

use super::play::Heard;

/// How loud it is in all, and over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// Of all of it, in LUFS; none if it is silent or too short.
    pub(super) integrated: Option<f64>,
    /// The highest sample, and the highest between samples, in decibels of full scale.
    pub(super) peaks: [f64; 2],
    /// Of the last 0.4 seconds, every tenth of a second.
    pub(super) momentary: Vec<f32>,
}

/// What is quieter is drawn as this, in LUFS.
pub(super) const QUIET: f32 = -70.0;

impl Levels {
    /// Measures what was heard.
    pub(super) fn of(heard: &Heard) -> Self {
        let mode = Mode::I | Mode::M | Mode::SAMPLE_PEAK | Mode::TRUE_PEAK;
        // It fails for rates that nobody can ask for here.
        let Ok(mut meter) = EbuR128::new(2, heard.rate, mode) else { return Self::default() };
        let mut momentary = Vec::new();
        for piece in heard.frames.chunks((heard.rate / 10) as usize) {
            if meter.add_frames_f32(piece.as_flattened()).is_ok() {
                let level = meter.loudness_momentary().unwrap_or(f64::NEG_INFINITY);
                momentary.push((level as f32).max(QUIET));
            }
        }
        let peak = |of: fn(&EbuR128, u32) -> Result<f64, ebur128::Error>| {
            let sides = [0, 1].map(|side| of(&meter, side).unwrap_or(0.0));
            20.0 * sides[0].max(sides[1]).max(1e-7).log10()
        };
        let peaks = [peak(EbuR128::sample_peak), peak(EbuR128::true_peak)];
        let integrated = meter.loudness_global().ok().filter(|level| level.is_finite());
        Self { integrated, peaks, momentary }
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.integrated {
            Some(level) => write!(f, "{level:.1} LUFS")?,
            None => f.write_str("too quiet or short for a loudness")?,
        }
        write!(f, ", peak {:.1} dB, between samples {:.1} dB", self.peaks[0], self.peaks[1])
    }
}
