//! Types, values and errors as others see them; damage, limits, and a refusal half-way.

use std::format;
use std::string::ToString;

use loligo_allocators::Refusals;
use loligo_ids::IdString32;

use super::{ALIVE, HITS, LAYOUTS, MORE, NAME, Open, PATH, sample, shown};
use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::keyed::json::JsonError;
use crate::keyed::open_struct::error::OpenDamage;
use crate::keyed::open_struct::json_out::hash_in;
use crate::keyed::open_struct::value::{TailWords, from_block, from_tail};
use crate::keyed::open_struct::{
    Field, FieldType, Flag, OpenDictionary, OpenError, OpenLayout, OpenList, OpenValue,
};
use crate::testing::test_memory::{Memory, with_memory};

const TYPES: [(FieldType, &str, u32, bool); 9] = [
    (FieldType::Bool, "bool", 1, false),
    (FieldType::Int, "int", 1, false),
    (FieldType::Float, "float", 1, false),
    (FieldType::Vector3, "vector3", 3, false),
    (FieldType::Quaternion, "quaternion", 4, false),
    (FieldType::Hash, "hash", 1, false),
    (FieldType::Text, "text", 2, true),
    (FieldType::List, "list", 2, true),
    (FieldType::Dictionary, "dictionary", 2, true),
];

#[test]
fn a_type_has_a_name_a_size_and_a_number() {
    for (number, (field_type, name, words, in_tail)) in (1..).zip(TYPES) {
        assert_eq!(field_type.to_string(), name, "{field_type:?}");
        assert_eq!(field_type.words(), words, "{field_type:?}");
        assert_eq!(field_type.in_tail(), in_tail, "{field_type:?}");
        assert_eq!(FieldType::from_word(number), Some(field_type), "{field_type:?}");
    }
    assert_eq!((FieldType::from_word(0), FieldType::from_word(10)), (None, None), "no types");
}

#[test]
fn a_value_has_its_type() {
    let values = [
        OpenValue::Bool(true),
        OpenValue::Int(1),
        OpenValue::Float(1.0),
        OpenValue::Vector3([1.0; 3]),
        OpenValue::Quaternion([1.0; 4]),
        OpenValue::Hash(IdString32::from_hash(1)),
        OpenValue::Text("a"),
        OpenValue::List(OpenList::default()),
        OpenValue::Dictionary(OpenDictionary::default()),
    ];
    for (value, (field_type, _, words, in_tail)) in values.into_iter().zip(TYPES) {
        assert_eq!(value.field_type(), field_type, "{value:?}");
        let block = value.block_words();
        assert_eq!(
            block.map(|(_, count)| count),
            (!in_tail).then_some(words as usize),
            "{value:?}"
        );
        if let Some((words, count)) = block {
            assert_eq!(from_block(field_type, &words[..count]), Some(value), "and back");
            let short = from_block(field_type, &words[..count - 1]);
            assert_eq!(short, None, "{value:?} of a word less");
            let TailWords::Words(tail) = value.tail_words() else { panic!("no bytes") };
            assert!(tail.is_empty(), "{value:?} has nothing in the tail");
            assert_eq!(from_tail(field_type, &[], 0), None, "{value:?} is not read from there");
        } else {
            assert_eq!(from_block(field_type, &[1, 2]), None, "{value:?} is not in the block");
        }
        let depth = usize::from(matches!(value, OpenValue::List(_) | OpenValue::Dictionary(_)));
        assert_eq!(value.depth(), depth, "{value:?}");
    }
    assert_eq!(
        from_tail(FieldType::Text, &[u32::from_ne_bytes(*b"ab\0\0")], 2),
        Some(OpenValue::Text("ab")),
        "in the tail"
    );
    assert_eq!(
        from_tail(FieldType::Text, &[u32::from_ne_bytes(*b"ab\0\0")], 5),
        None,
        "longer than its words"
    );
    assert_eq!(
        from_tail(FieldType::Text, &[u32::from_ne_bytes([0xff, 0, 0, 0])], 1),
        None,
        "no text"
    );
}

