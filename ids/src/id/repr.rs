//! The two integers that an id can be made of.

use core::fmt::{Debug, Display};
use core::hash::Hash;
use core::num::NonZero;

mod sealed {
    /// Keeps the traits of this crate to the types of this crate.
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

pub(crate) use sealed::Sealed;

/// An integer that an [`Id`](crate::Id) can be made of: `u32` or `u64`. Code for any id converts
/// either to `u64`.
///
/// Sealed: the niche that makes `Option<Id>` as small as the id is known for these two alone.
pub trait Repr:
    Sealed
    + Copy
    + Default
    + Eq
    + Ord
    + Hash
    + Debug
    + Display
    + Into<u64>
    + TryFrom<u64>
    + Send
    + Sync
    + 'static
{
    /// How many bits it has.
    const BITS: u32;

    /// The same integer without zero, so that `Option` of it is as small as it.
    type NonZero: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// Returns the low bits of `wide`.
    #[doc(hidden)]
    fn narrow(wide: u64) -> Self;

    /// Returns the same number in 64 bits.
    #[doc(hidden)]
    fn wide(self) -> u64;

    /// Writes the number into as many bytes, in the machine's order.
    #[doc(hidden)]
    fn write_ne(self, into: &mut [u8]);

    /// Reads the number from as many bytes, in the machine's order.
    #[doc(hidden)]
    fn read_ne(from: &[u8]) -> Self;

    /// Returns the number if it is not zero.
    #[doc(hidden)]
    fn non_zero(self) -> Option<Self::NonZero>;

    /// Returns the number.
    #[doc(hidden)]
    fn of(number: Self::NonZero) -> Self;

    /// Returns the low bits of `wide`, which are not all zero.
    ///
    /// # Safety
    ///
    /// They are not all zero.
    #[doc(hidden)]
    unsafe fn narrow_unchecked(wide: u64) -> Self::NonZero;
}

macro_rules! repr {
    ($number:ty) => {
        impl Repr for $number {
            const BITS: u32 = <$number>::BITS;
            type NonZero = NonZero<$number>;

            #[inline]
            fn narrow(wide: u64) -> Self {
                wide as $number
            }

            #[inline]
            fn wide(self) -> u64 {
                u64::from(self)
            }

            #[inline]
            fn write_ne(self, into: &mut [u8]) {
                into.copy_from_slice(&self.to_ne_bytes());
            }

            #[inline]
            fn read_ne(from: &[u8]) -> Self {
                let mut bytes = [0; size_of::<$number>()];
                bytes.copy_from_slice(from);
                <$number>::from_ne_bytes(bytes)
            }

            #[inline]
            fn non_zero(self) -> Option<NonZero<$number>> {
                NonZero::new(self)
            }

            #[inline]
            fn of(number: NonZero<$number>) -> Self {
                number.get()
            }

            #[inline]
            unsafe fn narrow_unchecked(wide: u64) -> NonZero<$number> {
                // SAFETY: the caller's promise.
                unsafe { NonZero::new_unchecked(Self::narrow(wide)) }
            }
        }
    };
}

repr!(u32);
repr!(u64);
