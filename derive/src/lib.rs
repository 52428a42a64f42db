//! Derives for what containers hold.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod attributes;
mod blob_type;
mod event;
mod fields;
mod open_row;
mod streamed;
#[cfg(test)]
mod tests;

/// Derives `Event`: the number that names the type in a stream.
///
/// The number is the hash of the type's name in small letters with `_` between its words, so
/// `FootDown` is what `id32!("foot_down")` is. `#[event(name = "step")]` gives another name,
/// `#[event(number = 7)]` a number, which may be any constant expression of type `u32`.
///
/// `Event` also asks for `NoUninit`, and `AnyBitPattern` or `CheckedBitPattern`, of bytemuck, which
/// has derives for them.
#[proc_macro_derive(Event, attributes(event))]
pub fn derive_event(input: TokenStream) -> TokenStream {
    finish(event::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Derives `Streamed`: one function that reads and writes all fields, in the order of the
/// declaration.
///
/// | attribute of a field | what is called | for |
/// |---|---|---|
/// | none | `Stream::field` | what is `Streamed` itself |
/// | `numbers`, `text`, `array` | `Stream::numbers`, `text`, `array` | an `Array` of that kind |
/// | `id` | `Stream::id` | an `Option` of an id |
/// | `with = path` | `path(stream, &mut field)` | everything else |
/// | `since = 2` | `Stream::added` | a field that came with version 2 of the format |
/// | `since = 2, default = 1.0` | `Stream::added_or` | the same, where the default is another |
/// | `skip` | nothing | what is not in the stream; it keeps its value |
///
/// An enum is the number of the variant's place, as of `Stream::choice`, and then its fields. So
/// the order of the variants belongs to the format, and new ones are added at the end. The fields
/// of a variant need `Default`, as they are read into one.
#[proc_macro_derive(Streamed, attributes(streamed))]
pub fn derive_streamed(input: TokenStream) -> TokenStream {
    finish(streamed::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Derives `BlobType` for a struct of C's layout, as `blob_struct!` does, or for an enum without
/// fields whose integer is stated, and which is then also a `BlobScalar`.
///
/// The numbers of an enum belong to the shape of the blob: a blob that was built with other
/// variants is refused when it is opened.
///
/// `#[blob(since = 2)]` says that a field was added with version 2 of the blob, one number for all
/// its structs: `Blob::try_upgrade` copies older blobs to the newest version. There the field is
/// zero, empty or none, or what `#[blob(since = 2, default = 1.0)]` says of a number. The first
/// field of a struct is in all versions.
#[proc_macro_derive(BlobType, attributes(blob))]
pub fn derive_blob_type(input: TokenStream) -> TokenStream {
    finish(blob_type::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Derives `OpenRow`: the struct's fields as fields of an `OpenArray` or `OpenStruct`, and a
/// constant of the struct for each, by which it is swept over.
///
/// A field has the hash of its name; `#[open(name = "hit_points")]` gives another. The constant is
/// the field's name in capital letters, as visible as the field.
#[proc_macro_derive(OpenRow, attributes(open))]
pub fn derive_open_row(input: TokenStream) -> TokenStream {
    finish(open_row::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Returns what was derived, or the error as the compiler reports it.
fn finish(derived: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    derived.unwrap_or_else(|error| error.to_compile_error()).into()
}
