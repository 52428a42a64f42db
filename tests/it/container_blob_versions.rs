//! Blobs of older versions: copied to the newest, or refused where their bytes are wrong.

use loligo_allocators::{Allocator, FailingAllocator, HeapAllocator, PageAllocator, Refusals};
use loligo_containers::{
    Blob, BlobArray, BlobBuilder, BlobBytes, BlobError, BlobOption, BlobPartError, BlobStr,
    BlobType, BlobUpgradeError, Endian, GrowError, blob_field,
};

/// The structs as they were in each version.
mod v1 {
    use loligo_containers::{BlobArray, BlobOption, BlobStr, BlobType};

    #[derive(BlobType)]
    #[repr(C)]
    pub(super) struct Dot {
        pub(super) size: u32,
        pub(super) kind: u8,
    }

    #[derive(BlobType)]
    #[repr(C)]
    pub(super) struct Lamp {
        pub(super) name: BlobStr,
        pub(super) dot: Dot,
        pub(super) dots: BlobArray<Dot>,
        pub(super) sizes: BlobArray<u16>,
        pub(super) next: BlobOption<Lamp>,
        pub(super) is_lit: bool,
    }
}

mod v2 {
    use loligo_containers::{BlobArray, BlobOption, BlobStr, BlobType};

    #[derive(BlobType)]
    #[repr(C)]
    pub(super) struct Dot {
        pub(super) size: u32,
        pub(super) kind: u8,
        #[blob(since = 2, default = 9)]
        pub(super) level: u8,
    }

    #[derive(BlobType)]
    #[repr(C)]
    pub(super) struct Lamp {
        pub(super) name: BlobStr,
        pub(super) dot: Dot,
        pub(super) dots: BlobArray<Dot>,
        pub(super) sizes: BlobArray<u16>,
        pub(super) next: BlobOption<Lamp>,
        pub(super) is_lit: bool,
        #[blob(since = 2, default = 1.5)]
        pub(super) radius: f32,
        #[blob(since = 2)]
        pub(super) texture: BlobStr,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, BlobType)]
#[repr(u8)]
enum Blend {
    Opaque = 1,
    Add = 2,
}

#[derive(BlobType)]
#[repr(C)]
struct Dot {
    size: u32,
    kind: u8,
    #[blob(since = 2, default = 9)]
    level: u8,
    #[blob(since = 3)]
    seed: u64,
}

#[derive(BlobType)]
#[repr(C)]
struct Cover {
    name: BlobStr,
}

#[derive(BlobType)]
#[repr(C)]
struct Lamp {
    name: BlobStr,
    dot: Dot,
    dots: BlobArray<Dot>,
    sizes: BlobArray<u16>,
    next: BlobOption<Lamp>,
    is_lit: bool,
    #[blob(since = 2, default = 1.5)]
    radius: f32,
    #[blob(since = 2)]
    texture: BlobStr,
    #[blob(since = 3, default = Blend::Add)]
    blend: Blend,
    #[blob(since = 3)]
    cover: BlobOption<Cover>,
}

/// The heap that a test takes memory from; it must end without a block.
fn with_memory(test: impl FnOnce(&dyn Allocator)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    test(&heap);
    assert_eq!(heap.stats().live, 0, "a test gives back what it took");
}

/// Builds a lamp of a version, whose structs are in a module, with another after it.
macro_rules! older {
    ($version:ident, $memory:expr) => {{
        use $version::{Dot, Lamp};
        let mut builder =
            BlobBuilder::<Lamp>::try_new(Endian::NATIVE, $memory).expect("there is memory");
        let root = builder.root();
        let memory = "there is memory";
        builder.string(root.at(blob_field!(Lamp, name)), "Örjan's lamp").expect(memory);
        builder.set(root.at(blob_field!(Lamp, dot)).at(blob_field!(Dot, size)), 3);
        builder.set(root.at(blob_field!(Lamp, is_lit)), true);
        let dots = builder.array(root.at(blob_field!(Lamp, dots)), 3).expect(memory);
        for (dot, size) in dots.iter().zip(10..) {
            builder.set(dot.at(blob_field!(Dot, size)), size);
            builder.set(dot.at(blob_field!(Dot, kind)), 7);
        }
        builder.numbers(root.at(blob_field!(Lamp, sizes)), &[1, 2, 500]).expect(memory);
        let next = builder.option(root.at(blob_field!(Lamp, next))).expect(memory);
        builder.string(next.at(blob_field!(Lamp, name)), "next").expect(memory);
        builder.finish()
    }};
}

