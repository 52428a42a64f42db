//! Texts that were asked for and are not there.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_interface::SubsystemMemory;

/// The most that are kept: a game that makes up names would fill the memory with them.
const COUNT_MAX: usize = 256;

/// The most bytes of a name that are kept.
const NAME_BYTES_MAX: usize = 120;

/// The beginning of a name.
#[derive(Clone, Copy)]
struct Name {
    bytes: [u8; NAME_BYTES_MAX],
    len: u8,
}

impl Name {
    fn new(text: &str) -> Self {
        let mut bytes = [0; NAME_BYTES_MAX];
        let len = text.floor_char_boundary(NAME_BYTES_MAX);
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Self { bytes, len: len as u8 }
    }

    fn as_str(&self) -> &str {
        // Whole characters were copied.
        core::str::from_utf8(&self.bytes[..self.len.into()]).unwrap_or_default()
    }
}

/// Names in order, each once.
pub(super) struct Missing<'m> {
    names: Array<'m, Name, SubsystemMemory<'m>>,
}

impl<'m> Missing<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { names: Array::new_in(memory) }
    }

    /// Keeps a name, if it is new and there is room.
    pub(super) fn note(&mut self, name: &str) {
        let name = Name::new(name);
        let place = self.names.binary_search_by(|known| known.as_str().cmp(name.as_str()));
        if let Err(place) = place
            && self.names.len() < COUNT_MAX
        {
            // A list for people: without memory it is shorter.
            let _ = self.names.try_insert(place, name);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(Name::as_str)
    }

    pub(super) fn clear(&mut self) {
        self.names.clear();
    }
}

impl core::fmt::Debug for Missing<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
