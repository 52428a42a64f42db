//! Loading, counting, choosing, swapping.

use loligo_allocators::{Allocator, HeapAllocator, Locked, PageAllocator};
use loligo_ids::{IdString64, id64};
use loligo_resources::{
    DataFolder, LoadErrorKind, Reloaded, ResourceHeader, ResourceKey, Resources,
};

use crate::made::{Made, with_memory};

const DOOR: ResourceKey = ResourceKey::new("text", "units/door");
const WALL: ResourceKey = ResourceKey::new("text", "units/wall");
const TREE: ResourceKey = ResourceKey::new("text", "units/tree");

fn village() -> Made {
    let mut made = Made::new();
    made.put("text", "units/door", &[], b"a door");
    made.put("text", "units/door", &["fr"], b"une porte");
    made.put("text", "units/wall", &[], b"a wall");
    made.put_package("level", &[DOOR, WALL]);
    made.save();
    made
}

fn payload<A: Allocator + ?Sized>(resources: &Resources<'_, A>, key: ResourceKey) -> String {
    let resource = resources.get(key).expect("it is loaded");
    assert_eq!(resource.payload().as_ptr().addr() % 16, 0, "aligned for blobs");
    String::from_utf8(resource.payload().to_vec()).expect("text")
}

#[test]
fn loads_are_counted() {
    let made = village();
    with_memory(|heap| {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        assert!(resources.get(DOOR).is_none());
        resources.load(DOOR).expect("it is there");
        resources.load(DOOR).expect("it is loaded");
        assert_eq!(payload(&resources, DOOR), "a door");
        let door = resources.get(DOOR).expect("it is loaded");
        assert_eq!((door.debug_name(), door.version(), door.key()), ("units/door", 1, DOOR));
        assert_eq!(resources.validate(), Ok(()));
        assert_eq!((resources.unload(DOOR), resources.count(DOOR)), (Some(1), 1));
        assert_eq!((resources.unload(DOOR), resources.unload(DOOR)), (Some(0), None));
        assert!(resources.get(DOOR).is_none());
        let unknown = resources.load(TREE).expect_err("it is not there");
        assert!(matches!(unknown.kind, LoadErrorKind::Unknown), "{unknown}");
    });
}

/// Checks a resource of 6 bytes whose tail has 4: from a folder that is read, or mapped.
fn check_tail(folder: DataFolder<'_>, heap: &HeapAllocator<'_, PageAllocator>) {
    let mut resources = Resources::try_open_in(folder, heap).expect("a table");
    resources.load(DOOR).expect("its front is right");
    assert_eq!(payload(&resources, DOOR), "a door", "without the tail");
    assert_eq!(resources.validate(), Ok(()), "with a tail");
    let request = resources.request(DOOR).expect("it is there").file();
    let part = |from_end, count| {
        let mut into = vec![0; count];
        request.read_tail(&folder, from_end, &mut into, heap).map(|()| into)
    };
    assert_eq!(part(4, 4).expect("all of it"), b"abcd", "all of it");
    assert_eq!(part(3, 2).expect("a part"), b"bc", "a part");
    assert!(part(3, 4).is_err(), "more than there is");
    assert!(part(1000, 4).is_err(), "from before the file");
}

#[test]
fn a_tail_is_read_apart() {
    let mut made = Made::new();
    let path = made.put_parts(("text", "units/door"), &[], (b"a door", b"abcd"), 1);
    made.save();
    let whole = std::fs::read(&path).expect("it was written");
    for file in [&whole[..], &whole[..whole.len() - 4]] {
        assert_eq!(ResourceHeader::read(file).map(|header| header.tail), Ok(4));
    }
    assert!(ResourceHeader::read(&whole[..whole.len() - 1]).is_err(), "a part of the tail");
    with_memory(|heap| {
        check_tail(DataFolder::new(made.path()).expect("UTF-8"), heap);
        #[cfg(feature = "map")]
        {
            #[expect(unsafe_code, reason = "mapping is the caller's promise")]
            // SAFETY: the folder is the test's own, and nothing changes its files.
            let folder = unsafe { DataFolder::mapped(made.path()) }.expect("UTF-8");
            check_tail(folder, heap);
        }
        // A length of the tail that cannot be, or is another.
        for tail in [u64::MAX, 3, 200] {
            let mut damaged = whole.clone();
            damaged[56..64].copy_from_slice(&tail.to_ne_bytes());
            std::fs::write(&path, &damaged).expect("the folder may be written");
            let folder = DataFolder::new(made.path()).expect("UTF-8");
            let mut resources = Resources::try_open_in(folder, heap).expect("a table");
            assert!(resources.load(DOOR).is_err(), "a tail of {tail}");
        }
    });
}

#[cfg(feature = "map")]
#[test]
fn a_mapped_folder_takes_no_memory_for_files() {
    let mut made = village();
    made.put("text", "units/tree", &[], &[b'x'; 1 << 20]);
    made.save();
    with_memory(|heap| {
        #[expect(unsafe_code, reason = "mapping is the caller's promise")]
        // SAFETY: the folder is the test's own, and nothing changes its files.
        let folder = unsafe { DataFolder::mapped(made.path()) }.expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        resources.load(TREE).expect("it is there");
        assert_eq!(payload(&resources, TREE).len(), 1 << 20);
        assert!(heap.stats().requested < 1 << 16, "{}", heap.stats().requested);
    });
}

