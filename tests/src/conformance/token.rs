//! Values and keys that suites put into containers: each is counted from its making to its drop.

use core::cell::RefCell;
use core::hash::{Hash, Hasher};

use crate::rule::{Rule, Violation, require};

thread_local! {
    /// How often each token of this thread was dropped, by its serial number.
    static DROPS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// What a suite puts into a container: a number to be known by, and a serial number under which its
/// drop is counted. It owns nothing, so that a container that drops it twice is found and not
/// undefined.
///
/// # Examples
///
/// ```
/// use loligo_tests::conformance::Token;
///
/// let token = Token::new(7);
/// assert_eq!(token.number(), 7);
/// ```
#[derive(Debug)]
pub struct Token {
    number: u32,
    serial: u32,
}

impl Token {
    /// Makes a token with that number.
    #[must_use]
    pub fn new(number: u32) -> Self {
        let serial = DROPS.with_borrow_mut(|drops| {
            drops.push(0);
            drops.len() - 1
        });
        Self { number, serial: serial as u32 }
    }

    /// Returns its number.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Gives it another number.
    pub const fn set_number(&mut self, number: u32) {
        self.number = number;
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // What is dropped when its thread ends is of no interest any more.
        let _ = DROPS.try_with(|drops| {
            if let Some(count) = drops.borrow_mut().get_mut(self.serial as usize) {
                *count += 1;
            }
        });
    }
}

/// A key that suites look values up by. Keys are equal, and ordered, by their numbers; every two
/// neighbours have one hash, so that a map that takes equal hashes for equal keys is found out.
///
/// # Examples
///
/// ```
/// use loligo_tests::conformance::MapKey;
///
/// assert!(MapKey::new(6) < MapKey::new(7), "their hashes are equal, they are not");
/// ```
#[derive(Debug)]
pub struct MapKey(Token);

impl MapKey {
    /// Makes a key of that number.
    #[must_use]
    pub fn new(number: u32) -> Self {
        Self(Token::new(number))
    }

    /// Returns its number.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.0.number
    }
}

impl PartialEq for MapKey {
    fn eq(&self, other: &Self) -> bool {
        self.number() == other.number()
    }
}

impl Eq for MapKey {}

impl PartialOrd for MapKey {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for MapKey {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.number().cmp(&other.number())
    }
}

impl Hash for MapKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.number() / 2);
    }
}

/// Forgets all tokens of this thread: those made from here on are counted.
pub(super) fn count_from_here() {
    DROPS.with_borrow_mut(Vec::clear);
}

/// Checks that every token made since was dropped once and no more.
pub(super) fn all_dropped_once() -> Result<(), Violation> {
    DROPS.with_borrow(|drops| {
        let never = drops.iter().filter(|&&count| count == 0).count();
        let often = drops.iter().filter(|&&count| count > 1).count();
        require(never == 0 && often == 0, Rule::Drops, || {
            format!(
                "of {} keys and values {never} were never dropped, {often} more than once",
                drops.len()
            )
        })
    })
}
