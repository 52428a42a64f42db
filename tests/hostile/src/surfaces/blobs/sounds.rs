//! Sounds, waves and mixers, compiled and as sources.

use core::cell::Cell;
use core::num::NonZeroUsize;
use std::fs;
use std::io;

use loligo_allocators::Allocator;
use loligo_compiler::{Compilers, Index, Project, Threads};
use loligo_containers::BlobBytes;
use loligo_ids::IdString32;
use loligo_resources::HEADER_BYTES;
use loligo_sound::{
    Chance, Choices, MIXER_TYPE, Mixer, MixerPlan, MixerSettings, PackedWave, Parameter,
    Parameters, Play, SOUND_TYPE, SoundParameters, SoundTree, Stream, WAVE_TYPE, Wave,
};
use tempfile::TempDir;

/// The sources, without the recording.
const SOURCES: [(&str, &str); 4] = [
    (
        "game.mixer",
        "voices = 20 groups = { steps = { voices = 3 } } space = { speakers = \"headphones\" doppler_max = 3 }
         buses = {
             hall = { effects = [ { kind = \"reverb\" seconds = 2 } { kind = \"echo\" seconds = 0.3 } ] }
             main = { volume = -3 sends = { hall = -9 } effects = [
                 { kind = \"filter\" form = \"low_pass\" frequency = 900 } { kind = \"limiter\" }
             ] }
         }",
    ),
    (
        "step.sound",
        "switch = \"ground\" bus = \"main\" group = \"steps\" distance = [ 1 30 ] cone = [ 60 180 -12 ]
         cases = {
             wood = { random = [ \"knock\" { wave = \"long\" weight = 2 speed = [ 0.5 2 ] } ] }
             snow = { layers = [ { sequence = [ \"knock\" \"long\" ] delay = 0.2 } \"long\" ] }
         }
         curves = [ { target = \"volume\" parameter = \"far\" points = [ [ 0 0 ] [ 9 -20 ] ] } ]",
    ),
    ("knock.wave", "file = \"knock.wav\" loop = [ 10 900 ] rate = 22050 volume = -6"),
    ("long.wave", "file = \"knock.wav\" packed = true volume = 3"),
];

const RECORDING: &str = "knock.wav";

/// A project of sounds, in which one source after the other is spoiled.
pub(super) struct Sounds {
    folder: TempDir,
    sources: Vec<(String, Vec<u8>)>,
    compilers: Compilers,
}

impl Sounds {
    pub(super) fn try_new() -> io::Result<Self> {
        let mut sources: Vec<_> = SOURCES
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect();
        sources.push((RECORDING.to_owned(), recording()));
        let folder = tempfile::tempdir()?;
        for (name, bytes) in &sources {
            fs::write(folder.path().join(name), bytes)?;
        }
        let mut compilers = Compilers::built_in();
        loligo_sound::compile::register(&mut compilers);
        Ok(Self { folder, sources, compilers })
    }

    /// Returns what is right: compiled resources by their types, and sources by their names.
    pub(super) fn seeds(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let data = self.folder.path().join("data");
        let project = Project::new(self.folder.path(), &data, &self.compilers);
        let report = project.compile(&Threads::default()).map_err(io::Error::other)?;
        if let Some(error) = report.errors.first() {
            return Err(io::Error::other(error.to_string()));
        }
        let index = Index::from_bytes(&fs::read(data.join("index"))?).map_err(io::Error::other)?;
        let mut seeds = Vec::new();
        for entry in &index.entries {
            let type_name = &*entry.name.type_name;
            let Some(output) = entry.output.as_ref() else { continue };
            if [MIXER_TYPE, SOUND_TYPE, WAVE_TYPE].contains(&type_name) {
                let bytes = fs::read(data.join(format!("blobs/{}", output.file)))?;
                let payload = bytes.get(HEADER_BYTES..).unwrap_or_default().to_vec();
                seeds.push((type_name.to_owned(), payload));
            }
        }
        if seeds.len() != SOURCES.len() {
            return Err(io::Error::other(format!("{} of {}", seeds.len(), SOURCES.len())));
        }
        seeds.extend(self.sources.clone());
        Ok(seeds)
    }

    /// Feeds a source or a resource; returns `false` if it is none of sounds.
    pub(super) fn feed(&self, what: &str, input: &[u8], memory: &dyn Allocator) -> bool {
        if let Some((name, right)) = self.sources.iter().find(|(name, _)| name == what) {
            self.compile(name, input, right);
            return true;
        }
        let Ok(bytes) = BlobBytes::try_copy(input, memory) else { return true };
        match what {
            MIXER_TYPE => _ = flow(&bytes, memory),
            SOUND_TYPE => _ = choose(&bytes, memory),
            WAVE_TYPE => _ = (hear(&bytes, memory), stream(&bytes, memory)),
            _ => return false,
        }
        true
    }

    /// Compiles with a source that is spoiled, and makes it right again.
    fn compile(&self, name: &str, input: &[u8], right: &[u8]) {
        let path = self.folder.path().join(name);
        let data = self.folder.path().join("data");
        // The folder is ours, and what cannot be written is not fed.
        if fs::write(&path, input).is_ok() {
            let project = Project::new(self.folder.path(), &data, &self.compilers);
            // Errors are right.
            let _ = project.compile(&Threads::new(NonZeroUsize::MIN));
        }
        let _ = fs::write(&path, right);
    }
}

/// Returns a WAV of 1 200 frames.
fn recording() -> Vec<u8> {
    let samples: Vec<i16> = (0..1200).map(|at| (at * 331 % 4001 - 2000) as i16).collect();
    let bytes = 2 * samples.len() as u32;
    let mut wav = Vec::from(*b"RIFF");
    wav.extend((36 + bytes).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\xbb\0\0\0\x77\x01\0\x02\0\x10\0data");
    wav.extend(bytes.to_le_bytes());
    samples.iter().for_each(|sample| wav.extend(sample.to_le_bytes()));
    wav
}

/// Returns a mixer of few voices.
fn mixer(memory: &dyn Allocator) -> Option<Mixer<'_>> {
    Mixer::try_new(&MixerSettings { voices: 4, ..MixerSettings::default() }, memory).ok()
}

fn render(mixer: &mut Mixer<'_>) {
    let mut out = [[0.0; 2]; 300];
    mixer.render(&mut out);
    assert!(out.as_flattened().iter().all(|sample| sample.is_finite()), "no number is heard");
}

/// Has all buses of a plan flow.
fn flow(bytes: &BlobBytes<'_>, memory: &dyn Allocator) -> Option<()> {
    let plan = MixerPlan::open(bytes).ok()?;
    assert!((1..=1024).contains(&plan.voices()), "{} voices", plan.voices());
    for at in 0..plan.buses().count() {
        let _ = plan.bus_text(at);
    }
    let mut mixer = mixer(memory)?;
    plan.add_to(&mut mixer).ok()?;
    mixer.set_metered(true);
    let wave = mixer.add_wave(Wave::try_new(&[8000; 400], 1, 48_000, memory).ok()?).ok()?;
    for (bus, _) in plan.buses().take(3) {
        mixer.play(&Play::new(wave).on(bus)).ok()?;
    }
    render(&mut mixer);
    Some(())
}

/// Begins a sound some times, with other parameters.
fn choose(bytes: &BlobBytes<'_>, memory: &dyn Allocator) -> Option<()> {
    let tree = SoundTree::open(bytes).ok()?;
    let mut parameters = Parameters::new(memory);
    let mut sound = SoundParameters::default();
    let (mut choices, mut chance) = (Choices::default(), Chance::new(3));
    for word in ["wood", "snow", "none", "wood"] {
        let ground = Parameter::word(IdString32::new("ground"), IdString32::new(word));
        parameters.try_set(&mut sound, ground).ok()?;
        let count = Cell::new(0);
        tree.start(&parameters, &sound, &mut choices, &mut chance, |part| {
            count.set(count.get() + 1);
            assert!((part.wave as usize) < tree.waves().len(), "{part:?}");
            let shape = tree.shape(&part, &parameters, &sound);
            assert!(shape.gain.is_finite() && shape.gain >= 0.0, "{part:?}: {shape:?}");
        });
        assert!(count.get() <= tree.len(), "each node at most once");
    }
    parameters.remove(sound);
    Some(())
}

/// Plays a wave from memory.
fn hear(bytes: &BlobBytes<'_>, memory: &dyn Allocator) -> Option<()> {
    let wave = Wave::open_in(bytes, memory).ok()?;
    let last = wave.frames().checked_sub(1)?;
    let mut mixer = mixer(memory)?;
    let wave = mixer.add_wave(wave).ok()?;
    let voice = mixer.play(&Play::new(wave).looped().with_speed(1.7)).ok()?;
    for frame in [0, last, u32::MAX] {
        render(&mut mixer);
        mixer.seek(voice, frame);
    }
    Some(())
}

/// Plays a packed wave as it comes. What of it is in a tail is not there.
fn stream(bytes: &BlobBytes<'_>, memory: &dyn Allocator) -> Option<()> {
    let packed = PackedWave::open(bytes).ok()?;
    let mut stream = Stream::try_new(4096, packed.channels(), memory).ok()?;
    let (mut input, output) = stream.split();
    let mut feeder = packed.feeder(true, packed.frames() / 2);
    let mut mixer = mixer(memory)?;
    let wave = mixer.add_wave(Wave::streamed(output, packed.rate()).ok()?).ok()?;
    mixer.play(&Play::new(wave)).ok()?;
    for _ in 0..6 {
        feeder.feed(&mut input, |block, out| packed.read(block, out));
        render(&mut mixer);
    }
    Some(())
}
