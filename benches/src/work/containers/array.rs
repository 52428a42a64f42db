//! Growable arrays of numbers: pushed to, extended, grown from nothing, and filled without
//! initialising.

use core::hint::black_box;
use core::mem::MaybeUninit;

use allocator_api2_02::alloc::System;
use allocator_api2_02::vec::Vec as ApiVec;
use loligo_containers::Array;
use smallvec::SmallVec;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

/// About how many elements a pass writes, so that the clock's own time does not show.
const ELEMENTS: u32 = 1_000_000;

/// How many elements an array has room for that is pushed to: 4 KiB, well within the first cache.
const ROOM: u32 = 1_000;

/// How many elements are appended at once.
const SLICE: usize = 16;

/// A growable array.
pub(crate) trait Growable: 'static {
    /// What the table calls it.
    const NAME: &'static str;
    fn new() -> Self;
    fn push(&mut self, element: u32);
    fn extend(&mut self, elements: &[u32]);
    fn clear(&mut self);
    /// Appends the given number of copies of an element, in the quickest way that there is.
    fn fill(&mut self, count: usize, element: u32);
    fn elements(&self) -> &[u32];
}

/// Implements [`Growable`] for what has the methods of std's vector.
macro_rules! vector {
    ($name:ident, $vector:ty, $label:literal, $new:expr) => {
        pub(crate) struct $name($vector);

        impl Growable for $name {
            const NAME: &'static str = $label;

            #[inline(always)]
            fn new() -> Self {
                Self($new)
            }

            #[inline(always)]
            fn push(&mut self, element: u32) {
                self.0.push(element);
            }

            #[inline(always)]
            fn extend(&mut self, elements: &[u32]) {
                self.0.extend_from_slice(elements);
            }

            fn clear(&mut self) {
                self.0.clear();
            }

            #[inline(always)]
            fn fill(&mut self, count: usize, element: u32) {
                let before = self.0.len();
                self.0.resize(before + count, 0);
                self.0[before..].fill(element);
            }

            fn elements(&self) -> &[u32] {
                &self.0
            }
        }
    };
}

vector!(Vector, Vec<u32>, "Vec", Vec::new());
vector!(ApiVector, ApiVec<u32, &'static Heap>, "allocator-api2 Vec", ApiVec::new_in(&HEAP));
vector!(SystemVector, ApiVec<u32, System>, "Vec over libc", ApiVec::new_in(System));
vector!(Small, SmallVec<[u32; 4]>, "SmallVec", SmallVec::new());

pub(crate) struct OurArray(Array<'static, u32, Heap>);

impl Growable for OurArray {
    const NAME: &'static str = "Array";

    #[inline(always)]
    fn new() -> Self {
        Self(Array::new_in(&HEAP))
    }

    #[inline(always)]
    fn push(&mut self, element: u32) {
        self.0.push(element);
    }

    #[inline(always)]
    fn extend(&mut self, elements: &[u32]) {
        self.0.extend_from_slice(elements);
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    #[inline(always)]
    fn fill(&mut self, count: usize, element: u32) {
        let filled = self.0.try_extend_uninit(count, |room| {
            room.fill(MaybeUninit::new(element));
            // SAFETY: all were written.
            unsafe { room.assume_init_mut() }
        });
        filled.expect("the heap grows");
    }

    fn elements(&self) -> &[u32] {
        &self.0
    }
}

/// Pushes to an array that has room for all.
pub(crate) fn push<G: Growable>(name: &'static str) -> Contender {
    let mut array = G::new();
    push_all(&mut array, ROOM);
    let times = ELEMENTS / ROOM;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                array.clear();
                push_all(black_box(&mut array), ROOM);
            }
        });
        assert_eq!(array.elements().len(), ROOM as usize, "each was pushed");
        Pass { ns, operations: u64::from(times * ROOM) }
    })
}

/// Appends slices to an array that has room for all. An operation is an element.
pub(crate) fn extend<G: Growable>(name: &'static str) -> Contender {
    let mut array = G::new();
    push_all(&mut array, ROOM);
    let slice: Vec<u32> = (0..SLICE as u32).collect();
    let slices = ROOM as usize / SLICE;
    let times = 4 * ELEMENTS / ROOM;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                array.clear();
                extend_all(black_box(&mut array), black_box(&slice), slices);
            }
        });
        assert_eq!(array.elements().len(), slices * SLICE, "each was appended");
        Pass { ns, operations: u64::from(times) * (slices * SLICE) as u64 }
    })
}

/// Grows arrays from nothing to `LEN` elements, one push at a time, and drops them. An operation is
/// a push.
pub(crate) fn grow<G: Growable, const LEN: u32>(name: &'static str) -> Contender {
    let times = ELEMENTS / LEN;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..times {
                let mut array = G::new();
                push_all(black_box(&mut array), LEN);
                black_box(array.elements());
            }
        });
        Pass { ns, operations: u64::from(times * LEN) }
    })
}

/// Fills arrays that had no memory, and drops them. An operation is an element.
pub(crate) fn uninit<G: Growable, const LEN: usize>(name: &'static str) -> Contender {
    let times = 4 * ELEMENTS as usize / LEN;
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for number in 0..times {
                let mut array = G::new();
                fill_one(black_box(&mut array), LEN, number as u32);
                black_box(array.elements());
            }
        });
        Pass { ns, operations: (times * LEN) as u64 }
    })
}

#[inline(never)]
fn push_all<G: Growable>(array: &mut G, count: u32) {
    for element in 0..count {
        array.push(element);
    }
}

#[inline(never)]
fn extend_all<G: Growable>(array: &mut G, slice: &[u32], times: usize) {
    for _ in 0..times {
        array.extend(slice);
    }
}

#[inline(never)]
fn fill_one<G: Growable>(array: &mut G, count: usize, element: u32) {
    array.fill(count, element);
}
