//! Exact room, exact texts, and differences that only few arrays show.

use std::format;
use std::string::ToString;

use loligo_allocators::Refusals;
use loligo_ids::{IdString32, id32};

use super::{HITS, LAYOUTS, MASS, MORE, NAME, Open, PATH, POSITION, sample, shown};
use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::keyed::open_struct::{Field, FieldType, OpenError, OpenLayout, OpenStruct, OpenValue};
use crate::testing::test_memory::{Memory, with_memory};

/// Returns an array with one field of numbers.
fn numbers<'a>(layout: OpenLayout, memory: &'a Memory<'a>) -> Open<'a> {
    let mut array = Open::new_in(layout, memory);
    array.try_add_field(HITS).expect("there is memory");
    array
}

/// Returns the room of a block that was made for `len` elements.
fn room<T>(len: usize, memory: &Memory<'_>) -> usize {
    let array: Array<'_, T, Memory<'_>> =
        Array::try_with_capacity_in(len, memory).expect("there is memory");
    array.capacity()
}

#[test]
fn room_for_rows_is_doubled_and_no_more() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = numbers(layout, memory);
            let mut reserve = |more: usize, rows: usize| {
                array.try_reserve(more).expect("there is memory");
                for _ in 0..rows {
                    array.push();
                }
                array.capacity()
            };
            assert_eq!(reserve(0, 0), 0, "for nothing");
            assert_eq!(reserve(3, 0), 8, "eight at first");
            assert_eq!(reserve(8, 0), 8, "there is room for just as many");
            assert_eq!(reserve(0, 8), 8, "just as many are pushed");
            assert_eq!(reserve(0, 0), 8, "for nothing where all is full");
            assert_eq!(reserve(0, 1), 16, "twice as many");
            assert_eq!(reserve(100, 0), 109, "as many as are needed");
            assert_eq!(reserve(101, 0), 218, "twice as many");
            array.validate().expect("the array is whole");
        }
    });
}

#[test]
fn where_twice_as_much_is_not_to_be_had_what_is_needed_may_be() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = numbers(layout, memory);
            (0..8).for_each(|row| assert_eq!(array.push(), row, "the next row"));
            let spare = array.words.capacity() - array.words.len();
            assert!(spare > 0, "the block has room for a word more");
            memory.refuse(Refusals::From(0));
            assert_eq!(array.try_push(), Ok(8), "there is room for one row in the block");
            assert_eq!((array.capacity(), array.len()), (9, 9), "and for no other");
            let refused = memory.refused();
            let reserved = array.try_reserve(1000);
            assert!(matches!(reserved, Err(GrowError::Memory { .. })), "{reserved:?}");
            assert_eq!(memory.refused(), refused + 1, "it is asked for once");
            assert_eq!(array.capacity(), 9, "as it was");
            memory.refuse(Refusals::None);
            array.validate().expect("the array is whole");
        }
    });
}

#[test]
fn a_field_is_found_by_name_and_type_alone() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let first = Field::<i32>::new(IdString32::from_hash(77));
            // Its name has the number of its type.
            let same = Field::<i32>::new(IdString32::from_hash(FieldType::Int as u32));
            let mut array = Open::new_in(layout, memory);
            array.try_add_field(first).expect("there is memory");
            let second = array.try_add_field(same).expect("there is memory");
            let mut visited = 0;
            assert!(array.sweep((second.read(),), |_| visited += 1), "found where no row is");
            assert_eq!(visited, 0, "there is no row");
            array.push();
            assert!(array.set(0, first, 5) && array.set(0, second, 6), "both are there");
            let found = (array.get(0, first), array.get(0, same), array.get(0, second));
            assert_eq!(found, (Some(5), Some(6), Some(6)), "each its own");

            let mut array = Open::new_in(layout, memory);
            array.try_add_typed(same.name(), FieldType::Float).expect("there is memory");
            array.push();
            assert_eq!(array.get(0, same), None, "the first is of another type");
            array.remove_field(same.name());
            array.try_add_typed(first.name(), FieldType::Hash).expect("there is memory");
            assert_eq!(array.get(0, first), None, "the first is of another type");
        }
    });
}

