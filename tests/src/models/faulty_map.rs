//! A plain sorted list of entries, with one thing wrong.

use core::mem;

use crate::conformance::{Map, MapKey, Token};

/// Something that a [`FaultyMap`] does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MapFault {
    /// None: a map as it should be.
    None,
    /// Counts one more than there are.
    CountsTooMany,
    /// Does not find the key 50.
    LosesKey,
    /// Finds the last value under keys that are greater than all.
    FindsBeyond,
    /// Keeps the old value where there is one.
    KeepsOld,
    /// Leaves what it hands out.
    RemoveLeaves,
    /// Takes keys of equal hashes for equal.
    TakesHashForKey,
    /// Leaves the last entry out of a walk.
    VisitMissesLast,
    /// Keeps its entries as they came.
    Unsorted,
    /// Changes a copy.
    ChangesCopy,
    /// Keeps the first entry when it is cleared.
    ClearKeepsFirst,
    /// Loses the last entry when it grows to 4096.
    LosesOnGrowth,
    /// Loses an entry after 30 000 removals.
    WearsOut,
    /// Forgets to drop the key that was not needed.
    ForgetsKey,
    /// Forgets to drop what is there when it goes.
    ForgetsDrop,
    /// Removes the entry after the one that is meant when there are four.
    LosesItsPlace,
}

impl MapFault {
    /// Every fault that the suite must catch, with the check that catches it.
    pub const CAUGHT: [(Self, &'static str); 15] = [
        (Self::CountsTooMany, "empty"),
        (Self::LosesKey, "insert_and_get"),
        (Self::FindsBeyond, "absent_keys"),
        (Self::KeepsOld, "replace"),
        (Self::RemoveLeaves, "remove"),
        (Self::TakesHashForKey, "equal_hashes"),
        (Self::VisitMissesLast, "visit"),
        (Self::Unsorted, "order"),
        (Self::ChangesCopy, "change"),
        (Self::ClearKeepsFirst, "clear"),
        (Self::LosesOnGrowth, "growth"),
        (Self::WearsOut, "churn"),
        (Self::ForgetsKey, "drops"),
        (Self::ForgetsDrop, "drops"),
        (Self::LosesItsPlace, "programs"),
    ];
}

/// A sorted list of entries, with one planted [`MapFault`], which the suite must find.
#[derive(Debug)]
pub struct FaultyMap {
    fault: MapFault,
    entries: Vec<(MapKey, Token)>,
    copy: Option<Token>,
    removals: u32,
}

impl FaultyMap {
    /// Makes a map with that fault.
    #[must_use]
    pub const fn new(fault: MapFault) -> Self {
        Self { fault, entries: Vec::new(), copy: None, removals: 0 }
    }

    fn has(&self, fault: MapFault) -> bool {
        self.fault == fault
    }

    /// Where the key is, or where it belongs.
    fn place(&self, key: &MapKey) -> Result<usize, usize> {
        let number = key.number();
        match self.fault {
            MapFault::LosesKey if number == 50 => Err(self.entries.len()),
            MapFault::TakesHashForKey => {
                self.entries.binary_search_by_key(&(number / 2), |(key, _)| key.number() / 2)
            }
            MapFault::Unsorted => {
                self.entries.iter().position(|(other, _)| other == key).ok_or(self.entries.len())
            }
            _ => {
                let place = self.entries.binary_search_by(|(other, _)| other.cmp(key));
                let len = self.entries.len();
                let is_beyond = place == Err(len) && len > 0;
                if self.has(MapFault::FindsBeyond) && is_beyond && number > 200 {
                    return Ok(len - 1);
                }
                place
            }
        }
    }
}

impl Map for FaultyMap {
    fn insert(&mut self, key: MapKey, value: Token) -> Option<Token> {
        match self.place(&key) {
            Ok(_) if self.has(MapFault::KeepsOld) => Some(value),
            Ok(place) => {
                if self.has(MapFault::ForgetsKey) {
                    mem::forget(key);
                }
                Some(mem::replace(&mut self.entries[place].1, value))
            }
            Err(place) => {
                self.entries.insert(place, (key, value));
                if self.has(MapFault::LosesOnGrowth) && self.entries.len() == 4096 {
                    self.entries.pop();
                }
                None
            }
        }
    }

    fn remove(&mut self, key: &MapKey) -> Option<Token> {
        let place = self.place(key).ok()?;
        self.removals += 1;
        if self.has(MapFault::WearsOut) && self.removals == 30_000 {
            self.entries.pop();
        }
        if self.has(MapFault::RemoveLeaves) {
            return Some(Token::new(self.entries[place].1.number()));
        }
        let strays = self.has(MapFault::LosesItsPlace) && self.entries.len() == 4;
        let place = if strays { (place + 1) % self.entries.len() } else { place };
        Some(self.entries.remove(place).1)
    }

    fn get(&self, key: &MapKey) -> Option<&Token> {
        self.place(key).ok().map(|place| &self.entries[place].1)
    }

    fn get_mut(&mut self, key: &MapKey) -> Option<&mut Token> {
        let place = self.place(key).ok()?;
        if self.has(MapFault::ChangesCopy) {
            let number = self.entries[place].1.number();
            return Some(self.copy.insert(Token::new(number)));
        }
        Some(&mut self.entries[place].1)
    }

    fn len(&self) -> usize {
        self.entries.len() + usize::from(self.has(MapFault::CountsTooMany))
    }

    fn visit(&self, each: &mut dyn FnMut(u32, &Token)) {
        let missed = usize::from(self.has(MapFault::VisitMissesLast));
        let count = self.entries.len().saturating_sub(missed);
        self.entries[..count].iter().for_each(|(key, value)| each(key.number(), value));
    }

    fn clear(&mut self) {
        self.entries.truncate(usize::from(self.has(MapFault::ClearKeepsFirst)));
    }
}

impl Drop for FaultyMap {
    fn drop(&mut self) {
        if self.has(MapFault::ForgetsDrop) {
            mem::forget(mem::take(&mut self.entries));
        }
    }
}
