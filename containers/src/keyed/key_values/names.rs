//! From keys back to the paths that they were hashed from.

use core::error::Error;
use core::fmt::{self, Write};

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use super::path::child_key;
use crate::arrays::array::Array;
use crate::error::GrowError;

/// The paths that keys are hashes of, for tools: filled while JSON is read, and asked when it is
/// written.
///
/// A shipped game needs none. One may serve all stores of a project; it holds each object's path as
/// well, and each name once for each object that it is in.
///
/// ```text
/// entries  | hash, object's entry, name's place | ..      16 bytes a path
/// slots    | entry | - | entry | ..                       4 bytes a slot, twice as many as paths at least
/// text     | stats | health | mana | ..                   the names' bytes
/// ```
///
/// # Complexity
///
/// A path is found by its key in O(1), and added in O(names in it), amortised.
///
/// # Memory
///
/// Nothing while empty. Then three blocks, drawn above. The object itself is 72 bytes, 96 with
/// `dyn Allocator`.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # When not to use it
///
/// To look values up: hash the path ([`path_key`](super::path_key)), at best in a constant.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{PathNames, path_key};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut names: PathNames = PathNames::new(&MEMORY);
/// let health = names.try_insert(&["stats", "health"])?;
/// assert_eq!(health, path_key(&["stats", "health"]));
/// assert_eq!(names.get(health).map(|path| path.to_string()).as_deref(), Some("stats.health"));
/// # Ok::<(), loligo_containers::PathNamesError>(())
/// ```
///
/// # Invariants
///
/// 1. Each entry has a slot: the first free of those from its hash on, when it was added after all
///    entries before it. There are no slots, or a power of two of them, of which at least one is
///    free.
/// 2. An entry's object is an entry before it, or 2^32 - 1 for none. Its name is within the text
///    and is UTF-8.
/// 3. No two entries have one hash.
pub struct PathNames<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    entries: Array<'a, Entry, A>,
    slots: Array<'a, u32, A>,
    text: Array<'a, u8, A>,
}

/// A path: the one of its object, and a name.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    object: u32,
    start: u32,
    bytes: u32,
}

/// The outermost object, which is in none.
pub(super) const ROOT: u32 = u32::MAX;

/// Two paths have one hash: an error in the data, since keys could not distinguish them. One of
/// them must be renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathCollision {
    /// The hash of both.
    pub key: IdString32,
    /// The path that was there.
    pub first: PathText,
    /// The path that was to be added.
    pub second: PathText,
}

impl fmt::Display for PathCollision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, first, second } = self;
        write!(f, "{first} and {second} have one hash, {key}: one of them must be renamed")
    }
}

impl Error for PathCollision {}

/// Why a path was not added. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathNamesError {
    /// Another path has its hash.
    Collision(PathCollision),
    /// There is no memory, or no room for 2^32 bytes of names.
    Grow(GrowError),
}

impl fmt::Display for PathNamesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collision(error) => error.fmt(f),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for PathNamesError {}

