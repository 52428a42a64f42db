//! Names that are made at run time: a table of a fixed number of texts, read without a lock.

use std::sync::{Mutex, OnceLock, PoisonError};

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::error::MonitorError;
use crate::name::Name;

/// The longest name in bytes.
pub(crate) const NAME_BYTES_MAX: usize = 1024;

/// Texts by number. One is never changed or taken out while the table lives.
pub(crate) struct Names<'a, A: Allocator + ?Sized> {
    texts: Array<'a, OnceLock<Array<'a, u8, A>>, A>,
    /// How many texts are set: those before this one.
    count: Mutex<u32>,
    memory: &'a A,
}

impl<'a, A: Allocator + ?Sized> Names<'a, A> {
    pub(crate) fn try_new_in(names_max: u32, memory: &'a A) -> Result<Self, GrowError> {
        let mut texts = Array::try_with_capacity_in(names_max as usize, memory)?;
        texts.extend((0..names_max).map(|_| OnceLock::new()));
        Ok(Self { texts, count: Mutex::new(0), memory })
    }

    /// Returns the name of `text`, which is put into the table if it is not there. O(names).
    pub(crate) fn try_name(&self, text: &str) -> Result<Name, MonitorError> {
        if text.len() > NAME_BYTES_MAX {
            return Err(MonitorError::LongName { bytes: text.len(), limit: NAME_BYTES_MAX });
        }
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let set = &self.texts[..*count as usize];
        let is_text = |known: &OnceLock<Array<'a, u8, A>>| {
            known.get().is_some_and(|known| *known == *text.as_bytes())
        };
        if let Some(number) = set.iter().position(is_text) {
            return Ok(Name::numbered(number as u32));
        }
        let Some(place) = self.texts.get(*count as usize) else {
            return Err(MonitorError::Names { limit: self.texts.len() as u32 });
        };
        let mut bytes = Array::try_with_capacity_in(text.len(), self.memory)?;
        bytes.try_extend_from_slice(text.as_bytes())?;
        let number = *count;
        if place.set(bytes).is_ok() {
            *count += 1;
        }
        Ok(Name::numbered(number))
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> u32 {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a name's text; a question mark for a number of another monitor's.
    pub(crate) fn text(&self, name: Name) -> &str {
        if let Some(text) = name.as_static() {
            return text;
        }
        let text = name.number().and_then(|number| self.texts.get(number as usize)?.get());
        text.and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or("?")
    }
}