#[test]
fn flags_and_fields_are_plain() {
    fn cloned<T: Clone>(value: &T) -> T {
        value.clone()
    }
    let mut flag = Flag::default();
    assert!(!flag.get(), "the default");
    flag.set(true);
    assert!(flag.get() && flag == Flag::from(true), "set");
    // Any bits but 0 are true.
    assert!(flag == Flag::from_word(77) && flag != Flag::from_word(0), "by what it means");
    flag.set(false);
    assert!(!flag.get() && flag == Flag::from_word(0), "cleared");
    assert_eq!(
        (format!("{flag:?}"), format!("{:?}", Flag::from_word(2))),
        ("false".into(), "true".into())
    );
    let field = Field::<i32>::new(IdString32::from_hash(0xab));
    assert_eq!((cloned(&field).name(), field.name()), (field.name(), IdString32::from_hash(0xab)));
    assert_eq!(format!("{field:?}"), "Field(000000ab)", "its name");
    assert_eq!(format!("{:?}", field.read()), "ReadField(Field(000000ab))", "its name");
    assert_eq!(format!("{:?}", field.write()), "WriteField(Field(000000ab))", "its name");
}

#[test]
fn an_error_says_what_is_wrong() {
    let grow = GrowError::Length { wanted: 2, limit: 1 };
    let error = OpenError::from(grow);
    assert_eq!((error, error.to_string()), (OpenError::Memory(grow), grow.to_string()), "memory");
    let name = IdString32::from_hash(0xab);
    let taken = OpenError::Taken { name, has: FieldType::Int, wanted: FieldType::Text };
    let said = "field #000000ab is a int and cannot be a text, too";
    assert_eq!(taken.to_string(), said, "both types");
    let said = format!("more than {} fields", crate::OPEN_FIELDS_MAX);
    assert_eq!(OpenError::Fields.to_string(), said, "how many there may be");
    assert_eq!(OpenError::Depth.to_string(), "values lie more than 32 deep", "how deep");
    let damage = OpenDamage::new(12, "this is no type");
    assert_eq!((damage.offset(), damage.reason()), (12, "this is no type"), "in parts");
    assert_eq!(damage.to_string(), "at byte 12: this is no type", "as a whole");
    let error = OpenError::from(damage);
    assert_eq!((error, error.to_string()), (OpenError::Damage(damage), damage.to_string()));
    with_memory(|memory| {
        let json =
            crate::keyed::open_struct::OpenStruct::try_from_json_in(b"[", memory).map(|_| ());
        let Err(OpenError::Json(cause)) = json else { panic!("{json:?} is no error of JSON") };
        let _: JsonError = cause;
        assert_eq!(OpenError::from(cause).to_string(), cause.to_string(), "JSON");
    });
}

#[test]
fn a_name_may_be_a_hash_of_eight_digits() {
    let hash = |number| Some(IdString32::from_hash(number));
    assert_eq!(hash_in("#89abcdef"), hash(0x89ab_cdef), "digits and letters");
    assert_eq!((hash_in("#00000000"), hash_in("#FFFFFFFF")), (hash(0), hash(u32::MAX)), "ends");
    let others = ["", "#", "89abcdef", "#89abcde", "#89abcdef0", "#89abcdeg", "#+1234567"];
    for other in others {
        assert_eq!(hash_in(other), None, "{other:?} is a name");
    }
}

#[test]
fn an_array_tells_whether_it_has_rows() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = Open::new_in(layout, memory);
            assert_eq!((array.is_empty(), array.len()), (true, 0), "no rows");
            array.push();
            assert_eq!((array.is_empty(), array.len()), (false, 1), "a row without fields");
            assert!(array.swap_remove(0) && !array.swap_remove(0), "it is there once");
            assert!(array.is_empty(), "no rows");
            assert_eq!(array.layout(), layout, "as it was made");
            assert!(core::ptr::eq(array.memory(), memory), "the allocator that was given");
        }
    });
}

