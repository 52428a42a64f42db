//! Numbers, in either byte order.

use loligo_ids::{IdString32, IdString64};

/// The order of a number's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endian {
    /// The least significant byte first.
    Little,
    /// The most significant byte first.
    Big,
}

impl Endian {
    /// That of the machine that this is compiled for.
    pub const NATIVE: Self = if cfg!(target_endian = "little") { Self::Little } else { Self::Big };

    pub(super) const fn bytes_of_u32(self, number: u32) -> [u8; 4] {
        match self {
            Self::Little => number.to_le_bytes(),
            Self::Big => number.to_be_bytes(),
        }
    }

    pub(super) const fn bytes_of_u64(self, number: u64) -> [u8; 8] {
        match self {
            Self::Little => number.to_le_bytes(),
            Self::Big => number.to_be_bytes(),
        }
    }
}

/// A value that is in a blob as itself: a number, a truth value, a hashed name, an enum that
/// derives [`BlobType`](crate::BlobType), or an array of them. Sealed.
pub trait BlobScalar: Copy + sealed::Sealed {
    /// Writes the value to the beginning of `bytes`, which are as long.
    #[doc(hidden)]
    fn write(self, endian: Endian, bytes: &mut [u8]);
}

pub(super) mod sealed {
    //! Keeps the trait to the types of this file.

    /// Implemented by what [`BlobScalar`](super::BlobScalar) is.
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl sealed::Sealed for $number {}

        impl BlobScalar for $number {
            #[inline]
            fn write(self, endian: Endian, bytes: &mut [u8]) {
                bytes.copy_from_slice(&match endian {
                    Endian::Little => self.to_le_bytes(),
                    Endian::Big => self.to_be_bytes(),
                });
            }
        }
    )*};
}

numbers!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// Implements [`BlobScalar`] for what is written as a number.
macro_rules! as_numbers {
    ($($value:ty, $name:ident => $number:expr;)*) => {$(
        impl sealed::Sealed for $value {}

        impl BlobScalar for $value {
            #[inline]
            fn write(self, endian: Endian, bytes: &mut [u8]) {
                let $name = self;
                $number.write(endian, bytes);
            }
        }
    )*};
}

as_numbers! {
    bool, value => u8::from(value);
    IdString32, id => id.hash();
    IdString64, id => id.hash();
}

impl<T: sealed::Sealed, const N: usize> sealed::Sealed for [T; N] {}

impl<T: BlobScalar, const N: usize> BlobScalar for [T; N] {
    #[inline]
    fn write(self, endian: Endian, bytes: &mut [u8]) {
        for (element, bytes) in self.into_iter().zip(bytes.chunks_exact_mut(size_of::<T>())) {
            element.write(endian, bytes);
        }
    }
}
