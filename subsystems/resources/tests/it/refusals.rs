//! Files that are not what they should be: errors that say so.

use std::fs;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::Endian;
use loligo_ids::{IdString64, ReverseLookup, ReverseLookupBuilder, id64};
use loligo_resources::{
    ContentHash, DataFolder, DebugName, HEADER_BYTES, HeaderError, LoadErrorKind, Names,
    ResourceHeader, ResourceKey, Resources,
};

use crate::made::{Made, with_memory};

const DOOR: ResourceKey = ResourceKey::new("text", "units/door");

fn file() -> Vec<u8> {
    let header =
        ResourceHeader { key: DOOR, version: 1, debug_name: DebugName::new("units/door"), tail: 0 };
    let mut file = vec![7; HEADER_BYTES + 40];
    header.write(Endian::NATIVE, &mut file);
    file
}

/// Loads the door from a folder whose file was changed.
fn load_error_kind(
    change: impl FnOnce(&std::path::Path, &mut Resources<'_, HeapAllocator<'_, PageAllocator>>),
) -> LoadErrorKind {
    let mut made = Made::new();
    let path = made.put("text", "units/door", &[], b"a door");
    made.save();
    let mut found = None;
    with_memory(|heap| {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        change(&path, &mut resources);
        found = resources.load(DOOR).err().map(|error| error.kind);
        assert_eq!(resources.iter().len(), 0, "nothing has changed");
    });
    found.expect("it was refused")
}

#[test]
fn every_damaged_byte_is_noticed() {
    let whole = file();
    assert!(ResourceHeader::read(&whole).is_ok());
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        assert!(ResourceHeader::read(&damaged).is_err(), "byte {at}");
    }
    for end in 0..whole.len() {
        assert!(ResourceHeader::read(&whole[..end]).is_err(), "cut at {end}");
    }
    let mut longer = whole;
    longer.push(0);
    assert_eq!(
        ResourceHeader::read(&longer),
        Err(HeaderError::OtherLength { told: 40, bytes: 41 })
    );
}

#[test]
fn the_other_byte_order_is_named() {
    let other = if Endian::NATIVE == Endian::Big { Endian::Little } else { Endian::Big };
    let debug_name = DebugName::default();
    let header = ResourceHeader { key: DOOR, version: 1, debug_name, tail: 0 };
    let mut file = vec![0; HEADER_BYTES];
    header.write(other, &mut file);
    assert_eq!(ResourceHeader::read(&file), Err(HeaderError::OtherEndian));
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let gone = load_error_kind(|path, _| fs::remove_file(path).expect("it is there"));
    assert!(matches!(gone, LoadErrorKind::Missing), "{gone}");
    let cut = load_error_kind(|path, _| fs::write(path, b"loli").expect("it may be written"));
    assert!(matches!(cut, LoadErrorKind::OtherLength { bytes: 4, .. }), "{cut}");
    let junk = load_error_kind(|path, _| {
        let bytes = fs::read(path).expect("it is there").len();
        fs::write(path, vec![b'x'; bytes]).expect("it may be written");
    });
    assert!(matches!(junk, LoadErrorKind::Header(HeaderError::NoResource)), "{junk}");
    let old = load_error_kind(|_, resources| {
        resources.try_expect_version(id64!("text"), 2).expect("memory");
    });
    assert!(matches!(old, LoadErrorKind::OtherVersion { found: 1, wanted: 2 }), "{old}");
    let swapped = load_error_kind(|path, _| {
        let bytes = fs::read(path).expect("it is there").len();
        let mut other = vec![0; bytes];
        let key = ResourceKey::new("text", "units/wall");
        let header = ResourceHeader { key, version: 1, debug_name: DebugName::default(), tail: 0 };
        header.write(Endian::NATIVE, &mut other);
        fs::write(path, other).expect("it may be written");
    });
    assert!(matches!(swapped, LoadErrorKind::OtherResource { .. }), "{swapped}");
}

#[test]
fn a_package_that_is_none_is_told() {
    let mut made = Made::new();
    made.put("package", "level", &[], b"no list");
    made.save();
    with_memory(|heap| {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        let error = resources.load_package("level").expect_err("it is no package");
        assert!(matches!(error.kind, LoadErrorKind::NoPackage(_)), "{error}");
        assert_eq!(resources.iter().len(), 0);
    });
}

#[test]
fn a_folder_without_a_table_is_told() {
    with_memory(|heap| {
        let made = Made::new();
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let error = Resources::try_open_in(folder, heap).expect_err("there is no table");
        let text = error.to_string();
        assert!(text.contains("`resources`") && text.contains("compile the project"), "{text}");
        fs::write(made.path().join("resources"), b"no table").expect("it may be written");
        let error = Resources::try_open_in(folder, heap).expect_err("it is damaged");
        assert!(error.to_string().contains("recompile"), "{error}");
        assert!(!error.is_memory());
    });
}

