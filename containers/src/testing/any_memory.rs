//! The plain constructors: containers over any allocator, as fields, built by `?`.

use core::mem::MaybeUninit;

use loligo_allocators::{Allocator, FrameAllocator, HeapAllocator, ProxyAllocator, StaticHeap};
use loligo_ids::{HoleTable, IdString32, id32};

use crate::{
    Array, ArrayOfArrays, BlobBuilder, BlobBytes, CallbackTable, Callbacks, DoubleBufferedEvents,
    Endian, EventStream, FixedRows, GrowError, HandleHeap, KeyValues, KeyValuesSet, LinkedRows,
    ListPool, MultiMap, OpenArray, OpenLayout, OpenStruct, PathNames, Ring, Rows, SortedMap,
    SortedSet,
};

/// The tests share it, so none of them may count its blocks.
static SMALL: StaticHeap<{ 64 << 10 }> = StaticHeap::new("small");

const HEALTH: IdString32 = id32!("health");

/// Every container by its plain type.
struct World<'m> {
    array: Array<'m, u32>,
    ring: Ring<'m, u32>,
    map: SortedMap<'m, u32, u32>,
    set: SortedSet<'m, u32>,
    many: MultiMap<'m, u32, u32>,
    rows: ArrayOfArrays<'m, u32>,
    fixed: FixedRows<'m, u32, 4>,
    linked: LinkedRows<'m, u32>,
    lists: ListPool<'m, u32>,
    blocks: HandleHeap<'m>,
    sheet: KeyValues<'m>,
    sheets: KeyValuesSet<'m>,
    names: PathNames<'m>,
    fields: OpenStruct<'m>,
    columns: OpenArray<'m>,
    events: EventStream<'m>,
    double: DoubleBufferedEvents<'m>,
    calls: Callbacks<'m>,
    called: CallbackTable<'m, u32>,
    ids: HoleTable<'m, u32>,
}

impl<'m> World<'m> {
    /// Makes all of them without a block.
    fn new(memory: &'m dyn Allocator) -> Self {
        Self {
            array: Array::new(memory),
            ring: Ring::new(memory),
            map: SortedMap::new(memory),
            set: SortedSet::new(memory),
            many: MultiMap::new(memory),
            rows: ArrayOfArrays::new(memory),
            fixed: FixedRows::new(memory),
            linked: LinkedRows::new(memory),
            lists: ListPool::new(memory),
            blocks: HandleHeap::new(memory),
            sheet: KeyValues::new(memory),
            sheets: KeyValuesSet::new(memory),
            names: PathNames::new(memory),
            fields: OpenStruct::new(memory),
            columns: OpenArray::new(OpenLayout::StructOfArrays, memory),
            events: EventStream::new(memory),
            double: DoubleBufferedEvents::new(memory),
            calls: Callbacks::new(memory),
            called: CallbackTable::new(memory),
            ids: HoleTable::new(memory),
        }
    }

    /// Makes those with room that can have it.
    fn try_with_capacity(memory: &'m dyn Allocator) -> Result<Self, GrowError> {
        Ok(Self {
            array: Array::try_with_capacity(4, memory)?,
            ring: Ring::try_with_capacity(4, memory)?,
            map: SortedMap::try_with_capacity(4, memory)?,
            set: SortedSet::try_with_capacity(4, memory)?,
            many: MultiMap::try_with_capacity(4, memory)?,
            rows: ArrayOfArrays::try_with_capacity(4, 16, memory)?,
            lists: ListPool::try_with_capacity(4, memory)?,
            blocks: HandleHeap::try_with_capacity(256, memory)?,
            sheet: KeyValues::try_with_capacity(4, 64, memory)?,
            events: EventStream::try_with_capacity(64, memory)?,
            calls: Callbacks::try_with_capacity(4, memory)?,
            ..Self::new(memory)
        })
    }

    /// Puts something into each of them.
    fn fill(&mut self) -> Result<(), GrowError> {
        self.array.try_push(1)?;
        self.ring.try_push_back(1)?;
        self.map.try_insert(1, 1)?;
        self.set.try_insert(1)?;
        self.many.try_insert(1, 1)?;
        let list = self.lists.create();
        assert!(self.lists.try_push(list, 1).is_ok(), "there is memory for a node");
        self.sheet.try_set(HEALTH, 1.0)?;
        self.sheets.try_insert(self.sheet.view())?;
        assert!(self.ids.insert(1).is_ok(), "there is memory for an object");
        Ok(())
    }
}

/// Makes a world twice, and all of it goes back.
fn lives_in(memory: &dyn Allocator) {
    let mut world = World::new(memory);
    assert_eq!(memory.stats().live, 0, "what is empty has no block");
    world.fill().expect("there is memory");
    drop(world);
    let mut world = World::try_with_capacity(memory).expect("there is memory");
    world.fill().expect("there is memory");
    assert_eq!((world.array.len(), world.ring.len(), world.map.len()), (1, 1, 1));
    let rows = [world.fixed.row_count(), world.linked.row_count(), world.rows.row_count()];
    assert_eq!(rows, [0; 3]);
    assert!(world.blocks.is_empty() && world.names.is_empty());
    assert_eq!((world.fields.fields().len(), world.columns.len()), (0, 0));
    assert_eq!((world.events.iter().count(), world.double.last().iter().count()), (0, 0));
    assert_eq!((world.calls.len(), world.called.len()), (0, 0));
    drop(world);
    assert_eq!(memory.stats().live, 0, "the containers keep memory");
}

