//! The recording of this process: where its records go, and whether it is on.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::caller::Caller;
use crate::maps::Maps;
use crate::raw::{self, RECORD_BYTES, RECORDS_AT, Record};
use crate::settings::{PATH_BYTES_MAX, Settings, settings};
use crate::stacks::{self, Callers, Table};
use crate::system::{self, File, Limit, MAP_PRIVATE_ANONYMOUS, MAP_SHARED, PROT_READ_WRITE};
use crate::{real, thread};

/// Nothing was decided yet. The kernel puts this into each child made by `fork`.
const FRESH: u32 = 0;
/// Another call decides.
const STARTING: u32 = 1;
/// Events are recorded.
const ON: u32 = 2;
/// Nothing is recorded.
const OFF: u32 = 3;

/// Records that are made ready at once: 192 KiB, and a sixteenth of that at first, as most
/// processes are small.
const READY_STEP: u64 = 4096;
const READY_STEP_FIRST: u64 = 256;

/// Files of one process: it makes another each time that it becomes another program.
const FILES_MAX: u32 = 9999;

/// What a forked child must not have of its parent. It is in pages that the kernel fills with zeros
/// in a child, so all zeros must be a fresh one.
///
/// # Invariants
///
/// 1. While `phase` is [`ON`], `base` is a shared map of `RECORDS_AT + capacity * RECORD_BYTES`
///    bytes that is never taken away; where `stacks` is not [`STACKS_OFF`](raw::STACKS_OFF), the
///    table of stacks follows on the next page, of `STACK_SLOTS * STACK_SLOT_BYTES`.
#[repr(C)]
pub(crate) struct State {
    phase: AtomicU32,
    base: AtomicPtr<u8>,
    capacity: AtomicU64,
    /// The number of records, from the first on, that can be written to without a fault.
    ready: AtomicU64,
    stacks: AtomicU32,
    depth: AtomicU32,
    /// The pages of the table that can be written to without a fault, a bit each.
    ready_parts: [AtomicU64; Table::PARTS / 64],
    /// What the recording still waits for, one of `AFTER_..`, and the value for it.
    after: AtomicU32,
    after_value: AtomicU64,
    /// Calls while it waits.
    calls: AtomicU64,
    maps: Maps,
}

/// Where the state is, null before the first call.
static STATE: AtomicPtr<State> = AtomicPtr::new(core::ptr::null_mut());

/// There is no memory for it, or the kernel is older than 4.14 and cannot keep children away.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Begins the recording with the program, also of one that allocates nothing.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

extern "C" fn at_load() {
    if real::found()
        && let Some(state) = state()
        && state.stacks.load(Ordering::Relaxed) == raw::STACKS_BY_UNWINDER
    {
        stacks::prepare_unwinder();
    }
}

/// Writes one record, if the recording is on.
pub(crate) fn record(op: u8, align_log2: u8, address: *mut u8, bytes: u64, caller: Caller) {
    let Some(state) = state() else { return };
    if state.after.load(Ordering::Relaxed) != raw::AFTER_NOTHING && state.waits(op, bytes) {
        return;
    }
    let base = state.base.load(Ordering::Relaxed);
    // SAFETY: by invariant 1 the head is there; the counter is in it, aligned to 8, and is
    // only ever used as an atomic one.
    let tickets = unsafe { &*base.add(raw::TICKETS_AT).cast::<AtomicU64>() };
    // Relaxed: the order of this counter is all that is asked for. A block's free has its ticket
    // before the block goes back and its next allocation after it was given out, and the
    // allocator's own locks put one before the other.
    let ticket = tickets.fetch_add(1, Ordering::Relaxed);
    if ticket >= state.ready.load(Ordering::Relaxed) && !state.make_ready(ticket) {
        return;
    }
    let stack = match state.stacks.load(Ordering::Relaxed) {
        raw::STACKS_OFF => 0,
        _ if !matches!(op, raw::OP_ALLOCATE | raw::OP_ALLOCATE_ZEROED | raw::OP_LAND) => 0,
        how => state.stack(how, base, ticket, caller),
    };
    let record = Record {
        address: address.addr() as u64,
        bytes,
        time_ns: system::now_ns(),
        site: caller.site(),
        above: caller.above(),
        op,
        align_log2,
        thread: thread::number(),
        stack,
    };
    let at = RECORDS_AT + ticket as usize * RECORD_BYTES;
    // SAFETY: `make_ready` has found the ticket below the capacity, so by invariant 1 the record is
    // inside the map.
    let at = unsafe { base.add(at) };
    // SAFETY: it is aligned to 8, and the ticket makes it this call's alone; `loligo record` reads
    // it by way of the file.
    let words = unsafe { &*at.cast::<[AtomicU64; 6]>() };
    for (word, value) in words.iter().zip(record.words()) {
        // Release: the last word is written last, and says that the others are there.
        word.store(value, Ordering::Release);
    }
    if !state.maps.has_seen(record.site) {
        let errno = system::errno();
        state.maps.look(base, ticket, record.site);
        system::set_errno(errno);
    }
}

