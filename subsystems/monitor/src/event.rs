//! What consumers see.

/// The core of a scope where the system does not report it.
pub const NO_CORE: u32 = crate::core_number::UNKNOWN;

/// An event, as a consumer sees it. Names live as long as the call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'v> {
    /// The thread's number: those of threads that have ended are used again for threads of the same
    /// name.
    pub thread: u32,
    /// The thread's name.
    pub thread_name: &'v str,
    /// When it was, in nanoseconds from when the monitor was made. It never goes back within a
    /// thread.
    pub time_ns: u64,
    /// What has happened.
    pub what: What<'v>,
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What<'v> {
    /// A scope begins.
    Enter {
        /// Its name.
        name: &'v str,
        /// The core that the thread runs on, or [`NO_CORE`].
        core: u32,
    },
    /// A scope ends: always the innermost of the thread's open ones.
    Leave {
        /// Its name.
        name: &'v str,
        /// Its end was not recorded, or lost: it ends here since one around it does, or since
        /// events were lost.
        cut: bool,
    },
    /// A frame ends.
    Frame {
        /// Frames before this one.
        number: u32,
    },
    /// A whole number.
    Counter {
        /// Its name.
        name: &'v str,
        /// The value.
        value: i64,
    },
    /// A float, which may be infinite or no number.
    Float {
        /// Its name.
        name: &'v str,
        /// The value.
        value: f32,
    },
    /// A vector, whose parts may be infinite or no numbers.
    Vector {
        /// Its name.
        name: &'v str,
        /// The value.
        value: [f32; 3],
    },
    /// A heap gave out a block.
    Allocate {
        /// The heap's name.
        heap: &'v str,
        /// Where it begins.
        address: u64,
        /// Its size.
        bytes: u64,
    },
    /// A heap took a block back.
    Free {
        /// The heap's name.
        heap: &'v str,
        /// Where it began.
        address: u64,
        /// Its size.
        bytes: u64,
    },
    /// Events of this thread were lost, as consumers were slower than the threads. Its open scopes
    /// have ended.
    Lost {
        /// How many, a vector, an allocation or a free counted twice.
        events: u64,
    },
}

/// A consumer of events: see [`Monitor::drain`](crate::Monitor::drain).
///
/// Events of a thread come in their order, scopes nested: each end is that of the innermost open
/// scope. Events of different threads come in no order.
pub trait Consumer {
    /// Takes an event.
    fn event(&mut self, event: &Event<'_>);
}
