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
    let heap = HeapAllocator::new("heap", &pages);
    let proxy = ProxyAllocator::new("proxy", &heap);
    let buddy = BuddyAllocator::new("buddy", 1 << 20, 64, &pages).expect("the system has pages");
    let frame = FrameAllocator::new("frame", 1 << 20, &pages).expect("the system has pages");
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
    let heap = HeapAllocator::new("heap", &pages);
    let failing = FailingAllocator::new("failing", Refusals::None, &heap);
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