#[test]
fn damage_of_the_counters_is_found() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            let whole = array.shape;
            let block = OpenDamage::new(20, "the fields and rows do not make up the block");
            array.shape.rows = whole.capacity + 1;
            assert_eq!(array.validate(), Err(block), "more rows than there is room for");
            array.shape = whole;
            array.shape.tail += 1;
            assert_eq!(array.validate(), Err(block), "a word more than there are");
            array.shape = whole;
            array.shape.dead += 1;
            let dead = OpenDamage::new(20, "the unused words of the tail are counted wrong");
            assert_eq!(array.validate(), Err(dead), "one more");
            array.shape = whole;
            assert_eq!(array.validate(), Ok(()), "as it was");
            let mut none = Open::new_in(layout, memory);
            none.try_add_field(HITS).expect("there is memory");
            none.try_add_field(ALIVE).expect("there is memory");
            assert_eq!(none.shape.capacity, 0, "no room for rows");
            none.shape.stride += 1;
            let row = OpenDamage::new(20, "the fields do not make up a row");
            assert_eq!(none.validate(), Err(row), "a word more");
            none.shape.stride -= 1;
            assert_eq!(none.validate(), Ok(()), "as it was");
        }
    });
}

#[test]
fn more_words_than_can_be_counted_are_refused() {
    with_memory(|memory| {
        let array = sample(OpenLayout::StructOfArrays, memory).expect("there is memory");
        let mut shape = array.shape;
        assert_eq!(shape.checked_len(), Ok(shape.len()), "what there is");
        let rest = shape.len() as u64 - u64::from(shape.stride) * u64::from(shape.capacity);
        shape.capacity = u32::MAX;
        let wanted = u64::from(shape.stride) * u64::from(u32::MAX) + rest;
        let limit = u64::from(u32::MAX);
        assert_eq!(shape.checked_len(), Err(GrowError::Length { wanted, limit }), "far more");
        // To the word.
        (shape.stride, shape.capacity) = (1, u32::MAX - rest as u32);
        assert_eq!(shape.checked_len(), Ok(u32::MAX as usize), "the last that fits");
        shape.capacity += 1;
        let wanted = limit + 1;
        assert_eq!(shape.checked_len(), Err(GrowError::Length { wanted, limit }), "one more");
    });
}

#[test]
fn a_list_that_is_refused_half_way_is_as_it_was() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            let before = shown(&array);
            let long = "x".repeat(100_000);
            memory.refuse(Refusals::From(0));
            let values = [OpenValue::Int(1), OpenValue::Text(&long)];
            let refused = array.try_set_list(1, PATH, &values);
            assert!(matches!(refused, Err(OpenError::Memory(_))), "{refused:?}");
            let refused = array.try_set_value(1, NAME, OpenValue::Text(&long));
            assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
            memory.refuse(Refusals::None);
            assert_eq!(shown(&array), before, "as it was");
            assert_eq!(array.try_set_list(1, PATH, &values), Ok(true), "memory is back");
            assert_eq!(array.try_set_list(1, MORE, &values), Ok(false), "no list");
            assert_eq!(array.try_set_list(3, PATH, &values), Ok(false), "no row");
            array.validate().expect("whole");
        }
    });
}

/// Arrays are kept in files: each word stays in its place, now and in every version to come.
#[test]
fn a_saved_array_lies_as_drawn() {
    with_memory(|memory| {
        for (layout, number) in LAYOUTS.into_iter().zip(0..) {
            let mut array = Open::new_in(layout, memory);
            let field = Field::<i32>::new(IdString32::from_hash(0xab));
            let field = array.try_add_field(field).expect("there is memory");
            let name = IdString32::from_hash(0xcd);
            array.try_add_typed(name, FieldType::Text).expect("there is memory");
            let row = array.push();
            array.set(row, field, 7);
            assert_eq!(array.try_set_value(row, name, OpenValue::Text("abc")), Ok(true), "a text");
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            array.try_save(&mut bytes).expect("there is memory");
            let header = [0x4c6f_4f70, 1 << 8 | number, 2, 1, 1];
            // The number, where the text begins in the tail, and its length; then the fields.
            let data = [7, 0, 3];
            let fields = [0xab, 2, 0, 0xcd, 7, 1];
            let tail = [u32::from_ne_bytes(*b"abc\0")];
            let expected = [&header[..], &data, &fields, &tail].concat();
            assert_eq!(bytes, bytemuck::cast_slice::<u32, u8>(&expected), "{layout:?}");
        }
    });
}
