//! Tests of settings.

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{BlobBuilder, BlobBytes, Endian, blob_field};
use loligo_ids::{IdString64, id64};

use super::{Config, ConfigError, ConfigImage, ConfigKind, ConfigNode};

type Node = (u64, ConfigKind, u64, u32);
type Heap<'a> = HeapAllocator<'a, PageAllocator>;

fn built<'a>(nodes: &[Node], text: &str, heap: &'a Heap<'a>) -> BlobBytes<'a, Heap<'a>> {
    let mut builder =
        BlobBuilder::<ConfigImage, _>::try_new_in(Endian::NATIVE, heap).expect("memory");
    let root = builder.root();
    let places =
        builder.array(root.at(blob_field!(ConfigImage, nodes)), nodes.len()).expect("memory");
    for (place, (key, kind, value, count)) in places.iter().zip(nodes) {
        builder.set(place.at(blob_field!(ConfigNode, key)), IdString64::from_hash(*key));
        builder.set(place.at(blob_field!(ConfigNode, kind)), *kind as u32);
        builder.set(place.at(blob_field!(ConfigNode, value)), *value);
        builder.set(place.at(blob_field!(ConfigNode, count)), *count);
    }
    builder.string(root.at(blob_field!(ConfigImage, text)), text).expect("memory");
    builder.finish()
}

fn refused(nodes: &[Node], text: &str) -> &'static str {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    match Config::open(&built(nodes, text, &heap)) {
        Err(ConfigError::Node { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_found() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut keys = [id64!("size").hash(), id64!("name").hash()];
    keys.sort_unstable();
    let of = |key| match key == id64!("size").hash() {
        true => (key, ConfigKind::Array, 3, 2),
        false => (key, ConfigKind::String, 0, 4),
    };
    let nodes = [
        (0, ConfigKind::Object, 1, 2),
        of(keys[0]),
        of(keys[1]),
        (0, ConfigKind::F64, 0.9_f64.to_bits(), 0),
        (0, ConfigKind::I64, (-3_i64).cast_unsigned(), 0),
    ];
    let bytes = built(&nodes, "door", &heap);
    let root = Config::open(&bytes).expect("it is right").root();
    assert_eq!((root.kind(), root.len()), (ConfigKind::Object, 2));
    assert_eq!(root.get(id64!("name")).and_then(|name| name.as_str()), Some("door"));
    let size = root.get(id64!("size")).expect("it is there");
    assert_eq!(size.at(0).and_then(|item| item.as_f64()), Some(0.9));
    assert_eq!(size.at(1).and_then(|item| item.as_i64()), Some(-3));
    assert_eq!(size.at(1).and_then(|item| item.as_u64()), None);
    assert!(size.at(2).is_none() && root.at(0).is_none() && root.get(id64!("x")).is_none());
    assert_eq!(size.items().len(), 2);
}

#[test]
fn what_leads_nowhere_is_refused() {
    assert_eq!(refused(&[], ""), "there is no root");
    assert_eq!(refused(&[(0, ConfigKind::Object, 0, 1)], ""), "its children are not there");
    assert_eq!(
        refused(&[(0, ConfigKind::Array, 1, 2), (0, ConfigKind::Null, 0, 0)], ""),
        "its children are not there"
    );
    assert_eq!(
        refused(&[(0, ConfigKind::String, 1, 1)], "é"),
        "its text is not there, or cuts a character"
    );
    assert_eq!(
        refused(&[(0, ConfigKind::String, u64::MAX, 1)], "e"),
        "its text is not there, or cuts a character"
    );
    assert_eq!(refused(&[(0, ConfigKind::Bool, 2, 0)], ""), "it is neither true nor false");
    let twice =
        [(0, ConfigKind::Object, 1, 2), (7, ConfigKind::Null, 0, 0), (7, ConfigKind::Null, 0, 0)];
    assert_eq!(refused(&twice, ""), "its keys are not in order");
}
