//! Voices that flow into buses, and buses that flow into each other.

mod around;
mod bus;
mod buses;
mod event;
mod lags;
mod meter;
mod mixing;
mod rendering;
mod settings;
mod voice;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::{HoleTable, Id, IdString32, InsertError, Lifo, PackedTable, Retire};

pub use bus::{Bus, BusInfo, Send};
pub use event::MixerEvent;
pub use settings::{MixerSettings, MixerStats, Play};

use crate::block::{BLOCK, PAIRS_MAX, Stereo};
use crate::effects::Effect;
use crate::error::{BusError, BusErrorKind, PlayError};
use crate::signal::Kernels;
use crate::space::Placement;
use crate::wave::Wave;
use around::Around;
use buses::Buses;
use lags::LAG_MAX;
use voice::{Fade, Voice};

/// The id of a playing voice. A place of a voice has 2^32 lives, so none is used up: by a thousand plays a
/// second after seven weeks in one place, and each place after it has as many again.
pub type VoiceId = Id<Voice, u64, 32, 32>;

/// The id of a wave that a mixer has.
pub type WaveId = Id<Wave<'static>, u32, 20, 12>;

type Voices<'a, A> = PackedTable<'a, Voice, VoiceId, Lifo, Retire, A>;
type Waves<'a, A> = HoleTable<'a, Wave<'a, A>, WaveId, Lifo, Retire, A>;

/// Plays waves: brings them to its rate and speed, places them between left and right, adds them up in buses,
/// and changes these by effects.
///
/// Rendering allocates nothing, takes no lock and reads no clock, and what is heard is the same to the bit on
/// all machines, into however many pieces it is divided. What is set fades over a block of [`BLOCK`] frames,
/// so nothing clicks.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_sound::{Mixer, MixerSettings, Play, Wave};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("sound", &pages);
/// let mut mixer = Mixer::try_new(&MixerSettings::default(), &heap)?;
/// let wave = mixer.add_wave(Wave::try_new(&[8_192; 480], 1, 48_000, &heap)?)?;
/// let voice = mixer.play(&Play::new(wave).with_gains([0.5, 0.25]))?;
///
/// let mut heard = [[0.0; 2]; 256];
/// mixer.render(&mut heard);
/// assert_eq!(heard[100], [0.125, 0.0625], "a quarter of full scale, by its gains");
/// assert!(mixer.is_playing(voice));
/// mixer.render(&mut [[0.0; 2]; 512]);
/// assert!(!mixer.is_playing(voice), "it has ended, and its id is stale");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Mixer<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    memory: &'a A,
    rate: u32,
    kernels: Kernels<'a, A>,
    waves: Waves<'a, A>,
    voices: Voices<'a, A>,
    /// What 5.1 has of each voice besides stereo, by the index of its id; empty in stereo.
    around: Array<'a, Around, A>,
    buses: Buses<'a, A>,
    /// The samples around those of a block, of each channel.
    windows: [Array<'a, f32, A>; 2],
    events: Array<'a, MixerEvent, A>,
    /// The voices whose waves were over in the last block, and at which frame.
    over: Array<'a, (VoiceId, u32), A>,
    /// What was computed and not asked for yet, from `taken` on.
    block: [Stereo; PAIRS_MAX],
    taken: usize,
    /// What the game's time is ahead of the frames that were rendered, in frames times nanoseconds.
    remainder: u64,
    /// How many mixers have taken over of which the commands do not know yet; less than 0: how many are to.
    restarts: i32,
    stats: MixerStats,
}

