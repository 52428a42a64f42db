//! Which calls make garbage: stacks of allocations, counted.
//!
//! After Niklas Frykholm, "Fixing Memory Issues in Lua" (2011): once a game's memory neither grows
//! nor shrinks, what is allocated is garbage soon. Changes: stacks are distinguished by the whole
//! hash and depth of their frames, the table has a size from the start, and what has no room is
//! counted.

use core::ffi::CStr;
use core::mem::MaybeUninit;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use mlua_sys as ffi;

/// How many calls of a stack are looked at, from the innermost on.
pub const TRACE_DEPTH: usize = 6;

/// Bytes of a file's name that are kept, its end zero.
const NAME_BYTES: usize = 60;

/// One call on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceFrame {
    file: [u8; NAME_BYTES],
    line: u32,
}

impl TraceFrame {
    const EMPTY: Self = Self { file: [0; NAME_BYTES], line: 0 };

    /// Returns the file, as errors show it; `[C]` for a function of the engine or of Lua.
    #[must_use]
    pub fn file(&self) -> &str {
        let name = CStr::from_bytes_until_nul(&self.file).unwrap_or_default();
        name.to_str().unwrap_or_default()
    }

    /// Returns the line, from 1 on; 0 where there is none.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }

    /// Returns a hash that goes on with this call. By words: each allocation of a script waits for it.
    fn hashed(&self, mut hash: u64) -> u64 {
        let (words, rest) = self.file.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        let last = rest.iter().fold(u64::from(self.line), |all, &byte| all << 8 | u64::from(byte));
        for word in words.chain([last]) {
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 32;
        }
        hash
    }
}

/// Allocations from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    hash: u64,
    /// How many there were.
    pub count: u64,
    /// How many bytes they were.
    pub bytes: u64,
    frames: [TraceFrame; TRACE_DEPTH],
    depth: u8,
}

impl TraceEntry {
    const EMPTY: Self =
        Self { hash: 0, count: 0, bytes: 0, frames: [TraceFrame::EMPTY; TRACE_DEPTH], depth: 0 };

    /// Returns the stack, the innermost call first.
    #[must_use]
    pub fn frames(&self) -> &[TraceFrame] {
        &self.frames[..usize::from(self.depth)]
    }
}

/// The places that allocate, with how much.
///
/// # Memory
///
/// Twice 424 bytes for each place that there is room for, up to the next power of two; taken when
/// tracing begins.
///
/// # Invariants
///
/// 1. `entries` has a power of two of places, of which at least one is free: those with a count of
///    0. An entry is at or after its hash's place, with no free one between.
pub struct GarbageTrace<'m> {
    entries: Array<'m, TraceEntry>,
    used: usize,
    /// Allocations of places for which there was no room.
    lost: u64,
}

impl<'m> GarbageTrace<'m> {
    pub(crate) fn try_new_in(places: usize, memory: &'m dyn Allocator) -> Result<Self, GrowError> {
        let count = (places.max(1) * 2).next_power_of_two();
        let mut entries = Array::try_with_capacity_in(count, memory)?;
        entries.try_resize_with(count, || TraceEntry::EMPTY)?;
        Ok(Self { entries, used: 0, lost: 0 })
    }

    /// Returns the places, those that allocate most bytes first. O(n log n) over the table.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.entries.sort_unstable_by_key(|entry| {
            core::cmp::Reverse((entry.bytes, entry.count, entry.hash))
        });
        self
    }

    /// Returns the places, in the order of [`sorted`](Self::sorted) when they are.
    pub fn entries(&self) -> impl Iterator<Item = &TraceEntry> {
        self.entries.iter().filter(|entry| entry.count > 0)
    }

    /// Returns how many allocations were made from places that the table had no room for.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Charges an allocation to the calls on a thread's stack. Allocates nothing.
    pub(crate) fn note(&mut self, state: *mut ffi::lua_State, bytes: u64) {
        let mut seen = TraceEntry::EMPTY;
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for level in 0..TRACE_DEPTH {
            let Some(frame) = frame_at(state, level) else { break };
            seen.frames[level] = frame;
            seen.depth += 1;
            hash = frame.hashed(hash);
        }
        seen.hash = hash;
        self.add(seen, bytes);
    }

    fn add(&mut self, seen: TraceEntry, bytes: u64) {
        let mask = self.entries.len() - 1;
        let mut place = seen.hash as usize & mask;
        loop {
            let entry = &mut self.entries[place];
            if entry.count > 0 && entry.hash == seen.hash && entry.frames() == seen.frames() {
                entry.count += 1;
                entry.bytes += bytes;
                return;
            }
            if entry.count == 0 {
                break;
            }
            place = (place + 1) & mask;
        }
        if self.used * 2 >= self.entries.len() {
            self.lost += 1;
            return;
        }
        self.used += 1;
        self.entries[place] = TraceEntry { count: 1, bytes, ..seen };
    }
}

impl core::fmt::Debug for GarbageTrace<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.entries()).finish()
    }
}

/// Reads one call of a stack.
fn frame_at(state: *mut ffi::lua_State, level: usize) -> Option<TraceFrame> {
    let mut about = MaybeUninit::<ffi::lua_Debug>::zeroed();
    // SAFETY: the state is alive while it allocates; for a level that is not there Lua returns 0;
    // nothing is raised or allocated.
    let is_there = unsafe { ffi::lua_getstack(state, level as i32, about.as_mut_ptr()) };
    if is_there == 0 {
        return None;
    }
    // SAFETY: the call is there; source and line are found without an allocation.
    unsafe { ffi::lua_getinfo(state, c"Sl".as_ptr(), about.as_mut_ptr()) };
    // SAFETY: the structure was zeroed, which is a value of each of its fields, and then filled.
    let about = unsafe { about.assume_init() };
    let mut file = [0; NAME_BYTES];
    for (to, from) in file.iter_mut().zip(&about.short_src[..NAME_BYTES - 1]) {
        *to = from.to_ne_bytes()[0];
        if *to == 0 {
            break;
        }
    }
    Some(TraceFrame { file, line: u32::try_from(about.currentline).unwrap_or(0) })
}

const _: () = assert!(size_of::<TraceEntry>() <= 424, "as the documentation has it");