/// Returns the state if the recording is on; begins it if nothing was decided yet.
fn state() -> Option<&'static State> {
    let at = STATE.load(Ordering::Acquire);
    // SAFETY: it is null, or a map that was published by `make` and is never taken away.
    let state = match unsafe { at.as_ref() } {
        Some(state) => state,
        None => make()?,
    };
    // Acquire: pairs with the release in `begin`, which has written the other fields before.
    match state.phase.load(Ordering::Acquire) {
        ON => Some(state),
        FRESH => state.begin().then_some(state),
        _ => None,
    }
}

/// Makes the pages that the state is in.
#[cold]
fn make() -> Option<&'static State> {
    if GIVEN_UP.load(Ordering::Relaxed) {
        return None;
    }
    let errno = system::errno();
    let made = map(size_of::<State>(), MAP_PRIVATE_ANONYMOUS, -1, system::MADV_WIPEONFORK);
    system::set_errno(errno);
    let Some(made) = made.map(<*mut u8>::cast::<State>) else {
        GIVEN_UP.store(true, Ordering::Relaxed);
        return None;
    };
    let null = core::ptr::null_mut();
    // Release: pairs with the acquire in `state`. The pages are zeros, which is a fresh state.
    let published = STATE.compare_exchange(null, made, Ordering::AcqRel, Ordering::Acquire);
    let state = match published {
        Ok(_) => made,
        Err(first) => {
            // SAFETY: the map was made above and nobody else has seen it.
            unsafe { system::munmap(made.cast(), size_of::<State>()) };
            first
        }
    };
    // SAFETY: a map of the right size, alignment and contents, which is never taken away.
    Some(unsafe { &*state })
}

/// Maps memory that is in some way kept from children; `None` where the kernel refuses either.
fn map(bytes: usize, flags: c_int, file: c_int, advice: c_int) -> Option<*mut u8> {
    let null = core::ptr::null_mut();
    // SAFETY: a new map at a place of the kernel's choice, which touches nothing that is there.
    let at = unsafe { system::mmap(null, bytes, PROT_READ_WRITE, flags, file, 0) };
    if at == core::ptr::without_provenance_mut::<c_void>(usize::MAX) {
        return None;
    }
    // SAFETY: the map is ours alone; the advice is for what `fork` does with it.
    if unsafe { system::madvise(at, bytes, advice) } != 0 {
        // SAFETY: the map was made above and nobody has seen it.
        unsafe { system::munmap(at, bytes) };
        return None;
    }
    Some(at.cast())
}

impl State {
    /// Decides whether this process is recorded; returns whether it is.
    #[cold]
    fn begin(&self) -> bool {
        let begun =
            self.phase.compare_exchange(FRESH, STARTING, Ordering::AcqRel, Ordering::Acquire);
        if begun.is_err() {
            return false;
        }
        let errno = system::errno();
        // SAFETY: the thread that set the phase to `STARTING` is alone; a child made by `fork` has
        // one thread.
        let settings = unsafe { settings() };
        let is_on = settings.is_some_and(|settings| {
            (settings.is_main() || settings.children) && self.open(settings).is_some()
        });
        // Release: pairs with the acquire in `state`.
        self.phase.store(if is_on { ON } else { OFF }, Ordering::Release);
        system::set_errno(errno);
        is_on
    }

