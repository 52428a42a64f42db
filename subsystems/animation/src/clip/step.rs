//! The four bits before the value of a key: how long after the key before it is.
//!
//! A few lengths are enough: an interval of another length is divided by one more key. In the stream the
//! code of a key is mixed (exclusive or) with that of the key that it replaces, as values are.

/// The code of the end of a track, which has no value.
pub(crate) const END: u8 = 0;

/// The code of a key at the time of the key before: a jump, or the first key of a track.
#[cfg(feature = "compile")]
pub(crate) const JUMP: u8 = 15;

/// The frames of each code.
const FRAMES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 64, 0];

/// Returns the frames of a code.
#[inline]
pub(crate) const fn frames_of(code: u8) -> u8 {
    FRAMES[(code & 15) as usize]
}

/// Returns the code of an interval, if it is one of those that have a code.
#[cfg(feature = "compile")]
pub(crate) fn code_of(frames: usize) -> Option<u8> {
    let is_it = |code: &u8| usize::from(frames_of(*code)) == frames;
    if frames == 0 { Some(JUMP) } else { (1..JUMP).find(is_it) }
}

/// Returns the longest interval that has a code and is no longer than that.
#[cfg(feature = "compile")]
pub(crate) fn longest_within(frames: usize) -> usize {
    let lengths = (1..JUMP).map(|code| usize::from(frames_of(code)));
    lengths.filter(|length| *length <= frames).max().unwrap_or(1)
}

/// The codes of the four active keys of a track, the newest in the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Codes(pub(crate) u16);

impl Codes {
    /// Takes a code from the stream: returns the code of the key that comes in.
    #[inline]
    pub(crate) const fn advance(&mut self, mixed: u8) -> u8 {
        let code = mixed & 15 ^ (self.0 >> 12) as u8;
        self.0 = self.0 << 4 | code as u16;
        code
    }

    /// Undoes [`advance`](Self::advance) with the same code from the stream: returns the code of the key
    /// that comes back.
    #[inline]
    pub(crate) const fn retreat(&mut self, mixed: u8) -> u8 {
        let code = mixed & 15 ^ self.newest();
        self.0 = self.0 >> 4 | (code as u16) << 12;
        code
    }

    /// Returns the code of the newest key.
    #[inline]
    pub(crate) const fn newest(self) -> u8 {
        (self.0 & 15) as u8
    }

    /// Returns the frames of the four intervals, the oldest first.
    #[inline]
    pub(crate) fn frames(self) -> [u8; 4] {
        let code = |shift: u32| frames_of((self.0 >> shift) as u8);
        [code(12), code(8), code(4), code(0)]
    }
}
