//! What is derived for containers: written, read back, and refused where the bytes are wrong.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{Allocator, FailingAllocator, HeapAllocator, PageAllocator, Refusals};
use loligo_containers::{
    Array, Blob, BlobArray, BlobBuilder, BlobBytes, BlobError, BlobOption, BlobPartError, BlobStr,
    BlobType, Endian, Event, EventStream, Field, Flag, OpenArray, OpenError, OpenLayout, OpenRow,
    OpenStruct, OpenValue, Stream, StreamError, StreamErrorKind, StreamFormat, Streamed,
    blob_field,
};
use loligo_ids::{Id, IdString32, id32};

/// The heap that a test takes memory from; it must end without a block.
fn with_memory(test: impl FnOnce(&dyn Allocator)) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    test(&heap);
    assert_eq!(heap.stats().live, 0, "a test gives back what it took");
}

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, AnyBitPattern, Event)]
#[repr(C)]
struct FootDown {
    unit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, AnyBitPattern, Event)]
#[event(name = "sound/step")]
#[repr(C)]
struct Step {
    loudness: f32,
}

const LANDED: u32 = 40;

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, AnyBitPattern, Event)]
#[event(number = LANDED + 2)]
#[repr(C)]
struct Landed {
    speed: [f32; 3],
}

#[test]
fn events_are_found_by_their_derived_types() {
    assert_eq!(FootDown::TYPE, id32!("foot_down").hash());
    assert_eq!(Step::TYPE, id32!("sound/step").hash());
    assert_eq!(Landed::TYPE, 42);
    with_memory(|memory| {
        let mut events: EventStream = EventStream::new(memory);
        events.push(FootDown { unit: 3 });
        events.push(Landed { speed: [1.0, 2.0, 3.0] });
        events.push(Step { loudness: 0.5 });
        events.push(FootDown { unit: 4 });
        let feet: Vec<FootDown> = events.of().collect();
        assert_eq!(feet, [FootDown { unit: 3 }, FootDown { unit: 4 }]);
        assert_eq!(events.of::<Step>().collect::<Vec<_>>(), [Step { loudness: 0.5 }]);
        assert_eq!(events.of::<Landed>().count(), 1);
    });
}

#[derive(Debug, Default, PartialEq, Streamed)]
enum Task {
    #[default]
    Rest,
    Walk {
        to: [f32; 2],
        #[streamed(since = 2, default = 1.5)]
        speed: f32,
    },
    Follow(Pair<u32>, #[streamed(skip)] u8),
}

#[derive(Debug, Default, PartialEq, Streamed)]
struct Pair<T>(T, T);

#[derive(Streamed)]
struct Unit<'m> {
    health: f32,
    task: Task,
    #[streamed(text)]
    name: Array<'m, u8>,
    #[streamed(numbers)]
    path: Array<'m, u16>,
    #[streamed(array)]
    pairs: Array<'m, Pair<bool>>,
    #[streamed(id)]
    friend: Option<Id<Task, u32, 20, 12>>,
    #[streamed(with = angle)]
    angle: f32,
    #[streamed(since = 2)]
    r#type: u32,
    #[streamed(since = 2, default = 9)]
    lives: u8,
    #[streamed(skip)]
    cached: u32,
}

/// An angle in two bytes.
fn angle<S: Stream>(stream: &mut S, radians: &mut f32) -> Result<(), StreamError> {
    let mut parts = (*radians * 1000.0) as u16;
    stream.value(&mut parts)?;
    if S::READING {
        *radians = f32::from(parts) / 1000.0;
    }
    Ok(())
}

impl<'m> Unit<'m> {
    fn new(memory: &'m dyn Allocator) -> Self {
        Self {
            health: 0.0,
            task: Task::Rest,
            name: Array::new(memory),
            path: Array::new(memory),
            pairs: Array::new(memory),
            friend: None,
            angle: 0.0,
            r#type: 77,
            lives: 77,
            cached: 77,
        }
    }

