//! What is heard: the mixer of a game, and who takes its samples.

use loligo_allocators::{Own, SharedRef};
use loligo_containers::{Array, BlobBytes, SortedMap};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{SubsystemError, SubsystemMemory};

use crate::mixer::{Mixer, MixerSettings, WaveId};
use crate::plan::{MixerPlan, VOICES_DEFAULT};
use crate::player::{Player, Voices, WaveInfo};
use crate::sink::Sink;
use crate::wave::Wave;

/// The frames a second.
pub(super) const RATE: u32 = 48_000;

/// The voices that fade out while others have taken their place.
const FADING: u32 = 64;

/// The nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Who takes what is heard.
pub(super) type OwnSink<'m> = Own<'m, dyn Sink + Send + 'm, SubsystemMemory<'m>>;

/// The mixer of a game. Samples of waves are kept in it, whether anyone listens or not; it renders where
/// somebody does.
pub(super) struct Output<'m> {
    memory: SharedRef<'m>,
    mixer: Option<Mixer<'m, SubsystemMemory<'m>>>,
    plan: Option<BlobBytes<'m, SubsystemMemory<'m>>>,
    /// The gains of buses that the game has set.
    pub(super) gains: SortedMap<'m, IdString32, f32, SubsystemMemory<'m>>,
    pub(super) sink: Option<OwnSink<'m>>,
    /// Whether what is heard is sent as events.
    pub(super) is_sent: bool,
    frames: Array<'m, [f32; 2], SubsystemMemory<'m>>,
    /// The part of a frame that no update has rendered yet, in frames times nanoseconds.
    left: u64,
}

impl<'m> Output<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            memory,
            mixer: None,
            plan: None,
            gains: SortedMap::new_in(memory),
            sink: None,
            is_sent: false,
            frames: Array::new_in(memory),
            left: 0,
        }
    }

    /// Returns whether anyone takes what is heard.
    pub(super) const fn is_heard(&self) -> bool {
        self.is_sent || self.sink.is_some()
    }

    /// Returns the mixer, if what it renders is heard.
    pub(super) fn voices(&mut self) -> Option<&mut (dyn Voices + '_)> {
        let is_heard = self.is_heard();
        let mixer = self.mixer.as_mut().filter(|_| is_heard)?;
        mixer.set_remainder(self.left);
        Some(mixer)
    }

    /// Has buses send as much to those of rooms as is heard of these.
    pub(super) fn set_rooms(&mut self, level: impl Fn(IdString32) -> f32) {
        let Some(mixer) = &mut self.mixer else { return };
        for (bus, into, gain) in plan_of(self.plan.as_ref()).into_iter().flat_map(|of| of.sends()) {
            mixer.set_send(bus, into, gain * level(into));
        }
    }

    /// Renders the frames of an update, and hands them on. Returns them.
    pub(super) fn render(&mut self, nanoseconds: u64) -> Result<&[[f32; 2]], SubsystemError> {
        self.frames.clear();
        if !self.is_heard() {
            return Ok(&self.frames);
        }
        let all = self.left + nanoseconds.min(10 * SECOND) * u64::from(RATE);
        let count = (all / SECOND) as usize;
        self.left = all % SECOND;
        self.frames.try_resize(count, [0.0; 2])?;
        if let Some(mixer) = &mut self.mixer {
            mixer.render(&mut self.frames);
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
        let wave = Wave::open_in(payload, self.memory).map_err(|_| WRONG_WAVE)?;
        let info = WaveInfo::of(&wave);
        let id = self.mixer()?.add_wave(wave).map_err(|_| NO_ROOM)?;
        self.undefine_wave(name, player);
        Ok(player.define_wave(name, info, Some(id))?)
    }

    /// Gives a wave up.
    pub(super) fn undefine_wave(
        &mut self,
        name: IdString64,
        player: &mut Player<'m, SubsystemMemory<'m>>,
    ) {
        if let (Some(id), Some(mixer)) = (player.undefine_wave(name), &mut self.mixer) {
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
        self.plan = Some(copy);
        self.remake(player)
    }

    /// Makes the mixer again, if there is one: nothing plays in it, and it has all waves.
    pub(super) fn remake(
        &mut self,
        player: &mut Player<'m, SubsystemMemory<'m>>,
    ) -> Result<(), SubsystemError> {
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
        if !self.mixer()?.set_bus_gain(bus, gain) {
            return Ok(false);
        }
        self.gains.try_insert(bus, gain)?;
        Ok(true)
    }

    /// Returns the gain of a bus.
    #[cfg(feature = "script")]
    pub(super) fn gain(&mut self, bus: IdString32) -> Option<f32> {
        self.mixer().ok()?.bus(bus).map(|bus| bus.gain)
    }

    /// Takes gains of buses that were saved.
    pub(super) fn set_gains(&mut self, gains: SortedMap<'m, IdString32, f32, SubsystemMemory<'m>>) {
        if let Some(mixer) = &mut self.mixer {
            for (bus, gain) in plan_of(self.plan.as_ref()).into_iter().flat_map(|of| of.buses()) {
                mixer.set_bus_gain(bus, gain);
            }
            for (bus, gain) in gains.iter() {
                mixer.set_bus_gain(*bus, *gain);
            }
        }
        self.gains = gains;
    }

    /// Returns the mixer, which is made at its first use.
    fn mixer(&mut self) -> Result<&mut Mixer<'m, SubsystemMemory<'m>>, SubsystemError> {
        if self.mixer.is_none() {
            let plan = plan_of(self.plan.as_ref());
            let voices = plan.map_or(VOICES_DEFAULT, |plan| plan.voices()) + FADING;
            let settings = MixerSettings { rate: RATE, voices, ..MixerSettings::default() };
            let mut mixer = Mixer::try_new_in(&settings, self.memory).map_err(|_| NO_ROOM)?;
            if let Some(plan) = plan {
                plan.add_to(&mut mixer).map_err(|_| NO_ROOM)?;
            }
            for (bus, gain) in self.gains.iter() {
                mixer.set_bus_gain(*bus, *gain);
            }
            self.mixer = Some(mixer);
        }
        self.mixer.as_mut().ok_or(NO_ROOM)
    }
}

const WRONG_WAVE: SubsystemError = SubsystemError::Wrong {
    what: "it is no compiled wave, or there is no memory for its samples",
    remedy: "compile the project again, or give the subsystem `sound` more memory",
};

const NO_ROOM: SubsystemError = SubsystemError::Wrong {
    what: "there is no memory for the mixer",
    remedy: "give the subsystem `sound` more memory",
};

fn plan_of<'b>(bytes: Option<&'b BlobBytes<'_, SubsystemMemory<'_>>>) -> Option<MixerPlan<'b>> {
    MixerPlan::open(bytes?).ok()
}