impl<'a> Mixer<'a> {
    /// Returns a mixer with one bus, `master`.
    ///
    /// # Errors
    ///
    /// [`BusError`] if there is no memory.
    pub fn try_new(
        settings: &MixerSettings,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, BusError> {
        Self::try_new_in(settings, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Mixer<'a, A> {
    /// The name of the bus into which all others flow.
    pub const MASTER: IdString32 = IdString32::new("master");

    /// As [`try_new`](Mixer::try_new), over any allocator.
    ///
    /// # Errors
    ///
    /// [`BusError`] if there is no memory.
    pub fn try_new_in(settings: &MixerSettings, memory: &'a A) -> Result<Self, BusError> {
        let failed = |error| BusError::memory(Self::MASTER, error);
        let kernels = Kernels::try_new_in(settings.taps, memory).map_err(failed)?;
        let voices_max = settings.voices_max();
        let mut voices = Voices::with_limit_in(voices_max, memory);
        let refused = |error| BusError { bus: Self::MASTER, kind: BusErrorKind::Voices(error) };
        voices.reserve(voices_max).map_err(refused)?;
        let mut events = Array::new_in(memory);
        events.try_reserve(voices_max).map_err(failed)?;
        let mut over = Array::new_in(memory);
        over.try_reserve(voices_max).map_err(failed)?;
        let window = || {
            let mut window = Array::new_in(memory);
            let len = BLOCK * crate::signal::SPEED_MAX as usize + kernels.taps_max() + LAG_MAX + 1;
            window.try_resize(len, 0.0).map_err(failed)?;
            Ok(window)
        };
        let windows = [window()?, window()?];
        let rate = settings.rate.clamp(8000, 384_000);
        let buses = Buses::try_new(rate, settings.pairs(), memory)?;
        let mut around = Array::new_in(memory);
        let has_around = settings.pairs() > 1;
        around
            .try_resize(if has_around { voices_max } else { 0 }, Around::SILENT)
            .map_err(failed)?;
        Ok(Self {
            memory,
            rate,
            kernels,
            waves: Waves::new_in(memory),
            voices,
            around,
            buses,
            windows,
            events,
            over,
            block: [Stereo::SILENCE; PAIRS_MAX],
            taken: BLOCK,
            remainder: 0,
            restarts: 0,
            stats: MixerStats::default(),
        })
    }

    /// The frames a second.
    #[must_use]
    pub const fn rate(&self) -> u32 {
        self.rate
    }

    /// Adds a wave, and returns its id.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if there is no memory, or there are too many.
    pub fn add_wave(&mut self, wave: Wave<'a, A>) -> Result<WaveId, InsertError> {
        self.waves.insert(wave)
    }

    /// Removes a wave; voices that play it stop at once, which may be heard as a click.
    ///
    /// Returns the wave, and `None` if there is none of this id.
    pub fn remove_wave(&mut self, wave: WaveId) -> Option<Wave<'a, A>> {
        let removed = self.waves.remove(wave)?;
        let events = &mut self.events;
        self.voices.retain(|voice, playing| {
            let stays = playing.wave != wave;
            if !stays {
                event::note(events, MixerEvent::Ended { voice });
            }
            stays
        });
        Some(removed)
    }

    /// Returns a wave.
    #[must_use]
    pub fn wave(&self, wave: WaveId) -> Option<&Wave<'a, A>> {
        self.waves.get(wave)
    }

    /// Adds a bus, which flows into one that is there.
    ///
    /// # Errors
    ///
    /// [`BusError`] if a name or number is wrong, or there is no memory; nothing is added then.
    pub fn add_bus(&mut self, bus: &Bus<'_>) -> Result<(), BusError> {
        self.buses.add(bus, self.memory)
    }

    /// Sets the gain of a bus, to which it fades over a block. Returns whether there is such a bus.
    pub fn set_bus_gain(&mut self, bus: IdString32, gain: f32) -> bool {
        self.buses.set_gain(bus, gain)
    }

    /// Sets how loud a bus flows into another that it sends to, to which it fades over a block: more of a room
    /// where the listener is in it. Returns whether it sends to it at all.
    pub fn set_send(&mut self, bus: IdString32, into: IdString32, gain: f32) -> bool {
        self.buses.set_send(bus, into, gain)
    }

    /// Changes an effect of a bus, by its place from 0: it becomes the other within a block, and nothing clicks.
    ///
    /// # Complexity
    ///
    /// O(buses). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`BusError`] if there is no such bus or effect, if a number is out of its range, or if it would need
    /// other memory: another kind, the time of an echo, the size of a room, how far a limiter looks ahead.
    pub fn set_effect(
        &mut self,
        bus: IdString32,
        index: usize,
        effect: &Effect,
    ) -> Result<(), BusError> {
        self.buses.set_effect(bus, index, effect)
    }

    /// Returns what a bus is and how loud it was in the last block.
    #[must_use]
    pub fn bus(&self, bus: IdString32) -> Option<BusInfo> {
        self.buses.info(bus)
    }

    /// Walks over all buses, in the order in which they were added.
    pub fn buses(&self) -> impl Iterator<Item = BusInfo> {
        self.buses.iter()
    }

    /// Measures how loud each bus is from now on, or no longer: [`BusInfo::loudness`]. It costs some additions and
    /// multiplications for each sample of each bus.
    pub fn set_metered(&mut self, is_metered: bool) {
        self.buses.set_metered(is_metered);
    }

    /// Plays a wave, from the next block on and the frames that [`Play::wait`] says.
    ///
    /// # Errors
    ///
    /// [`PlayError`] if there is no such wave or bus, or all voices play.
    pub fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError> {
        let voice = self.voice(play)?;
        let full = PlayError::Full { voices: self.voices.limit() as u32 };
        let id = self.voices.insert(voice).map_err(|_| full)?;
        self.begin(id, play);
        Ok(id)
    }

    /// Returns whether a voice plays or waits.
    #[must_use]
    pub fn is_playing(&self, voice: VoiceId) -> bool {
        self.voices.contains(voice)
    }

    /// Stops a voice, which fades out over a number of frames, at least a block.
    ///
    /// As all that names a voice: returns whether it plays; what names one that has ended is counted.
    pub fn stop(&mut self, voice: VoiceId, frames: u32) -> bool {
        self.change(voice, |voice| voice.fade_to(0.0, frames, Fade::Stop))
    }

    /// Pauses a voice or lets it go on, by a fade over a block.
    pub fn set_paused(&mut self, voice: VoiceId, is_paused: bool) -> bool {
        self.change(voice, |voice| voice.set_paused(is_paused))
    }

    /// Sets how loud a voice is on the left and on the right, to which it fades over a block.
    pub fn set_gains(&mut self, voice: VoiceId, gains: [f32; 2]) -> bool {
        self.change(voice, |voice| voice.set_gains(gains))
    }

    /// Sets how a voice is heard by where it is: its gains, delays, filters and speed, to which it fades over a
    /// block; ears that hear it later than before, or sooner, over some blocks. One that has not begun yet
    /// begins as it is placed.
    ///
    /// In stereo the first two gains count. Of a wave of two channels the left is heard on the left, and half
    /// of it in the centre.
    pub fn place(&mut self, voice: VoiceId, placement: &Placement) -> bool {
        let rate = self.rate;
        if let (Some(around), Some(voice)) =
            (self.around.get_mut(voice.index() as usize), self.voices.get(voice))
        {
            around.set(placement, voice.begins_at());
        }
        self.change(voice, |voice| voice.place(placement, rate))
    }

    /// Sets how fast a voice plays, from 0 to [`SPEED_MAX`](crate::SPEED_MAX); it is higher as it is faster.
    pub fn set_speed(&mut self, voice: VoiceId, speed: f32) -> bool {
        let rate = self.rate;
        self.change(voice, |voice| voice.set_speed(speed, rate))
    }

    /// Sets from which frequency on a voice is quieter, in hertz; half the rate or more takes nothing away.
    pub fn set_low_pass(&mut self, voice: VoiceId, frequency: f32) -> bool {
        let rate = self.rate;
        self.change(voice, |voice| voice.set_low_pass(frequency, rate))
    }

    /// Has a voice go on at a frame of its wave: it fades out over a block, and in from there. One that is
    /// streamed goes on where it was.
    pub fn seek(&mut self, voice: VoiceId, frame: u32) -> bool {
        self.change(voice, |voice| voice.seek(frame))
    }

    /// Returns at which frame of its wave a voice is.
    #[must_use]
    pub fn frame_of(&self, voice: VoiceId) -> Option<u32> {
        self.voices.get(voice).map(Voice::frame)
    }

    /// Returns what happened since the last call, and forgets it.
    pub fn take_events(&mut self, mut each: impl FnMut(MixerEvent)) {
        for event in &self.events {
            each(*event);
        }
        self.events.clear();
    }

    /// Returns what was counted.
    #[must_use]
    pub fn stats(&self) -> MixerStats {
        MixerStats { playing: self.voices.len() as u32, ..self.stats }
    }

    fn voice(&self, play: &Play) -> Result<Voice, PlayError> {
        let wave = self.waves.get(play.wave).ok_or(PlayError::NoWave)?;
        let bus = self.buses.index_of(play.bus).ok_or(PlayError::NoBus(play.bus))?;
        if wave.is_claimed() {
            return Err(PlayError::Streaming);
        }
        Ok(Voice::new(play, wave, bus, self.rate))
    }

    /// Has what a voice has in 5.1 be silent, and its stream be its own.
    fn begin(&mut self, voice: VoiceId, play: &Play) {
        if let Some(around) = self.around.get_mut(voice.index() as usize) {
            *around = Around::SILENT;
        }
        if let Some(wave) = self.waves.get(play.wave) {
            wave.claim();
        }
    }

    fn change(&mut self, voice: VoiceId, change: impl FnOnce(&mut Voice)) -> bool {
        match self.voices.get_mut(voice) {
            Some(voice) => {
                change(voice);
                true
            }
            None => {
                self.stats.stale += 1;
                false
            }
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Mixer<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mixer")
            .field("rate", &self.rate)
            .field("waves", &self.waves.len())
            .field("voices", &self.voices.as_slice())
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}
