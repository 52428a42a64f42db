//! Values, tokens, sweeps, the tail, and refusals.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_ids::{IdString32, id32};

use crate::arrays::array::Array;
use crate::keyed::open_struct::{
    Field, FieldType, Flag, OPEN_FIELDS_MAX, OpenArray, OpenDictionary, OpenError, OpenLayout,
    OpenList, OpenStruct, OpenValue,
};
use crate::testing::test_memory::{Memory, every_refusal, with_memory};

mod damage;
mod exact;
mod json;
mod model;
mod views;

type Open<'a> = OpenArray<'a, Memory<'a>>;

const LAYOUTS: [OpenLayout; 2] = [OpenLayout::ArrayOfStructs, OpenLayout::StructOfArrays];

const POSITION: Field<[f32; 3]> = Field::new(id32!("position"));
const VELOCITY: Field<[f32; 3]> = Field::new(id32!("velocity"));
const TURN: Field<[f32; 4]> = Field::new(id32!("turn"));
const ALIVE: Field<Flag> = Field::new(id32!("alive"));
const HITS: Field<i32> = Field::new(id32!("hits"));
const MASS: Field<f32> = Field::new(id32!("mass"));
const KIND: Field<IdString32> = Field::new(id32!("kind"));
const NAME: IdString32 = id32!("name");
const PATH: IdString32 = id32!("path");
const MORE: IdString32 = id32!("more");

/// Everything there is in an array, as text.
fn shown(array: &Open<'_>) -> String {
    array.validate().expect("the array is whole");
    format!("{:?} {array:?}", array.fields().collect::<Vec<_>>())
}

/// Returns an array with three rows and a field of each type.
fn sample<'a>(layout: OpenLayout, memory: &'a Memory<'a>) -> Result<Open<'a>, OpenError> {
    let mut array = Open::new_in(layout, memory);
    array.try_add_field(POSITION)?;
    array.try_add_typed(NAME, FieldType::Text)?;
    array.try_add_field(ALIVE)?;
    array.try_add_field(TURN)?;
    array.try_add_typed(PATH, FieldType::List)?;
    array.try_add_field(HITS)?;
    array.try_add_field(MASS)?;
    array.try_add_typed(MORE, FieldType::Dictionary)?;
    array.try_add_field(KIND)?;
    for row in 0..3_u8 {
        let row_number = array.try_push()?;
        let number = f32::from(row);
        array.set(row_number, POSITION, [number, 1.0, 2.0]);
        array.set(row_number, ALIVE, Flag::from(row == 1));
        array.set(row_number, TURN, [0.0, 0.0, number, 1.0]);
        array.set(row_number, HITS, -i32::from(row));
        array.set(row_number, MASS, 0.5 * number);
        array.set(row_number, KIND, IdString32::from_hash(row.into()));
        let name = OpenValue::Text(&"abcdefgh"[..usize::from(3 * row)]);
        array.try_set_value(row_number, NAME, name)?;
        let path = [OpenValue::Int(7), name, OpenValue::Vector3([1.0; 3]), OpenValue::Bool(true)];
        array.try_set_list(row_number, PATH, &path[..usize::from(row)])?;
    }
    Ok(array)
}

#[test]
fn values_of_all_types_are_kept() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            assert_eq!(array.get(2, POSITION), Some([2.0, 1.0, 2.0]));
            assert_eq!(array.get(1, ALIVE).map(Flag::get), Some(true));
            assert_eq!(array.get(2, TURN), Some([0.0, 0.0, 2.0, 1.0]));
            assert_eq!(array.get(2, HITS), Some(-2));
            assert_eq!(array.get(1, MASS), Some(0.5));
            assert_eq!(array.get(2, KIND), Some(IdString32::from_hash(2)));
            assert_eq!(array.text(2, NAME), Some("abcdef"));
            let Some(OpenValue::List(path)) = array.value(2, PATH) else { panic!("a list") };
            assert_eq!(path.collect::<Vec<_>>(), [OpenValue::Int(7), OpenValue::Text("abcdef")]);
            assert_eq!(
                array.value(0, MORE),
                Some(OpenValue::Dictionary(OpenDictionary::default()))
            );
            // What is not there is not there.
            assert_eq!(array.get(3, HITS), None);
            assert_eq!(array.get(0, Field::<f32>::new(HITS.name())), None);
            assert_eq!(array.text(0, PATH), None);
            assert_eq!(array.value(3, NAME), None);
            assert!(!array.set(3, HITS, 1) && !array.set(0, VELOCITY, [0.0; 3]));
            assert_eq!(array.try_set_value(0, NAME, OpenValue::Int(1)), Ok(false));
            assert_eq!(array.try_set_list(0, NAME, &[]), Ok(false));
            assert_eq!(array.try_set_list(3, PATH, &[]), Ok(false));
            assert_eq!(array.field::<i32>(MASS.name()).map(Field::name), None);
            assert_eq!(array.type_of(MORE), Some(FieldType::Dictionary));
            let wanted = FieldType::Int;
            let taken = OpenError::Taken { name: NAME, has: FieldType::Text, wanted };
            assert_eq!(array.try_add_typed(NAME, wanted), Err(taken));
            assert_eq!(size_of_val(&array), 32 + 3 * size_of::<usize>());
        }
    });
}

