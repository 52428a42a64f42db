//! Visiting fields in all rows.

use loligo_allocators::Allocator;

use crate::keyed::open_struct::field::{Field, FieldValue, ReadField, WriteField};
use crate::keyed::open_struct::shape::Place;
use crate::keyed::open_struct::{OpenArray, OpenLayout};

mod sealed {
    //! Keeps the traits to this file: they hand out references made of addresses.

    /// Implemented by what this crate sweeps over alone.
    pub trait Sealed {}
}

use sealed::Sealed;

/// A field as a sweep uses it: [`ReadField`] or [`WriteField`].
pub trait FieldAccess: Sealed + Copy {
    /// The type of the field.
    type Value: FieldValue;
    /// What the visitor gets.
    type Item<'x>;
    /// Whether the visitor may change it.
    #[doc(hidden)]
    const WRITES: bool;

    /// Returns the field.
    #[doc(hidden)]
    fn token(self) -> Field<Self::Value>;

    /// Returns what the visitor gets.
    ///
    /// # Safety
    ///
    /// There is an aligned value at `at`, which nothing else accesses during `'x`; or others only
    /// read it, if this one only reads.
    #[doc(hidden)]
    unsafe fn item<'x>(at: *mut Self::Value) -> Self::Item<'x>;
}

impl<T> Sealed for ReadField<T> {}

impl<T: FieldValue> FieldAccess for ReadField<T> {
    type Value = T;
    type Item<'x> = &'x T;
    const WRITES: bool = false;

    #[inline(always)]
    fn token(self) -> Field<T> {
        self.0
    }

    #[inline(always)]
    unsafe fn item<'x>(at: *mut T) -> &'x T {
        // SAFETY: here is an aligned value, which nothing changes during `'x`, as promised.
        unsafe { &*at }
    }
}

impl<T> Sealed for WriteField<T> {}

impl<T: FieldValue> FieldAccess for WriteField<T> {
    type Value = T;
    type Item<'x> = &'x mut T;
    const WRITES: bool = true;

    #[inline(always)]
    fn token(self) -> Field<T> {
        self.0
    }

    #[inline(always)]
    unsafe fn item<'x>(at: *mut T) -> &'x mut T {
        // SAFETY: here is an aligned value, which nothing else accesses during `'x`, as promised.
        unsafe { &mut *at }
    }
}

/// Fields that a sweep visits together: a tuple of one to six of [`ReadField`] and [`WriteField`].
pub trait FieldSet: Sealed + Copy {
    /// What the visitor gets: a tuple of `&T` and `&mut T`.
    type Items<'x>;

    /// Visits all rows; returns whether all fields are there.
    #[doc(hidden)]
    fn run<A: Allocator + ?Sized>(
        self,
        array: &mut OpenArray<'_, A>,
        visit: impl FnMut(Self::Items<'_>),
    ) -> bool;
}

impl<A: Allocator + ?Sized> OpenArray<'_, A> {
    /// Visits some fields in all rows, in order. Returns whether the array has all of these fields;
    /// if not, nothing is visited.
    ///
    /// Visiting is as quick as a loop over native structs, or over slices if the layout is
    /// [`StructOfArrays`](OpenLayout::StructOfArrays): the fields are looked for once, before the
    /// first row.
    ///
    /// # Complexity
    ///
    /// O(rows), and O(fields) for each field that was not resolved by [`field`](Self::field).
    ///
    /// # Panics
    ///
    /// If a field that is written is named twice.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{Field, OpenArray, OpenLayout};
    /// use loligo_ids::id32;
    ///
    /// const HEALTH: Field<i32> = Field::new(id32!("health"));
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut units: OpenArray = OpenArray::new(OpenLayout::ArrayOfStructs, &MEMORY);
    /// assert!(!units.sweep((HEALTH.write(),), |_| unreachable!("no unit has health")));
    ///
    /// units.try_add_field(HEALTH)?;
    /// units.push();
    /// assert!(units.sweep((HEALTH.write(),), |(health,)| *health += 5));
    /// assert_eq!(units.get(0, HEALTH), Some(5));
    /// # Ok::<(), loligo_containers::OpenError>(())
    /// ```
    #[inline]
    pub fn sweep<F: FieldSet>(&mut self, fields: F, visit: impl FnMut(F::Items<'_>)) -> bool {
        fields.run(self, visit)
    }

    /// Returns the values of a field in all rows, or `None` where there is no such field or they
    /// are not contiguous, as those of [`ArrayOfStructs`](OpenLayout::ArrayOfStructs) do.
    ///
    /// # Complexity
    ///
    /// O(fields).
    #[must_use]
    pub fn column<T: FieldValue>(&self, field: Field<T>) -> Option<&[T]> {
        let place = self.resolve(field)?;
        if self.shape.layout == OpenLayout::ArrayOfStructs {
            return None;
        }
        let at = self.shape.at(0, place);
        let words = &self.words[at..at + self.len() * place.words];
        // SAFETY: the words are as many bytes as that many `T`, aligned to 4, and any bits are a
        // valid `T`, as `FieldValue` and `Field` have it.
        Some(unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), self.len()) })
    }

    /// Returns the values of a field in all rows, to be changed, as [`column`](Self::column) does.
    ///
    /// # Complexity
    ///
    /// O(fields).
    #[must_use]
    pub fn column_mut<T: FieldValue>(&mut self, field: Field<T>) -> Option<&mut [T]> {
        let place = self.resolve(field)?;
        if self.shape.layout == OpenLayout::ArrayOfStructs {
            return None;
        }
        let (at, len) = (self.shape.at(0, place), self.len());
        let words = &mut self.words[at..at + len * place.words];
        // SAFETY: as in `column`; a `T` has no padding, so that all words stay initialised.
        Some(unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), len) })
    }
}

