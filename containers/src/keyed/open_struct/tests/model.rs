//! Random operations compared with a naive model: a map of names to shown values for each row.

use std::collections::BTreeMap;
use std::format;
use std::println;
use std::string::String;
use std::vec::Vec;

use loligo_ids::IdString32;

use super::{LAYOUTS, Open};
use crate::arrays::array::Array;
use crate::keyed::open_struct::{
    FieldType, OpenArray, OpenDictionary, OpenLayout, OpenList, OpenValue,
};
use crate::testing::test_memory::{Memory, Random, with_memory};

const TYPES: [FieldType; 9] = [
    FieldType::Bool,
    FieldType::Int,
    FieldType::Float,
    FieldType::Vector3,
    FieldType::Quaternion,
    FieldType::Hash,
    FieldType::Text,
    FieldType::List,
    FieldType::Dictionary,
];

fn zero(field_type: FieldType) -> OpenValue<'static> {
    match field_type {
        FieldType::Bool => OpenValue::Bool(false),
        FieldType::Int => OpenValue::Int(0),
        FieldType::Float => OpenValue::Float(0.0),
        FieldType::Vector3 => OpenValue::Vector3([0.0; 3]),
        FieldType::Quaternion => OpenValue::Quaternion([0.0; 4]),
        FieldType::Hash => OpenValue::Hash(IdString32::from_hash(0)),
        FieldType::Text => OpenValue::Text(""),
        FieldType::List => OpenValue::List(OpenList::default()),
        FieldType::Dictionary => OpenValue::Dictionary(OpenDictionary::default()),
    }
}

fn random_value(random: &mut Random, field_type: FieldType) -> OpenValue<'static> {
    let texts = ["", "a", "four", "h\u{e9}llo", "a text of some length"];
    let float = random.below(2000) as f32 / 16.0;
    match field_type {
        FieldType::Bool => OpenValue::Bool(random.below(2) == 0),
        FieldType::Int => OpenValue::Int(random.next() as i32),
        FieldType::Float => OpenValue::Float(float),
        FieldType::Vector3 => OpenValue::Vector3([float, 1.0, -float]),
        FieldType::Quaternion => OpenValue::Quaternion([float, 0.0, 0.5, 1.0]),
        FieldType::Hash => OpenValue::Hash(IdString32::from_hash(random.next() as u32)),
        FieldType::Text => OpenValue::Text(texts[random.below(texts.len())]),
        nested => zero(nested),
    }
}

#[derive(Default)]
struct Model {
    fields: Vec<(IdString32, FieldType)>,
    rows: Vec<BTreeMap<u32, String>>,
}

impl Model {
    fn add(&mut self, name: IdString32, field_type: FieldType) {
        if self.fields.iter().all(|(other, _)| *other != name) {
            self.fields.push((name, field_type));
            let value = format!("{:?}", zero(field_type));
            self.rows.iter_mut().for_each(|row| drop(row.insert(name.hash(), value.clone())));
        }
    }

    fn push(&mut self) {
        let zero = |(name, field_type): &(IdString32, FieldType)| {
            (name.hash(), format!("{:?}", zero(*field_type)))
        };
        self.rows.push(self.fields.iter().map(zero).collect());
    }

    fn check(&self, array: &Open<'_>) {
        array.validate().expect("the array is whole");
        assert_eq!(array.fields().collect::<Vec<_>>(), self.fields);
        assert_eq!(array.len(), self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            for (name, shown) in row {
                let value = array.value(index, IdString32::from_hash(*name)).expect("a value");
                assert_eq!(&format!("{value:?}"), shown, "row {index}, field {name}");
            }
        }
    }
}

fn set_nested(
    array: &mut Open<'_>,
    model: &mut Model,
    random: &mut Random,
    row: usize,
    name: IdString32,
) {
    let mut values = Vec::new();
    for _ in 0..random.below(4) {
        let field_type = random_type(random);
        values.push(random_value(random, field_type));
    }
    if array.try_set_list(row, name, &values).expect("there is memory") {
        model.rows[row].insert(name.hash(), format!("List({values:?})"));
    }
}

fn random_type(random: &mut Random) -> FieldType {
    TYPES[random.below(TYPES.len())]
}

fn step(array: &mut Open<'_>, model: &mut Model, random: &mut Random) {
    let name = IdString32::from_hash(random.below(12) as u32);
    let row = random.below(model.rows.len() + 1);
    match random.below(40) {
        0..=3 => {
            let field_type = random_type(random);
            if array.try_add_typed(name, field_type).is_ok() {
                model.add(name, field_type);
            }
        }
        4 => {
            assert_eq!(
                array.remove_field(name),
                model.fields.iter().find(|(other, _)| *other == name).map(|(_, found)| *found)
            );
            model.fields.retain(|(other, _)| *other != name);
            model.rows.iter_mut().for_each(|row| drop(row.remove(&name.hash())));
        }
        5..=12 => {
            array.push();
            model.push();
        }
        13..=15 => {
            assert_eq!(array.swap_remove(row), row < model.rows.len());
            if row < model.rows.len() {
                model.rows.swap_remove(row);
            }
        }
        16 => {
            array.truncate(row + 3);
            model.rows.truncate(row + 3);
        }
        17 => array.try_compact().expect("there is memory"),
        18 => array.try_reserve(random.below(20)).expect("there is memory"),
        _ => {
            let Some(field_type) = array.type_of(name).filter(|_| row < model.rows.len()) else {
                return;
            };
            if field_type == FieldType::List {
                return set_nested(array, model, random, row, name);
            }
            let value = random_value(random, field_type);
            assert_eq!(array.try_set_value(row, name, value), Ok(true));
            model.rows[row].insert(name.hash(), format!("{value:?}"));
        }
    }
}

/// A copy, what was saved and opened, and what was written as JSON and read are what they came
/// from.
fn check_copies(array: &Open<'_>, model: &Model, memory: &Memory<'_>) {
    let copy = array.try_clone_in(memory).expect("there is memory");
    model.check(&copy);
    let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
    array.try_save(&mut bytes).expect("there is memory");
    let opened = OpenArray::try_open_in(&bytes, memory).expect("they are sound");
    assert_eq!(opened.layout(), array.layout());
    if array.fields().next().is_some() {
        model.check(&opened);
    } else {
        assert_eq!(opened.len(), array.len().min(1), "rows without a field hold nothing");
    }

    let mut json = String::new();
    array.write_json(|_| None, &mut json).expect("all is finite");
    let mut read = Open::new_in(array.layout(), memory);
    for (name, field_type) in array.fields() {
        read.try_add_typed(name, field_type).expect("there is memory");
    }
    read.try_extend_from_json(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"));
    let mut again = String::new();
    read.write_json(|_| None, &mut again).expect("all is finite");
    assert_eq!(json, again);
}

#[test]
fn random_operations_agree_with_the_model() {
    for seed in 0..40 {
        for layout in LAYOUTS {
            println!("seed {seed}, {layout:?}");
            with_memory(|memory| run(seed, layout, memory));
        }
    }
}

fn run(seed: u64, layout: OpenLayout, memory: &Memory<'_>) {
    let mut random = Random::new(seed);
    let mut array = Open::new_in(layout, memory);
    let mut model = Model::default();
    for count in 0..150 {
        step(&mut array, &mut model, &mut random);
        model.check(&array);
        if count % 25 == 0 {
            check_copies(&array, &model, memory);
        }
    }
}