/// Compares all that a lamp of any version has.
fn look_at(blob: &Blob<'_, Lamp>, level: u8) {
    let lamp = blob.root();
    assert_eq!((blob.str(&lamp.name), lamp.is_lit), ("Örjan's lamp", true), "as it was");
    assert_eq!((lamp.dot.size, lamp.dot.level, lamp.dot.seed), (3, level, 0), "within");
    let dots = blob.array(&lamp.dots).iter().map(|dot| (dot.size, dot.kind, dot.level, dot.seed));
    let expected = [10, 11, 12].map(|size| (size, 7, level, 0));
    assert_eq!(dots.collect::<Vec<_>>(), expected, "each element");
    assert_eq!(blob.array(&lamp.sizes), [1, 2, 500], "numbers");
    let next = blob.option(&lamp.next).expect("there is another");
    assert_eq!((blob.str(&next.name), next.is_lit), ("next", false), "the part");
    assert_eq!((next.dot.level, next.blend), (level, Blend::Add), "defaults of the part");
    assert_eq!(blob.str(&lamp.texture), "", "no text");
    assert_eq!(lamp.blend, Blend::Add, "an enum");
    assert!(blob.option(&lamp.cover).is_none(), "no part");
}

#[test]
fn a_blob_of_every_version_is_read() {
    with_memory(|memory| {
        let first = older!(v1, memory);
        assert!(
            matches!(Blob::<Lamp>::open(&first), Err(BlobError::OtherShape { .. })),
            "it is not read as it is"
        );
        let copy = Blob::<Lamp>::try_upgrade(&first, memory).expect("it is whole");
        let copy = copy.expect("it is of version 1");
        let blob = Blob::<Lamp>::open(&copy).expect("just copied");
        look_at(&blob, 9);
        assert!((blob.root().radius - 1.5).abs() < f32::EPSILON, "the default");
        assert!(Blob::<Lamp>::try_upgrade(&copy, memory).expect("whole").is_none(), "the newest");

        let second = older!(v2, memory);
        let copy = Blob::<Lamp>::try_upgrade(&second, memory).expect("it is whole");
        let copy = copy.expect("it is of version 2");
        let blob = Blob::<Lamp>::open(&copy).expect("just copied");
        look_at(&blob, 0);
        assert!(blob.root().radius.abs() < f32::EPSILON, "a field that is there is no default");

        // A program of version 2 reads version 1 as well, and refuses what is newer than itself.
        let copy = Blob::<v2::Lamp>::try_upgrade(&first, memory).expect("it is whole");
        assert!(copy.is_some(), "it is of version 1");
        let newer = BlobBuilder::<Lamp>::try_new(Endian::NATIVE, memory).expect("memory").finish();
        let refused = Blob::<v2::Lamp>::try_upgrade(&newer, memory).expect_err("it is newer");
        assert!(
            matches!(refused, BlobUpgradeError::Blob(BlobError::OtherShape { .. })),
            "{refused}"
        );
    });
}

#[test]
fn the_newest_version_is_a_blob_like_any() {
    with_memory(|memory| {
        let mut builder = BlobBuilder::<Lamp>::try_new(Endian::NATIVE, memory).expect("memory");
        let root = builder.root();
        builder.set(root.at(blob_field!(Lamp, blend)), Blend::Opaque);
        let cover = builder.option(root.at(blob_field!(Lamp, cover))).expect("there is memory");
        builder.string(cover.at(blob_field!(Cover, name)), "glass").expect("there is memory");
        let bytes = builder.finish();
        let blob = Blob::<Lamp>::open(&bytes).expect("just built");
        let cover = blob.view().at(blob_field!(Lamp, cover)).part().expect("it has one");
        assert_eq!(cover.at(blob_field!(Cover, name)).text(), "glass", "its name");
    });
}

/// Upgrades bytes and reads all of the copy that is opened.
fn upgraded(bytes: &[u8], memory: &dyn Allocator) -> Result<usize, BlobUpgradeError> {
    let Some(copy) = Blob::<Lamp>::try_upgrade(bytes, memory)? else { return Ok(0) };
    let blob = Blob::<Lamp>::open(&copy)?;
    let (mut lamp, mut read) = (Some(blob.view()), 0);
    while let Some(this) = lamp {
        read += this.at(blob_field!(Lamp, name)).text().chars().count();
        read +=
            this.at(blob_field!(Lamp, dots)).iter().map(|dot| dot.level as usize).sum::<usize>();
        read += this.at(blob_field!(Lamp, sizes)).slice().len();
        lamp = this.at(blob_field!(Lamp, next)).part();
    }
    Ok(read)
}

