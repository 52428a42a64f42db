//! A blob with parts of every kind, for the target `blob` and its seeds.

use loligo_allocators::Allocator;
use loligo_containers::{
    Blob, BlobArray, BlobBuilder, BlobBytes, BlobOption, BlobRef, BlobStr, Endian, GrowError,
    blob_field, blob_struct,
};

blob_struct! {
    /// A part of parts.
    pub struct Emitter {
        /// A text.
        pub name: BlobStr,
        /// A number.
        pub rate: f32,
        /// Of which not all bits are valid.
        pub is_looping: bool,
        /// Bytes.
        pub color: [u8; 4],
        /// An array in an array.
        pub keys: BlobArray<u64>,
    }

    /// The root.
    pub struct Effect {
        /// A text.
        pub name: BlobStr,
        /// An array of structs.
        pub emitters: BlobArray<Emitter>,
        /// A struct that may be missing.
        pub light: BlobOption<Emitter>,
        /// A struct within.
        pub smoke: Emitter,
        /// An array of texts.
        pub tags: BlobArray<BlobStr>,
    }
}

/// Reads everything that a blob leads to, and returns how many bytes and numbers those were.
#[must_use]
pub fn read_all(blob: &Blob<'_, Effect>) -> usize {
    let emitter = |emitter: &Emitter| {
        let bright = emitter.color.iter().filter(|&&value| value > 127).count();
        let keys = blob.array(&emitter.keys).iter().filter(|&&key| key != 0).count();
        let flags = usize::from(emitter.is_looping) + usize::from(emitter.rate > 0.0);
        blob.str(&emitter.name).chars().count() + bright + keys + flags
    };
    let root = blob.root();
    let emitters: usize = blob.array(&root.emitters).iter().map(emitter).sum();
    let light = blob.option(&root.light).map_or(0, emitter);
    let tags: usize = blob.array(&root.tags).iter().map(|tag| blob.str(tag).chars().count()).sum();
    blob.str(&root.name).chars().count() + emitters + light + emitter(&root.smoke) + tags
}

/// Reads as much as [`read_all`], by views.
#[must_use]
pub fn walk_all(blob: &Blob<'_, Effect>) -> usize {
    let emitter = |emitter: BlobRef<'_, Emitter>| {
        let bright = emitter.color.iter().filter(|&&value| value > 127).count();
        let keys = emitter.at(blob_field!(Emitter, keys)).iter().filter(|key| **key != 0).count();
        let flags = usize::from(emitter.is_looping) + usize::from(emitter.rate > 0.0);
        emitter.at(blob_field!(Emitter, name)).text().chars().count() + bright + keys + flags
    };
    let root = blob.view();
    let emitters: usize = root.at(blob_field!(Effect, emitters)).iter().map(emitter).sum();
    let light = root.at(blob_field!(Effect, light)).part().map_or(0, emitter);
    let tags = root.at(blob_field!(Effect, tags)).iter();
    let tags: usize = tags.map(|tag| tag.text().chars().count()).sum();
    let name = root.at(blob_field!(Effect, name)).text().chars().count();
    name + emitters + light + emitter(root.at(blob_field!(Effect, smoke))) + tags
}

/// Builds a blob with parts of every kind.
///
/// # Errors
///
/// [`GrowError`] if there is no memory.
pub fn build<'a, A: Allocator + ?Sized>(
    names: &[&str],
    memory: &'a A,
) -> Result<BlobBytes<'a, A>, GrowError> {
    let mut builder = BlobBuilder::<Effect, A>::try_new_in(Endian::NATIVE, memory)?;
    let root = builder.root();
    builder.string(root.at(blob_field!(Effect, name)), names.first().unwrap_or(&""))?;
    let emitters = builder.array(root.at(blob_field!(Effect, emitters)), names.len())?;
    for (emitter, name) in emitters.iter().zip(names) {
        builder.string(emitter.at(blob_field!(Emitter, name)), name)?;
        builder.set(emitter.at(blob_field!(Emitter, rate)), name.len() as f32);
        builder.set(emitter.at(blob_field!(Emitter, is_looping)), true);
        builder.numbers(emitter.at(blob_field!(Emitter, keys)), &[1, 2, 3])?;
    }
    if !names.is_empty() {
        let light = builder.option(root.at(blob_field!(Effect, light)))?;
        builder.string(light.at(blob_field!(Emitter, name)), "light")?;
    }
    let tags = builder.array(root.at(blob_field!(Effect, tags)), names.len())?;
    tags.iter().zip(names).try_for_each(|(tag, name)| builder.string(tag, name))?;
    Ok(builder.finish())
}