    /// Makes the file and maps it.
    fn open(&self, settings: &Settings) -> Option<()> {
        let process = system::getpid();
        let file = create(settings, process)?;
        let mut limit = Limit { now: 0, most: 0 };
        // SAFETY: the pointer is that of a live value of the type that is filled in.
        let asked = unsafe { system::getrlimit(system::RLIMIT_FSIZE, &raw mut limit) };
        // A file that grows over the limit would end the program by a signal.
        let room = if asked == 0 { limit.now } else { 0 };
        let has_stacks = settings.stacks != raw::STACKS_OFF;
        let table_bytes = if has_stacks { raw::STACK_SLOTS * raw::STACK_SLOT_BYTES } else { 0 };
        // The table begins on the next page.
        let others = RECORDS_AT + raw::STACK_PART_BYTES + table_bytes;
        let room = room.checked_sub(others as u64)?;
        let capacity = settings.capacity.min(room / RECORD_BYTES as u64);
        let records = usize::try_from(capacity).ok()?;
        records.checked_mul(RECORD_BYTES)?;
        let bytes = raw::stacks_at(records).checked_add(table_bytes)?;
        // SAFETY: it is our file; it gets longer, and no block of the disk is taken yet.
        if unsafe { system::ftruncate(file.0, bytes as i64) } != 0 {
            return None;
        }
        let base = map(bytes, MAP_SHARED, file.0, system::MADV_DONTFORK)?;
        self.base.store(base, Ordering::Relaxed);
        self.capacity.store(capacity, Ordering::Relaxed);
        if !populate(base, raw::MAPS_AT) {
            return None;
        }
        if has_stacks {
            put(base, raw::STACKS_AT, raw::stacks_at(records) as u64);
            self.depth.store(settings.depth as u32, Ordering::Relaxed);
            self.stacks.store(settings.stacks, Ordering::Relaxed);
        }
        self.after.store(settings.after, Ordering::Relaxed);
        self.after_value.store(settings.after_value, Ordering::Relaxed);
        put(base, raw::CAPACITY_AT, capacity);
        put(base, raw::BEGAN_AT, system::now_ns());
        put(base, raw::PROCESS_AT, process as u64);
        copy_command(base);
        // The magic last: a file without it is not a recording.
        put(base, 0, raw::MAGIC);
        // `loligo record` makes that file first and then writes to the recordings that it finds; so
        // this process sees the one or the other.
        if settings.after == raw::AFTER_START && settings.is_started() {
            put(base, raw::START_AT, 1);
        }
        Some(())
    }

    /// Returns `true` while the recording has not begun, for a call that is not recorded then.
    #[cold]
    fn waits(&self, op: u8, bytes: u64) -> bool {
        let after = self.after.load(Ordering::Relaxed);
        let value = self.after_value.load(Ordering::Relaxed);
        let base = self.base.load(Ordering::Relaxed);
        let begins = match after {
            raw::AFTER_NOTHING => true,
            raw::AFTER_MARK => op == raw::OP_MARK && bytes == value,
            // A reallocation has two records, and only its first counts.
            raw::AFTER_CALLS if matches!(op, raw::OP_LAND | raw::OP_MARK) => false,
            raw::AFTER_CALLS => self.calls.fetch_add(1, Ordering::Relaxed) >= value,
            // SAFETY: by invariant 1 the head is there; the word in it is aligned to 8, and is only
            // ever used as an atomic one.
            _ => {
                unsafe { &*base.add(raw::START_AT).cast::<AtomicU64>() }.load(Ordering::Relaxed)
                    != 0
            }
        };
        // One thread begins; the others find that it has.
        if begins && self.after.swap(raw::AFTER_NOTHING, Ordering::Relaxed) != raw::AFTER_NOTHING {
            put(base, raw::BEGAN_AT, system::now_ns());
        }
        !begins
    }

    /// Returns the stack of a call's callers, 0 where there is none.
    #[inline(never)]
    fn stack(&self, how: u32, base: *mut u8, ticket: u64, caller: Caller) -> u32 {
        let errno = system::errno();
        let depth = self.depth.load(Ordering::Relaxed) as usize;
        let is_code = |address| self.maps.is_code(base, ticket, address);
        let callers = Callers::find(how, depth, caller, is_code);
        let capacity = self.capacity.load(Ordering::Relaxed) as usize;
        // SAFETY: by invariant 1 the table is there, after the records.
        let at = unsafe { base.add(raw::stacks_at(capacity)) };
        // SAFETY: as above; it is aligned to 8, and is only ever used by atomic words. No page is
        // touched before it is made ready.
        let table = unsafe { &*at.cast::<Table>() };
        let stack = table.stack(&callers, |part| self.make_part_ready(at, part));
        system::set_errno(errno);
        stack.unwrap_or_else(|| {
            // SAFETY: by invariant 1 the head is there; the word in it is aligned to 8, and is only
            // ever used as an atomic one.
            let lost = unsafe { &*base.add(raw::STACKS_LOST_AT).cast::<AtomicU64>() };
            lost.fetch_add(1, Ordering::Relaxed);
            0
        })
    }