#[test]
fn errors_carry_names_where_a_tool_has_them() {
    let mut made = Made::new();
    made.put("text", "units/door", &["fr"], b"une porte");
    made.save();
    with_memory(|heap| {
        let mut names = ReverseLookupBuilder::<IdString64, _>::new_in(heap);
        for name in ["text", "units/door"] {
            names.insert(name).expect("no collision");
        }
        let names = names.save().expect("memory");
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        let error = resources.load(DOOR).expect_err("nobody prefers French");
        let named = error.named(ReverseLookup::open(&names).expect("just saved")).to_string();
        assert!(named.starts_with("resource units/door.text: none of its 1 variants"), "{named}");
        assert!(error.to_string().starts_with(&format!("resource {DOOR}: ")), "{error}");
    });
}

#[test]
fn hashes_are_read_as_they_are_written() {
    let hash = ContentHash(core::array::from_fn(|index| index as u8 * 7));
    assert_eq!(ContentHash::from_hex(&hash.to_hex()), Some(hash));
    for wrong in [&b""[..], &[b'0'; 63], &[b'0'; 65], &[b'A'; 64], &[b'/'; 64], &[b'g'; 64]] {
        assert_eq!(ContentHash::from_hex(wrong), None);
    }
}

#[test]
fn names_stand_behind_the_hashes_of_a_message() {
    let made = Made::new();
    let lantern = ResourceKey::new("text", "units/lantern");
    with_memory(|heap| {
        let mut builder = ReverseLookupBuilder::<IdString64, _>::new_in(heap);
        builder.insert("text").expect("no collision");
        builder.insert("units/door").expect("no collision");
        let table = builder.save().expect("there is memory");
        fs::write(made.path().join("names"), &table).expect("the folder may be written");
    });
    with_memory(|heap| {
        let names = Names::read_in(made.path(), heap);
        let [text, door, other] = [DOOR.type_hash, DOOR.name, lantern.name];
        for (what, shown) in [
            (format!("{DOOR}: gone"), format!("#{text}(text)/#{door}(units/door): gone")),
            (format!("{lantern}"), format!("#{text}(text)/#{other}")),
            (format!("#{door}"), format!("#{door}(units/door)")),
            (format!("#{door}0 ##{door}."), format!("#{door}0 ##{door}(units/door).")),
            ("#12 # #ffff: {door}".to_owned(), "#12 # #ffff: {door}".to_owned()),
        ] {
            assert_eq!(names.show(&what).to_string(), shown, "of `{what}`");
        }
        // In pieces, as a key prints itself.
        assert_eq!(names.show(&DOOR).to_string(), format!("#{text}(text)/#{door}(units/door)"));
    });
    fs::write(made.path().join("names"), b"lolnames").expect("the folder may be written");
    with_memory(|heap| {
        let names = Names::read_in(made.path(), heap);
        assert_eq!(names.show(&DOOR).to_string(), DOOR.to_string(), "a damaged table has no names");
    });
}

#[test]
fn a_table_or_a_resource_that_claims_to_be_huge_is_not_read() {
    let mut made = Made::new();
    let door = made.put("text", "units/door", &[], b"a door");
    made.save();
    let table = made.path().join("resources");
    // Sparse files: large by their length, but without blocks on the disk.
    fs::OpenOptions::new()
        .write(true)
        .open(&door)
        .expect("it is there")
        .set_len(1 << 40)
        .expect("a hole");
    with_memory(|heap| {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        let error = resources.load(DOOR).expect_err("another length than the table has");
        assert!(
            matches!(error.kind, LoadErrorKind::OtherLength { bytes: 0x100_0000_0000, .. }),
            "{error}"
        );
    });
    fs::OpenOptions::new()
        .write(true)
        .open(&table)
        .expect("it is there")
        .set_len(1 << 40)
        .expect("a hole");
    with_memory(|heap| {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let error = Resources::try_open_in(folder, heap).expect_err("it is too long");
        assert!(error.to_string().contains("too large"), "{error}");
        assert!(!error.is_memory(), "no memory was asked for: {error}");
    });
    fs::remove_file(&table).expect("it was there");
    fs::create_dir(&table).expect("the folder may be written");
    with_memory(|heap| {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let error = Resources::try_open_in(folder, heap).expect_err("it is no file");
        assert!(error.to_string().contains("the table `resources`"), "{error}");
    });
}
