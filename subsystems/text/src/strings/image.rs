//! Texts as they are saved.

use loligo_containers::{BlobArray, BlobStr, blob_struct};
use loligo_ids::IdString64;

blob_struct! {
    /// The texts of a resource as they are saved: a blob. [`Strings`](super::Strings) reads it.
    pub struct StringsImage {
        /// The number of a [`PluralRule`](crate::PluralRule).
        pub rule: u32,
        /// 0.
        pub reserved: u32,
        /// The code of the language.
        pub language: BlobStr,
        /// The hashes of all keys, in ascending order.
        pub keys: BlobArray<IdString64>,
        /// The texts, in the order of their keys.
        pub texts: BlobArray<StringsTextImage>,
        /// The forms of all texts.
        pub forms: BlobArray<StringsFormImage>,
        /// The pieces of all forms.
        pub pieces: BlobArray<StringsPieceImage>,
        /// The bytes of all pieces and of the names of all placeholders, each UTF-8: as numbers, so that
        /// opening does not read them.
        pub bytes: BlobArray<u8>,
    }

    /// A text. 16 bytes.
    pub struct StringsTextImage {
        /// The first of its forms, which follow each other in the order of their categories.
        pub form: u32,
        /// Which forms there are: a bit for each [`PluralCategory`](crate::PluralCategory).
        pub categories: u32,
        /// The name of the placeholder whose number chooses the form: where it begins, and its bytes; 0
        /// bytes where there is one form.
        pub by: [u32; 2],
    }

    /// A form of a text. 8 bytes.
    pub struct StringsFormImage {
        /// The first of its pieces.
        pub piece: u32,
        /// How many pieces it has.
        pub count: u32,
    }

    /// A piece of a form. 12 bytes.
    pub struct StringsPieceImage {
        /// 1: it is the name of a placeholder; 0: it is shown as it is.
        pub is_placeholder: u32,
        /// Where it begins, and its bytes.
        pub bytes: [u32; 2],
    }
}
