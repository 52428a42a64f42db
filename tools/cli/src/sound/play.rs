//! A sound that is played into memory.

use std::io::Cursor;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::BlobBytes;
use loligo_ids::IdString32;
use loligo_sound::{
    BLOCK, Chance, Choices, Mixer, MixerSettings, Parameter, Parameters, Part, Play,
    SoundParameters, SoundTree, VoiceId, WavFile, WavSamples, Wave, WaveId,
};

use super::input::{Setting, SettingValue};
use super::subject::{SoundError, Subject, SubjectWave, WaveSamples};

/// How long what has no end is heard, in seconds.
const ENDLESS: f32 = 10.0;

/// How long something that does end is heard at most.
const SECONDS_MAX: f32 = 600.0;

/// How a sound is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Playing<'p> {
    pub(super) settings: &'p [Setting],
    pub(super) seconds: Option<f32>,
    pub(super) speed: f32,
    pub(super) rate: u32,
    pub(super) seed: u64,
}

/// What was heard.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) rate: u32,
    pub(super) frames: Vec<[f32; 2]>,
    /// The waves that were played.
    pub(super) parts: usize,
    /// The bytes of each wave in memory in a game, by its place.
    pub(super) wave_bytes: Vec<usize>,
}

impl Heard {
    pub(super) fn seconds(&self) -> f32 {
        self.frames.len() as f32 / self.rate as f32
    }

    /// Returns it as a WAV file.
    pub(super) fn wav(&self, is_float: bool) -> Result<Vec<u8>, SoundError> {
        let samples = if is_float { WavSamples::Float32 } else { WavSamples::Whole16 };
        let mut bytes = Cursor::new(Vec::new());
        WavFile::<_, 2>::create(&mut bytes, self.rate, samples)
            .and_then(|mut file| file.write(&self.frames).and_then(|()| file.finish()))
            .map_err(|error| SoundError::other(error.to_string()))?;
        Ok(bytes.into_inner())
    }
}

