//! Writing the columns of a dense clip block by block: differences of differences, and jump frames.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::bit_code::{ALL_ZERO, BitWriter, LOWER_MAX, UPPER_MAX, bits_of, upper_of};
use super::dense::StateBits;

/// The most bytes of values: places in them are counted in bits by 32 bits.
pub(crate) const VALUES_MAX: usize = (u32::MAX / 16) as usize;

/// The most bytes that a block adds for a number.
const NUMBER_BYTES: usize = 7;

/// The three numbers of a track in a frame.
pub(crate) type Numbers = [i16; 3];

/// Why numbers are not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteError {
    /// A number of a track is wider than its jump frames have room for.
    Wide { track: usize },
    /// There are more values than places can name.
    Long,
    /// There is no memory.
    Memory(GrowError),
}

impl From<GrowError> for WriteError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

/// The columns of a dense clip that are written so far.
///
/// # Invariants
///
/// 1. `frame` frames were written: their codes, and the values of all from the third on.
/// 2. `before` has the numbers of the last two frames of each track.
pub(crate) struct DenseWriter<'a, A: Allocator + ?Sized> {
    values: BitWriter<'a, A>,
    codes: Array<'a, u8, A>,
    code_count: usize,
    jumps: Array<'a, [u32; 5], A>,
    jump_states: BitWriter<'a, A>,
    before: Array<'a, [Numbers; 2], A>,
    /// The differences of a block, and its codes.
    differences: Array<'a, Numbers, A>,
    block_codes: Array<'a, u8, A>,
    frame: u32,
    last_jump: Option<u32>,
    terms: JumpTerms,
}

/// What was written of a clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenseColumns<'w> {
    pub(crate) values: &'w [u8],
    pub(crate) codes: &'w [u8],
    pub(crate) jumps: &'w [[u32; 5]],
    /// The states of the jump frames.
    pub(crate) states: &'w [u8],
}

/// When jump frames come.
#[derive(Clone, Copy, Debug)]
struct JumpTerms {
    /// After how many times its bytes; if that is 0, there is one at the beginning.
    ratio: u32,
    /// The bits of one.
    bits: u32,
}

impl<'a, A: Allocator + ?Sized> DenseWriter<'a, A> {
    /// Begins a clip whose tracks have these bits in jump frames.
    pub(crate) fn try_new_in(
        states: &[[u8; 3]],
        jump_ratio: u32,
        memory: &'a A,
    ) -> Result<Self, GrowError> {
        let mut before = Array::try_with_capacity_in(states.len(), memory)?;
        before.try_resize(states.len(), [[0; 3]; 2])?;
        let bits: u32 = states.iter().map(|axes| StateBits::new(*axes).sum()).sum();
        Ok(Self {
            values: BitWriter::new_in(memory),
            codes: Array::new_in(memory),
            code_count: 0,
            jumps: Array::new_in(memory),
            jump_states: BitWriter::new_in(memory),
            before,
            differences: Array::new_in(memory),
            block_codes: Array::new_in(memory),
            frame: 0,
            last_jump: None,
            terms: JumpTerms { ratio: jump_ratio, bits: bits.next_multiple_of(8) },
        })
    }

    /// Writes the numbers of the next 32 frames, or of the last ones: frame by frame, each track.
    pub(crate) fn try_block(
        &mut self,
        states: &[[u8; 3]],
        numbers: &[Numbers],
    ) -> Result<(), WriteError> {
        let tracks = states.len();
        if self.values.bytes().len() + 3 * NUMBER_BYTES * numbers.len() > VALUES_MAX {
            return Err(WriteError::Long);
        }
        self.differ(numbers)?;
        self.choose_codes(tracks)?;
        for frame in 0..numbers.len() / tracks {
            if self.frame + frame as u32 >= 2 {
                self.jump(states, numbers, frame)?;
                self.write_frame(tracks, frame)?;
            }
        }
        let frames = numbers.len() / tracks;
        for track in 0..tracks {
            let last = |before: usize| self.number(numbers, tracks, (frames, track), before);
            self.before[track] = [last(2), last(1)];
        }
        self.frame += frames as u32;
        Ok(())
    }

    /// Ends the clip, whose last interval may begin at a jump frame.
    pub(crate) fn try_finish(&mut self, states: &[[u8; 3]]) -> Result<(), WriteError> {
        self.jump(states, &[], 0)?;
        let memory = self.codes.memory();
        (self.differences, self.block_codes) = (Array::new_in(memory), Array::new_in(memory));
        Ok(())
    }