/// Panics where a field that is written is named twice.
fn check_distinct(places: &[(Place, bool)]) {
    for (index, (place, writes)) in places.iter().enumerate() {
        for (other, other_writes) in &places[..index] {
            let apart = place.offset != other.offset || !(*writes || *other_writes);
            assert!(
                apart,
                "the field at word {} of a row is written and named twice",
                place.offset
            );
        }
    }
}

macro_rules! accesses {
    ($($access:ident $at:ident),+) => {
        impl<$($access: FieldAccess),+> Sealed for ($($access,)+) {}

        impl<$($access: FieldAccess),+> FieldSet for ($($access,)+) {
            type Items<'x> = ($($access::Item<'x>,)+);

            #[inline]
            #[expect(non_snake_case, reason = "a type's letter also names its value")]
            fn run<A: Allocator + ?Sized>(
                self,
                array: &mut OpenArray<'_, A>,
                mut visit: impl FnMut(Self::Items<'_>),
            ) -> bool {
                let ($($access,)+) = self;
                $(let Some($at) = array.resolve($access.token()) else { return false };)+
                check_distinct(&[$(($at, $access::WRITES)),+]);
                let (shape, rows) = (array.shape, array.len());
                let words = array.words.as_mut_slice();
                // Every address below is within this slice: that of the last value is, and rows are
                // in order before it.
                if rows > 0 {
                    $(assert!(shape.at(rows - 1, $at) + $at.words <= words.len(), "invariant 1");)+
                }
                let words = words.as_mut_ptr();
                $(let $at = words.wrapping_add(shape.at(0, $at));)+
                match shape.layout {
                    OpenLayout::ArrayOfStructs => {
                        let stride = shape.stride as usize;
                        for row in 0..rows {
                            visit(($({
                                let at = $at.wrapping_add(row * stride).cast();
                                // SAFETY: the field's words in this row are within the slice, which
                                // is borrowed for this; fields are apart or only read.
                                unsafe { $access::item(at) }
                            },)+));
                        }
                    }
                    OpenLayout::StructOfArrays => {
                        $(let $at = $at.cast::<$access::Value>();)+
                        for row in 0..rows {
                            visit(($({
                                let at = $at.wrapping_add(row);
                                // SAFETY: as above: columns are apart or only read.
                                unsafe { $access::item(at) }
                            },)+));
                        }
                    }
                }
                true
            }
        }
    };
}

accesses!(F at0);
accesses!(F at0, G at1);
accesses!(F at0, G at1, H at2);
accesses!(F at0, G at1, H at2, I at3);
accesses!(F at0, G at1, H at2, I at3, J at4);
accesses!(F at0, G at1, H at2, I at3, J at4, K at5);
