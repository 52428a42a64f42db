//! What is heard: the mixer of a game, and who takes its samples.

use std::boxed::Box;

use loligo_allocators::{Own, SharedRef};
use loligo_containers::{Array, BlobBytes, SortedMap};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::any_mixer::AnyMixer;
use super::heard_by::HeardBy;
use super::remote::{NO_ROOM, Remote, SoundThread, own};
use super::streams::Streams;
use crate::device::{AudioDevices, DeviceStats};
use crate::mixer::{Mixer, MixerSettings, WaveId};
use crate::plan::{MixerPlan, VOICES_DEFAULT};
use crate::player::{Player, WaveInfo};
use crate::sink::Sink;
use crate::wave::{PackedWave, Wave};

/// The frames a second.
pub(super) const RATE: u32 = 48_000;

/// The voices that fade out while others have taken their place.
const FADING: u32 = 64;

/// The bus into which all others flow.
pub(super) const MASTER: IdString32 = IdString32::new("master");

/// The nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// After how many frames streams are fed again in an update.
const FED: usize = 4096;

/// A mixer on another thread has as many voices as any plan may say.
const REMOTE: MixerSettings =
    MixerSettings { rate: RATE, voices: 1024 + FADING, taps: 8, channels: 2 };

/// Who takes what is heard.
pub(super) type OwnSink<'m> = Own<'m, dyn Sink + Send + 'm, SubsystemMemory<'m>>;

/// The mixer of a game. Samples of waves are kept in it, whether anyone listens or not; it renders where
/// somebody does. With a device it is on the thread of that, and nothing is rendered here.
pub(super) struct Output<'m> {
    memory: SharedRef<'m>,
    mixer: Option<Mixer<'m, SubsystemMemory<'m>>>,
    /// What is there of it if it is elsewhere.
    remote: Option<Remote<'m>>,
    /// The waves that are read while they play.
    pub(super) streams: Streams<'m>,
    plan: Option<BlobBytes<'m, SubsystemMemory<'m>>>,
    /// The gains of buses that the game has set.
    pub(super) gains: SortedMap<'m, IdString32, f32, SubsystemMemory<'m>>,
    pub(super) sink: Option<OwnSink<'m>>,
    /// Whether what is heard is sent as events.
    pub(super) is_sent: bool,
    frames: Array<'m, [f32; 2], SubsystemMemory<'m>>,
    /// How loud buses send now, in the order of the plan; what is not known is no number.
    sent: Array<'m, f32, SubsystemMemory<'m>>,
    /// Whether tools want to know how loud buses are.
    is_metered: bool,
    /// The part of a frame that no update has rendered yet, in frames times nanoseconds.
    left: u64,
}

impl<'m> Output<'m> {
    pub(super) fn try_new(memory: SharedRef<'m>) -> Result<Self, SubsystemError> {
        Ok(Self {
            memory,
            mixer: None,
            remote: None,
            streams: Streams::try_new(memory)?,
            plan: None,
            gains: SortedMap::new_in(memory),
            sink: None,
            is_sent: false,
            frames: Array::new_in(memory),
            sent: Array::new_in(memory),
            is_metered: false,
            left: 0,
        })
    }

    /// Returns whether anyone takes what is heard.
    pub(super) const fn is_heard(&self) -> bool {
        self.is_sent || self.sink.is_some() || self.remote.is_some()
    }

    /// Returns what plays voices of an update that is some nanoseconds long, if they are heard.
    pub(super) fn voices(&mut self, nanoseconds: u64) -> Option<HeardBy<'_, 'm>> {
        let is_heard = self.is_heard();
        if let Some(remote) = &mut self.remote {
            let (control, waves) = remote.voices(nanoseconds.min(10 * SECOND));
            return Some(HeardBy::new(AnyMixer::Device(control, waves), &mut self.streams));
        }
        let mixer = self.mixer.as_mut()?;
        if !is_heard {
            self.streams.close_all(mixer);
            return None;
        }
        mixer.set_remainder(self.left);
        Some(HeardBy::new(AnyMixer::Frames(mixer), &mut self.streams))
    }