#[test]
fn tokens_find_their_field_wherever_it_went() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            let hits = array.field::<i32>(HITS.name()).expect("there are hits");
            array.remove_field(NAME);
            assert_eq!(array.get(2, hits), Some(-2), "it moved");
            let mut other = Open::new_in(layout, memory);
            other.push();
            assert_eq!(other.get(0, hits), None);
            let hits = other.try_add_field(hits).expect("there is memory");
            assert!(other.set(0, hits, 4), "it is the first here");
            assert_eq!(array.get(1, hits), Some(-1));
            array.remove_field(HITS.name());
            assert_eq!(array.get(1, hits), None);
            array.try_add_typed(HITS.name(), FieldType::Float).expect("there is memory");
            assert_eq!(array.get(1, hits), None, "it is of another type now");
        }
    });
}

#[test]
fn sweeps_visit_all_rows_of_either_layout() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            for rows in [0_u16, 1, 2, 7, 40] {
                let mut array = sample(layout, memory).expect("there is memory");
                array.clear();
                assert!(!array.sweep((VELOCITY.read(),), |_| panic!("there is no velocity")));
                let mass = array.field::<f32>(MASS.name()).expect("there is mass");
                for _ in 0..rows {
                    let row = array.push();
                    array.set(row, mass, row as f32);
                    array.set(row, HITS, 3);
                }
                let mut next = 0.0;
                let swept = array.sweep(
                    (POSITION.write(), mass.read(), HITS.write(), mass.read()),
                    |(position, mass, hits, again)| {
                        assert_eq!((*mass, *again), (next, next), "rows come in order");
                        next += 1.0;
                        position[1] = *mass;
                        *hits += 1;
                    },
                );
                assert!(swept && next == f32::from(rows), "{next} of {rows} rows");
                for row in 0..usize::from(rows) {
                    assert_eq!(array.get(row, POSITION), Some([0.0, row as f32, 0.0]));
                    assert_eq!(array.get(row, HITS), Some(4));
                    assert_eq!(array.get(row, TURN), Some([0.0; 4]));
                }
                let columns = array.column(mass).map(<[f32]>::len);
                let in_columns = layout == OpenLayout::StructOfArrays;
                assert_eq!(columns, in_columns.then_some(usize::from(rows)));
                if let Some(column) = array.column_mut(HITS) {
                    column.fill(9);
                    assert!(rows == 0 || array.get(0, HITS) == Some(9), "the column is the field");
                }
                array.validate().expect("the array is whole");
            }
        }
    });
}

#[test]
#[should_panic(expected = "the field at word 0 of a row is written and named twice")]
fn a_field_is_not_written_twice_at_once() {
    with_memory(|memory| {
        let mut array = Open::new_in(OpenLayout::StructOfArrays, memory);
        array.try_add_field(HITS).expect("there is memory");
        array.sweep((HITS.read(), HITS.write()), |_| {});
    });
}

#[test]
fn the_tail_is_compacted() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            for length in 1..30 {
                let text = "x".repeat(length);
                array.try_set_value(1, NAME, OpenValue::Text(&text)).expect("there is memory");
            }
            array.swap_remove(0);
            let before = shown(&array);
            let (bytes, unused) = array.tail_bytes();
            assert!(unused > bytes / 2, "{unused} bytes of {bytes} are unused");
            array.try_compact().expect("there is memory");
            assert_eq!(shown(&array), before);
            assert_eq!(array.tail_bytes(), (bytes - unused, 0));
            assert_eq!(array.capacity(), array.len());
            array.push();
            array.clear();
            assert_eq!(array.tail_bytes(), (0, 0));
            assert_eq!(array.fields().len(), 9);
        }
    });
}