#[test]
fn every_changed_byte_of_an_older_blob_is_refused() {
    with_memory(|memory| {
        let good = older!(v1, memory);
        for at in 0..good.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bad = good.to_vec();
                bad[at] ^= change;
                let bad = BlobBytes::try_copy(&bad, memory).expect("there is memory");
                let refused = upgraded(&bad, memory);
                assert!(refused.is_err(), "byte {at} changed by {change:#x}: {refused:?}");
            }
        }
        for bytes in 0..good.len() {
            let cut = BlobBytes::try_copy(&good[..bytes], memory).expect("there is memory");
            assert!(upgraded(&cut, memory).is_err(), "cut to {bytes} bytes");
        }
        let error = upgraded(&[], memory).expect_err("there is nothing");
        assert!(matches!(error, BlobUpgradeError::Blob(BlobError::Short { .. })), "{error}");
    });
}

/// Changes the 32-bit number at a place, gives the bytes the checksum that they say they need, and
/// upgrades them.
fn forged(
    good: &[u8],
    at: usize,
    number: u32,
    memory: &dyn Allocator,
) -> Result<usize, BlobUpgradeError> {
    let mut bytes = good.to_vec();
    bytes[at..at + 4].copy_from_slice(&number.to_ne_bytes());
    let copy = BlobBytes::try_copy(&bytes, memory).expect("there is memory");
    let first = upgraded(&copy, memory);
    let Err(BlobUpgradeError::Blob(BlobError::Checksum { found, .. })) = first else {
        return first;
    };
    bytes[32..40].copy_from_slice(&found.to_ne_bytes());
    let copy = BlobBytes::try_copy(&bytes, memory).expect("there is memory");
    upgraded(&copy, memory)
}

#[test]
fn no_number_in_any_word_breaks_an_upgrade() {
    with_memory(|memory| {
        let good = older!(v1, memory);
        let (mut read, mut refused) = (0, 0);
        for at in (48..good.len() - 3).step_by(4) {
            for number in [0, 1, 4, 8, 16, 44, 60, 100, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
                match forged(&good, at, number, memory) {
                    Ok(_) => read += 1,
                    Err(BlobUpgradeError::Blob(BlobError::Part { .. })) => refused += 1,
                    Err(other) => panic!("{number} at {at}: {other}"),
                }
            }
        }
        assert!(read > 100 && refused > 30, "{read} were read, {refused} refused");
    });
}

#[test]
fn a_forged_older_blob_is_refused() {
    with_memory(|memory| {
        let good = older!(v1, memory);
        let root = 48;
        let dots = root + core::mem::offset_of!(v1::Lamp, dots);
        let part = |at, number| match forged(&good, at, number, memory) {
            Err(BlobUpgradeError::Blob(BlobError::Part { field, error, .. })) => (field, error),
            other => panic!("{number} at {at}: {other:?}"),
        };
        assert_eq!(part(dots, 0), ("Lamp.dots", BlobPartError::Backward), "to itself");
        assert_eq!(part(dots, 4), ("Lamp.dots", BlobPartError::Backward), "into itself");
        let odd = part(dots, 45);
        assert_eq!(odd, ("Lamp.dots", BlobPartError::Misaligned { align: 4 }), "between numbers");
        let (field, error) = part(dots + 4, u32::MAX);
        assert!(matches!((field, error), ("Lamp.dots", BlobPartError::Beyond { .. })), "{error}");
        // Offsets only go forward.
        let next = root + core::mem::offset_of!(v1::Lamp, next);
        let (_, error) = part(next, u32::MAX - 3);
        assert!(matches!(error, BlobPartError::Beyond { .. }), "{error}");
        let is_lit = root + core::mem::offset_of!(v1::Lamp, is_lit);
        assert_eq!(part(is_lit, u32::from_ne_bytes([7; 4])).1, BlobPartError::NoBool { found: 7 });
        let name = root + core::mem::offset_of!(v1::Lamp, name);
        let (field, error) = part(name + 4, 1);
        assert_eq!((field, error), ("Lamp.name", BlobPartError::NoText), "half a letter");
    });
}

#[test]
fn an_upgrade_takes_memory_or_leaves_nothing() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let older = older!(v1, &heap);
    let live = heap.stats().live;
    for allowed in 0..100 {
        let failing = FailingAllocator::new_in("failing", Refusals::From(allowed), &heap);
        match Blob::<Lamp>::try_upgrade_in(&older, &failing) {
            Err(BlobUpgradeError::Grow(GrowError::Memory { .. })) => {
                assert_eq!(heap.stats().live, live, "after {allowed} calls");
            }
            Err(other) => panic!("after {allowed} calls: {other}"),
            Ok(copy) => {
                assert!(allowed > 0 && copy.is_some(), "it needed memory");
                drop(copy);
                assert_eq!(heap.stats().live, live, "the copy is gone");
                return;
            }
        }
    }
    panic!("a hundred calls are enough");
}
