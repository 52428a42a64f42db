//! How structs are described to blobs: their fields, each with its place.

use core::marker::PhantomData;

/// A field of the struct `S` that holds an `F`: what [`blob_field!`](crate::blob_field) returns.
pub struct BlobField<S, F> {
    offset: u32,
    types: PhantomData<fn(S) -> F>,
}

impl<S, F> BlobField<S, F> {
    /// Takes the types from how the field is read.
    ///
    /// # Safety
    ///
    /// The field that `place` points to is an `F` and begins at `offset` of `S`: views read it there
    /// without a check.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn new(offset: usize, _place: fn(&S) -> *const F) -> Self {
        assert!(offset + size_of::<F>() <= size_of::<S>(), "a field lies within its struct");
        Self { offset: offset as u32, types: PhantomData }
    }

    #[inline(always)]
    pub(super) const fn offset(self) -> u32 {
        self.offset
    }
}

impl<S, F> Clone for BlobField<S, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, F> Copy for BlobField<S, F> {}

impl<S, F> core::fmt::Debug for BlobField<S, F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("BlobField").field(&self.offset).finish()
    }
}

/// Names a field of a struct, for [`BlobPlace::at`](crate::BlobPlace::at) and
/// [`BlobRef::at`](crate::BlobRef::at): `blob_field!(Effect, name)`.
///
/// Its type is that of the field, and not what the field derefs to:
///
/// ```compile_fail,E0308
/// use loligo_containers::{BlobField, BlobStr, blob_field, blob_struct};
///
/// blob_struct! {
///     struct Text {
///         bytes: [u8; 8],
///     }
///     struct Effect {
///         name: Text,
///     }
/// }
/// impl core::ops::Deref for Text {
///     type Target = BlobStr;
///     fn deref(&self) -> &BlobStr {
///         unimplemented!()
///     }
/// }
/// let name: BlobField<Effect, BlobStr> = blob_field!(Effect, name);
/// ```
#[macro_export]
macro_rules! blob_field {
    ($struct:ty, $field:ident) => {
        // SAFETY: both name the field of the struct itself, as `offset_of!` looks through no
        // `Deref`; and a pointer, unlike a reference, never becomes one to what its place derefs to,
        // so the type is the field's.
        unsafe {
            $crate::BlobField::<$struct, _>::new(
                ::core::mem::offset_of!($struct, $field),
                |part: &$struct| &raw const part.$field,
            )
        }
    };
}

/// Declares structs that may be in a blob.
///
/// Their layout is C's, the fields in the order of the declaration, each of a type that is a
/// [`BlobType`](crate::BlobType). They cannot be made but by opening a blob.
///
/// # Examples
///
/// ```
/// use loligo_containers::{BlobArray, BlobOption, BlobStr, blob_struct};
///
/// blob_struct! {
///     /// A thing that can be picked up.
///     pub struct Item {
///         pub name: BlobStr,
///         pub weight: f32,
///         pub tags: BlobArray<loligo_ids::IdString32>,
///         /// What is inside, if it is a bag.
///         pub inside: BlobOption<Item>,
///     }
/// }
/// assert_eq!(size_of::<Item>(), 24);
/// ```
///
/// A struct that is aligned to more than [`BLOB_ALIGN`](crate::BLOB_ALIGN) does not compile:
///
/// ```compile_fail,E0080
/// loligo_containers::blob_struct! {
///     #[repr(align(32))]
///     pub struct Wide {
///         pub lanes: [f32; 8],
///     }
/// }
/// ```
#[macro_export]
macro_rules! blob_struct {
    ($(
        $(#[$doc:meta])*
        $visible:vis struct $name:ident {
            $($(#[$field_doc:meta])* $field_visible:vis $field:ident: $type:ty),+ $(,)?
        }
    )+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        $visible struct $name {
            $($(#[$field_doc])* $field_visible $field: $type,)+
        }

        const _: () = ::core::assert!(
            ::core::mem::align_of::<$name>() <= $crate::BLOB_ALIGN,
            "nothing in a blob is aligned to more than 16"
        );

        // SAFETY: the layout is C's, of fields whose own size is set, and its alignment was just
        // asserted; each field is checked in place, and the rest is padding, for which any bytes
        // are valid. It has no destructor, as its fields have none.
        unsafe impl $crate::BlobType for $name {
            const NAME: &'static str = ::core::stringify!($name);
            const PLAIN: bool = true $(&& <$type as $crate::BlobType>::PLAIN)+;

            fn check(
                checker: &mut $crate::BlobChecker<'_>,
                at: usize,
            ) -> ::core::result::Result<(), $crate::BlobRefused> {
                $(
                    let place = at + ::core::mem::offset_of!($name, $field);
                    if let Err(refused) = <$type as $crate::BlobType>::check(checker, place) {
                        let field = ::core::concat!(
                            ::core::stringify!($name),
                            ".",
                            ::core::stringify!($field)
                        );
                        return Err(checker.within(refused, field));
                    }
                )+
                Ok(())
            }

            fn shapes(shapes: &mut $crate::BlobShapes) {
                let text = ::core::concat!(
                    ::core::stringify!($name),
                    "{" $(, ::core::stringify!($field), ":", ::core::stringify!($type), ",")+, "}"
                );
                if shapes.add::<Self>(text) {
                    $(<$type as $crate::BlobType>::shapes(shapes);)+
                }
            }

            fn layout(version: u32) -> ::core::alloc::Layout {
                let mut layout = $crate::BlobLayout::new(version);
                $(layout.add::<$type>();)+
                layout.finish()
            }

            fn upgrade(
                upgrade: &mut $crate::BlobUpgrade<'_>,
                from: usize,
                to: usize,
            ) -> ::core::result::Result<(), $crate::BlobRefused> {
                let mut layout = $crate::BlobLayout::new(upgrade.version());
                $(
                    let place = from + layout.add::<$type>();
                    let field = to + ::core::mem::offset_of!($name, $field);
                    if let Err(refused) =
                        <$type as $crate::BlobType>::upgrade(upgrade, place, field)
                    {
                        let field = ::core::concat!(
                            ::core::stringify!($name),
                            ".",
                            ::core::stringify!($field)
                        );
                        return Err(upgrade.within(refused, field));
                    }
                )+
                Ok(())
            }
        }
    )+};
}