#[test]
fn fields_and_depth_are_bounded() {
    with_memory(|memory| {
        let mut array = Open::new_in(OpenLayout::ArrayOfStructs, memory);
        for field in 0..OPEN_FIELDS_MAX {
            let name = IdString32::from_hash(field);
            array.try_add_typed(name, FieldType::Bool).expect("there is memory");
        }
        let name = IdString32::from_hash(OPEN_FIELDS_MAX);
        assert_eq!(array.try_add_typed(name, FieldType::Bool), Err(OpenError::Fields));
        assert_eq!(OpenError::Fields.to_string(), "more than 256 fields");

        let (mut inner, mut outer) = (OpenStruct::new_in(memory), OpenStruct::new_in(memory));
        inner.try_put(NAME, OpenValue::List(OpenList::default())).expect("there is memory");
        for _ in 1..32 {
            let value = inner.value(NAME).expect("there is a list");
            outer.array.try_add(NAME, FieldType::List).expect("there is memory");
            assert_eq!(outer.array.try_set_list(0, NAME, &[value]), Ok(true));
            core::mem::swap(&mut inner, &mut outer);
        }
        let value = inner.value(NAME).expect("there is a list");
        assert_eq!(outer.array.try_set_list(0, NAME, &[value]), Err(OpenError::Depth));
        let mut text = String::new();
        inner.write_json(|_| Some("a"), &mut text).expect("it is finite");
        assert_eq!(text, format!("{{\"a\":{}{}}}", "[".repeat(32), "]".repeat(32)));
        inner.as_array().validate().expect("the struct is whole");
    });
}

#[test]
fn structs_are_arrays_of_one_row() {
    with_memory(|memory| {
        let mut player = OpenStruct::new_in(memory);
        assert_eq!((player.get(HITS), player.fields().len()), (None, 0));
        player.try_put(HITS.name(), OpenValue::Int(5)).expect("there is memory");
        player.try_put(NAME, OpenValue::Text("ann")).expect("there is memory");
        player.try_put(NAME, OpenValue::Text("anna")).expect("there is memory");
        player.try_add_field(MASS).expect("there is memory");
        assert!(player.try_put(NAME, OpenValue::Int(1)).is_err(), "it is text");
        assert!(player.sweep((HITS.write(), MASS.write()), |(hits, mass)| {
            *mass = *hits as f32;
            *hits += 1;
        }));
        assert!(player.set(HITS, 7), "there are hits");
        let copy = player.try_clone_in(memory).expect("there is memory");
        assert_eq!(player.remove_field(HITS.name()), Some(FieldType::Int));
        player.try_compact().expect("there is memory");
        assert_eq!((player.get(MASS), player.get(HITS)), (Some(5.0), None));
        assert_eq!((copy.get(HITS), copy.text(NAME)), (Some(7), Some("anna")));
        assert!(format!("{copy:?}").contains("Text(\"anna\")"), "{copy:?}");

        let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        player.try_save(&mut bytes).expect("there is memory");
        let opened = OpenStruct::try_open_in(&bytes, memory).expect("they are sound");
        assert_eq!(opened.text(NAME), Some("anna"));
        bytes.clear();
        sample(OpenLayout::ArrayOfStructs, memory)
            .and_then(|array| Ok(array.try_save(&mut bytes)?))
            .expect("there is memory");
        let refused = OpenStruct::try_open_in(&bytes, memory).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some("at byte 12: this is an array and no struct"));
    });
}

#[test]
fn refusals_change_nothing() {
    type Step = fn(&mut Open<'_>) -> Result<(), OpenError>;
    let steps: [Step; 9] = [
        |array| array.try_push().map(drop).map_err(OpenError::from),
        |array| array.try_add_field(VELOCITY).map(drop),
        |array| {
            array.try_set_value(0, NAME, OpenValue::Text("a longer name than before"))?;
            Ok(())
        },
        |array| {
            array.try_set_list(1, PATH, &[OpenValue::Text("some words, many of them"); 4])?;
            Ok(())
        },
        |array| array.try_extend_from_json(br#"[{"new": [1, "two", {"three": 3}], "hits": 9}]"#),
        |array| Ok(array.try_compact()?),
        |array| Ok(array.try_reserve(100)?),
        |array| array.try_clone_in(array.memory()).map(drop).map_err(OpenError::from),
        |array| {
            let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(array.memory());
            array.try_save(&mut bytes)?;
            OpenArray::try_open_in(&bytes, array.memory()).map(drop)
        },
    ];
    for layout in LAYOUTS {
        every_refusal(|memory| {
            let mut array = sample(layout, memory)?;
            let mut first = Ok(());
            for step in &steps {
                let before = shown(&array);
                if let Err(error) = step(&mut array) {
                    assert!(matches!(error, OpenError::Memory(_)), "{error:?}");
                    assert_eq!(shown(&array), before, "{error:?}");
                    first = first.and(Err(error));
                }
            }
            first
        });
    }
    every_refusal(|memory| {
        let mut player = OpenStruct::try_from_json_in(br#"{"a": 1, "b": "two"}"#, memory)?;
        let before = format!("{player:?}");
        let put = player.try_put(NAME, OpenValue::Text("a name of some length, long enough"));
        if put.is_err() {
            assert_eq!(format!("{player:?}"), before);
            player.as_array().validate().expect("the struct is whole");
        }
        put
    });
}
