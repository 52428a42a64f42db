//! The other side of a mixer that renders on another thread.

mod command;
mod obeying;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::{HoleTable, IdString32, Lifo, Retire};

use command::{Command, Notice};

use crate::effects::Effect;
use crate::error::PlayError;
use crate::mixer::{MixerEvent, Play, VoiceId};
use crate::pipe::{PipeIn, PipeOut};
use crate::space::Placement;

/// Plays and changes the voices of a mixer from another thread than the one that renders.
///
/// A call writes a command, which the mixer obeys before its next block. Neither waits for the other. Ids
/// are given out here, so that a voice has one at once; it is stale as soon as
/// [`take_events`](Self::take_events) has handed over the end of the voice.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_sound::{Control, Mixer, MixerEvent, MixerSettings, Pipe, Play, Wave};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("sound", &pages);
/// let settings = MixerSettings::default();
/// let mut mixer = Mixer::try_new(&settings, &heap)?;
/// let wave = mixer.add_wave(Wave::try_new(&[8_192; 480], 1, 48_000, &heap)?)?;
///
/// let (mut commands, mut events) = (Pipe::try_new(1024, &heap)?, Pipe::try_new(1024, &heap)?);
/// let (commands, mut to_obey) = commands.split();
/// let (mut said, events) = events.split();
/// let mut control = Control::new(&settings, commands, events, &heap);
///
/// let voice = control.play(&Play::new(wave))?;
/// // What the thread of the device does for each piece that it is asked for:
/// mixer.render_for(&mut to_obey, &mut said, &mut [[0.0; 2]; 1024]);
///
/// let mut ended = Vec::new();
/// control.take_events(|event| ended.push(event));
/// assert_eq!(ended, [MixerEvent::Ended { voice }]);
/// assert!(!control.is_playing(voice));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Control<'p, 'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    voices: HoleTable<'a, (), VoiceId, Lifo, Retire, A>,
    commands: PipeIn<'p>,
    events: PipeOut<'p>,
    stale: u64,
    /// How many mixers take over before the next command: each is one that the commands count.
    owed_restarts: u32,
}

impl<'p, 'a> Control<'p, 'a> {
    /// Returns what controls a mixer with these settings through two pipes.
    #[must_use]
    pub fn new(
        settings: &crate::MixerSettings,
        commands: PipeIn<'p>,
        events: PipeOut<'p>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Self {
        Self::new_in(settings, commands, events, memory)
    }
}

impl<'p, 'a, A: Allocator + ?Sized> Control<'p, 'a, A> {
    /// As [`new`](Control::new), over any allocator.
    #[must_use]
    pub fn new_in(
        settings: &crate::MixerSettings,
        commands: PipeIn<'p>,
        events: PipeOut<'p>,
        memory: &'a A,
    ) -> Self {
        let voices = HoleTable::with_limit_in(settings.voices_max(), memory);
        Self { voices, commands, events, stale: 0, owed_restarts: 0 }
    }

    /// Plays a wave. Whether there is such a wave and bus is seen by the mixer: if not, the voice ends at once.
    ///
    /// # Errors
    ///
    /// [`PlayError::Full`] if all voices play, [`PlayError::Busy`] if as many commands wait as there is room
    /// for.
    pub fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError> {
        self.play_from(play, None)
    }

    /// As [`play`](Self::play), from a frame of the mixer on, by the low bits of their count; at once if that has
    /// passed.
    ///
    /// # Errors
    ///
    /// As [`play`](Self::play).
    pub fn play_at(&mut self, play: &Play, frame: u32) -> Result<VoiceId, PlayError> {
        self.play_from(play, Some(frame))
    }

    fn play_from(&mut self, play: &Play, at: Option<u32>) -> Result<VoiceId, PlayError> {
        let full = PlayError::Full { voices: self.voices.limit() as u32 };
        let voice = self.voices.insert(()).map_err(|_| full)?;
        if self.send(&Command::Play { voice, play: *play, at }) {
            return Ok(voice);
        }
        self.voices.remove(voice);
        Err(PlayError::Busy)
    }