    /// Has buses send as much to those of rooms as is heard of these.
    pub(super) fn set_rooms(&mut self, level: impl Fn(IdString32) -> f32) {
        let sends = plan_of(self.plan.as_ref()).into_iter().flat_map(|plan| plan.sends());
        for ((bus, into, gain), sent) in sends.zip(&mut self.sent) {
            let gain = gain * level(into);
            if *sent == gain {
                continue;
            }
            *sent = gain;
            if let Some(remote) = &mut self.remote {
                remote.set_send(bus, into, gain);
            } else if let Some(mixer) = &mut self.mixer {
                mixer.set_send(bus, into, gain);
            }
        }
    }

    /// Renders the frames of an update, and hands them on. Returns them.
    pub(super) fn render(&mut self, nanoseconds: u64) -> Result<&[[f32; 2]], SubsystemError> {
        self.frames.clear();
        if !self.is_heard() || self.remote.is_some() {
            return Ok(&self.frames);
        }
        let all = self.left + nanoseconds.min(10 * SECOND) * u64::from(RATE);
        let count = (all / SECOND) as usize;
        self.left = all % SECOND;
        self.frames.try_resize(count, [0.0; 2])?;
        if let Some(mixer) = &mut self.mixer {
            // However long an update is, no stream is late.
            for piece in self.frames.chunks_mut(FED) {
                mixer.render(piece);
                self.streams.feed();
            }
            mixer.take_events(|_| {});
        }
        if let Some(sink) = &mut self.sink {
            sink.hear(&self.frames);
        }
        Ok(&self.frames)
    }

    /// Takes the samples of a wave in.
    pub(super) fn define_wave(
        &mut self,
        name: IdString64,
        payload: &[u8],
        player: &mut Player<'m, SubsystemMemory<'m>>,
    ) -> Result<(), SubsystemError> {
        if let Ok(wave) = PackedWave::open(payload)
            && wave.is_streamed()
        {
            let (frames, rate, loop_range) = (wave.frames(), wave.rate(), wave.loop_range());
            let copy = BlobBytes::try_copy_in(payload, self.memory)?;
            if self.remote.is_none() {
                self.mixer()?;
            }
            self.undefine_wave(name, player);
            self.streams.define(name, copy)?;
            return Ok(player.define_wave(name, WaveInfo { frames, rate, loop_range }, None)?);
        }
        let wave = Wave::open_in(payload, self.memory).map_err(|_| WRONG_WAVE)?;
        let info = WaveInfo::of(&wave);
        let id = match &mut self.remote {
            Some(remote) => remote.waves.add(wave).map_err(|_| NO_ROOM)?,
            None => self.mixer()?.add_wave(wave).map_err(|_| NO_ROOM)?,
        };
        self.undefine_wave(name, player);
        Ok(player.define_wave(name, info, Some(id))?)
    }

    /// Gives a wave up.
    pub(super) fn undefine_wave(
        &mut self,
        name: IdString64,
        player: &mut Player<'m, SubsystemMemory<'m>>,
    ) {
        self.streams.undefine(name);
        let Some(id) = player.undefine_wave(name) else { return };
        if let Some(remote) = &mut self.remote {
            remote.waves.remove(id);
        } else if let Some(mixer) = &mut self.mixer {
            mixer.remove_wave(id);
        }
    }

    /// Takes the buses and groups of a game in. What plays goes on over them.
    pub(super) fn set_plan(
        &mut self,
        payload: &[u8],
        player: &mut Player<'m, SubsystemMemory<'m>>,
    ) -> Result<(), SubsystemError> {
        let copy = BlobBytes::try_copy_in(payload, self.memory)?;
        let plan = MixerPlan::open(&copy).map_err(|_| SubsystemError::Wrong {
            what: "they are no compiled buses and groups",
            remedy: "compile the project again",
        })?;
        player.set_plan(&plan)?;
        self.sent.try_resize(plan.sends().count(), f32::NAN)?;
        self.plan = Some(copy);
        self.remake(player)
    }

