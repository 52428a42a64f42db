//! How exact samples between samples are.

use loligo_sound::{Mixer, MixerSettings, Play};

use crate::memory::with_memory;
use crate::tones::{distance_from_sine, left, loudness, render, sine, wave};

/// Returns what is heard of a sine of `cycles` a sample that is played at a speed.
fn heard(taps: usize, cycles: f64, speed: f32) -> Vec<f32> {
    with_memory(|memory| {
        let settings = MixerSettings { taps, ..MixerSettings::default() };
        let mut mixer = Mixer::try_new(&settings, memory).expect("there is memory");
        let samples = sine(1.0 / cycles, 40_000);
        let id = mixer.add_wave(wave(&samples, memory)).expect("there is memory");
        mixer.play(&Play::new(id).with_speed(speed)).expect("it plays");
        // Without the first samples, before which there is silence.
        left(&render(&mut mixer, 5_000))[256..].to_vec()
    })
}

#[test]
fn a_sine_stays_a_sine() {
    // 1 kHz at 48 kHz, and 6 kHz. With eight weights, and with sixteen.
    for (taps, cycles, least) in [
        (8, 1.0 / 48.0, 72.0),
        (8, 6.0 / 48.0, 60.0),
        (8, 12.0 / 48.0, 50.0),
        (16, 1.0 / 48.0, 80.0),
        (16, 6.0 / 48.0, 80.0),
        (16, 12.0 / 48.0, 75.0),
    ] {
        for speed in [0.5_f32, 0.73, 0.99] {
            let heard = heard(taps, cycles, speed);
            let found = distance_from_sine(&heard, cycles * f64::from(speed));
            assert!(found > least, "{taps} weights, {cycles:.3} at {speed}: {found:.1} dB");
        }
    }
}

#[test]
fn what_would_be_mirrored_is_filtered() {
    // 18 kHz at twice the speed would be 36 kHz, and is heard as 12 kHz where nothing filters it.
    for (taps, most) in [(8, -40.0), (16, -60.0)] {
        let found = loudness(&heard(taps, 18.0 / 48.0, 2.0));
        let found = 20.0 * (found / (0.5 / 2.0_f64.sqrt())).log10();
        assert!(found < most, "{taps} weights: {found:.1} dB are left");
    }
}
