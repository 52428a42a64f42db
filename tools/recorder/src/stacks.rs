//! Call stacks: who called the caller, and the table in which each stack is kept once.
//!
//! Frame pointers are followed without help: a frame's first word is the caller's frame, its second
//! the return address. A program that was compiled without them has anything in that register, so
//! nothing is believed: each frame must be on the thread's own stack and above the one before it,
//! and its return address in code. The other way is the unwinder of the C library, which reads the
//! tables that the compiler has made for exceptions.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::caller::Caller;
use crate::raw::{
    DEPTH_MAX, STACK_ADDRESS, STACK_IS_WHOLE, STACK_PART_BYTES, STACK_SLOT_BYTES, STACK_SLOTS,
    STACKS_BY_FRAMES,
};
use crate::{system, thread};

/// The number of places where a frame can be stored.
const PROBES: usize = 64;

/// Our own frames, which the unwinder meets first.
const OWN_FRAMES_MAX: usize = 16;

/// Whether the unwinder was used before: at its first use it loads a library.
static IS_UNWINDER_READY: AtomicBool = AtomicBool::new(false);

/// Uses the unwinder once, so that it is ready when the program allocates.
pub(crate) fn prepare_unwinder() {
    // What it allocates is not the program's.
    let _inside = thread::Inside::enter();
    let mut addresses = [core::ptr::null_mut::<c_void>(); 4];
    // SAFETY: the array is live and has that number of places.
    unsafe { system::backtrace(addresses.as_mut_ptr(), addresses.len() as c_int) };
    // Release: pairs with the acquire in `unwind`.
    IS_UNWINDER_READY.store(true, Ordering::Release);
}

/// The return addresses of those who called the caller, the innermost first.
pub(crate) struct Callers {
    addresses: [u64; DEPTH_MAX],
    count: usize,
}

impl Callers {
    /// Finds the callers of a caller, at most `depth`.
    pub(crate) fn find(
        how: u32,
        depth: usize,
        caller: Caller,
        is_code: impl FnMut(u64) -> bool,
    ) -> Self {
        let mut callers = Self { addresses: [0; DEPTH_MAX], count: 0 };
        let depth = depth.min(DEPTH_MAX);
        match how {
            STACKS_BY_FRAMES => callers.follow_frames(depth, caller, is_code),
            _ => callers.unwind(depth, caller, is_code),
        }
        callers
    }

    fn follow_frames(
        &mut self,
        depth: usize,
        caller: Caller,
        mut is_code: impl FnMut(u64) -> bool,
    ) {
        /// Bytes of the two words that a frame begins with.
        const BYTES: usize = 16;
        let place = caller.place();
        let Some(end) = thread::stack_end(place.addr()) else { return };
        let mut last = place.addr();
        let mut frame = caller.frame();
        while self.count < depth {
            let is_frame = frame > last && frame.is_multiple_of(8) && frame <= end - BYTES;
            if !is_frame {
                break;
            }
            let at = place.with_addr(frame).cast::<[u64; 2]>();
            // SAFETY: it is aligned to 8, and both words are between the place of the return
            // address, which is on the thread's stack, and that stack's end; all of that can be
            // read while the thread lives, as `stack_end` says. Other threads may write there; then
            // a word is a wrong one, and the checks here are made of it.
            let [outer, address] = unsafe { at.read_volatile() };
            if address > STACK_ADDRESS || !is_code(address) {
                break;
            }
            self.addresses[self.count] = address;
            self.count += 1;
            last = frame;
            frame = outer as usize;
        }
    }

    fn unwind(&mut self, depth: usize, caller: Caller, mut is_code: impl FnMut(u64) -> bool) {
        // Acquire: pairs with the release in `prepare_unwinder`.
        if !IS_UNWINDER_READY.load(Ordering::Acquire) {
            return;
        }
        let mut addresses = [core::ptr::null_mut::<c_void>(); DEPTH_MAX + OWN_FRAMES_MAX];
        let most = depth + OWN_FRAMES_MAX;
        // SAFETY: the array is live and has at least that number of places.
        let found = unsafe { system::backtrace(addresses.as_mut_ptr(), most as c_int) };
        let found = usize::try_from(found).unwrap_or(0).min(most);
        let found = addresses[..found].iter().map(|address| address.addr() as u64);
        let site = caller.site();
        for address in found.skip_while(|&address| address != site).skip(1).take(depth) {
            if address > STACK_ADDRESS || address == 0 {
                break;
            }
            // Only so that its library has a name.
            is_code(address);
            self.addresses[self.count] = address;
            self.count += 1;
        }
    }
}

/// The table of stacks, in the file that is shared with `loligo record`.
///
/// # Invariants
///
/// 1. The first word of a frame is set once, from zero; then its second.
#[repr(C)]
pub(crate) struct Table {
    frames: [[AtomicU64; 2]; STACK_SLOTS],
}

impl Table {
    /// How many parts are made ready one by one.
    pub(crate) const PARTS: usize = STACK_SLOTS * STACK_SLOT_BYTES / STACK_PART_BYTES;

    /// Returns the number of a stack, 0 of an empty one; `None` if the table has no place for it.
    /// `is_ready` makes a part of the table ready and returns whether it can be used.
    pub(crate) fn stack(
        &self,
        callers: &Callers,
        mut is_ready: impl FnMut(usize) -> bool,
    ) -> Option<u32> {
        let addresses = &callers.addresses[..callers.count];
        let mut outer = addresses.iter().rev();
        outer.try_fold(0, |parent, &address| self.frame(parent, address, &mut is_ready))
    }

    fn frame(
        &self,
        parent: u32,
        address: u64,
        mut is_ready: impl FnMut(usize) -> bool,
    ) -> Option<u32> {
        let first_word = address | u64::from(parent) << 48;
        let second_word = u64::from(parent) | STACK_IS_WHOLE;
        let mixed = (address ^ u64::from(parent) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let start = (mixed >> 32) as usize;
        for probe in 0..PROBES {
            let index = (start + probe) % STACK_SLOTS;
            if !is_ready(index * STACK_SLOT_BYTES / STACK_PART_BYTES) {
                return None;
            }
            let [first, second] = &self.frames[index];
            let number = index as u32 + 1;
            // Acquire: pairs with the release of the exchange below.
            let mut found = first.load(Ordering::Acquire);
            if found == 0 {
                let set =
                    first.compare_exchange(0, first_word, Ordering::AcqRel, Ordering::Acquire);
                let Err(other) = set else {
                    // Release: `loligo record` reads it by way of the file.
                    second.store(second_word, Ordering::Release);
                    return Some(number);
                };
                found = other;
            }
            // Where another thread has set the first word and not yet the second, the frame gets
            // another place: the same stack may be there twice.
            if found == first_word && second.load(Ordering::Acquire) == second_word {
                return Some(number);
            }
        }
        None
    }
}
