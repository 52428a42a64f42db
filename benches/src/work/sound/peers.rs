//! Mixers of others.

use crate::contender::Contender;

/// Returns the time of a voice and frame of rodio, which is there with the feature `peers-all`: a sound that is
/// faster, repeated and placed, as ours.
#[cfg(feature = "peers-all")]
pub(crate) fn rodio() -> Option<Contender> {
    use core::hint::black_box;
    use core::num::NonZero;

    use loligo_sound::BLOCK;
    use rodio::buffer::SamplesBuffer;
    use rodio::source::{ChannelVolume, Source as _};

    use crate::clock;
    use crate::contender::Pass;

    const VOICES: usize = 256;
    const BLOCKS: usize = 40;
    let (one, two) = (NonZero::new(1)?, NonZero::new(2)?);
    let rate = NonZero::new(super::RATE)?;
    let (input, mut output) = rodio::mixer::mixer(two, rate);
    let samples: Vec<f32> =
        super::voices::samples().iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
    let noise = SamplesBuffer::new(one, rate, samples);
    for at in 0..VOICES {
        let voice = noise.clone().repeat_infinite().speed(0.9 + at as f32 * 1e-5);
        input.add(ChannelVolume::new(voice, vec![0.01, 0.02]));
    }
    Some(Contender::new("rodio", move || {
        let ns = clock::time(|| {
            let sum: f32 = output.by_ref().take(2 * BLOCKS * BLOCK).sum();
            black_box(sum);
        });
        Pass { ns, operations: (BLOCKS * BLOCK * VOICES) as u64 }
    }))
}

/// Returns the time of a voice and frame of kira, as [`rodio`].
#[cfg(feature = "peers-all")]
pub(crate) fn kira() -> Option<Contender> {
    use kira::backend::mock::{MockBackend, MockBackendSettings};
    use kira::sound::static_sound::{StaticSoundData, StaticSoundSettings};
    use kira::track::MainTrackBuilder;
    use kira::{AudioManager, AudioManagerSettings, Capacities, Decibels, Frame};
    use loligo_sound::BLOCK;

    use crate::clock;
    use crate::contender::Pass;

    const VOICES: usize = 256;
    const BLOCKS: usize = 40;
    let settings = AudioManagerSettings::<MockBackend> {
        capacities: Capacities::default(),
        main_track_builder: MainTrackBuilder::new().sound_capacity(VOICES),
        internal_buffer_size: BLOCK,
        backend_settings: MockBackendSettings { sample_rate: super::RATE },
    };
    let mut manager = AudioManager::new(settings).ok()?;
    let frame = |sample: &i16| Frame::from_mono(f32::from(*sample) / 32_768.0);
    let noise = StaticSoundData {
        sample_rate: super::RATE,
        frames: super::voices::samples().iter().map(frame).collect(),
        settings: StaticSoundSettings::new().loop_region(..),
        slice: None,
    };
    for at in 0..VOICES {
        let voice = noise.playback_rate(0.9 + at as f64 * 1e-5).panning(0.3);
        manager.play(voice.volume(Decibels(-36.0))).ok()?;
    }
    manager.backend_mut().on_start_processing();
    Some(Contender::new("kira", move || {
        let ns = clock::time(|| (0..BLOCKS).for_each(|_| manager.backend_mut().process()));
        Pass { ns, operations: (BLOCKS * BLOCK * VOICES) as u64 }
    }))
}

#[cfg(not(feature = "peers-all"))]
pub(crate) const fn kira() -> Option<Contender> {
    None
}

#[cfg(not(feature = "peers-all"))]
pub(crate) const fn rodio() -> Option<Contender> {
    None
}
