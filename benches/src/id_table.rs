//! What a workload asks of a table that gives objects ids, ours or a peer's. Each loop is compiled
//! for each table, called by name.

use core::mem::MaybeUninit;

use loligo_ids::{HoleTable, Id, Lifo, PackedTable, Retire, SmallId};

use crate::memory::{HEAP, Heap};

/// An object as the tables hold it: 32 bytes, a position and a little more. Two of them fill a
/// cache line, so what a table lays between them shows; 1 000 of them fit a first-level cache of 32
/// KiB or nearly, 100 000 are 3.2 MB and no longer fit the second level.
///
/// The id of another object, for the lookups that wait for each other, is in it as the program
/// holds it. All ids here are 4 or 8 bytes long, so all objects have one size.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Object<I: Copy> {
    /// What a lookup reads.
    pub(crate) value: u64,
    _rest: MaybeUninit<[u64; 2]>,
    next: MaybeUninit<I>,
}

impl<I: Copy> Object<I> {
    const SIZE: () = assert!(size_of::<Self>() == 32, "objects of all tables have one size");

    /// Makes an object that leads nowhere yet.
    #[inline(always)]
    pub(crate) const fn new(value: u64) -> Self {
        let () = Self::SIZE;
        Self { value, _rest: MaybeUninit::uninit(), next: MaybeUninit::uninit() }
    }

    /// Makes the object lead to another.
    pub(crate) const fn lead_to(&mut self, next: I) {
        self.next = MaybeUninit::new(next);
    }

    /// Returns the id of the object that this one leads to.
    ///
    /// # Safety
    ///
    /// [`lead_to`](Self::lead_to) was called, on this object or on the one that it is a copy of.
    #[inline(always)]
    pub(crate) const unsafe fn next(&self) -> I {
        // SAFETY: it was written, as the caller promises.
        unsafe { self.next.assume_init() }
    }
}

/// A table as the workloads drive it.
pub(crate) trait IdTable: Sized + 'static {
    /// What names an object.
    type Id: Copy;

    /// Makes an empty table, with room for `count` objects where it can be asked for that.
    fn with_capacity(count: u32) -> Self;

    /// Puts an object in and returns its id.
    fn insert(&mut self, object: Object<Self::Id>) -> Self::Id;

    /// Takes the object out that the id names.
    fn remove(&mut self, id: Self::Id) -> Option<Object<Self::Id>>;

    /// Returns the object that the id names.
    fn get(&self, id: Self::Id) -> Option<&Object<Self::Id>>;

    /// Returns the object that the id names, to be changed.
    fn get_mut(&mut self, id: Self::Id) -> Option<&mut Object<Self::Id>>;

    /// Visits all objects and returns the sum of their values.
    fn sum(&self) -> u64;
}

/// The kind of objects that our tables hold here.
pub(crate) enum Kind {}

/// Our ids, of 20 bits of index and 12 bits of generation: the compact ones, for objects that hold
/// and tables that compare many. The default is of 64 bits.
type OurId = SmallId<Kind>;

/// Our table with holes.
pub(crate) type OurHoles = HoleTable<'static, Object<OurId>, OurId, Lifo, Retire, Heap>;

/// Our table without gaps.
pub(crate) type OurPacked = PackedTable<'static, Object<OurId>, OurId, Lifo, Retire, Heap>;

/// Our default ids, of 64 bits with the tag of a table.
type WideId = Id<Kind>;

/// Our table with holes and default ids.
pub(crate) type WideHoles = HoleTable<'static, Object<WideId>, WideId, Lifo, Retire, Heap>;

/// Our table without gaps and with default ids.
pub(crate) type WidePacked = PackedTable<'static, Object<WideId>, WideId, Lifo, Retire, Heap>;

/// Implements [`IdTable`] for a table of ours: only what a walk goes over differs.
macro_rules! ours {
    ($table:ty, $id:ty, $itself:ident => $objects:expr) => {
        impl IdTable for $table {
            type Id = $id;

            fn with_capacity(count: u32) -> Self {
                let mut table = Self::new_in(&HEAP);
                table.reserve(count as usize).expect("the machine has memory for a table");
                table
            }

            #[inline(always)]
            fn insert(&mut self, object: Object<$id>) -> $id {
                match Self::insert(self, object) {
                    Ok(id) => id,
                    Err(_) => refused(),
                }
            }

            #[inline(always)]
            fn remove(&mut self, id: $id) -> Option<Object<$id>> {
                Self::remove(self, id)
            }

            #[inline(always)]
            fn get(&self, id: $id) -> Option<&Object<$id>> {
                Self::get(self, id)
            }

            #[inline(always)]
            fn get_mut(&mut self, id: $id) -> Option<&mut Object<$id>> {
                Self::get_mut(self, id)
            }

            #[inline(always)]
            fn sum(&self) -> u64 {
                let $itself = self;
                sum_of($objects)
            }
        }
    };
}

ours!(OurHoles, OurId, table => table.iter());
ours!(OurPacked, OurId, table => table.as_slice().iter());
ours!(WideHoles, WideId, table => table.iter());
ours!(WidePacked, WideId, table => table.as_slice().iter());

/// Ends a workload whose table refuses an object.
#[cold]
#[inline(never)]
fn refused() -> ! {
    panic!("a table refused an object in the middle of a workload")
}

/// Adds up the values of objects one by one, as a loop in a program visits them.
#[inline(always)]
pub(crate) fn sum_of<'a, I: Copy + 'a>(objects: impl Iterator<Item = &'a Object<I>>) -> u64 {
    let mut sum = 0u64;
    for object in objects {
        sum = sum.wrapping_add(object.value);
    }
    sum
}