    /// Returns what was written.
    pub(crate) fn columns(&self) -> DenseColumns<'_> {
        DenseColumns {
            values: self.values.bytes(),
            codes: &self.codes,
            jumps: &self.jumps,
            states: self.jump_states.bytes(),
        }
    }

    /// Returns how many frames were written.
    pub(crate) const fn frames(&self) -> u32 {
        self.frame
    }

    /// Returns the bytes of a jump frame.
    pub(crate) const fn jump_bytes(&self) -> usize {
        (self.terms.bits / 8) as usize
    }

    /// Returns the number of a track some frames before one of the block.
    fn number(
        &self,
        numbers: &[Numbers],
        tracks: usize,
        (frame, track): (usize, usize),
        before: usize,
    ) -> Numbers {
        match frame.checked_sub(before) {
            Some(at) => numbers[at * tracks + track],
            None => self.before[track][2 + frame - before],
        }
    }

    /// Computes the differences of a block; those of the first two frames are zero.
    fn differ(&mut self, numbers: &[Numbers]) -> Result<(), GrowError> {
        let tracks = self.before.len();
        self.differences.clear();
        self.differences.try_reserve(numbers.len())?;
        for (at, number) in numbers.iter().enumerate() {
            let (frame, track) = (at / tracks, at % tracks);
            let mut difference = [0; 3];
            if self.frame as usize + frame >= 2 {
                let [a, b] = [2, 1].map(|back| self.number(numbers, tracks, (frame, track), back));
                difference = [0, 1, 2].map(|axis| {
                    let (a, b, c): (i16, i16, i16) = (a[axis], b[axis], number[axis]);
                    c.wrapping_sub(b).wrapping_sub(b.wrapping_sub(a))
                });
            }
            self.differences.try_push(difference)?;
        }
        Ok(())
    }

    /// Chooses the codes of a block, and writes them.
    fn choose_codes(&mut self, tracks: usize) -> Result<(), GrowError> {
        self.block_codes.clear();
        for at in 0..3 * tracks {
            let (track, axis) = (at / 3, at % 3);
            let block = self.differences.iter().skip(track).step_by(tracks);
            let (code, _) = best_code(block.map(|all| all[axis]));
            self.block_codes.try_push(code)?;
            match self.codes.last_mut().filter(|_| !self.code_count.is_multiple_of(2)) {
                Some(pair) => *pair |= code << 4,
                None => self.codes.try_push(code)?,
            }
            self.code_count += 1;
        }
        Ok(())
    }

    fn write_frame(&mut self, tracks: usize, frame: usize) -> Result<(), GrowError> {
        let differences = &self.differences[frame * tracks..(frame + 1) * tracks];
        for (codes, difference) in self.block_codes.chunks_exact(3).zip(differences) {
            for (code, number) in codes.iter().zip(difference) {
                if *code != ALL_ZERO {
                    self.values.try_number(*number, *code)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a jump frame of the two frames before one of the block, if it is due.
    fn jump(
        &mut self,
        states: &[[u8; 3]],
        numbers: &[Numbers],
        frame: usize,
    ) -> Result<(), WriteError> {
        let JumpTerms { ratio, bits } = self.terms;
        let at = self.values.len();
        let is_due = |last| ratio > 0 && u64::from(at - last) >= u64::from(bits) * u64::from(ratio);
        if self.last_jump.is_some_and(|last| !is_due(last)) {
            return Ok(());
        }
        self.last_jump = Some(at);
        self.jumps.try_push([self.frame + frame as u32 - 2, 0, 0, 0, at])?;
        for (track, axes) in states.iter().enumerate() {
            let [first, second] =
                [2, 1].map(|back| self.number(numbers, states.len(), (frame, track), back));
            for (axis, (first, second)) in first.into_iter().zip(second).enumerate() {
                let (value, difference) = StateBits::new(*axes).of_axis(axis);
                let step = second.wrapping_sub(first);
                if width(first) > value || width(step) > difference {
                    return Err(WriteError::Wide { track });
                }
                self.jump_states.try_bits(first as u64, value)?;
                self.jump_states.try_bits(step as u64, difference)?;
            }
        }
        self.jump_states.fill_byte();
        Ok(())
    }
}

/// Returns the bits of a signed number.
pub(crate) const fn width(number: i16) -> u32 {
    17 - if number < 0 { !number } else { number }.leading_zeros()
}

/// Returns the code with which numbers have the fewest bits, and how many these are.
pub(crate) fn best_code(numbers: impl Iterator<Item = i16> + Clone) -> (u8, u32) {
    if numbers.clone().all(|number| number == 0) {
        return (ALL_ZERO, 0);
    }
    let is_short = |lower: u8| numbers.clone().all(|number| upper_of(number, lower) <= UPPER_MAX);
    let bits = |lower: u8| numbers.clone().map(|number| bits_of(number, lower)).sum();
    let all = (0..=LOWER_MAX).filter(|lower| is_short(*lower)).map(|lower| (lower, bits(lower)));
    // Numbers of 16 bits are short enough with the most lower bits.
    all.min_by_key(|(_, bits)| *bits).unwrap_or((LOWER_MAX, 0))
}