    /// Sees to it that a page of the table at `table` can be written to; returns whether it can.
    fn make_part_ready(&self, table: *mut u8, part: usize) -> bool {
        let (word, bit) = (&self.ready_parts[part / 64], 1 << (part % 64));
        // Relaxed: a thread that does not see the bit makes the page ready once more.
        if word.load(Ordering::Relaxed) & bit != 0 {
            return true;
        }
        // SAFETY: the part is inside the table.
        let page = unsafe { table.add(part * raw::STACK_PART_BYTES) };
        let is_ready = populate(page, raw::STACK_PART_BYTES);
        if is_ready {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        is_ready
    }

    /// Sees to it that the record of a ticket can be written. Where it cannot, the recording is
    /// over.
    #[cold]
    fn make_ready(&self, ticket: u64) -> bool {
        let errno = system::errno();
        let capacity = self.capacity.load(Ordering::Relaxed);
        let base = self.base.load(Ordering::Relaxed);
        let step = if ticket < READY_STEP { READY_STEP_FIRST } else { READY_STEP };
        let start = ticket - ticket % step;
        let end = (start + step).min(capacity);
        let stop = if ticket >= capacity {
            Some(raw::STOP_FULL)
        } else {
            let at = RECORDS_AT + start as usize * RECORD_BYTES;
            // SAFETY: `start` is at most the ticket, which is below the capacity, so it is inside.
            let first = unsafe { base.add(at) };
            let is_ready = populate(first, (end - start) as usize * RECORD_BYTES);
            (!is_ready).then_some(raw::STOP_NO_ROOM)
        };
        if let Some(stop) = stop {
            put(base, raw::STOP_AT, stop.into());
            self.phase.store(OFF, Ordering::Relaxed);
        } else {
            // Relaxed: it spares work, no more. A thread of a later step may have come before; then
            // records of this one may be touched by others before they are ready, which costs a
            // fault each. The steps in between are made ready by those who hold their tickets.
            self.ready.fetch_max(end, Ordering::Relaxed);
        }
        system::set_errno(errno);
        stop.is_none()
    }
}

/// Makes a file of this process that no other has made.
fn create(settings: &Settings, process: c_int) -> Option<File> {
    let mut path = [0; PATH_BYTES_MAX];
    let mut digits = ([0; 20], [0; 20]);
    let process = decimal(process as u64, &mut digits.0);
    for number in 1..=FILES_MAX {
        let number = decimal(number.into(), &mut digits.1);
        let name = settings.path(&[process, b".", number, b".raw"], &mut path)?;
        let flags = system::O_RDWR | system::O_CREAT | system::O_EXCL;
        if let Some(file) = File::open(name, flags) {
            return Some(file);
        }
        if system::errno() != system::EEXIST {
            return None;
        }
    }
    None
}

/// Writes a number in decimal and returns its digits.
pub(crate) fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}

/// Takes blocks of the disk for a part of the file, and maps their pages. To write into a hole of a
/// file on a full disk would end the program by a signal. A kernel before 5.14 does not know how,
/// and takes them one by one when they are written to.
pub(crate) fn populate(at: *mut u8, bytes: usize) -> bool {
    let start = at.map_addr(|address| address & !4095);
    let bytes = bytes + (at.addr() - start.addr());
    // SAFETY: the range is a part of our own shared map; its pages get there as if written to, and
    // keep what they hold.
    let refused = unsafe { system::madvise(start.cast(), bytes, system::MADV_POPULATE_WRITE) } != 0;
    !refused || !matches!(system::errno(), system::EFAULT | system::ENOMEM)
}

/// Writes a word of the head.
pub(crate) fn put(base: *mut u8, at: usize, value: u64) {
    // SAFETY: `at` is one of the places in the head, all multiples of 8 below `COMMAND_AT`.
    let word = unsafe { base.add(at) };
    // SAFETY: as above; all words of the head are used as atomic ones.
    let word = unsafe { &*word.cast::<AtomicU64>() };
    word.store(value, Ordering::Release);
}

/// Copies what the kernel says was called.
fn copy_command(base: *mut u8) {
    let Some(file) = File::open(b"/proc/self/cmdline\0", system::O_RDONLY) else { return };
    // SAFETY: the place of the command line is inside the map, and nobody else writes or reads it.
    let at = unsafe { base.add(raw::COMMAND_AT) };
    // SAFETY: as above; the pages were made ready, and hold zeros.
    let command = unsafe { core::slice::from_raw_parts_mut(at, raw::COMMAND_BYTES - 1) };
    file.read(command);
}