#[test]
fn columns_can_be_changed_where_they_lie_together() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            let position = array.column(POSITION).map(<[[f32; 3]]>::to_vec);
            let expected = [[0.0, 1.0, 2.0], [1.0, 1.0, 2.0], [2.0, 1.0, 2.0]];
            let in_columns = layout == OpenLayout::StructOfArrays;
            assert_eq!(position.as_deref(), in_columns.then_some(&expected[..]), "all rows");
            let changed = array.column_mut(POSITION).map(|column| {
                column.iter_mut().for_each(|position| position[1] += 9.0);
                column.len()
            });
            assert_eq!(changed, in_columns.then_some(3), "all rows");
            let second = if in_columns { 10.0 } else { 1.0 };
            assert_eq!(array.get(2, POSITION), Some([2.0, second, 2.0]), "the last row");
            let mass = Field::<i32>::new(MASS.name());
            assert!(array.column(mass).is_none(), "it is of another type");
            assert!(array.column_mut(mass).is_none(), "it is of another type");
            array.validate().expect("the array is whole");
        }
    });
}

#[test]
#[should_panic(expected = "the field at word 0 of a row is written and named twice")]
fn a_field_is_not_read_beside_being_written() {
    with_memory(|memory| {
        let mut array = numbers(OpenLayout::ArrayOfStructs, memory);
        array.sweep((HITS.write(), HITS.read()), |_| {});
    });
}

#[test]
fn arrays_lists_and_dictionaries_print_all_values() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = numbers(layout, memory);
            assert_eq!(format!("{array:?}"), "[]", "no rows");
            array.try_add_typed(NAME, FieldType::Text).expect("there is memory");
            for (row, text) in ["one", "two"].into_iter().enumerate() {
                array.push();
                array.set(row, HITS, row as i32);
                let set = array.try_set_value(row, NAME, OpenValue::Text(text));
                assert_eq!(set, Ok(true), "there is such a field");
            }
            let hits = HITS.name();
            let said = format!(
                "[{{{hits:?}: Int(0), {NAME:?}: Text(\"one\")}}, \
                 {{{hits:?}: Int(1), {NAME:?}: Text(\"two\")}}]"
            );
            assert_eq!(format!("{array:?}"), said, "both rows");
        }
        let json = br#"{"more": {"name": [1, 0.5], "hits": true}}"#;
        let open = OpenStruct::try_from_json_in(json, memory).expect("sound");
        let hits = HITS.name();
        let more = format!("{{{NAME:?}: List([Int(1), Float(0.5)]), {hits:?}: Bool(true)}}");
        let Some(OpenValue::Dictionary(found)) = open.value(MORE) else { panic!("{open:?}") };
        assert_eq!(format!("{found:?}"), more, "names and values");
        assert_eq!(format!("{open:?}"), format!("{{{MORE:?}: Dictionary({more})}}"), "the whole");
    });
}

#[test]
fn dictionaries_are_copied_whole() {
    with_memory(|memory| {
        let json = br#"{"more": {"name": [1, "two"], "hits": 3}}"#;
        let source = OpenStruct::try_from_json_in(json, memory).expect("sound");
        let more = source.value(MORE).expect("it is there");
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            assert_eq!(array.try_set_value(1, MORE, more), Ok(true), "there is such a field");
            assert_eq!(array.value(1, MORE), Some(more), "the same values");
            let values = [more, OpenValue::Int(5), more];
            assert_eq!(array.try_set_list(2, PATH, &values), Ok(true), "there is such a field");
            let Some(OpenValue::List(list)) = array.value(2, PATH) else { panic!("a list") };
            assert!(list.eq(values), "{list:?}");
            array.validate().expect("the array is whole");
        }
    });
}

