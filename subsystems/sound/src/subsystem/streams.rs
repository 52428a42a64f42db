//! Long waves, which are read while they play.

mod pieces;

use loligo_allocators::SharedRef;
use loligo_containers::{Array, BlobBytes, GrowError, SortedMap};
use loligo_ids::IdString64;
use loligo_interface::{SubsystemError, SubsystemMemory, TailRead};

use super::any_mixer::AnyMixer;
use crate::mixer::{Mixer, VoiceId, WaveId};
use crate::packed::{PACKED_FRAMES, PIECE_BLOCKS};
use crate::stream::{Feeder, StreamIn};
use crate::wave::{PackedWave, Wave};
use pieces::Pieces;

/// The most that play at the same time.
const STREAMS_MAX: usize = 32;

/// The frames of a ring: two thirds of a second, which is how long an update may be late.
const RING: u32 = 32_768;

/// How many frames a stream is fed at a time: more than the fastest voice plays in an update.
const FED: u32 = 8192;

/// What has to be there before a stream begins, in frames.
const FIRST: u32 = 8192;

/// The frames of a piece.
const PIECE: u32 = PIECE_BLOCKS * PACKED_FRAMES as u32;

/// The waves of a game that are streamed, and what plays of them.
///
/// An update unpacks some blocks of each into a ring, from which the mixer reads. The first piece of a wave is in memory, so that it
/// begins at once; the others are asked for one ahead.
///
/// # Memory
///
/// Of each wave its first piece: 33 KiB, if it has two channels. Of each that plays 128 KiB for a ring, which is kept for the next, 5
/// KiB, and two pieces.
pub(super) struct Streams<'m> {
    waves: SortedMap<'m, IdString64, BlobBytes<'m, SubsystemMemory<'m>>, SubsystemMemory<'m>>,
    pieces: Pieces<'m>,
    open: Array<'m, Open<'m>, SubsystemMemory<'m>>,
    /// The rings of those that do not play. The other end of one may be on its way back.
    idle: Array<'m, StreamIn<'m>, SubsystemMemory<'m>>,
    late: u64,
}

/// A wave that is streamed to a voice.
struct Open<'m> {
    name: IdString64,
    /// What is played of it in the mixer.
    wave: Option<WaveId>,
    voice: Option<VoiceId>,
    input: StreamIn<'m>,
    feeder: Feeder,
    /// It was late, or goes on elsewhere: its voice fades out, and another takes its place.
    is_cut: bool,
    /// Its voice knows that.
    is_stopped: bool,
}

/// What is counted of streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StreamStats {
    /// Those that play.
    pub(super) open: u32,
    /// The bytes of pieces that are in memory.
    pub(super) bytes: usize,
    /// How often samples were not there in time.
    pub(super) late: u64,
}

impl<'m> Streams<'m> {
    /// Returns room for streams. What counts the ends of their rings is on the global heap.
    pub(super) fn try_new(memory: SharedRef<'m>) -> Result<Self, GrowError> {
        let mut idle = Array::new_in(memory);
        idle.try_extend_with(STREAMS_MAX, |_| StreamIn::shared(memory))?;
        let waves = SortedMap::new_in(memory);
        let (pieces, open) = (Pieces::new_in(memory), Array::new_in(memory));
        Ok(Self { waves, pieces, open, idle, late: 0 })
    }

    /// Takes a wave in, in place of an older one that was given up.
    pub(super) fn define(
        &mut self,
        name: IdString64,
        payload: BlobBytes<'m, SubsystemMemory<'m>>,
    ) -> Result<(), GrowError> {
        self.waves.try_insert(name, payload).map(|_| ())
    }

    /// Gives a wave up: what plays of it fades out.
    pub(super) fn undefine(&mut self, name: IdString64) {
        if self.waves.remove(&name).is_some() {
            self.pieces.forget(name);
            let open = self.open.iter_mut().filter(|open| open.name == name);
            open.for_each(|open| open.is_cut = true);
        }
    }

    /// Begins an update: closes what has ended, has what was late begin again, and feeds all.
    pub(super) fn go_on(&mut self, mixer: &mut AnyMixer<'_, 'm>) {
        self.pieces.grow_older();
        for at in (0..self.open.len()).rev() {
            let open = &mut self.open[at];
            if open.input.underruns() > 0 && !open.is_cut {
                self.late += 1;
                open.is_cut = true;
            }
            match open.voice.filter(|voice| mixer.is_playing(*voice)) {
                Some(voice) if open.is_cut && !open.is_stopped => {
                    mixer.cut(voice);
                    open.is_stopped = true;
                }
                Some(_) => {}
                None => {
                    if open.wave.is_none_or(|wave| mixer.remove(wave)) {
                        self.close(at);
                    }
                }
            }
        }
        self.feed();
    }

    /// Feeds what plays, and wants what it needs next.
    pub(super) fn feed(&mut self) {
        let Self { waves, pieces, open, .. } = self;
        for open in open.iter_mut().filter(|open| !open.is_cut) {
            if let Some(wave) = wave_of(waves, open.name) {
                open.feed(&wave, pieces);
            }
        }
    }