impl Playing<'_> {
    /// Plays a sound.
    pub(super) fn play(&self, subject: &Subject) -> Result<Heard, SoundError> {
        let pages = PageAllocator::new("sound pages");
        let heap = HeapAllocator::new("sound", &pages);
        let wrong = |error: &dyn core::fmt::Display| SoundError::sound(&subject.name, error);
        let settings = MixerSettings { rate: self.rate, taps: 16, ..MixerSettings::default() };
        let mut mixer = Mixer::try_new(&settings, &heap).map_err(|error| wrong(&error))?;
        let (mut waves, mut wave_bytes) = (Vec::new(), Vec::new());
        for SubjectWave { name, samples } in &subject.waves {
            let named = |error: &dyn core::fmt::Display| SoundError::sound(name, error);
            let wave = wave_of(samples, &heap).map_err(|error| named(&error))?;
            let whole = wave.frames() as usize * wave.channels() as usize * size_of::<i16>();
            wave_bytes.push(samples.streamed_bytes().unwrap_or(whole));
            waves.push(mixer.add_wave(wave).map_err(|error| named(&error))?);
        }
        let (frames, parts) = match &subject.tree {
            None => (self.wave(&mut mixer, waves[0]).map_err(|error| wrong(&error))?, 1),
            Some(tree) => {
                let tree = BlobBytes::try_copy(tree, &heap).map_err(|error| wrong(&error))?;
                let tree = SoundTree::open(&tree).map_err(|error| wrong(&error))?;
                self.tree(&mut mixer, &tree, &waves, &heap).map_err(|error| wrong(&error))?
            }
        };
        if frames.is_empty() {
            return Err(wrong(&"nothing is heard of it; set the parameters of its switches"));
        }
        Ok(Heard { rate: self.rate, frames, parts, wave_bytes })
    }

    /// Plays a wave: its loop, if it has one and is to be heard for some time.
    fn wave(&self, mixer: &mut Mixer<'_>, wave: WaveId) -> Result<Vec<[f32; 2]>, String> {
        let play = Play::new(wave).with_speed(self.speed);
        let has_loop = mixer.wave(wave).is_some_and(|wave| wave.loop_range().is_some());
        let play = if has_loop && self.seconds.is_some() { play.looped() } else { play };
        mixer.play(&play).map_err(|error| error.to_string())?;
        Ok(self.render(mixer, |_, _| ()))
    }

    /// Plays a tree, whose parts follow the parameters.
    fn tree(
        &self,
        mixer: &mut Mixer<'_>,
        tree: &SoundTree<'_>,
        waves: &[WaveId],
        memory: &dyn Allocator,
    ) -> Result<(Vec<[f32; 2]>, usize), String> {
        let mut parameters = Parameters::new(memory);
        let mut sound = SoundParameters::default();
        set(&mut parameters, &mut sound, self.settings, 0.0)?;
        let mut parts = Vec::new();
        let mut chance = Chance::new(self.seed);
        tree.start(&parameters, &sound, &mut Choices::default(), &mut chance, |part| {
            parts.push(part);
        });
        let mut voices: Vec<(VoiceId, Part)> = Vec::new();
        for part in parts {
            let shape = tree.shape(&part, &parameters, &sound);
            let after = voices.last().filter(|_| part.is_next).map(|(voice, _)| *voice);
            let frames = |seconds: f32| (seconds * self.rate as f32) as u32;
            let play = Play {
                gains: [shape.gain; 2],
                speed: shape.speed * self.speed,
                wait: frames(part.delay),
                fade: frames(part.fade),
                after,
                is_looped: part.is_looped,
                ..Play::new(waves[part.wave as usize])
            };
            let voice = mixer.play(&play).map_err(|error| error.to_string())?;
            mixer.set_low_pass(voice, shape.low_pass.min(self.rate as f32));
            voices.push((voice, part));
        }
        let mut failed = None;
        let frames = self.render(mixer, |mixer, share| {
            if let Err(error) = set(&mut parameters, &mut sound, self.settings, share) {
                failed = Some(error);
            }
            for (voice, part) in &voices {
                if mixer.is_playing(*voice) {
                    let shape = tree.shape(part, &parameters, &sound);
                    mixer.set_gains(*voice, [shape.gain; 2]);
                    mixer.set_speed(*voice, shape.speed * self.speed);
                    mixer.set_low_pass(*voice, shape.low_pass.min(self.rate as f32));
                }
            }
        });
        parameters.remove(sound);
        failed.map_or(Ok((frames, voices.len())), Err)
    }

    /// Renders until all has ended or the time is over; `each` is called before each block with the share of the
    /// time that is over.
    fn render(
        &self,
        mixer: &mut Mixer<'_>,
        mut each: impl FnMut(&mut Mixer<'_>, f32),
    ) -> Vec<[f32; 2]> {
        let all = |seconds: f32| (seconds * self.rate as f32) as usize;
        let (asked, endless) = (self.seconds.map(all), all(ENDLESS));
        let most = asked.unwrap_or(all(SECONDS_MAX));
        let mut frames = Vec::new();
        while frames.len() < most && (asked.is_some() || mixer.stats().playing > 0) {
            each(mixer, (frames.len() as f32 / asked.unwrap_or(endless) as f32).min(1.0));
            let mut block = [[0.0; 2]; BLOCK];
            mixer.render(&mut block);
            frames.extend_from_slice(&block[..BLOCK.min(most - frames.len())]);
        }
        // What still plays then has no end.
        if asked.is_none() && frames.len() >= most {
            frames.truncate(endless);
        }
        frames
    }
}

fn wave_of<'a>(samples: &WaveSamples, memory: &'a dyn Allocator) -> Result<Wave<'a>, String> {
    match samples {
        WaveSamples::Recorded { rate, channels, samples } => {
            Wave::try_new(samples, *channels, *rate, memory).map_err(|error| error.to_string())
        }
        WaveSamples::Compiled(payload, tail) => {
            let bytes = BlobBytes::try_copy(payload, memory).map_err(|error| error.to_string())?;
            Wave::open_whole_in(&bytes, tail, memory).map_err(|error| error.to_string())
        }
    }
}

/// Sets the parameters as they are after a share of the time.
fn set(
    parameters: &mut Parameters<'_>,
    sound: &mut SoundParameters,
    settings: &[Setting],
    share: f32,
) -> Result<(), String> {
    for setting in settings {
        let name = IdString32::new(&setting.name);
        let parameter = match &setting.value {
            SettingValue::Number([from, to]) => Parameter::number(name, from + (to - from) * share),
            SettingValue::Word(word) => Parameter::word(name, IdString32::new(word)),
        };
        parameters.try_set(sound, parameter).map_err(|error| error.to_string())?;
    }
    Ok(())
}
