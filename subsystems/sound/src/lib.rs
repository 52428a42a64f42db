//! Sound of a game: a mixer of voices and buses, and the parameters of sounds.
//!
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod block;
#[cfg(feature = "compile")]
pub mod compile;
#[cfg(any(feature = "compile", feature = "subsystem"))]
mod component;
mod control;
#[cfg(feature = "std")]
pub mod device;
mod effects;
mod error;
mod level;
mod mixer;
mod packed;
mod parameters;
mod pipe;
mod plan;
mod player;
mod signal;
mod sink;
pub mod space;
mod stream;
#[cfg(feature = "subsystem")]
mod subsystem;
mod tree;
#[cfg(feature = "wav")]
mod wav_file;
mod wave;

pub use block::BLOCK;
#[cfg(any(feature = "compile", feature = "subsystem"))]
pub use component::{
    LISTENER, ListenerSource, SOUND, SOUND_ZONE, SOURCE_PARAMETERS_MAX, SoundSource, ZoneSource,
};
pub use control::Control;
pub use effects::{
    Compression, Echo, Effect, FILTERS, FilterKind, Filtering, Limiting, Reverberation,
};
pub use error::{BusError, BusErrorKind, PlayError, WaveError};
pub use level::{decibels, gain_of};
pub use loligo_resources::{DataError, DataErrorKind};
pub use mixer::{
    Bus, BusInfo, Mixer, MixerEvent, MixerSettings, MixerStats, Play, Send, VoiceId, WaveId,
};
pub use packed::{PACKED_FRAMES, Packer, packed_bytes, unpack};
pub use parameters::{Parameter, Parameters, SoundParameters};
pub use pipe::{Pipe, PipeIn, PipeOut};
pub use plan::{
    BusImage, EFFECTS_MAX, EffectImage, GROUPS_MAX, GroupImage, MIXER_TYPE, MIXER_VERSION,
    MixerImage, MixerPlan, SENDS_MAX, SendImage, VOICES_DEFAULT,
};
pub use player::{
    ControlledVoices, DefineError, Instance, LISTENERS_MAX, Owner, PartView, Player, PlayerStats,
    SOUND_RAYS_MAX, SOUNDS_MAX, SoundError, SoundEvent, SoundEventKind, SoundId, SoundRay,
    SoundStart, StateError, Voices, WaveInfo,
};
pub use signal::{Kernels, SPEED_MAX};
pub use sink::{Recorder, Silence, Sink};
pub use stream::{BlockRead, Feeder, Stream, StreamIn, StreamOut};
#[cfg(feature = "subsystem")]
pub use subsystem::{
    HearSounds, OccludeSound, PlaySound, ROW, SetParameter, Sound, SoundEnded, SoundMarker,
    SoundRayAsked, SoundStarted, SoundThread, SoundsHeard, StopSound,
};
pub use tree::{
    Chance, Choices, CurveTarget, Part, SOUND_NODES_MAX, SOUND_PRIORITY_MAX, SOUND_TYPE,
    SOUND_VERSION, Shape, SoundChildImage, SoundCurveImage, SoundImage, SoundMarkerImage,
    SoundNodeImage, SoundNodeKind, SoundTree,
};
#[cfg(feature = "wav")]
pub use wav_file::{WavFile, WavFileError, WavSamples};
pub use wave::{PackedWave, WAVE_TYPE, WAVE_VERSION, Wave, WaveImage};
