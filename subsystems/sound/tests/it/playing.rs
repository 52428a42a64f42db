//! A player with a mixer, as a game has them: sounds are defined from sources, and steps are taken.

use loligo_allocators::Allocator;
use loligo_containers::BlobBytes;
use loligo_ids::IdString64;
use loligo_sound::{
    Mixer, MixerPlan, MixerSettings, Player, SoundEvent, SoundEventKind, SoundId, SoundStart,
    Voices, Wave, WaveInfo,
};

use crate::project::TestProject;
use crate::waves::wav;

/// The length of a step, in nanoseconds, and how many frames it has.
pub(crate) const STEP: u64 = 16_666_667;
pub(crate) const FRAMES: usize = 800;

/// A player and what is heard of it.
pub(crate) struct Stage<'m> {
    pub(crate) player: Player<'m>,
    pub(crate) mixer: Mixer<'m>,
    /// Whether there is a mixer.
    pub(crate) is_heard: bool,
    pub(crate) heard: Vec<[f32; 2]>,
    pub(crate) events: Vec<SoundEvent>,
    memory: &'m dyn Allocator,
}

/// Compiles sounds, waves by their samples, and a plan.
pub(crate) fn project(
    sounds: &[(&str, &str)],
    waves: &[(&str, &[i16], &str)],
    plan: &str,
) -> TestProject {
    let mut files = vec![("game.mixer".to_string(), plan.as_bytes().to_vec())];
    for (name, source) in sounds {
        files.push((format!("{name}.sound"), source.as_bytes().to_vec()));
    }
    for (name, samples, more) in waves {
        files.push((format!("{name}.wav"), wav(1, 48_000, samples)));
        files.push((format!("{name}.wave"), format!("file = \"{name}.wav\" {more}").into_bytes()));
    }
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (&**name, &bytes[..])).collect();
    let project = TestProject::new(&files);
    project.compile().unwrap_or_else(|error| panic!("{error}"));
    project
}

impl<'m> Stage<'m> {
    /// Returns a stage on which the sounds and waves of a project are known.
    pub(crate) fn new(project: &TestProject, is_heard: bool, memory: &'m dyn Allocator) -> Self {
        let settings = MixerSettings { voices: 64, ..MixerSettings::default() };
        let mut stage = Self {
            player: Player::try_new(5, memory).expect("there is memory"),
            mixer: Mixer::try_new(&settings, memory).expect("there is memory"),
            is_heard,
            heard: Vec::new(),
            events: Vec::new(),
            memory,
        };
        for (type_name, name) in project.resources() {
            stage.define(project, &type_name, &name);
        }
        stage
    }

    pub(crate) fn define(&mut self, project: &TestProject, type_name: &str, name: &str) {
        let payload = project.payload(type_name, name);
        let bytes = BlobBytes::try_copy(&payload, self.memory).expect("there is memory");
        let name = IdString64::new(name);
        match type_name {
            "sound" => self.player.define(name, &bytes).expect("it was compiled"),
            "wave" => {
                if let Some(old) = self.player.undefine_wave(name) {
                    self.mixer.remove_wave(old);
                }
                let wave = Wave::open_in(&bytes, self.memory).expect("it was compiled");
                let info = WaveInfo::of(&wave);
                let id = self.mixer.add_wave(wave).expect("there is memory");
                self.player.define_wave(name, info, Some(id)).expect("there is memory");
            }
            _ => {
                let plan = MixerPlan::open(&bytes).expect("it was compiled");
                plan.add_to(&mut self.mixer).expect("it takes them");
                self.player.set_plan(&plan).expect("there is memory");
            }
        }
    }

    pub(crate) fn play(&mut self, name: &str) -> SoundId {
        self.play_at(name, None, 0.0)
    }

    pub(crate) fn play_at(&mut self, name: &str, at: Option<[f32; 3]>, volume: f32) -> SoundId {
        let start = SoundStart { at, volume, ..SoundStart::new(IdString64::new(name)) };
        self.player.play(&start).expect("it is known")
    }

    /// Takes steps.
    pub(crate) fn steps(&mut self, count: usize) {
        for _ in 0..count {
            let voices = Some(&mut self.mixer as &mut dyn Voices).filter(|_| self.is_heard);
            self.player.step(STEP, voices).expect("there is memory");
            self.player.take_events(|event| self.events.push(event));
            if self.is_heard {
                let from = self.heard.len();
                self.heard.resize(from + FRAMES, [f32::NAN; 2]);
                self.mixer.render(&mut self.heard[from..]);
                self.mixer.take_events(|_| {});
            }
        }
    }

    /// The left side of what was heard.
    pub(crate) fn left(&self) -> Vec<f32> {
        self.heard.iter().map(|frame| frame[0]).collect()
    }

    /// How often something happened to a sound.
    pub(crate) fn count(&self, sound: SoundId, kind: SoundEventKind) -> usize {
        self.events.iter().filter(|event| event.sound == sound && event.kind == kind).count()
    }

    pub(crate) fn saved(&self) -> Vec<u8> {
        let mut out = loligo_containers::Array::new(self.memory);
        self.player.save(&mut out).expect("there is memory");
        out.to_vec()
    }
}
