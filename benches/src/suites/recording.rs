//! Recorded calls of a C program, bundled, as the steps that a thread replays.
//!
//! `recordings/README.md` names the programs, the windows and how to record them again. A bundled
//! file is a trace of version 1 (`docs/reference/trace-format.md`), compressed with zstd; reading
//! checks every record. It has the calls and no contents, so the replay writes the first and the
//! last byte of each block.
//!
//! A C program states no alignment, and `malloc` aligns all blocks to 16. As types need it, a block
//! is aligned to its size here, rounded down to a power of two, and to 8 at most: so no heap takes
//! a path for large alignments that it would not take in C.

use core::alloc::Layout;
use core::error::Error;

use loligo_replay::trace::{Event, Op, Trace};

pub(super) mod window;

/// The recording of `cfrac`.
const CFRAC: &[u8] = include_bytes!("../../recordings/cfrac.altrace.zst");

/// The recording of `espresso`.
const ESPRESSO: &[u8] = include_bytes!("../../recordings/espresso.altrace.zst");

/// Bits of the greatest alignment's logarithm.
const ALIGN_BITS: u32 = 2;

/// Bits of a step's kind and alignment.
const TAG_BITS: u32 = 2 + ALIGN_BITS;

/// The steps of a recording.
///
/// # Invariants
///
/// 1. Each step frees or resizes a block that is live in its slot with the layout that the step
///    states, or allocates into a slot whose block was freed or that had none.
/// 2. At the end all blocks are freed.
/// 3. Each slot is less than `slots`.
#[derive(Debug)]
pub(crate) struct Recording {
    steps: Vec<Step>,
    slots: u32,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Allocate = 0,
    Free = 1,
    Resize = 2,
    AllocateZeroed = 3,
}

/// A call: 12 bytes, since a pass over all steps should cost little compared with the calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Kind, logarithm of the alignment, slot: from the low bits to the high ones.
    word: u32,
    /// The size of the block before the call; 0 where there was none.
    old_bytes: u32,
    /// The size of the block after the call; 0 where there is none.
    bytes: u32,
}

impl Recording {
    /// Reads the bundled recording of cfrac.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn cfrac() -> Result<Self, String> {
        Self::read("cfrac", CFRAC)
    }

    /// Reads the bundled recording of espresso.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn espresso() -> Result<Self, String> {
        Self::read("espresso", ESPRESSO)
    }

    /// Reads a compressed trace.
    ///
    /// # Errors
    ///
    /// A sentence with the name of the recording, the place and the reason if it is damaged, or has
    /// what steps have no space for.
    pub(super) fn read(name: &str, file: &[u8]) -> Result<Self, String> {
        let damaged = |error: &dyn Error| {
            format!(
                "the recording of {name} cannot be used: {error}; record it again, as \
                 benches/recordings/README.md describes"
            )
        };
        let trace = Trace::read_zst(name, file).map_err(|error| damaged(&error))?;
        Self::of(&trace).map_err(|error| damaged(&*error))
    }

    /// Returns the steps of a trace, and frees of what is live at its end.
    fn of(trace: &Trace) -> Result<Self, Box<dyn Error>> {
        let mut live = vec![(0, 0); trace.slots as usize];
        let mut steps = Vec::with_capacity(trace.events.len() + trace.peak_live_blocks as usize);
        for (number, event) in (1..).zip(&trace.events) {
            let (old_bytes, align_log2) = live[event.slot as usize];
            let step = Step::of(event, old_bytes, align_log2)
                .ok_or_else(|| format!("record {number}, {event:?}, is too large for a step"))?;
            live[event.slot as usize] = (step.bytes, step.align_log2());
            steps.push(step);
        }
        for (slot, (bytes, align_log2)) in (0..).zip(live) {
            if bytes > 0 {
                let word = Step::word(Kind::Free, align_log2, slot);
                steps.push(Step { word, old_bytes: bytes, bytes: 0 });
            }
        }
        Ok(Self { steps, slots: trace.slots })
    }

    /// Returns the steps.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns how many slots there are.
    pub(super) fn slots(&self) -> usize {
        self.slots as usize
    }

    /// Returns the bytes that the steps have.
    pub(super) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>()
    }
}

impl Step {
    /// Returns the step of an event, whose block has these bytes and this alignment before it.
    /// `None` if a size or a slot is too large.
    fn of(event: &Event, old_bytes: u32, align_log2: u32) -> Option<Self> {
        let bytes = u32::try_from(event.bytes).ok()?;
        if event.slot >= 1 << (u32::BITS - TAG_BITS) {
            return None;
        }
        let (kind, align_log2) = match event.op {
            Op::Allocate => (Kind::Allocate, align_of_size(bytes)),
            Op::AllocateZeroed => (Kind::AllocateZeroed, align_of_size(bytes)),
            Op::Free => (Kind::Free, align_log2),
            Op::Reallocate => (Kind::Resize, align_log2),
        };
        Some(Self { word: Self::word(kind, align_log2, event.slot), old_bytes, bytes })
    }

    const fn word(kind: Kind, align_log2: u32, slot: u32) -> u32 {
        kind as u32 | align_log2 << 2 | slot << TAG_BITS
    }

    const fn align_log2(self) -> u32 {
        self.word >> 2 & ((1 << ALIGN_BITS) - 1)
    }

    /// Returns what is done.
    #[inline(always)]
    pub(super) const fn kind(self) -> Kind {
        match self.word & 3 {
            0 => Kind::Allocate,
            1 => Kind::Free,
            2 => Kind::Resize,
            _ => Kind::AllocateZeroed,
        }
    }

    /// Returns the slot of the block.
    #[inline(always)]
    pub(super) const fn slot(self) -> usize {
        (self.word >> TAG_BITS) as usize
    }

    /// Returns the size after the call.
    #[inline(always)]
    pub(super) const fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Returns the layout after the call.
    #[inline(always)]
    pub(super) const fn layout(self) -> Layout {
        self.layout_of(self.bytes)
    }

    /// Returns the layout before the call.
    #[inline(always)]
    pub(super) const fn old_layout(self) -> Layout {
        self.layout_of(self.old_bytes)
    }

    #[inline(always)]
    const fn layout_of(self, bytes: u32) -> Layout {
        // SAFETY: the alignment is a power of two, up to 8, and no 32-bit size overflows `isize`
        // when rounded up to it.
        unsafe { Layout::from_size_align_unchecked(bytes as usize, 1 << self.align_log2()) }
    }
}

/// Returns the logarithm of the alignment of a block of a size, which is not 0.
const fn align_of_size(bytes: u32) -> u32 {
    let log2 = bytes.ilog2();
    if log2 < 3 { log2 } else { 3 }
}

#[cfg(test)]
mod tests;