#[test]
fn containers_are_over_any_allocator_as_fields() {
    static COUNTED: StaticHeap<{ 64 << 10 }> = StaticHeap::new("counted");

    let mut region = std::vec![MaybeUninit::uninit(); 1 << 20];
    let heap = HeapAllocator::from_region("heap", &mut region);
    lives_in(&heap);
    lives_in(&ProxyAllocator::new("proxy", &heap));
    lives_in(&COUNTED);
    let mut region = std::vec![MaybeUninit::uninit(); 64 << 10];
    lives_in(&FrameAllocator::from_region("frame", &mut region));
}

/// The result has the type of the annotation: the reference becomes one to `dyn Allocator` in the
/// call, as a value in a `Result` could not.
#[test]
fn a_result_has_the_plain_type() -> Result<(), GrowError> {
    let mut region = std::vec![MaybeUninit::uninit(); 1 << 20];
    let heap = HeapAllocator::from_region("heap", &mut region);
    let numbers: Array<'_, u32> = Array::try_from_slice(&[3, 1, 2], &heap)?;
    let again: Array<'_, u32> = numbers.try_clone(&SMALL)?;
    assert_eq!(again, [3, 1, 2]);
    let ring: Ring<'_, u32> = Ring::try_with_capacity(4, &heap)?.try_clone(&heap)?;
    assert!(ring.is_empty());
    let map = SortedMap::try_from_sorted(&[1, 2], &[3, 4], &heap).expect("it is sorted");
    let map: SortedMap<'_, u32, u32> = map.try_clone(&heap)?;
    let set: SortedSet<'_, u32> = SortedSet::try_from_sorted(&[1, 2], &heap).expect("sorted");
    assert_eq!((map.get(&2), set.len()), (Some(&4), 2));
    let rows: ArrayOfArrays<'_, u32> = ArrayOfArrays::new(&heap).try_clone(&heap)?;
    assert_eq!(rows.len(), 0);
    let many: MultiMap<'_, u32, u32, _> =
        MultiMap::with_hasher(crate::BuildKeyHasher::default(), &heap);
    assert!(many.is_empty());
    let bytes: BlobBytes<'_> = BlobBytes::try_copy(&[1; 16], &heap)?;
    assert_eq!(bytes.len(), 16);
    let _builder: BlobBuilder<'_, u32> = BlobBuilder::try_new(Endian::NATIVE, &heap)?;
    Ok(())
}

#[test]
fn what_is_read_has_the_plain_type() {
    let mut region = std::vec![MaybeUninit::uninit(); 1 << 20];
    let heap = HeapAllocator::from_region("heap", &mut region);
    let json = br#"{ "health": 7 }"#;
    let mut names: PathNames<'_> = PathNames::new(&heap);
    let named = KeyValues::try_from_json_with(json, &mut names, &heap).expect("it is JSON");
    let sheet: KeyValues<'_> = KeyValues::try_from_json(json, &SMALL).expect("it is JSON");
    let copy: KeyValues<'_> = KeyValues::try_from_ref(sheet.view(), &heap).expect("memory");
    assert_eq!((named.get_f32(HEALTH), copy.get_f32(HEALTH)), (Some(7.0), Some(7.0)));

    let open: OpenStruct<'_> = OpenStruct::try_from_json(json, &heap).expect("it is JSON");
    let mut saved: Array<'_, u8> = Array::new(&heap);
    open.try_clone(&heap).expect("memory").try_save(&mut saved).expect("memory");
    let opened: OpenStruct<'_> = OpenStruct::try_open(&saved, &heap).expect("it was saved");
    assert_eq!(opened.fields().len(), 1);
    let rows = OpenArray::try_from_json(b"[{ \"health\": 7 }]", OpenLayout::ArrayOfStructs, &heap);
    let rows: OpenArray<'_> = rows.expect("it is JSON").try_clone(&heap).expect("memory");
    saved.clear();
    rows.try_save(&mut saved).expect("memory");
    let opened: OpenArray<'_> = OpenArray::try_open(&saved, &heap).expect("it was saved");
    assert_eq!(opened.len(), 1);
}

#[cfg(feature = "hashbrown")]
#[test]
fn hash_maps_are_over_any_allocator() -> Result<(), GrowError> {
    use crate::{BuildKeyHasher, HashMap, HashSet};

    let mut region = std::vec![MaybeUninit::uninit(); 1 << 20];
    let heap = HeapAllocator::from_region("heap", &mut region);
    let mut map: HashMap<'_, u32, u32> = HashMap::try_with_capacity(4, &heap)?;
    let mut set: HashSet<'_, u32> = HashSet::try_with_capacity(4, &heap)?;
    map.try_insert(1, 2)?;
    set.try_insert(1)?;
    let maps: [HashMap<'_, u32, u32>; 2] =
        [HashMap::new(&heap), HashMap::with_hasher(BuildKeyHasher::default(), &SMALL)];
    let sets: [HashSet<'_, u32>; 2] =
        [HashSet::new(&heap), HashSet::with_hasher(BuildKeyHasher::default(), &SMALL)];
    assert!(maps.iter().all(|map| map.is_empty()) && sets.iter().all(|set| set.is_empty()));
    assert_eq!((map.get(&1), set.len()), (Some(&2), 1));
    Ok(())
}
