//! A name as the number it hashes to.

use core::fmt;

use super::murmur::{murmur2_32, murmur2_64a};

#[cfg(test)]
mod tests;

/// What [`ReverseLookup`](crate::ReverseLookup) asks of an id: [`IdString32`] or [`IdString64`].
/// Sealed.
pub trait IdString: Copy + Ord + fmt::Debug + fmt::Display + sealed::Sealed {
    /// Bytes of the hash: 4 or 8.
    const BYTES: usize;

    /// Hashes a name under a seed. The 32-bit hash takes the seed's lower half.
    fn with_seed(name: &str, seed: u64) -> Self;

    /// Returns the hash as a number of 64 bits, the upper ones 0 in a shorter one.
    fn to_u64(self) -> u64;

    /// Makes the id of a hash; its upper bits are dropped where the id is shorter.
    fn from_u64(hash: u64) -> Self;
}

mod sealed {
    //! Keeps the trait to the two ids of this file.

    /// Implemented by the two ids alone.
    pub trait Sealed {}
}

macro_rules! id_string {
    ($(#[$doc:meta])* $id:ident, $bits:ty, $width:literal, $murmur:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $id($bits);

        impl $id {
            /// Hashes a name with seed 0. O(bytes) at run time, nothing in a constant.
            #[inline]
            #[must_use]
            pub const fn new(name: &str) -> Self {
                Self($murmur(name, 0))
            }

            /// Takes a hash that is known: read from data, or made under a perfect seed.
            #[inline]
            #[must_use]
            pub const fn from_hash(hash: $bits) -> Self {
                Self(hash)
            }

            /// Returns the hash.
            #[inline]
            #[must_use]
            pub const fn hash(self) -> $bits {
                self.0
            }
        }

        impl fmt::Debug for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($id), "(0x{:0", $width, "x})"), self.0)
            }
        }

        /// As the hash in hexadecimal digits, all of them.
        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{:0", $width, "x}"), self.0)
            }
        }

        // SAFETY: it is a transparent integer, of which 0 is a value.
        unsafe impl bytemuck::Zeroable for $id {}

        // SAFETY: it is a transparent integer: every pattern of bits is a value, and there is no
        // padding.
        unsafe impl bytemuck::Pod for $id {}

        impl sealed::Sealed for $id {}

        impl IdString for $id {
            const BYTES: usize = size_of::<Self>();

            #[inline]
            fn with_seed(name: &str, seed: u64) -> Self {
                Self($murmur(name, seed as $bits))
            }

            #[inline]
            fn to_u64(self) -> u64 {
                self.0.into()
            }

            #[inline]
            fn from_u64(hash: u64) -> Self {
                Self(hash as $bits)
            }
        }
    };
}

id_string! {
    /// A name as its 32-bit hash: for names that need to differ only in one scope, such as the
    /// bones of a skeleton.
    ///
    /// Plain data of 4 bytes, all of which are valid; the default, 0, is the id of the empty name.
    /// Comparing costs one instruction. Two names may share an id: it is the compile step that
    /// finds out, with a [`ReverseLookup`](crate::ReverseLookup), and
    /// [`perfect_seed`](crate::perfect_seed()) picks a seed under which a given set does not.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_ids::{IdString32, id32};
    ///
    /// const ROOT: IdString32 = id32!("root_point");
    /// match IdString32::from_hash(0x5e43_bd96) {
    ///     ROOT => {}
    ///     other => panic!("{other} is not the root"),
    /// }
    /// assert_eq!(ROOT.to_string(), "5e43bd96");
    /// ```
    IdString32, u32, 8, murmur2_32
}

id_string! {
    /// A name as its 64-bit hash: for global names, as those of a texture or a localised text.
    ///
    /// Plain data of 8 bytes, all of which are valid; the default, 0, is the id of the empty name.
    /// With a million names the chance that any two share an id is 3 in 100 million.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_ids::{IdString64, id64};
    ///
    /// let compiled = IdString64::new("menu_file_open");
    /// assert_eq!(compiled, id64!("menu_file_open"));
    /// ```
    IdString64, u64, 16, murmur2_64a
}

/// The [`IdString32`] of a name, hashed by the compiler: no code and no string is left.
///
/// # Examples
///
/// ```
/// assert_eq!(loligo_ids::id32!("root_point").hash(), 0x5e43_bd96);
/// ```
#[macro_export]
macro_rules! id32 {
    ($name:expr) => {
        const { $crate::IdString32::new($name) }
    };
}

/// The [`IdString64`] of a name, hashed by the compiler: no code and no string is left.
///
/// # Examples
///
/// ```
/// assert_eq!(loligo_ids::id64!("").hash(), 0);
/// ```
#[macro_export]
macro_rules! id64 {
    ($name:expr) => {
        const { $crate::IdString64::new($name) }
    };
}
