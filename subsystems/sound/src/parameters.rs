//! The parameters of playing sounds.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{List, ListError, ListPool};
use loligo_ids::IdString32;

/// A named value of a playing sound.
///
/// # Memory
///
/// Eight bytes. Whether the value is a number or a name is not stored: who reads it knows, as a curve reads
/// numbers and a switch compares names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: IdString32,
    bits: u32,
}

impl Parameter {
    /// Returns a parameter that is a number.
    #[must_use]
    pub const fn number(name: IdString32, value: f32) -> Self {
        Self { name, bits: value.to_bits() }
    }

    /// Returns a parameter that is a name.
    #[must_use]
    pub const fn word(name: IdString32, value: IdString32) -> Self {
        Self { name, bits: value.hash() }
    }

    /// Returns its value as a number.
    #[must_use]
    pub const fn as_number(&self) -> f32 {
        f32::from_bits(self.bits)
    }

    /// Returns its value as a name.
    #[must_use]
    pub const fn as_word(&self) -> IdString32 {
        IdString32::from_hash(self.bits)
    }
}

/// The parameters of one playing sound: four bytes of it. A sound without parameters has nothing else.
#[derive(Debug, Default)]
pub struct SoundParameters {
    list: Option<List<Parameter>>,
}

/// Parameters in a node: most sounds have one to four.
const NODE: usize = 4;

/// The parameters of all playing sounds, in one pool of lists.
///
/// "An Example in Data-Oriented Design: Sound Parameters" (Bitsquid blog, 2011-11-07) puts the parameters of
/// all sounds into one array of linked nodes, so that a sound with few pays for few, and none has a
/// limit. Here a node has four: the typical sound is one node, found in one step.
///
/// # Memory
///
/// Four parameters are a node of 36 bytes, and a list of them 13. 512 sounds, of which half have 4
/// parameters and one in 16 has 32, are in less than 40 KiB; a test counts.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_ids::IdString32;
/// use loligo_sound::{Parameter, Parameters, SoundParameters};
///
/// const FORCE: IdString32 = IdString32::new("force");
/// const MATERIAL: IdString32 = IdString32::new("material");
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("sound", &pages);
/// let mut parameters = Parameters::new(&heap);
/// let mut hit = SoundParameters::default();
/// parameters.try_set(&mut hit, Parameter::number(FORCE, 35.3))?;
/// parameters.try_set(&mut hit, Parameter::word(MATERIAL, IdString32::new("wood")))?;
/// assert_eq!(parameters.number(&hit, FORCE), Some(35.3));
/// assert_eq!(parameters.word(&hit, MATERIAL), Some(IdString32::new("wood")));
/// parameters.remove(hit);
/// # Ok::<(), loligo_containers::ListError>(())
/// ```
pub struct Parameters<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pool: ListPool<'a, Parameter, A, NODE>,
}

impl<'a> Parameters<'a> {
    /// Returns the parameters of no sounds.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Parameters<'a, A> {
    /// As [`new`](Parameters::new), over any allocator.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { pool: ListPool::new_in(memory) }
    }

    /// Reserves memory for a number of sounds with a number of parameters each.
    ///
    /// # Errors
    ///
    /// [`ListError`] if there is no memory.
    pub fn try_reserve(&mut self, sounds: usize, each: usize) -> Result<(), ListError> {
        self.pool.try_reserve_lists(sounds).map_err(ListError::Grow)?;
        self.pool.try_reserve_nodes(sounds * each.div_ceil(NODE)).map_err(ListError::Grow)
    }

    /// Sets a parameter of a sound.
    ///
    /// # Errors
    ///
    /// [`ListError`] if there is no memory; all is as before then.
    pub fn try_set(
        &mut self,
        sound: &mut SoundParameters,
        parameter: Parameter,
    ) -> Result<(), ListError> {
        let Some(list) = sound.list else {
            let list = self.pool.try_create().map_err(ListError::Grow)?;
            if let Err(error) = self.pool.try_push(list, parameter) {
                self.pool.destroy(list);
                return Err(error);
            }
            sound.list = Some(list);
            return Ok(());
        };
        if let Some(known) = self.pool.find_mut(list, |known| known.name == parameter.name) {
            *known = parameter;
            return Ok(());
        }
        self.pool.try_push(list, parameter)
    }

    /// Returns a parameter of a sound.
    #[must_use]
    pub fn get(&self, sound: &SoundParameters, name: IdString32) -> Option<Parameter> {
        self.pool.find(sound.list?, |known| known.name == name).copied()
    }

    /// Returns a parameter as a number; one that is not finite is `None`.
    #[must_use]
    pub fn number(&self, sound: &SoundParameters, name: IdString32) -> Option<f32> {
        let number = self.get(sound, name)?.as_number();
        number.is_finite().then_some(number)
    }

    /// Returns a parameter as a name.
    #[must_use]
    pub fn word(&self, sound: &SoundParameters, name: IdString32) -> Option<IdString32> {
        self.get(sound, name).map(|parameter| parameter.as_word())
    }

    /// Walks over the parameters of a sound, in the order in which they were first set.
    pub fn iter(&self, sound: &SoundParameters) -> impl Iterator<Item = Parameter> {
        sound.list.into_iter().flat_map(|list| self.pool.iter(list).copied())
    }

    /// Removes the parameters of a sound that has ended.
    pub fn remove(&mut self, sound: SoundParameters) {
        if let Some(list) = sound.list {
            self.pool.destroy(list);
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Parameters<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.pool.chunks_all().map(|(_, parameters)| parameters)).finish()
    }
}
