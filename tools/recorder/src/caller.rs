//! Where a call of an exported function came from.

/// Where a call came from: the place on the stack with its return address, and the frame pointer,
/// which need not be one.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    place: *const u64,
    frame: usize,
}

impl Caller {
    /// # Safety
    ///
    /// `place` is the stack pointer as it was at the first instruction of one of our exported
    /// functions, which has not returned yet. `frame` can be anything.
    pub(crate) unsafe fn new(place: *const u64, frame: *const u64) -> Self {
        Self { place, frame: frame.addr() }
    }

    /// Returns the return address.
    pub(crate) fn site(self) -> u64 {
        // SAFETY: by the promise of `new` it is where the processor has put the return address.
        unsafe { self.place.read() }
    }

    /// Returns the place of the return address.
    pub(crate) fn place(self) -> *const u64 {
        self.place
    }

    /// Returns the frame pointer of the caller, or whatever it has in that register.
    pub(crate) fn frame(self) -> usize {
        self.frame
    }

    /// Returns the word that holds the caller's own return address, if its frame is as small as it
    /// can be.
    pub(crate) fn above(self) -> u64 {
        // SAFETY: the stack is aligned to 16 at every call, so the caller's own return address is
        // sixteen bytes above, or 16 n further up: the words up to it are the caller's frame.
        let above = unsafe { self.place.add(2) };
        // SAFETY: as above; a word of a live frame of this thread.
        unsafe { above.read() }
    }
}