#[test]
fn a_preference_that_changes_swaps_what_is_loaded() {
    let made = village();
    with_memory(|heap| {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        resources.load(DOOR).expect("it is there");
        resources.load(WALL).expect("it is there");
        let mut seen = Vec::new();
        let mut owner = |what: Reloaded<'_>| match what {
            Reloaded::Changed { old, new } => {
                seen.push((old.payload().to_vec(), new.payload().to_vec()));
            }
            Reloaded::Failed { error, .. } => panic!("{error}"),
        };
        let order: [IdString64; 2] = [id64!("withkittens"), id64!("fr")];
        assert_eq!(resources.try_set_preference_order(&order, &mut owner), Ok(1));
        assert_eq!(resources.try_set_preference_order(&order, &mut owner), Ok(0));
        assert_eq!(seen, [(b"a door".to_vec(), b"une porte".to_vec())]);
        assert_eq!(payload(&resources, DOOR), "une porte");
        assert_eq!(resources.validate(), Ok(()));
    });
}

#[test]
fn data_that_is_recompiled_is_swapped_and_the_last_good_one_stays() {
    let mut made = village();
    with_memory(|heap| {
        let path = made.path().to_owned();
        let folder = DataFolder::new(&path).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        resources.load(DOOR).expect("it is there");
        resources.load(WALL).expect("it is there");
        let file = made.put("text", "units/door", &[], b"a gate");
        made.remove("text", "units/wall");
        made.save();
        assert_eq!(payload(&resources, DOOR), "a door", "nothing is swapped unasked");
        let mut told = Vec::new();
        let mut owner = |what: Reloaded<'_>| match what {
            Reloaded::Changed { new, .. } => told.push(new.debug_name().to_owned()),
            Reloaded::Failed { kept, error } => {
                told.push(format!("{}: {error}", kept.debug_name()))
            }
        };
        assert_eq!(resources.reload(&mut owner).expect("a table"), 1);
        told.sort();
        assert_eq!(told[0], "units/door");
        assert!(told[1].starts_with("units/wall: resource #"), "{}", told[1]);
        assert_eq!(
            (payload(&resources, DOOR), payload(&resources, WALL)),
            ("a gate".into(), "a wall".into())
        );

        made.put("text", "units/door", &[], b"an arch");
        made.save();
        std::fs::remove_file(&file).expect("it was made");
        std::fs::remove_dir_all(path.join("blobs")).expect("it was made");
        let mut failed = 0;
        let swapped = resources.reload(&mut |what| {
            failed += usize::from(matches!(what, Reloaded::Failed { .. }));
        });
        assert_eq!((swapped.expect("a table"), failed), (0, 2));
        assert_eq!(payload(&resources, DOOR), "a gate");
        assert_eq!(resources.validate(), Ok(()));
    });
}

#[test]
fn packages_load_all_or_nothing_and_follow_their_list() {
    let mut made = village();
    made.put_package("broken", &[DOOR, TREE]);
    made.save();
    with_memory(|heap| {
        let path = made.path().to_owned();
        let folder = DataFolder::new(&path).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        let error = resources.load_package("broken").expect_err("a tree is missing");
        assert_eq!(error.key, TREE);
        assert_eq!(resources.iter().len(), 0, "nothing is left");
        resources.load_package("level").expect("all is there");
        resources.load_package("level").expect("it is loaded");
        resources.load(DOOR).expect("it is loaded");
        assert_eq!([DOOR, WALL].map(|key| resources.count(key)), [2, 1]);
        assert_eq!(resources.unload_package("level"), Some(1));

        made.put("text", "units/tree", &[], b"a tree");
        made.put_package("level", &[DOOR, TREE]);
        made.save();
        assert_eq!(resources.reload(&mut |_| {}).expect("a table"), 1, "the package itself");
        assert_eq!([DOOR, WALL, TREE].map(|key| resources.count(key)), [2, 0, 1]);
        assert_eq!(resources.validate(), Ok(()));

        made.put_package("level", &[ResourceKey::new("text", "nowhere")]);
        made.save();
        let mut errors = Vec::new();
        let mut owner = |what: Reloaded<'_>| {
            if let Reloaded::Failed { kept, error } = what {
                errors.push((kept.debug_name().to_owned(), error.key));
            }
        };
        resources.reload(&mut owner).expect("a table");
        assert_eq!(errors, [("level".to_owned(), ResourceKey::new("text", "nowhere"))]);
        assert_eq!([DOOR, TREE].map(|key| resources.count(key)), [2, 1], "the last good list");
        assert_eq!(resources.validate(), Ok(()));

        assert_eq!(
            (resources.unload_package("level"), resources.unload_package("level")),
            (Some(0), None)
        );
        assert_eq!([DOOR, WALL, TREE].map(|key| resources.count(key)), [1, 0, 0]);
    });
}

#[test]
fn a_load_is_read_on_another_thread() {
    let made = village();
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
    {
        let folder = DataFolder::new(made.path()).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, &heap).expect("a table");
        let request = resources.request(DOOR).expect("it is in the table");
        assert!(request.bytes() > 6 && request.key() == DOOR);
        let reads = std::thread::scope(|scope| {
            let reader = scope.spawn(|| [request.read(&heap), request.read(&heap)]);
            reader.join().expect("it does not panic")
        });
        for loaded in reads {
            resources.insert(loaded.expect("it was read")).expect("memory");
        }
        assert_eq!((resources.count(DOOR), payload(&resources, DOOR)), (2, "a door".into()));
    }
    assert_eq!(heap.stats().live, 0, "blocks were never given back");
}