    fn full(memory: &'m dyn Allocator) -> Self {
        let mut unit = Self::new(memory);
        unit.health = 0.5;
        unit.task = Task::Walk { to: [1.0, 2.0], speed: 3.0 };
        unit.name.extend_from_slice("Bärbel".as_bytes());
        unit.path.extend_from_slice(&[1, 2, 300]);
        unit.pairs.push(Pair(true, false));
        unit.friend = Id::from_bits(5 << 20 | 3);
        unit.angle = 1.25;
        unit.r#type = 6;
        unit.lives = 2;
        unit
    }
}

const OLD: StreamFormat = StreamFormat::new("unit", 1);
const NEW: StreamFormat = StreamFormat::new("unit", 2);

#[test]
fn a_streamed_struct_is_read_as_it_was_written() {
    with_memory(|memory| {
        let mut bytes: Array<u8> = Array::new(memory);
        NEW.save(&mut Unit::full(memory), &mut bytes).expect("there is memory");
        let mut read = Unit::new(memory);
        NEW.load(&mut read, &bytes).expect("just written");
        assert_eq!((read.health, read.angle, read.r#type, read.lives), (0.5, 1.25, 6, 2));
        assert_eq!(read.task, Task::Walk { to: [1.0, 2.0], speed: 3.0 });
        assert_eq!((&read.name[..], &read.path[..]), ("Bärbel".as_bytes(), &[1, 2, 300][..]));
        assert_eq!(&read.pairs[..], [Pair(true, false)]);
        assert_eq!(read.friend, Id::from_bits(5 << 20 | 3));
        assert_eq!(read.cached, 77, "what is skipped keeps its value");

        for end in 0..bytes.len() {
            let refused = NEW.load(&mut Unit::new(memory), &bytes[..end]);
            assert!(refused.is_err(), "the first {end} of {} bytes are no unit", bytes.len());
        }
    });
}

#[test]
fn an_older_stream_gives_new_fields_their_defaults() {
    with_memory(|memory| {
        let mut bytes: Array<u8> = Array::new(memory);
        OLD.save(&mut Unit::full(memory), &mut bytes).expect("there is memory");
        let mut read = Unit::new(memory);
        NEW.load(&mut read, &bytes).expect("just written");
        assert_eq!((read.r#type, read.lives), (0, 9));
        assert_eq!(read.task, Task::Walk { to: [1.0, 2.0], speed: 1.5 });
    });
}

#[test]
fn variants_are_their_places() {
    with_memory(|memory| {
        let mut follow = Task::Follow(Pair(7, 8), 9);
        let mut bytes: Array<u8> = Array::new(memory);
        NEW.save(&mut follow, &mut bytes).expect("there is memory");
        let head = bytes.len() - 12;
        assert_eq!(&bytes[head..], [2, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0]);
        let mut read = Task::Rest;
        NEW.load(&mut read, &bytes).expect("just written");
        assert_eq!(read, Task::Follow(Pair(7, 8), 0), "what is skipped is the default");

        bytes[head] = 3;
        let refused = NEW.load(&mut read, &bytes).expect_err("there are three variants");
        assert_eq!(refused.kind, StreamErrorKind::Choice { place: 3, choices: 3 });
        assert_eq!(refused.offset, head as u64);
        assert_eq!(read, Task::Follow(Pair(7, 8), 0), "nothing was read");
    });
}

#[derive(Clone, Copy, Debug, PartialEq, BlobType)]
#[repr(u16)]
enum Blend {
    Opaque = 1,
    Add = 300,
    Multiply,
}

#[derive(Clone, Copy, Debug, PartialEq, BlobType)]
#[repr(i8)]
enum Side {
    Back = -1,
    Front = 1,
}

#[derive(Debug, BlobType)]
#[repr(C)]
struct Layer {
    blend: Blend,
    sides: [Side; 2],
    gloss: f32,
}

#[derive(Debug, BlobType)]
#[repr(C)]
struct Material {
    name: BlobStr,
    layers: BlobArray<Layer>,
    r#final: BlobOption<Layer>,
    blends: BlobArray<Blend>,
    visible: bool,
}

fn material(endian: Endian, memory: &dyn Allocator) -> BlobBytes<'_, dyn Allocator + '_> {
    let mut builder = BlobBuilder::<Material>::try_new(endian, memory).expect("there is memory");
    let root = builder.root();
    builder.string(root.at(blob_field!(Material, name)), "fire").expect("there is memory");
    builder.set(root.at(blob_field!(Material, visible)), true);
    let layers = builder.array(root.at(blob_field!(Material, layers)), 2).expect("there is memory");
    let last = builder.option(root.at(blob_field!(Material, r#final))).expect("there is memory");
    for (layer, blend) in layers.iter().chain([last]).zip([Blend::Add, Blend::Opaque, Blend::Add]) {
        builder.set(layer.at(blob_field!(Layer, blend)), blend);
        builder.set(layer.at(blob_field!(Layer, sides)), [Side::Back, Side::Front]);
        builder.set(layer.at(blob_field!(Layer, gloss)), 0.25);
    }
    let all = [Blend::Opaque, Blend::Multiply];
    builder.numbers(root.at(blob_field!(Material, blends)), &all).expect("there is memory");
    builder.finish()
}

#[test]
fn structs_and_enums_are_read_from_a_blob() {
    with_memory(|memory| {
        let bytes = material(Endian::NATIVE, memory);
        let blob = Blob::<Material>::open(&bytes).expect("just built");
        let root = blob.root();
        assert_eq!((blob.str(&root.name), root.visible), ("fire", true));
        let layers = blob.array(&root.layers);
        assert_eq!((layers[0].blend, layers[1].blend), (Blend::Add, Blend::Opaque));
        assert_eq!((layers[0].sides, layers[1].gloss), ([Side::Back, Side::Front], 0.25));
        assert_eq!(blob.option(&root.r#final).map(|last| last.blend), Some(Blend::Add));
        assert_eq!(blob.array(&root.blends), [Blend::Opaque, Blend::Multiply]);
    });
}

#[test]
fn a_number_that_is_no_variant_is_refused_with_its_field() {
    with_memory(|memory| {
        let mut bytes = material(Endian::NATIVE, memory).to_vec();
        let add = 300_u16.to_ne_bytes();
        let at = (48..bytes.len() - 1)
            .find(|at| bytes[*at..at + 2] == add && at % 2 == 0)
            .expect("there is a layer that adds");
        bytes[at..at + 2].copy_from_slice(&302_u16.to_ne_bytes());
        let bytes = BlobBytes::try_copy(&bytes, memory).expect("there is memory");
        let refused = Blob::<Material>::open_structure(&bytes).expect_err("there is no 302");
        let error = BlobPartError::NoVariant { found: 302 };
        assert_eq!(refused, BlobError::Part { offset: at, field: "Layer.blend", error });
        let text = refused.to_string();
        assert!(text.contains("302 is no variant of the enum"), "{text}");
    });
}

#[derive(BlobType)]
#[repr(C)]
struct Now {
    blend: Blend,
}

/// [`Now`] as it was before a variant was given another name.
mod before {
    use super::BlobType;

    #[derive(Clone, Copy, BlobType)]
    #[repr(u16)]
    pub(super) enum Blend {
        Opaque = 1,
        Plus = 300,
        Multiply,
    }

    #[derive(BlobType)]
    #[repr(C)]
    pub(super) struct Now {
        pub(super) blend: Blend,
    }
}

#[test]
fn a_blob_of_other_variants_is_refused() {
    with_memory(|memory| {
        let mut builder =
            BlobBuilder::<before::Now>::try_new(Endian::NATIVE, memory).expect("there is memory");
        let place = builder.root().at(blob_field!(before::Now, blend));
        builder.set(place, before::Blend::Opaque);
        let bytes = builder.finish();
        assert!(Blob::<before::Now>::open(&bytes).is_ok(), "it is what was built");
        assert!(matches!(Blob::<Now>::open(&bytes), Err(BlobError::OtherShape { .. })));
    });
}

#[derive(Clone, Copy, Debug, Default, PartialEq, OpenRow)]
struct Spark {
    position: [f32; 3],
    #[open(name = "life")]
    pub(crate) age: f32,
    lit: Flag,
    kind: IdString32,
}

#[test]
fn rows_are_read_and_written_as_structs() {
    assert_eq!(Spark::AGE.name(), id32!("life"));
    let spark = Spark { position: [1.0, 2.0, 3.0], age: 4.0, lit: true.into(), kind: id32!("red") };
    with_memory(|memory| {
        for layout in [OpenLayout::ArrayOfStructs, OpenLayout::StructOfArrays] {
            let mut sparks: OpenArray = OpenArray::new(layout, memory);
            assert_eq!(sparks.row::<Spark>(0), None);
            assert!(!sparks.set_row(0, &spark), "there are neither rows nor fields");
            assert_eq!(sparks.try_push_row(&spark), Ok(0));
            assert_eq!(sparks.try_push_row(&Spark::default()), Ok(1));
            assert_eq!((sparks.row(0), sparks.row(1)), (Some(spark), Some(Spark::default())));
            assert_eq!(sparks.row::<Spark>(2), None);
            assert!(sparks.sweep((Spark::AGE.write(),), |(age,)| *age += 1.0));
            assert_eq!(sparks.get(0, Field::<f32>::new(id32!("life"))), Some(5.0));
            assert!(sparks.set_row(1, &spark));
            assert!(!sparks.set_row(2, &spark), "there are two rows");

            sparks.remove_field(id32!("kind"));
            assert_eq!(sparks.row::<Spark>(1), None);
            let changed = Spark { age: 99.0, ..spark };
            assert!(!sparks.set_row(1, &changed));
            assert_eq!(sparks.get(1, Spark::AGE), Some(4.0), "nothing was set");
        }
    });
}

#[test]
fn fields_are_added_all_or_none() {
    with_memory(|memory| {
        let mut sparks: OpenArray = OpenArray::new(OpenLayout::StructOfArrays, memory);
        sparks.try_add_field(Field::<i32>::new(id32!("kind"))).expect("there is memory");
        sparks.push();
        let refused = sparks.try_push_row(&Spark::default()).expect_err("`kind` is a number");
        assert!(matches!(refused, OpenError::Taken { name, .. } if name == id32!("kind")));
        assert_eq!((sparks.fields().len(), sparks.len()), (1, 1));
    });
}

#[test]
fn a_row_that_finds_no_memory_changes_nothing() {
    let pages = PageAllocator::new("pages");
    // It grants little more than is asked for, so that each field needs another call.
    let heap = HeapAllocator::new("heap", &pages);
    let mut refused = 0;
    for calls in 0_u64.. {
        let failing = FailingAllocator::new("failing", Refusals::From(calls), &heap);
        let mut sparks: OpenArray = OpenArray::new(OpenLayout::ArrayOfStructs, &failing);
        match sparks.try_push_row(&Spark::default()) {
            Ok(_) => break,
            Err(_) => refused += 1,
        }
        assert_eq!((sparks.fields().len(), sparks.len()), (0, 0), "after {calls} calls");
    }
    assert!(refused > 1, "each call was refused once");
}

#[test]
fn an_open_struct_takes_the_fields_of_a_struct() {
    with_memory(|memory| {
        let mut thing: OpenStruct = OpenStruct::new(memory);
        thing.try_put(id32!("name"), OpenValue::Text("ember")).expect("there is memory");
        assert_eq!(thing.row::<Spark>(), None);
        let spark = Spark { age: 2.0, ..Spark::default() };
        thing.try_put_row(&spark).expect("there is memory");
        assert_eq!((thing.row(), thing.text(id32!("name"))), (Some(spark), Some("ember")));
    });
}
