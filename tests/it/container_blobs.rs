//! Blobs over real allocators, and over memory that runs out.

use loligo_allocators::{
    Allocator, BuddyAllocator, FailingAllocator, FrameAllocator, HeapAllocator, PageAllocator,
    ProxyAllocator, Refusals,
};
use loligo_containers::{
    Blob, BlobArray, BlobBuilder, BlobBytes, BlobStr, Endian, GrowError, blob_field, blob_struct,
};

blob_struct! {
    struct Bone {
        name: BlobStr,
        parent: u32,
        pose: [f32; 7],
    }

    struct Skeleton {
        bones: BlobArray<Bone>,
    }
}

const BONES: usize = 64;

/// Builds a skeleton; what is refused is left out.
fn skeleton<'a, A: Allocator + ?Sized>(memory: &'a A) -> Result<BlobBytes<'a, A>, GrowError> {
    let mut builder = BlobBuilder::<Skeleton, A>::try_new_in(Endian::NATIVE, memory)?;
    let bones = builder.array(builder.root().at(blob_field!(Skeleton, bones)), BONES)?;
    for (bone, index) in bones.iter().zip(0_u32..) {
        builder.string(bone.at(blob_field!(Bone, name)), &format!("bone_{index}"))?;
        builder.set(bone.at(blob_field!(Bone, parent)), index / 2);
        builder.set(bone.at(blob_field!(Bone, pose)), [index as f32; 7]);
    }
    Ok(builder.finish())
}

fn check(bytes: &[u8]) {
    let blob = Blob::<Skeleton>::open(bytes).expect("just built");
    let bones = blob.array(&blob.root().bones);
    assert_eq!(bones.len(), BONES, "every bone is there");
    for (bone, index) in bones.iter().zip(0_u32..) {
        assert_eq!(blob.str(&bone.name), format!("bone_{index}"), "bone {index}");
        assert_eq!((bone.parent, bone.pose), (index / 2, [index as f32; 7]), "bone {index}");
    }
}

#[test]
fn any_allocator_will_do() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let proxy = ProxyAllocator::new_in("proxy", &heap);
    let buddy = BuddyAllocator::new_in("buddy", 1 << 20, 64, &pages).expect("the system has pages");
    let frame = FrameAllocator::new_in("frame", 1 << 20, &pages).expect("the system has pages");
    let memories: [&dyn Allocator; 5] = [&pages, &heap, &proxy, &buddy, &frame];
    let mut all = Vec::new();
    for memory in memories {
        let bytes = skeleton(memory).unwrap_or_else(|error| panic!("{}: {error}", memory.name()));
        check(&bytes);
        all.push(bytes.to_vec());
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]), "the same bytes wherever they were built");
}

#[test]
fn memory_that_runs_out_at_any_point_is_an_error_and_no_leak() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let failing = FailingAllocator::new_in("failing", Refusals::None, &heap);
    for number in 0.. {
        failing.refuse(Refusals::From(number));
        let built = skeleton(&failing);
        let done = built.is_ok();
        if let Ok(bytes) = built {
            check(&bytes);
        }
        assert_eq!(failing.stats().live, 0, "requests from {number} on refused");
        if done {
            assert!(number > 1, "{number} requests were refused in turn");
            break;
        }
    }
}

blob_struct! {
    struct Track {
        name: BlobStr,
        bones: BlobArray<Bone>,
        times: BlobArray<u16>,
    }
}

/// Builds a blob in which one array leads on and one is of plain numbers.
fn track<A: Allocator>(memory: &A) -> BlobBytes<'_, A> {
    let build = || {
        let mut builder = BlobBuilder::<Track, A>::try_new_in(Endian::NATIVE, memory)?;
        let root = builder.root();
        builder.string(root.at(blob_field!(Track, name)), "walk")?;
        let bones = builder.array(root.at(blob_field!(Track, bones)), 2)?;
        for bone in bones.iter() {
            builder.string(bone.at(blob_field!(Bone, name)), "hip")?;
        }
        let times = builder.array(root.at(blob_field!(Track, times)), 5)?;
        times.iter().zip(7_u16..).for_each(|(time, number)| builder.set(time, number));
        Ok::<_, GrowError>(builder.finish())
    };
    build().expect("there is memory")
}

/// Reads all that a track leads to, which is in its bytes, and no byte of it twice.
fn read_within(blob: &Blob<'_, Track>) {
    let bytes = blob.as_bytes();
    let root = blob.root();
    let (bones, times) = (blob.array(&root.bones), blob.array(&root.times));
    let mut parts = vec![blob.str(&root.name).as_bytes().as_ptr_range()];
    parts.extend(bones.iter().map(|bone| blob.str(&bone.name).as_bytes().as_ptr_range()));
    let bones = bones.as_ptr_range();
    parts.push(bones.start.cast()..bones.end.cast());
    let times = times.as_ptr_range();
    parts.push(times.start.cast()..times.end.cast());
    // Where nothing is, nothing is read.
    parts.retain(|part| !part.is_empty());
    let within = bytes.as_ptr_range();
    let is_within =
        |part: &core::ops::Range<*const u8>| within.start <= part.start && part.end <= within.end;
    assert!(parts.iter().all(is_within), "{parts:?} are parts of {within:?}");
    let sum: usize = parts.iter().map(|part| part.end.addr() - part.start.addr()).sum();
    assert!(sum <= bytes.len(), "{sum} bytes are led to, of {}", bytes.len());
}

#[test]
fn no_number_in_any_word_breaks_a_blob() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let good = track(&heap);
    read_within(&Blob::open(&good).expect("just built"));
    let (mut refused, mut opened) = (0, 0);
    for at in (0..good.len()).step_by(4) {
        let edges = [1 << 16, 1 << 31, u32::MAX / 2, u32::MAX - 1, u32::MAX];
        for number in (0..=good.len() as u32 + 1).chain(edges) {
            let mut bad = good.to_vec();
            bad[at..at + 4].copy_from_slice(&number.to_ne_bytes());
            let bad = BlobBytes::try_copy_in(&bad, &heap).expect("there is memory");
            match Blob::open_structure(&bad) {
                Ok(blob) => {
                    read_within(&blob);
                    opened += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 1000 && opened > 1000, "{refused} refused, {opened} opened");
}
