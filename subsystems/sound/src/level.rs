//! Decibels.

/// Returns the factor by which samples are multiplied for a number of decibels.
///
/// ```
/// use loligo_sound::gain_of;
///
/// assert_eq!(gain_of(0.0), 1.0);
/// assert!((gain_of(-6.0) - 0.501).abs() < 0.001);
/// assert_eq!(gain_of(-200.0), 0.0, "that is silence");
/// ```
#[must_use]
pub fn gain_of(decibels: f32) -> f32 {
    /// What is quieter than the last of 24 bits is silence.
    const SILENCE: f32 = -144.0;
    if decibels <= SILENCE { 0.0 } else { libm::exp10f(decibels * 0.05) }
}

/// Returns the decibels of a factor; those of silence are -144.
#[must_use]
pub fn decibels(gain: f32) -> f32 {
    if gain > 0.0 { (20.0 * libm::log10f(gain)).max(-144.0) } else { -144.0 }
}
