//! What may be hashed: text and bytes, also while compiling.
#![expect(unsafe_code, reason = "one reference is read as what its type says it is")]

/// Text or bytes: `str`, `[u8]`, `[u8; N]`, and with the feature `std` also `String` and `Vec<u8>`.
///
/// It lets [`murmur2_32`](crate::murmur2_32) and [`murmur2_64a`](crate::murmur2_64a) take either
/// and still be `const fn`: a trait's methods cannot be called there, but its constants can be
/// read. The trait is sealed.
///
/// # Examples
///
/// ```
/// use loligo_ids::murmur2_32;
///
/// const TEXT: u32 = murmur2_32("root_point", 0);
/// const BYTES: u32 = murmur2_32(b"root_point", 0);
/// assert_eq!((TEXT, BYTES), (0x5e43_bd96, 0x5e43_bd96));
/// ```
pub trait Key: Sealed {}

mod sealed {
    //! Keeps the trait to the types of this file.

    /// How the bytes of a key are reached.
    pub trait Sealed {
        /// The type of data that a reference to it leads to.
        const SHAPE: Shape;
    }

    /// The type of data that a reference to a key leads to.
    #[derive(Clone, Copy, Debug)]
    pub enum Shape {
        /// Bytes, with their number in the reference.
        Slice,
        /// This many bytes.
        Array(usize),
        /// A `String`.
        #[cfg(any(feature = "std", test))]
        String,
        /// A `Vec<u8>`.
        #[cfg(any(feature = "std", test))]
        Vec,
    }
}

use sealed::{Sealed, Shape};

macro_rules! keys {
    ($($(#[$gate:meta])* [$($generics:tt)*] $key:ty => $shape:expr;)*) => {$(
        $(#[$gate])*
        impl<$($generics)*> Sealed for $key {
            const SHAPE: Shape = $shape;
        }
        $(#[$gate])*
        impl<$($generics)*> Key for $key {}
    )*};
}

keys! {
    [] str => Shape::Slice;
    [] [u8] => Shape::Slice;
    [const N: usize] [u8; N] => Shape::Array(N);
    #[cfg(any(feature = "std", test))] [] std::string::String => Shape::String;
    #[cfg(any(feature = "std", test))] [] std::vec::Vec<u8> => Shape::Vec;
}

/// One reference, under each type that it may have.
union Reference<'k, K: ?Sized> {
    key: &'k K,
    slice: &'k [u8],
    first: *const u8,
    #[cfg(any(feature = "std", test))]
    string: &'k std::string::String,
    #[cfg(any(feature = "std", test))]
    vec: &'k std::vec::Vec<u8>,
}

/// Returns the bytes of a key.
#[inline]
pub(crate) const fn bytes_of<K: Key + ?Sized>(key: &K) -> &[u8] {
    let reference = Reference { key };
    match K::SHAPE {
        // SAFETY: only `str` and `[u8]` have this shape, and a `str` has the layout of the slice of
        // its bytes, so `key` is a reference to a slice.
        Shape::Slice => unsafe { reference.slice },
        Shape::Array(bytes) => {
            // SAFETY: only `[u8; N]` has this shape; a reference to it is its address.
            let first = unsafe { reference.first };
            // SAFETY: `first` comes from a reference to an array of `bytes` bytes, which the
            // lifetime of the result keeps borrowed.
            unsafe { core::slice::from_raw_parts(first, bytes) }
        }
        #[cfg(any(feature = "std", test))]
        // SAFETY: only `String` has this shape, so `key` is a reference to one.
        Shape::String => unsafe { reference.string }.as_bytes(),
        #[cfg(any(feature = "std", test))]
        // SAFETY: only `Vec<u8>` has this shape, so `key` is a reference to one.
        Shape::Vec => unsafe { reference.vec }.as_slice(),
    }
}

#[cfg(test)]
mod tests {
    //! Every kind of key, while compiling (where wrong reads are refused) and at run time.

    use super::*;

    const TEXT: &[u8] = bytes_of("larch");
    const ARRAY: &[u8] = bytes_of(b"larch");
    const EMPTY: &[u8] = bytes_of(&[0_u8; 0]);

    #[test]
    fn every_kind_gives_its_bytes() {
        assert_eq!(TEXT, b"larch");
        assert_eq!(ARRAY, b"larch");
        assert_eq!(EMPTY, b"");
        assert_eq!(bytes_of(""), b"");
        assert_eq!(bytes_of(&b"larch"[1..3]), b"ar");
    }

    #[test]
    fn owned_text_and_bytes_are_keys_too() {
        assert_eq!(bytes_of(&std::string::String::from("larch")), b"larch");
        assert_eq!(bytes_of(&std::vec![1_u8, 2, 3]), [1, 2, 3]);
        assert_eq!(bytes_of(&std::vec::Vec::<u8>::new()), b"");
    }
}
