//! One process's share of a list.

use core::error::Error;
use core::fmt;
use core::num::NonZeroU32;
use core::str::FromStr;

/// The share `I/N`: every Nth item from the Ith, counted from 1. The shares of all `I` are the whole
/// list, and no item is in two.
///
/// # Examples
///
/// ```
/// use loligo_replay::fleet::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// let own: Vec<usize> = (0..7).filter(|place| shard.takes(*place)).collect();
/// assert_eq!(own, [1, 4]);
/// # Ok::<(), loligo_replay::fleet::ShardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `of`.
    number: NonZeroU32,
    of: NonZeroU32,
}

impl Shard {
    /// Returns which share it is, from 1 on.
    #[must_use]
    pub const fn number(self) -> NonZeroU32 {
        self.number
    }

    /// Returns how many shares there are.
    #[must_use]
    pub const fn of(self) -> NonZeroU32 {
        self.of
    }

    /// Returns `true` if the item at this place of the list is this share's.
    #[must_use]
    pub fn takes(self, place: usize) -> bool {
        place % self.of.get() as usize == self.number.get() as usize - 1
    }
}

/// A share that is not `I/N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardError {
    text: String,
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        write!(
            f,
            "`{text}` is not a share I/N with I from 1 to N; of four processes the first has 1/4 \
             and the last 4/4"
        )
    }
}

impl Error for ShardError {}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parsed = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse::<NonZeroU32>().ok()?, of.parse().ok()?);
            (number <= of).then_some(Self { number, of })
        });
        parsed.ok_or_else(|| ShardError { text: text.to_owned() })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}
