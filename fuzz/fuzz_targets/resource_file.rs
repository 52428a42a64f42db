//! Files, tables, packages and settings of resources from any bytes: refused, or all that they lead
//! to can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{Blob, BlobBytes};
use loligo_fuzz::limited;
use loligo_ids::id64;
use loligo_resources::{Config, ConfigValue, PackageImage, ResourceHeader, Table};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(header) = ResourceHeader::read(bytes) {
        assert!(header.debug_name.as_str().len() <= 32, "no more was kept");
    }
    limited::within(1 << 20, |memory| {
        let copy = BlobBytes::try_copy_in(bytes, memory).expect("an input is short");
        if let Ok(table) = Table::try_open_in(&copy, memory) {
            assert_eq!(table.validate(), Ok(()), "what is accepted is whole");
            for entry in table.entries() {
                let wanted = table.properties(entry);
                assert!(table.variants(entry.key).contains(entry), "each is found");
                let selected = table.select(entry.key, &wanted[..wanted.len().min(64)]);
                assert!(selected.is_some() || wanted.len() > 64, "it wants what it has");
            }
        }
        if let Ok(blob) = Blob::<PackageImage>::open(&copy) {
            let items = blob.array(&blob.root().resources);
            std::hint::black_box(items.iter().map(|item| item.key()).max());
        }
        if let Ok(config) = Config::open(&copy) {
            read(config.root(), 64);
        }
    });
});

/// Reads a value and, to a depth, those in it: two may share what is in them.
fn read(value: ConfigValue<'_>, depth: u32) {
    std::hint::black_box((value.as_bool(), value.as_f64(), value.as_u64(), value.as_str()));
    std::hint::black_box(value.get(id64!("width")).is_some());
    // One child of each is enough: every node was checked by itself.
    if let Some((_, last)) = value.items().last()
        && depth > 0
    {
        read(last, depth - 1);
    }
}
