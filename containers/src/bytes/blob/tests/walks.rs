//! Views of values: they lead where the comparing reads lead.

use std::format;
use std::vec::Vec;

use super::{Item, chest};
use crate::bytes::blob::{Blob, BlobBuilder, BlobElements, BlobRef, BlobStr, Endian};
use crate::testing::test_memory::with_memory;
use crate::{blob_field, blob_struct};

blob_struct! {
    struct Labels {
        pairs: [BlobStr; 2],
        flag: bool,
    }
}

/// Reads all that a view leads to, as `read_all` does by references.
pub(super) fn walk_all(item: BlobRef<'_, Item>) -> usize {
    let name = item.at(blob_field!(Item, name)).text();
    let counts = item.at(blob_field!(Item, counts));
    assert_eq!(counts.iter().len(), counts.slice().len(), "as long as the slice");
    let mut read = name.chars().count() + counts.iter().count();
    read += usize::from(item.magic);
    let inside = item.at(blob_field!(Item, inside));
    for inner in inside.iter().chain(item.at(blob_field!(Item, owner)).part()) {
        read += 1 + walk_all(inner);
    }
    read
}

#[test]
fn a_view_leads_to_every_part() {
    with_memory(|memory| {
        let bytes = chest(Endian::NATIVE, memory).expect("there is memory");
        let blob = Blob::<Item>::open(&bytes).expect("just built");
        let root = blob.view();
        assert!(core::ptr::eq(root.get(), blob.root()), "the root is the same");
        assert_eq!(
            (root.place, root.at(blob_field!(Item, name)).text()),
            ([1.0, 2.0, 3.0], "chest")
        );
        let inside = root.at(blob_field!(Item, inside));
        assert_eq!((inside.len(), inside.is_empty()), (2, false), "two things");
        assert!(core::ptr::eq(inside.slice(), blob.array(&blob.root().inside)), "the same slice");
        assert!(inside.element(2).is_none(), "there are two");
        let [empty, sword] = [0, 1].map(|index| inside.element(index).expect("two things"));
        assert_eq!(empty.at(blob_field!(Item, name)).text(), "", "no text");
        assert!(empty.at(blob_field!(Item, owner)).part().is_none(), "nobody owns it");
        let nothing = empty.at(blob_field!(Item, counts));
        assert!(nothing.is_empty() && nothing.slice().is_empty(), "no counts");
        assert_eq!((nothing.iter().count(), nothing.element(0).is_none()), (0, true), "no counts");
        assert_eq!(sword.at(blob_field!(Item, counts)).slice(), [3, 500, 65_535], "the counts");
        assert_eq!(*sword.at(blob_field!(Item, seed)), u64::MAX - 1, "a plain field");
        let owner = sword.at(blob_field!(Item, owner)).part().expect("somebody owns the sword");
        assert_eq!(owner.at(blob_field!(Item, name)).text(), "Örjan", "its name");
    });
}

#[test]
fn a_view_outlives_the_blob_but_not_the_bytes() {
    with_memory(|memory| {
        let bytes = chest(Endian::NATIVE, memory).expect("there is memory");
        let name = {
            let blob = Blob::<Item>::open(&bytes).expect("just built");
            blob.view().at(blob_field!(Item, name)).text()
        };
        assert_eq!(name, "chest", "it is borrowed from the bytes");
    });
}

#[test]
fn elements_of_a_constant_array_are_viewed() {
    with_memory(|memory| {
        let mut builder =
            BlobBuilder::<Labels, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        let mut bytes = {
            let root = builder.root();
            builder.set(root.at(blob_field!(Labels, flag)), true);
            builder.finish()
        };
        // Text for the second, by hand: builders have no places in constant arrays.
        let at = bytes.extend(2, 1).expect("there is memory");
        bytes.as_mut()[at..].copy_from_slice(b"ab");
        let field = super::super::HEADER + 8;
        bytes.as_mut()[field..field + 4].copy_from_slice(&((at - field) as u32).to_ne_bytes());
        bytes.as_mut()[field + 4..field + 8].copy_from_slice(&2_u32.to_ne_bytes());
        let length = bytes.len() as u64;
        bytes.as_mut()[16..24].copy_from_slice(&length.to_ne_bytes());
        let blob = Blob::<Labels>::open_structure(&bytes).expect("it is whole");
        let pairs = blob.view().at(blob_field!(Labels, pairs));
        let texts: Vec<&str> = pairs.iter().map(BlobRef::text).collect();
        assert_eq!(texts, ["", "ab"], "both");
    });
}

#[test]
fn views_are_copied_printed_and_sent() {
    const fn sent<T: Send + Sync>() {}
    const { sent::<BlobRef<'static, Item>>() };
    const { sent::<BlobElements<'static, Item>>() };
    assert_eq!(size_of::<Option<BlobRef<'static, Item>>>(), size_of::<usize>(), "one pointer");
    with_memory(|memory| {
        let bytes = chest(Endian::NATIVE, memory).expect("there is memory");
        let blob = Blob::<Item>::open(&bytes).expect("just built");
        let inside = blob.view().at(blob_field!(Item, inside));
        let mut elements = inside.into_iter();
        assert!(elements.next().is_some(), "the first");
        assert_eq!(format!("{elements:?}"), "BlobElements { left: 1, .. }", "one is left");
        #[expect(clippy::clone_on_copy, reason = "this is what is tested")]
        let seed = inside.clone().element(1).expect("two things").at(blob_field!(Item, seed));
        assert_eq!(format!("{seed:?}"), format!("{}", u64::MAX - 1), "as the value");
        assert_eq!((elements.clone().count(), elements.len()), (1, 1), "the clone is its own");
        assert!(elements.next().is_some() && elements.next().is_none(), "it ends");
        assert!(elements.next().is_none(), "and stays ended");
    });
}
