//! Open arrays and structs over every kind of memory, and between them.

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, FrameAllocator, HeapAllocator, PageAllocator,
    SlabAllocator,
};
use loligo_containers::{
    Array, Field, FieldType, FieldValue, OpenArray, OpenError, OpenLayout, OpenStruct, OpenValue,
};
use loligo_ids::{IdString32, id32};
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use proptest::prelude::*;

const POSITION: Field<[f32; 3]> = Field::new(id32!("position"));
const HITS: Field<i32> = Field::new(id32!("hits"));
const NAME: IdString32 = id32!("name");

const LAYOUTS: [OpenLayout; 2] = [OpenLayout::ArrayOfStructs, OpenLayout::StructOfArrays];

/// A vector as a math library has it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Vector3 {
    x: f32,
    y: f32,
    z: f32,
}

// SAFETY: three floats without padding, of which all bits are valid, aligned to 4.
unsafe impl FieldValue for Vector3 {
    const TYPE: FieldType = FieldType::Vector3;
}

fn known(id: IdString32) -> Option<&'static str> {
    ["position", "hits", "name"].into_iter().find(|name| IdString32::new(name) == id)
}

fn json(array: &OpenArray<'_>) -> String {
    let mut text = String::new();
    array.write_json(known, &mut text).expect("all numbers are finite");
    text
}

/// Fills, changes, saves and opens an array whose memory is from `memory`.
fn use_up(layout: OpenLayout, memory: &dyn Allocator) -> Result<String, OpenError> {
    let mut array: OpenArray = OpenArray::new_in(layout, memory);
    array.try_add_field(HITS)?;
    array.try_add_typed(NAME, FieldType::Text)?;
    for number in 0..50_u8 {
        let row = array.try_push()?;
        array.set(row, HITS, number.into());
        array.try_set_value(row, NAME, OpenValue::Text(&"knight"[..usize::from(number % 7)]))?;
    }
    array.try_add_field(POSITION)?;
    for row in (0..50).step_by(3) {
        array.swap_remove(row % array.len());
    }
    array.sweep((POSITION.write(), HITS.read()), |(position, hits)| position[1] = *hits as f32);
    array.try_compact()?;
    let mut bytes: Array<u8> = Array::new_in(memory);
    array.try_save(&mut bytes)?;
    let opened: OpenArray = OpenArray::try_open_in(&bytes, memory)?;
    opened.validate()?;
    assert_eq!(json(&opened), json(&array), "what was saved was opened");
    let text = json(&opened);
    let read: OpenArray = OpenArray::try_from_json_in(text.as_bytes(), layout, memory)?;
    assert_eq!(json(&read), text, "what was written was read");
    Ok(text)
}

#[test]
fn open_arrays_work_over_every_kind_of_memory() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let frame = FrameAllocator::new_in("frame", 1 << 20, &pages).expect("the system has pages");
    let buddy =
        BuddyAllocator::new_in("buddy", 1 << 20, 128, &pages).expect("the system has pages");
    let slab = SlabAllocator::<_, DefaultClasses>::new_in("slab", &heap);
    let kinds: [&dyn Allocator; 5] = [&pages, &heap, &frame, &buddy, &slab];
    let both = kinds
        .map(|memory| LAYOUTS.map(|layout| use_up(layout, memory).expect("there is enough of it")));
    for [structs, columns] in &both {
        assert_eq!(structs, columns, "the layout is not to be seen");
        assert_eq!(structs, &both[0][0], "nor is the memory");
    }
}

#[test]
fn running_out_of_memory_leaks_nothing() {
    for layout in LAYOUTS {
        let mut refused = 0;
        for number in 0.. {
            let naive = NaiveAllocator::new("naive", 1 << 20);
            let failing = FailingBacking::new_in(&naive, Refusals::Nth(number));
            let outcome = use_up(layout, &failing);
            assert_eq!(naive.stats().live, 0, "request {number} was refused");
            if failing.refused() == 0 {
                assert!(outcome.is_ok(), "nothing was refused: {outcome:?}");
                break;
            }
            // Where twice as much is refused, as much as is needed may be had.
            assert!(matches!(outcome, Ok(_) | Err(OpenError::Memory(_))), "{outcome:?}");
            refused += u32::from(outcome.is_err());
        }
        assert!(refused > 3, "{refused} requests were refused for good");
    }
}

