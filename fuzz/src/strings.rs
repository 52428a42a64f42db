//! Texts from any bytes: opened or refused, and written as far as they are right.

use loligo_allocators::Allocator;
use loligo_containers::{BlobBuilder, BlobBytes, Endian, GrowError, blob_field};
use loligo_ids::IdString64;
use loligo_text::{
    PluralCategory, PluralRule, Strings, StringsFormImage, StringsImage, StringsPieceImage,
    StringsTextImage, TextValue,
};

/// Opens texts, and writes each with numbers, texts and nothing in its placeholders.
pub fn strings(bytes: &[u8], memory: &dyn Allocator) {
    let bytes = BlobBytes::try_copy(bytes, memory).expect("an input is short");
    let opened = Strings::open(&bytes);
    // What is said to be verified and is not is read without a panic, too.
    let Ok(strings) = Strings::open_verified(&bytes) else {
        return assert!(opened.is_err(), "it is opened and is no blob");
    };
    let keys = strings.keys().iter().copied().take(32).chain([IdString64::new("none")]);
    for key in keys {
        for value in [None, Some(TextValue::Number(1.5)), Some(TextValue::Text("3"))] {
            let mut written = String::new();
            let known = strings.write(key, &|_| value, &mut written).expect("a string takes all");
            assert!(known || written.is_empty(), "what is not there is not written");
        }
    }
}

/// Returns inputs to begin with, as the other seeds: a text with a placeholder and one with two forms, in
/// either byte order.
///
/// # Errors
///
/// [`GrowError`] if there is no memory.
pub fn seeds(
    memory: &dyn Allocator,
) -> Result<Vec<(&'static str, &'static str, Vec<u8>)>, GrowError> {
    let mut seeds = Vec::new();
    for (name, endian) in [("little", Endian::Little), ("big", Endian::Big)] {
        seeds.push(("strings", name, two_texts(endian, memory)?));
    }
    Ok(seeds)
}

fn two_texts(endian: Endian, memory: &dyn Allocator) -> Result<Vec<u8>, GrowError> {
    let mut keys = [IdString64::new("coins"), IdString64::new("start")];
    keys.sort_unstable();
    let mut builder = BlobBuilder::<StringsImage>::try_new(endian, memory)?;
    let root = builder.root();
    builder.set(root.at(blob_field!(StringsImage, rule)), PluralRule::English as u32);
    builder.string(root.at(blob_field!(StringsImage, language)), "en")?;
    builder.numbers(root.at(blob_field!(StringsImage, keys)), &keys)?;
    let other = 1 << PluralCategory::Other as u32;
    let one = 1 << PluralCategory::One as u32;
    let texts = builder.array(root.at(blob_field!(StringsImage, texts)), 2)?;
    for (place, (form, categories, by)) in
        texts.iter().zip([(0, one | other, [0, 1]), (2, other, [0, 0])])
    {
        builder.set(place.at(blob_field!(StringsTextImage, form)), form);
        builder.set(place.at(blob_field!(StringsTextImage, categories)), categories);
        builder.set(place.at(blob_field!(StringsTextImage, by)), by);
    }
    let forms = builder.array(root.at(blob_field!(StringsImage, forms)), 3)?;
    for (place, (piece, count)) in forms.iter().zip([(0, 1), (0, 2), (1, 1)]) {
        builder.set(place.at(blob_field!(StringsFormImage, piece)), piece);
        builder.set(place.at(blob_field!(StringsFormImage, count)), count);
    }
    let pieces = builder.array(root.at(blob_field!(StringsImage, pieces)), 2)?;
    for (place, (is_placeholder, bytes)) in pieces.iter().zip([(1, [0, 1]), (0, [1, 3])]) {
        builder.set(place.at(blob_field!(StringsPieceImage, is_placeholder)), is_placeholder);
        builder.set(place.at(blob_field!(StringsPieceImage, bytes)), bytes);
    }
    builder.numbers(root.at(blob_field!(StringsImage, bytes)), "n ß".as_bytes())?;
    Ok(builder.finish().to_vec())
}