#[test]
fn what_only_looks_like_a_vector_is_none() {
    with_memory(|memory| {
        let open = |json: &str| {
            OpenStruct::try_from_json_in(json.as_bytes(), memory).expect("it is sound")
        };
        // The words of this object are those of a list of three floats: a name that is the number
        // of that type is followed by the type of its value, and so on.
        let object = r##"{"#00000003": 3, "b": 1.5}"##;
        let alone = open(&format!(r#"{{"a": {object}}}"#));
        assert_eq!(alone.as_array().type_of(id32!("a")), Some(FieldType::Dictionary), "alone");
        let first = |json: &str, field_type: FieldType| {
            let open = open(json);
            let Some(OpenValue::List(mut list)) = open.value(id32!("a")) else {
                panic!("{json}: {open:?}")
            };
            let found = list.next().map(|value| value.field_type());
            assert_eq!(found, Some(field_type), "the first value of {json}");
        };
        first(&format!(r#"{{"a": [{object}]}}"#), FieldType::Dictionary);
        first(r#"{"a": [[0.5, 1.5, 2.5]]}"#, FieldType::Vector3);
        first(r#"{"a": [[0.5, 1.5, 2.5, 3.5], 1]}"#, FieldType::Quaternion);
        first(r#"{"a": [[0.5, 1.5, 2]]}"#, FieldType::List);
    });
}

#[test]
fn compacting_takes_no_more_than_is_left() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            let long = "x".repeat(4000);
            array.try_set_value(1, NAME, OpenValue::Text(&long)).expect("there is memory");
            array.try_set_value(1, NAME, OpenValue::Text("short")).expect("there is memory");
            let before = shown(&array);
            array.try_compact().expect("there is memory");
            assert_eq!(shown(&array), before, "{layout:?}: the same values");
            let expected = room::<u32>(array.words.len(), memory);
            assert_eq!(array.words.capacity(), expected, "{layout:?}");
        }
        let mut open = OpenStruct::new_in(memory);
        open.try_put(NAME, OpenValue::Text("a longer name")).expect("there is memory");
        open.try_put(NAME, OpenValue::Text("short")).expect("there is memory");
        assert_eq!(open.as_array().tail_bytes(), (24, 16), "both, and the first unused");
        open.try_compact().expect("there is memory");
        assert_eq!(open.as_array().tail_bytes(), (8, 0), "the second alone");
        assert_eq!(open.text(NAME), Some("short"), "as it was");
    });
}

#[test]
fn saving_asks_once_for_all_bytes() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let array = sample(layout, memory).expect("there is memory");
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            array.try_save(&mut bytes).expect("there is memory");
            assert_eq!(bytes.capacity(), room::<u8>(bytes.len(), memory), "{layout:?}");
            let before = [1, 2, 3];
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            bytes.try_extend_from_slice(&before).expect("there is memory");
            bytes.try_reserve(100).expect("there is memory");
            memory.refuse(Refusals::From(0));
            let refused = array.try_save(&mut bytes);
            memory.refuse(Refusals::None);
            assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
            assert_eq!(bytes, before, "{layout:?}: as it was");
        }
    });
}

#[test]
fn a_struct_is_no_array_and_nothing_follows_it() {
    with_memory(|memory| {
        let refused = |json: &str| {
            let open = OpenStruct::try_from_json_in(json.as_bytes(), memory);
            open.err().map(|error| error.to_string())
        };
        let said = "at byte 3: nothing may follow the document";
        assert_eq!(refused("{} {}").as_deref(), Some(said), "a second object");
        assert_eq!(refused("[]").as_deref(), Some("at byte 0: an object was expected"), "a list");
        assert_eq!(refused(" {} "), None, "one object");

        for (rows, layout, is_struct) in [
            (1, OpenLayout::ArrayOfStructs, true),
            (1, OpenLayout::StructOfArrays, false),
            (0, OpenLayout::ArrayOfStructs, false),
            (2, OpenLayout::ArrayOfStructs, false),
        ] {
            let mut array = numbers(layout, memory);
            for _ in 0..rows {
                array.push();
            }
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
            array.try_save(&mut bytes).expect("there is memory");
            let refused = OpenStruct::try_open_in(&bytes, memory).err();
            let said = "at byte 12: this is an array and no struct";
            let expected = (!is_struct).then_some(said);
            let refused = refused.map(|error| error.to_string());
            assert_eq!(refused.as_deref(), expected, "{rows} rows, {layout:?}");
        }
    });
}

#[test]
fn a_value_that_is_refused_leaves_the_field_that_was_there() {
    with_memory(|memory| {
        let mut player = OpenStruct::new_in(memory);
        player.try_put(NAME, OpenValue::Text("ann")).expect("there is memory");
        let long = "x".repeat(5000);
        memory.refuse(Refusals::From(0));
        for (name, values) in [(NAME, 1), (MORE, 1)] {
            let put = player.try_put(name, OpenValue::Text(&long));
            assert!(matches!(put, Err(OpenError::Memory(_))), "{put:?}");
            assert_eq!(player.fields().len(), values, "{name:?}: no field more or less");
            assert_eq!(player.text(NAME), Some("ann"), "{name:?}: as it was");
            player.as_array().validate().expect("the struct is whole");
        }
        memory.refuse(Refusals::None);
    });
}