    /// Opens a wave from a frame on, and feeds it. Returns what plays it; `None` if it is not streamed, if its
    /// first samples are not there yet, which are asked for, or if too many play.
    pub(super) fn open(
        &mut self,
        name: IdString64,
        from: u32,
        is_looped: bool,
    ) -> Option<Wave<'m, SubsystemMemory<'m>>> {
        let Self { waves, pieces, open, idle, .. } = self;
        let wave = wave_of(waves, name)?;
        let feeder = wave.feeder(is_looped, from);
        let mut are_here = true;
        for frame in [from, feeder.after(FIRST)] {
            are_here &= pieces.want(&wave, name, frame / PIECE);
        }
        if !are_here {
            return None;
        }
        let begun = idle.iter_mut().zip(0..).find_map(|(input, at)| {
            let output = input.begin(RING, wave.channels()).ok().flatten()?;
            Some((at, output))
        });
        let (at, output) = begun?;
        // There is room for it, or it is not opened.
        open.try_reserve(1).ok()?;
        let input = idle.swap_remove(at);
        let (is_cut, is_stopped) = (false, false);
        open.push(Open { name, wave: None, voice: None, input, feeder, is_cut, is_stopped });
        if let Some(open) = open.last_mut() {
            open.feed(&wave, pieces);
        }
        Wave::streamed_in(output, wave.rate()).ok()
    }

    /// Notes under which id the wave that was opened last is in the mixer.
    pub(super) fn set_wave(&mut self, wave: Option<WaveId>) {
        if let Some(open) = self.open.last_mut() {
            open.wave = wave;
        }
    }

    /// Notes which voice plays a wave, if that is a stream.
    pub(super) fn set_voice(&mut self, wave: WaveId, voice: VoiceId) {
        if let Some(open) = self.open.iter_mut().find(|open| open.wave == Some(wave)) {
            open.voice = Some(voice);
        }
    }

    /// Returns whether a voice plays a stream whose place another takes.
    pub(super) fn is_cut(&self, voice: VoiceId) -> bool {
        self.open.iter().any(|open| open.is_cut && open.voice == Some(voice))
    }

    /// Has another take the place of a stream that a voice plays, and returns whether it plays one. The caller stops
    /// the voice.
    pub(super) fn cut(&mut self, voice: VoiceId) -> bool {
        let found = self.open.iter_mut().find(|open| open.voice == Some(voice));
        let Some(open) = found else { return false };
        (open.is_cut, open.is_stopped) = (true, true);
        true
    }

    /// Closes all, since nothing is heard any more.
    pub(super) fn close_all(&mut self, mixer: &mut Mixer<'m, SubsystemMemory<'m>>) {
        for open in &self.open {
            open.wave.map(|wave| mixer.remove_wave(wave));
        }
        self.forget_all();
    }

    /// Closes all of which the mixer is not there any more.
    pub(super) fn forget_all(&mut self) {
        while !self.open.is_empty() {
            self.close(self.open.len() - 1);
        }
    }

    /// Asks for what is wanted of files: see [`Subsystem::tails`](loligo_interface::Subsystem::tails).
    pub(super) fn ask(&mut self, is_waited_for: bool, ask: &mut dyn FnMut(&TailRead) -> bool) {
        let Self { waves, pieces, .. } = self;
        pieces.ask(|name| wave_of(waves, name), is_waited_for, ask);
    }

    /// Takes what was asked for.
    pub(super) fn take(
        &mut self,
        read: &TailRead,
        bytes: Option<&[u8]>,
    ) -> Result<(), SubsystemError> {
        let Self { waves, pieces, .. } = self;
        match wave_of(waves, read.name) {
            Some(wave) => pieces.take(&wave, read, bytes),
            None => Ok(()),
        }
    }

    pub(super) fn stats(&self) -> StreamStats {
        StreamStats { open: self.open.len() as u32, bytes: self.pieces.bytes(), late: self.late }
    }

    fn close(&mut self, at: usize) {
        let open = self.open.swap_remove(at);
        // It came from there.
        self.idle.push(open.input);
    }
}

impl Open<'_> {
    /// Feeds some blocks, and wants the pieces that come next.
    fn feed(&mut self, wave: &PackedWave<'_>, pieces: &mut Pieces<'_>) {
        let Self { name, input, feeder, .. } = self;
        let read = |block, out: &mut [u8]| match block < PIECE_BLOCKS {
            true => wave.read(block, out),
            false => pieces.read(*name, block, out),
        };
        if feeder.feed_some(input, FED, read) {
            for frame in [feeder.at(), feeder.after(PIECE)] {
                pieces.want(wave, *name, frame / PIECE);
            }
        }
    }
}

fn wave_of<'w>(
    waves: &'w SortedMap<'_, IdString64, BlobBytes<'_, SubsystemMemory<'_>>, SubsystemMemory<'_>>,
    name: IdString64,
) -> Option<PackedWave<'w>> {
    PackedWave::open(waves.get(&name)?).ok()
}