    /// Makes the mixer again, if there is one: nothing plays in it, and it has all waves.
    pub(super) fn remake(
        &mut self,
        player: &mut Player<'m, SubsystemMemory<'m>>,
    ) -> Result<(), SubsystemError> {
        self.sent.fill(f32::NAN);
        if self.remote.is_some() {
            let mixer = own(self.new_mixer(&REMOTE)?, self.memory)?;
            // Waves have the ids that they had.
            player.move_waves(Some);
            let Some(remote) = &mut self.remote else { return Ok(()) };
            return remote.replace(mixer);
        }
        self.streams.forget_all();
        let Some(mut old) = self.mixer.take() else { return Ok(()) };
        if let Err(error) = self.mixer() {
            self.mixer = Some(old);
            return Err(error);
        }
        let new = self.mixer()?;
        player.move_waves(|id: WaveId| new.add_wave(old.remove_wave(id)?).ok());
        Ok(())
    }

    /// Forgets the buses and groups of a game: what is heard is heard on the master bus.
    pub(super) fn drop_plan(&mut self) {
        self.plan = None;
    }

    /// Sets the gain of a bus, and returns whether there is such a bus.
    pub(super) fn set_gain(&mut self, bus: IdString32, gain: f32) -> Result<bool, SubsystemError> {
        if self.planned_gain(bus).is_none() {
            return Ok(false);
        }
        self.gains.try_insert(bus, gain)?;
        self.send_gain(bus, gain);
        Ok(true)
    }

    /// Returns the gain of a bus.
    pub(super) fn current_gain(&self, bus: IdString32) -> Option<f32> {
        self.planned_gain(bus).map(|planned| self.gains.get(&bus).copied().unwrap_or(planned))
    }

    /// Returns the gain of a bus in the plan.
    fn planned_gain(&self, bus: IdString32) -> Option<f32> {
        if bus == MASTER {
            return Some(1.0);
        }
        let mut buses = plan_of(self.plan.as_ref()).into_iter().flat_map(|plan| plan.buses());
        buses.find(|(name, _)| *name == bus).map(|(_, gain)| gain)
    }

    fn send_gain(&mut self, bus: IdString32, gain: f32) {
        if let Some(remote) = &mut self.remote {
            remote.set_bus_gain(bus, gain);
        } else if let Some(mixer) = &mut self.mixer {
            mixer.set_bus_gain(bus, gain);
        }
    }

    /// Takes gains of buses that were saved; the mixer is remade after that.
    pub(super) fn set_gains(&mut self, gains: SortedMap<'m, IdString32, f32, SubsystemMemory<'m>>) {
        self.gains = gains;
    }

