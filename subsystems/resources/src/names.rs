//! The names of a data folder, for messages: people read names, and the program has hashes.

use core::fmt::{self, Write as _};
use std::path::Path;

use loligo_allocators::Allocator;
use loligo_ids::{IdString, IdString64, ReverseLookup};

use crate::data::FileBytes;
use crate::folder::{DataFolder, Length};

/// The longest table of names that is read: some two million names.
const BYTES_MAX: u64 = 64 << 20;

/// How many digits a hash has where it is printed.
const DIGITS: u32 = 16;

/// The table from hashes to names that the compiler writes next to the data.
///
/// A program that is shipped has no such table; then nothing is known, and messages are as they
/// were.
///
/// # Complexity
///
/// O(bytes of the table) to read and for each message that is shown: it is for what went wrong.
///
/// # Memory
///
/// One block as long as the table.
///
/// # Examples
///
/// ```no_run
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_resources::{Names, ResourceKey};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("names", &pages);
/// let names = Names::read("data".as_ref(), &heap);
/// let door = ResourceKey::new("texture", "units/door");
/// println!("{}", names.show(&door)); // #e9a4..(texture)/#03c5..(units/door)
/// ```
#[derive(Debug)]
pub struct Names<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    bytes: Option<FileBytes<'a, A>>,
}

impl<'a> Names<'a> {
    /// Reads the table of a data folder. If there is no table, or no memory for it, no name is
    /// known.
    #[must_use]
    pub fn read(data: &Path, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::read_in(data, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Names<'a, A> {
    /// As [`read`](Self::read), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn read_in(data: &Path, memory: &'a A) -> Self {
        let folder = DataFolder::new(data).ok();
        let bytes = folder.and_then(|folder| {
            folder.read_named(&["names"], Length::AtMost(BYTES_MAX), memory).ok()
        });
        Self { bytes }
    }

    /// Returns `what` with a name added after each hash that the table has:
    /// `#0123456789abcdef(door)`.
    pub fn show<'s>(&'s self, what: &'s dyn fmt::Display) -> impl fmt::Display + 's {
        Shown { lookup: ReverseLookup::open(self.bytes.as_deref().unwrap_or_default()).ok(), what }
    }
}

/// A message, and the names for it.
struct Shown<'s> {
    lookup: Option<ReverseLookup<'s, IdString64>>,
    what: &'s dyn fmt::Display,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(lookup) = self.lookup else { return self.what.fmt(f) };
        let mut naming = Naming { lookup, out: f, hash: None };
        write!(naming, "{}", self.what)?;
        naming.end_hash()
    }
}

/// Passes text on, and adds names after hashes. A hash may come in several pieces.
struct Naming<'s, 'o, 'f> {
    lookup: ReverseLookup<'s, IdString64>,
    out: &'o mut fmt::Formatter<'f>,
    /// The digits that came since the last `#`: how many, and their value.
    hash: Option<(u32, u64)>,
}

impl Naming<'_, '_, '_> {
    /// Writes the name of the hash that ends here, if one does.
    fn end_hash(&mut self) -> fmt::Result {
        let Some((DIGITS, hash)) = self.hash.take() else { return Ok(()) };
        match self.lookup.get(IdString64::from_u64(hash)) {
            Some(name) => write!(self.out, "({name})"),
            None => Ok(()),
        }
    }
}

impl fmt::Write for Naming<'_, '_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            // As hashes are printed: without capitals.
            let digit = character.to_digit(16).filter(|_| !character.is_ascii_uppercase());
            match (self.hash, digit) {
                (Some((count, value)), Some(digit)) => {
                    // One digit too many is not a hash; it wraps around and is not looked up.
                    let value = value.wrapping_shl(4) | u64::from(digit);
                    self.hash = (count < DIGITS).then_some((count + 1, value));
                }
                _ => {
                    self.end_hash()?;
                    self.hash = (character == '#').then_some((0, 0));
                }
            }
            self.out.write_char(character)?;
        }
        Ok(())
    }
}