impl From<GrowError> for PathNamesError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl<'a> PathNames<'a> {
    /// Returns no names, which take their memory from `memory` when they need some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> PathNames<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            entries: Array::new_in(memory),
            slots: Array::new_in(memory),
            text: Array::new_in(memory),
        }
    }

    /// Returns how many paths there are, those of objects included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if there is no path.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the path of a key, if it is known.
    #[must_use]
    pub fn get(&self, key: IdString32) -> Option<PathName<'_, 'a, A>> {
        Some(PathName { names: self, entry: self.find(key)? })
    }

    /// Adds a path and those of the objects that it leads through, and returns its key.
    ///
    /// # Errors
    ///
    /// [`PathNamesError`]; nothing has changed.
    pub fn try_insert(&mut self, path: &[&str]) -> Result<IdString32, PathNamesError> {
        let mark = self.mark();
        let mut at = (ROOT, IdString32::default());
        for name in path {
            at = self.child(at.0, at.1, name).inspect_err(|_| self.back_to(mark))?;
        }
        Ok(at.1)
    }

    /// Adds the path of a name in an object, which is the entry `object` and has the key `key`;
    /// returns both of the new path.
    pub(super) fn child(
        &mut self,
        object: u32,
        key: IdString32,
        name: &str,
    ) -> Result<(u32, IdString32), PathNamesError> {
        let key = key_in(object, key, name);
        if let Some(entry) = self.find(key) {
            let known = self.entries[entry as usize];
            if known.object == object && self.name(entry) == name {
                return Ok((entry, key));
            }
            let (mut first, mut second) = (PathText::default(), PathText::default());
            // They take anything, and keep what they have room for.
            let _ = self.write_path(entry, &mut first);
            let _ = self.write_path(object, &mut second);
            let _ = write_name(&mut second, object == ROOT, name);
            return Err(PathNamesError::Collision(PathCollision { key, first, second }));
        }
        self.make_slots()?;
        self.entries.try_reserve(1)?;
        let (start, bytes) = (self.text.len() as u32, name.len() as u32);
        self.text.try_extend_from_slice(name.as_bytes())?;
        let entry = self.entries.len() as u32;
        self.entries.try_push(Entry { hash: key.hash(), object, start, bytes })?;
        put(&mut self.slots, key.hash(), entry);
        Ok((entry, key))
    }

    /// Returns how much there is, to come [back to](Self::back_to).
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.entries.len(), self.text.len())
    }

    /// Takes all paths out that were added since, the last one first.
    pub(super) fn back_to(&mut self, (entries, text): (usize, usize)) {
        while self.entries.len() > entries {
            let entry = self.entries.len() as u32 - 1;
            if let Some(slot) = self.slot(entry) {
                self.slots[slot] = 0;
            }
            self.entries.pop();
        }
        self.text.truncate(text);
    }

    /// Returns the entry of a key.
    pub(super) fn find(&self, key: IdString32) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = key.hash() as usize & mask;
        loop {
            let entry = self.slots[slot].checked_sub(1)?;
            if self.entries[entry as usize].hash == key.hash() {
                return Some(entry);
            }
            slot = (slot + 1) & mask;
        }
    }

    pub(super) fn object(&self, entry: u32) -> u32 {
        self.entries[entry as usize].object
    }

    pub(super) fn key(&self, entry: u32) -> IdString32 {
        IdString32::from_hash(self.entries[entry as usize].hash)
    }

    pub(super) fn name(&self, entry: u32) -> &str {
        let Entry { start, bytes, .. } = self.entries[entry as usize];
        str::from_utf8(&self.text[start as usize..][..bytes as usize]).unwrap_or_default()
    }

    /// Returns how many objects an entry is in, itself counted.
    pub(super) fn depth(&self, mut entry: u32) -> u32 {
        let mut depth = 0;
        while entry != ROOT {
            depth += 1;
            entry = self.object(entry);
        }
        depth
    }

    /// Returns the entry, or the object that it is in, `steps` levels up.
    pub(super) fn up(&self, mut entry: u32, steps: u32) -> u32 {
        for _ in 0..steps {
            entry = self.object(entry);
        }
        entry
    }

    fn slot(&self, entry: u32) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = self.entries[entry as usize].hash as usize & mask;
        while self.slots[slot] != entry + 1 {
            if self.slots[slot] == 0 {
                return None;
            }
            slot = (slot + 1) & mask;
        }
        Some(slot)
    }

    /// Makes sure that one more path has a slot and half of all are free.
    fn make_slots(&mut self) -> Result<(), GrowError> {
        let slots = self.slots.len();
        if 2 * (self.entries.len() + 1) <= slots {
            return Ok(());
        }
        let mut wider = Array::try_with_capacity_in((2 * slots).max(16), self.slots.memory())?;
        wider.try_resize((2 * slots).max(16), 0)?;
        for (entry, number) in self.entries.iter().zip(0..) {
            put(&mut wider, entry.hash, number);
        }
        self.slots = wider;
        Ok(())
    }

    fn write_path(&self, entry: u32, to: &mut dyn Write) -> fmt::Result {
        let depth = self.depth(entry);
        for steps in (0..depth).rev() {
            write_name(to, steps + 1 == depth, self.name(self.up(entry, steps)))?;
        }
        Ok(())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for PathNames<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = (0..self.entries.len() as u32).map(|entry| PathName { names: self, entry });
        f.debug_list().entries(paths).finish()
    }
}

/// A path of [`PathNames`]. It prints as its names with dots between them, in quotes those that
/// have a dot or a quote themselves.
pub struct PathName<'n, 'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    names: &'n PathNames<'a, A>,
    entry: u32,
}

impl<'n, A: Allocator + ?Sized> PathName<'n, '_, A> {
    /// Returns the names, from the outermost object's on.
    ///
    /// # Complexity
    ///
    /// O(names) for each.
    pub fn names(&self) -> impl Iterator<Item = &'n str> {
        let (names, entry, depth) = (self.names, self.entry, self.names.depth(self.entry));
        (0..depth).rev().map(move |steps| names.name(names.up(entry, steps)))
    }
}

impl<A: Allocator + ?Sized> fmt::Display for PathName<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.names.write_path(self.entry, f)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for PathName<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The beginning of a path in an error, which holds no memory.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct PathText {
    text: [[u8; 15]; 3],
    bytes: u8,
    cut: bool,
}

impl PathText {
    /// Returns the path, or the beginning of a long one.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.text.as_flattened()[..self.bytes.into()]).unwrap_or_default()
    }
}

impl Write for PathText {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let at = usize::from(self.bytes);
        let room = &mut self.text.as_flattened_mut()[at..];
        let taken = if self.cut { 0 } else { piece.floor_char_boundary(room.len()) };
        room[..taken].copy_from_slice(&piece.as_bytes()[..taken]);
        self.bytes += taken as u8;
        self.cut |= taken < piece.len();
        Ok(())
    }
}

impl fmt::Display for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        if self.cut { f.write_str("...") } else { Ok(()) }
    }
}

impl fmt::Debug for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the key of a name in the object that is the entry `object` and has the key `key`.
pub(super) fn key_in(object: u32, key: IdString32, name: &str) -> IdString32 {
    if object == ROOT { IdString32::new(name) } else { child_key(key, name) }
}

/// Puts an entry into the first free slot from its hash on; one is free.
fn put<A: Allocator + ?Sized>(slots: &mut Array<'_, u32, A>, hash: u32, entry: u32) {
    let mask = slots.len() - 1;
    let mut slot = hash as usize & mask;
    while slots[slot] != 0 {
        slot = (slot + 1) & mask;
    }
    slots[slot] = entry + 1;
}

/// Writes a name of a path.
fn write_name(to: &mut dyn Write, is_first: bool, name: &str) -> fmt::Result {
    let dot = if is_first { "" } else { "." };
    if name.is_empty() || name.contains(['.', '"']) {
        write!(to, "{dot}{name:?}")
    } else {
        write!(to, "{dot}{name}")
    }
}