    /// Puts the mixer on a thread that plays it on a device, with all waves. Nothing is rendered here from now on.
    pub(super) fn play_on(
        &mut self,
        devices: Box<dyn AudioDevices + Send>,
        player: &mut Player<'m, SubsystemMemory<'m>>,
    ) -> Result<SoundThread<'m>, SubsystemError> {
        let memory = self.memory;
        let (mut remote, end) = Remote::try_new(&REMOTE, memory)?;
        let mut mixer = self.new_mixer(&REMOTE)?;
        remote.waves.reserve(&mut mixer).map_err(|_| NO_ROOM)?;
        self.streams.forget_all();
        let mut old = self.mixer.take();
        player.move_waves(|id: WaveId| {
            let wave = old.as_mut()?.remove_wave(id)?;
            remote.waves.put(wave, &mut mixer)
        });
        self.sent.fill(f32::NAN);
        let thread = end.into_thread(own(mixer, memory)?, devices, memory)?;
        remote.meters.set(self.is_metered);
        self.remote = Some(remote);
        Ok(thread)
    }

    /// Returns whether there is silence for want of a device, once each time.
    pub(super) fn take_warning(&mut self) -> bool {
        self.remote.as_mut().is_some_and(Remote::take_warning)
    }

    /// Measures how loud buses are from now on, or no longer.
    pub(super) fn set_metered(&mut self, is_metered: bool) {
        self.is_metered = is_metered;
        if let Some(remote) = &self.remote {
            remote.meters.set(is_metered);
        } else if let Some(mixer) = &mut self.mixer {
            mixer.set_metered(is_metered);
        }
    }

    /// Calls `each` with the name of each bus, its text if that is known, and its gain, highest sample and loudness.
    pub(super) fn levels(&self, mut each: impl FnMut(IdString32, &str, [f32; 3])) {
        let plan = plan_of(self.plan.as_ref());
        let buses = plan.into_iter().flat_map(|plan| plan.buses()).map(|(name, _)| name);
        for (at, name) in core::iter::once(MASTER).chain(buses).enumerate() {
            let local = self.mixer.as_ref().filter(|_| self.is_heard());
            let [peak, loudness] = match (&self.remote, local.and_then(|mixer| mixer.bus(name))) {
                (Some(remote), _) => remote.meters.level(at),
                (None, Some(bus)) => [bus.peak_held, bus.loudness],
                (None, None) => [0.0, crate::level::decibels(0.0)],
            };
            let gain = self.current_gain(name).unwrap_or(1.0);
            each(name, self.bus_text(name), [gain, peak, loudness]);
        }
    }

    /// Returns the name of a bus as text; empty if it is not known.
    pub(super) fn bus_text(&self, bus: IdString32) -> &str {
        let Some(plan) = plan_of(self.plan.as_ref()) else { return "" };
        let place = plan.buses().position(|(name, _)| name == bus);
        place.map_or("", |place| plan.bus_text(place))
    }

    /// Returns what the thread of a device counts, if there is one.
    pub(super) fn device(&self) -> Option<DeviceStats> {
        self.remote.as_ref().map(Remote::stats)
    }

    /// Returns whether what is rendered is waited for, so that it has to be the same each time.
    pub(super) const fn is_waited_for(&self) -> bool {
        self.remote.is_none()
    }

    fn settings(&self) -> MixerSettings {
        let plan = plan_of(self.plan.as_ref());
        let voices = plan.map_or(VOICES_DEFAULT, |plan| plan.voices()) + FADING;
        MixerSettings { rate: RATE, voices, ..MixerSettings::default() }
    }

    /// Returns a mixer with the buses of the game, in which nothing is.
    fn new_mixer(
        &self,
        settings: &MixerSettings,
    ) -> Result<Mixer<'m, SubsystemMemory<'m>>, SubsystemError> {
        let mut mixer = Mixer::try_new_in(settings, self.memory).map_err(|_| NO_ROOM)?;
        if let Some(plan) = plan_of(self.plan.as_ref()) {
            plan.add_to(&mut mixer).map_err(|_| NO_ROOM)?;
        }
        for (bus, gain) in self.gains.iter() {
            mixer.set_bus_gain(*bus, *gain);
        }
        mixer.set_metered(self.is_metered);
        Ok(mixer)
    }

    /// Returns the mixer, which is made at its first use.
    fn mixer(&mut self) -> Result<&mut Mixer<'m, SubsystemMemory<'m>>, SubsystemError> {
        if self.mixer.is_none() {
            self.mixer = Some(self.new_mixer(&self.settings())?);
        }
        self.mixer.as_mut().ok_or(NO_ROOM)
    }
}

const WRONG_WAVE: SubsystemError = SubsystemError::Wrong {
    what: "it is no compiled wave, or there is no memory for its samples",
    remedy: "compile the project again, or give the subsystem `sound` more memory",
};

fn plan_of<'b>(bytes: Option<&'b BlobBytes<'_, SubsystemMemory<'_>>>) -> Option<MixerPlan<'b>> {
    MixerPlan::open(bytes?).ok()
}