    /// Returns whether a voice plays, as far as is known here.
    #[must_use]
    pub fn is_playing(&self, voice: VoiceId) -> bool {
        self.voices.contains(voice)
    }

    /// As [`Mixer::stop`](crate::Mixer::stop). Returns `false` if the voice has ended, which is counted, or as
    /// many commands wait as there is room for; so do all that follow.
    pub fn stop(&mut self, voice: VoiceId, frames: u32) -> bool {
        self.change(voice, &Command::Stop { voice, frames })
    }

    /// As [`Mixer::set_paused`](crate::Mixer::set_paused).
    pub fn set_paused(&mut self, voice: VoiceId, is_paused: bool) -> bool {
        self.change(voice, &Command::Pause { voice, is_paused })
    }

    /// As [`Mixer::set_gains`](crate::Mixer::set_gains).
    pub fn set_gains(&mut self, voice: VoiceId, gains: [f32; 2]) -> bool {
        self.change(voice, &Command::Gains { voice, gains })
    }

    /// As [`Mixer::set_speed`](crate::Mixer::set_speed).
    pub fn set_speed(&mut self, voice: VoiceId, speed: f32) -> bool {
        self.change(voice, &Command::Speed { voice, speed })
    }

    /// As [`Mixer::set_low_pass`](crate::Mixer::set_low_pass).
    pub fn set_low_pass(&mut self, voice: VoiceId, frequency: f32) -> bool {
        self.change(voice, &Command::LowPass { voice, frequency })
    }

    /// As [`Mixer::seek`](crate::Mixer::seek).
    pub fn seek(&mut self, voice: VoiceId, frame: u32) -> bool {
        self.change(voice, &Command::Seek { voice, frame })
    }

    /// As [`Mixer::set_bus_gain`](crate::Mixer::set_bus_gain); whether there is such a bus is not known here.
    pub fn set_bus_gain(&mut self, bus: IdString32, gain: f32) -> bool {
        self.send(&Command::BusGain { bus, gain })
    }

    /// As [`Mixer::place`](crate::Mixer::place).
    pub fn place(&mut self, voice: VoiceId, placement: &Placement) -> bool {
        self.change(voice, &Command::Place { voice, placement: *placement })
    }

    /// As [`Mixer::set_send`](crate::Mixer::set_send); whether there are such buses is not known here.
    pub fn set_send(&mut self, bus: IdString32, into: IdString32, gain: f32) -> bool {
        self.send(&Command::Send { bus, into, gain })
    }

    /// As [`Mixer::set_effect`](crate::Mixer::set_effect); one that cannot be set stays as it is, and that is not
    /// known here.
    pub fn set_effect(&mut self, bus: IdString32, index: u32, effect: &Effect) -> bool {
        self.send(&Command::Effect { bus, index, effect: *effect })
    }

    /// Forgets all voices: another mixer takes over, in which none plays. What was sent before is not obeyed by
    /// that, and what is sent now by no other.
    ///
    /// It is called right after [`WavesIn::replace`](crate::device::WavesIn::replace).
    #[cfg(feature = "std")]
    pub fn restart(&mut self) {
        self.voices.clear();
        self.owed_restarts += 1;
    }

    /// Hands over what the mixer said since the last call; ids of voices that have ended are stale then.
    pub fn take_events(&mut self, mut each: impl FnMut(MixerEvent)) {
        while let Some(message) = self.events.take() {
            let Some(Notice(event)) = Notice::read(&message) else { continue };
            let MixerEvent::Ended { voice } = event;
            self.voices.remove(voice);
            each(event);
        }
    }

    /// The calls that named a voice that has ended.
    #[must_use]
    pub const fn stale(&self) -> u64 {
        self.stale
    }

    fn change(&mut self, voice: VoiceId, command: &Command) -> bool {
        if self.voices.contains(voice) {
            return self.send(command);
        }
        self.stale += 1;
        false
    }

    fn send(&mut self, command: &Command) -> bool {
        while self.owed_restarts > 0 {
            if !self.commands.push(&Command::Restart.write()) {
                return false;
            }
            self.owed_restarts -= 1;
        }
        self.commands.push(&command.write())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Control<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("voices", &self.voices.len()).finish_non_exhaustive()
    }
}
