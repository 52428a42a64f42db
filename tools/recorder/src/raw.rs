//! The file that a recorder shares with `loligo record`: its layout, for the one and the other.
//!
//! ```text
//! 0       8          16      24        32        40     48     56       64     72
//! | magic | capacity | began | process | tickets | maps | stop | stacks | lost | start | 0 ..
//! 4096       the command line, arguments ended by zeros
//! 8192       copies of /proc/self/maps, each after a line `@TICKET`
//! RECORDS_AT records of 48 bytes, by ticket
//! stacks     where stacks are recorded: a table of frames of 16 bytes
//! ```
//!
//! A ticket is a number in the one order over all threads. The thread that has one writes the
//! record of that number, its last word last: a record whose last word is zero was never finished.
//!
//! A stack is the place of a frame in the table, counted from 1; 0 is none. A frame has a return
//! address and the stack of its caller. It is found by a hash of both, and never changes.

/// The first eight bytes.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"LOLIRAW1");

/// Where the fields of the head begin.
pub(crate) const CAPACITY_AT: usize = 8;
/// Nanoseconds of the monotonic clock when the recording began.
pub(crate) const BEGAN_AT: usize = 16;
/// The process.
pub(crate) const PROCESS_AT: usize = 24;
/// How many tickets were given out; it may be more than there is room for.
pub(crate) const TICKETS_AT: usize = 32;
/// Bytes used of the maps.
pub(crate) const MAPS_USED_AT: usize = 40;
/// Why the recording stopped before the program, see `STOP_..`.
pub(crate) const STOP_AT: usize = 48;
/// Where the table of stacks begins; 0 without one.
pub(crate) const STACKS_AT: usize = 56;
/// How many frames found no place in the table.
pub(crate) const STACKS_LOST_AT: usize = 64;
/// Where `loligo record` writes that a recording which waits for it shall begin.
pub(crate) const START_AT: usize = 72;

/// All tickets are given out.
pub(crate) const STOP_FULL: u32 = 1;
/// There was no room on the disk for more.
pub(crate) const STOP_NO_ROOM: u32 = 2;

/// Where the command line begins, and its most bytes.
pub(crate) const COMMAND_AT: usize = 4096;
/// The most bytes of it.
pub(crate) const COMMAND_BYTES: usize = 4096;
/// Where the maps begin.
pub(crate) const MAPS_AT: usize = COMMAND_AT + COMMAND_BYTES;
/// The most bytes of them.
pub(crate) const MAPS_BYTES: usize = 4 << 20;
/// Where the records begin.
pub(crate) const RECORDS_AT: usize = MAPS_AT + MAPS_BYTES;
/// Bytes of a record.
pub(crate) const RECORD_BYTES: usize = 48;

/// Frames in the table of stacks, a power of two, and the bytes of each.
pub(crate) const STACK_SLOTS: usize = 1 << 20;
/// Bytes of a frame: its return address with the lowest bits of its parent above it, then its
/// parent with [`STACK_IS_WHOLE`].
pub(crate) const STACK_SLOT_BYTES: usize = 16;
/// Bytes of a part of the table that is made ready at once, a page.
pub(crate) const STACK_PART_BYTES: usize = 4096;
/// Marks the second word of a frame that was written to its end.
pub(crate) const STACK_IS_WHOLE: u64 = 1 << 63;
/// The bits of the first word of a frame that are its address.
pub(crate) const STACK_ADDRESS: u64 = (1 << 48) - 1;
/// The most frames of a stack.
pub(crate) const DEPTH_MAX: usize = 128;

/// Returns where the table of stacks begins after as many records.
pub(crate) const fn stacks_at(capacity: usize) -> usize {
    (RECORDS_AT + capacity * RECORD_BYTES).next_multiple_of(STACK_PART_BYTES)
}

/// No stacks.
pub(crate) const STACKS_OFF: u32 = 0;
/// Stacks by frame pointers.
pub(crate) const STACKS_BY_FRAMES: u32 = 1;
/// Stacks by the unwinder of the C library.
pub(crate) const STACKS_BY_UNWINDER: u32 = 2;

/// The recording begins with the program.
pub(crate) const AFTER_NOTHING: u32 = 0;
/// The recording begins with the mark of a value.
pub(crate) const AFTER_MARK: u32 = 1;
/// The recording begins after a number of calls.
pub(crate) const AFTER_CALLS: u32 = 2;
/// The recording begins when `loligo record` says so.
pub(crate) const AFTER_START: u32 = 3;

/// What a record says; the numbers of what the trace has, too, are the same.
pub(crate) const OP_ALLOCATE: u8 = 1;
/// A block is about to be freed.
pub(crate) const OP_FREE: u8 = 2;
/// A block is about to be reallocated: from here on its address may be another's.
pub(crate) const OP_LIFT: u8 = 3;
/// A block of zeros.
pub(crate) const OP_ALLOCATE_ZEROED: u8 = 4;
/// A frame mark; its value is in the place of the bytes.
pub(crate) const OP_MARK: u8 = 5;
/// The block that the thread has lifted is here now; at 0 if it is where it was.
pub(crate) const OP_LAND: u8 = 6;

/// One record: six words.
///
/// The last word, from its lowest bit: operation (3 bits), logarithm of the alignment (5), thread
/// (24), stack of the callers (32).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) time_ns: u64,
    /// The return address of the call.
    pub(crate) site: u64,
    /// The word that holds the caller's own return address, if its frame is as small as it can be.
    pub(crate) above: u64,
    pub(crate) op: u8,
    pub(crate) align_log2: u8,
    /// Below 2^24.
    pub(crate) thread: u32,
    /// Who called the caller; 0 where no stack is recorded.
    pub(crate) stack: u32,
}

/// The greatest logarithm of an alignment that a record can hold; no allocator has one as great.
const ALIGN_LOG2_MAX: u8 = 31;

impl Record {
    /// Returns the six words, in the order of the file.
    pub(crate) const fn words(&self) -> [u64; 6] {
        let align_log2 =
            if self.align_log2 < ALIGN_LOG2_MAX { self.align_log2 } else { ALIGN_LOG2_MAX };
        let last = (self.stack as u64) << 32
            | (self.thread as u64 & 0xff_ffff) << 8
            | (align_log2 as u64) << 3
            | self.op as u64;
        [self.address, self.bytes, self.time_ns, self.site, self.above, last]
    }

    /// Reads six words; `None` where the record was not finished.
    pub(crate) const fn of_words(words: [u64; 6]) -> Option<Self> {
        let [address, bytes, time_ns, site, above, last] = words;
        if last & 7 == 0 {
            return None;
        }
        Some(Self {
            address,
            bytes,
            time_ns,
            site,
            above,
            op: last as u8 & 7,
            align_log2: last as u8 >> 3,
            thread: (last >> 8) as u32 & 0xff_ffff,
            stack: (last >> 32) as u32,
        })
    }
}

/// The variable with the recorder's settings: `CAPACITY:CHILDREN:STACKS:DEPTH:AFTER:VALUE:FOLDER`,
/// where `CHILDREN` is `0` or `1`, `STACKS` one of `STACKS_..`, `DEPTH` the most frames of a stack,
/// `AFTER` one of `AFTER_..` with its `VALUE`, and the folder is where the files go.
pub(crate) const VARIABLE: &str = "LOLIGO_RECORD";

/// The file in the folder that bears the number of the process to record.
pub(crate) const MAIN_NAME: &str = "main";

/// The file in the folder that is there once recordings shall begin that wait for it.
pub(crate) const STARTED_NAME: &str = "started";