#[test]
fn fields_may_be_read_as_a_vector_of_ones_own() {
    let pages = PageAllocator::new("pages");
    let mut array: OpenArray = OpenArray::new_in(OpenLayout::StructOfArrays, &pages);
    array.try_add_field(POSITION).expect("the system has pages");
    array.push();
    let ours: Field<Vector3> = Field::new(POSITION.name());
    assert!(array.set(0, ours, Vector3 { x: 1.0, y: 2.0, z: 3.0 }), "the types agree");
    assert_eq!(array.get(0, POSITION), Some([1.0, 2.0, 3.0]));
    array.sweep((ours.write(),), |(position,)| position.z = 4.0);
    assert_eq!(array.column(POSITION), Some(&[[1.0, 2.0, 4.0]][..]));
}

#[test]
fn values_move_between_arrays() {
    let pages = PageAllocator::new("pages");
    let memory: &dyn Allocator = &pages;
    let source = br#"{"name": "sword", "parts": [{"name": "hilt"}, "blade", [1.0, 2.0, 3.0]]}"#;
    let source: OpenStruct = OpenStruct::try_from_json_in(source, memory).expect("it is sound");
    let mut chest: OpenArray = OpenArray::new_in(OpenLayout::StructOfArrays, memory);
    for (name, field_type) in source.fields() {
        chest.try_add_typed(name, field_type).expect("the system has pages");
    }
    let row = chest.push();
    for (name, _) in source.fields() {
        let value = source.value(name).expect("the struct has its fields");
        assert_eq!(chest.try_set_value(row, name, value), Ok(true));
    }
    assert_eq!(chest.text(row, NAME), Some("sword"));
    assert_eq!(chest.value(row, id32!("parts")), source.value(id32!("parts")));
}

/// JSON of a kind that open arrays take: objects with a few keys, whose values are of one type
/// each.
fn rows() -> impl Strategy<Value = String> {
    let row = (any::<i32>(), -1e6_f32..1e6, "[a-z\\\\\"\u{e9}\u{1f980} ]{0,9}", any::<[bool; 2]>());
    prop::collection::vec(row, 0..12).prop_map(|rows| {
        let rows = rows.into_iter().map(|(hits, x, name, [has_hits, alive])| {
            let mut row = serde_json::json!({"position": [x, 0.5, 1.5], "name": name});
            if has_hits {
                row["hits"] = hits.into();
            }
            row["list"] = serde_json::json!([alive, {"deep": [name]}]);
            row
        });
        serde_json::Value::Array(rows.collect()).to_string()
    })
}

proptest! {
    #[test]
    fn rows_come_back_as_serde_json_reads_them(rows in rows()) {
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new_in("heap", &pages);
        let theirs: serde_json::Value = serde_json::from_str(&rows).expect("it was written so");
        for layout in LAYOUTS {
            let mut array: OpenArray = OpenArray::new_in(layout, &heap);
            array.try_add_field(POSITION).expect("the system has pages");
            array.try_extend_from_json(rows.as_bytes()).expect("it is sound");
            array.validate().expect("the array is whole");
            let theirs = theirs.as_array().expect("rows");
            prop_assert_eq!(array.len(), theirs.len());
            for (row, object) in theirs.iter().enumerate() {
                prop_assert_eq!(array.text(row, NAME), object["name"].as_str());
                let hits = object["hits"].as_i64().unwrap_or(0);
                let ours = array.get(row, HITS).unwrap_or(0);
                prop_assert_eq!(i64::from(ours), hits);
                let x = object["position"][0].as_f64().expect("a number") as f32;
                prop_assert_eq!(array.get(row, POSITION), Some([x, 0.5, 1.5]));
            }
        }
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200), json in ".{0,80}") {
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new_in("heap", &pages);
        let memory: &dyn Allocator = &heap;
        let opened = OpenArray::try_open_in(&bytes, memory);
        if let Ok(array) = opened {
            array.validate().expect("what opens is whole");
        }
        let read = OpenStruct::try_from_json_in(json.as_bytes(), memory);
        if let Ok(open) = read {
            open.as_array().validate().expect("what is read is whole");
        }
    }
}
