//! One call: the number of a function, and data for it.

use core::fmt;

use bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};

use crate::events::callbacks::table::CallbackId;

/// What [`Callbacks`](crate::Callbacks) can queue: [`Callback16`] or [`Callback32`]. Sealed.
pub trait Callback: Pod + fmt::Debug + sealed::Sealed {
    /// The bytes of data that it has room for.
    const DATA_BYTES: usize;

    /// Makes a call of `function` with `data`. Data that do not fit do not compile.
    #[must_use]
    fn new<T: NoUninit + AnyBitPattern>(function: CallbackId<T>, data: T) -> Self;

    /// Returns the function's number.
    #[must_use]
    fn function(&self) -> u32;

    /// Returns the data, read as a type: garbage if they were written as another, and no worse.
    #[must_use]
    fn data<T: AnyBitPattern>(&self) -> T;
}

mod sealed {
    //! Keeps the trait to the two sizes of this file.

    /// Implemented by the two sizes alone.
    pub trait Sealed {}
}

macro_rules! callback {
    ($(#[$doc:meta])* $name:ident, $bytes:literal, $data:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(C)]
        pub struct $name {
            function: u32,
            data: [u8; $data],
        }

        const _: () = assert!(size_of::<$name>() == $bytes, "its name tells its size");
        const _: () = assert!(align_of::<$name>() == 4, "it lies wherever a number may lie");

        // SAFETY: all its fields may be zero.
        unsafe impl Zeroable for $name {}
        // SAFETY: its layout is C's, its fields are plain data and, by the sizes above, fill it.
        unsafe impl Pod for $name {}

        impl sealed::Sealed for $name {}

        impl Callback for $name {
            const DATA_BYTES: usize = $data;

            #[inline]
            fn new<T: NoUninit + AnyBitPattern>(function: CallbackId<T>, data: T) -> Self {
                const { assert!(size_of::<T>() <= $data, "the data do not fit the callback") };
                let mut bytes = [0; $data];
                bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&data));
                Self { function: function.number(), data: bytes }
            }

            #[inline]
            fn function(&self) -> u32 {
                self.function
            }

            #[inline]
            fn data<T: AnyBitPattern>(&self) -> T {
                const { assert!(size_of::<T>() <= $data, "the data do not fit the callback") };
                bytemuck::pod_read_unaligned(&self.data[..size_of::<T>()])
            }
        }
    };
}

callback! {
    /// A call of 16 bytes: a function's number and 12 bytes of data, as two ids and a number.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_containers::{Callback, Callback16, CallbackId};
    ///
    /// let call = Callback16::new(CallbackId::<[u32; 3]>::from_number(4), [1, 2, 3]);
    /// assert_eq!(call.function(), 4);
    /// assert_eq!(call.data::<[u32; 3]>(), [1, 2, 3]);
    /// ```
    ///
    /// More do not fit:
    ///
    /// ```compile_fail
    /// # use loligo_containers::{Callback, Callback16, CallbackId};
    /// Callback16::new(CallbackId::<[u32; 4]>::from_number(4), [1, 2, 3, 4]);
    /// ```
    Callback16, 16, 12
}

callback! {
    /// A call of 32 bytes: a function's number and 28 bytes of data, as an id, a place and a
    /// direction.
    Callback32, 32, 28
}
