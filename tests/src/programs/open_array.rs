//! Programs on arrays of rows whose fields are known at run time, compared with maps.

use std::collections::BTreeMap;

use loligo_allocators::Allocator;
use loligo_containers::{
    Array, FieldType, GrowError, OpenArray, OpenDictionary, OpenError, OpenLayout, OpenList,
    OpenValue,
};
use loligo_ids::IdString32;

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on an open array. Fields are `which`, of which few are used; rows are `at`,
    /// modulo the number of rows and one.
    OpenArrayOp of 32 by run_open_arrays {
        /// Adds a row.
        0..=5 => Push,
        /// Adds a field of one of the types.
        6..=9 => AddField { count: u8, which: u16 },
        /// Removes a field.
        10..=10 => RemoveField { which: u16 },
        /// Sets a value of the field's type.
        11..=19 => SetValue { count: u8, which: u16, at: u16 },
        /// Sets a value of one of the types, which may be another.
        20..=20 => SetAny { count: u8, which: u16, at: u16 },
        /// Sets a list of several values.
        21..=22 => SetList { count: u8, which: u16, at: u16 },
        /// Takes a row out and puts the last one there.
        23..=24 => SwapRemove { at: u16 },
        /// Drops all rows from one on.
        25..=25 => Truncate { at: u16 },
        /// Takes out what is no longer used.
        26..=27 => Compact,
        /// Makes room for several rows.
        28..=28 => Reserve { count: u8 },
        /// Continues with a copy.
        29..=29 => Clone,
        /// Continues with the array opened from what was saved.
        30..=30 => SaveAndOpen,
        /// Drops all rows.
        31..=31 => Clear,
    }
}

/// Runs a program on an open array of either layout and on maps, and returns how many operations
/// were refused memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or an array finds itself damaged.
pub fn run_open_arrays(program: &[OpenArrayOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    let structs = run_beside(program, &mut Both::new(OpenLayout::ArrayOfStructs, memory))?;
    Ok(structs + run_beside(program, &mut Both::new(OpenLayout::StructOfArrays, memory))?)
}

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

/// How many names there are.
const NAMES: u16 = 8;

/// Texts to be set.
const TEXTS: [&str; 5] = ["", "a", "four", "h\u{e9}llo", "a text of some length"];

fn value_of(field_type: FieldType, count: u8) -> OpenValue<'static> {
    let float = f32::from(count) / 4.0;
    match field_type {
        FieldType::Bool => OpenValue::Bool(count % 2 == 1),
        FieldType::Int => OpenValue::Int(i32::from(count) - 100),
        FieldType::Float => OpenValue::Float(float),
        FieldType::Vector3 => OpenValue::Vector3([float, 1.0, -float]),
        FieldType::Quaternion => OpenValue::Quaternion([float, 0.0, 0.5, 1.0]),
        FieldType::Hash => OpenValue::Hash(IdString32::from_hash(count.into())),
        FieldType::Text => OpenValue::Text(TEXTS[usize::from(count) % TEXTS.len()]),
        FieldType::List => OpenValue::List(OpenList::default()),
        FieldType::Dictionary => OpenValue::Dictionary(OpenDictionary::default()),
    }
}

/// What a field holds in a fresh row.
fn zero(field_type: FieldType) -> OpenValue<'static> {
    match field_type {
        FieldType::Int => OpenValue::Int(0),
        FieldType::Vector3 => OpenValue::Vector3([0.0; 3]),
        FieldType::Quaternion => OpenValue::Quaternion([0.0; 4]),
        other => value_of(other, 0),
    }
}

pub(super) struct Both<'a> {
    array: OpenArray<'a>,
    memory: &'a dyn Allocator,
    fields: Vec<(IdString32, FieldType)>,
    /// What each row's fields show.
    rows: Vec<BTreeMap<IdString32, String>>,
}

impl<'a> Both<'a> {
    fn new(layout: OpenLayout, memory: &'a dyn Allocator) -> Self {
        let array = OpenArray::new_in(layout, memory);
        Self { array, memory, fields: Vec::new(), rows: Vec::new() }
    }

    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self::new(OpenLayout::StructOfArrays, memory)
    }
}

fn name(which: u16) -> IdString32 {
    IdString32::from_hash(u32::from(which % NAMES) + 1)
}

impl Beside for Both<'_> {
    type Op = OpenArrayOp;

    fn lose(&mut self) {
        self.array.swap_remove(0);
    }

    fn step(&mut self, op: OpenArrayOp) -> Result<bool, String> {
        use OpenArrayOp as Op;
        let served = match op {
            Op::Push => {
                let pushed = self.array.try_push();
                if let Ok(row) = pushed {
                    same("row", row, self.rows.len())?;
                    let zeros = self.fields.iter().map(|(name, of)| (*name, shown(zero(*of))));
                    self.rows.push(zeros.collect());
                }
                pushed.is_ok()
            }
            Op::AddField { .. } | Op::RemoveField { .. } => self.change_field(op)?,
            Op::SetValue { .. } | Op::SetAny { .. } | Op::SetList { .. } => self.set(op)?,
            Op::SwapRemove { at } => {
                let row = self.row(at);
                let expected = row < self.rows.len();
                same("removed", self.array.swap_remove(row), expected)?;
                if expected {
                    self.rows.swap_remove(row);
                }
                true
            }
            Op::Truncate { at } => {
                self.array.truncate(self.row(at));
                self.rows.truncate(self.row(at));
                true
            }
            Op::SaveAndOpen => self.save_and_open()?,
            _ => self.arrange(op).is_ok(),
        };
        same("rows", self.array.len(), self.rows.len()).map(|()| served)
    }

    fn compare(&self) -> Result<(), String> {
        self.array.validate().map_err(|damage| damage.to_string())?;
        same("fields", &self.array.fields().collect::<Vec<_>>(), &self.fields)?;
        for (index, row) in self.rows.iter().enumerate() {
            for (name, expected) in row {
                let value = self.array.value(index, *name).map(shown);
                same("value", value.as_ref(), Some(expected))?;
            }
        }
        let beyond = self.array.value(self.rows.len(), name(0)).map(shown);
        same("beyond the last row", beyond, None)
    }
}

fn shown(value: OpenValue<'_>) -> String {
    format!("{value:?}")
}

impl Both<'_> {
    fn row(&self, at: u16) -> usize {
        usize::from(at) % (self.rows.len() + 1)
    }

    fn type_of(&self, name: IdString32) -> Option<FieldType> {
        self.fields.iter().find(|(other, _)| *other == name).map(|(_, found)| *found)
    }

    fn change_field(&mut self, op: OpenArrayOp) -> Result<bool, String> {
        if let OpenArrayOp::RemoveField { which } = op {
            let expected = self.type_of(name(which));
            same("removed", self.array.remove_field(name(which)), expected)?;
            self.fields.retain(|(other, _)| *other != name(which));
            self.rows.iter_mut().for_each(|row| drop(row.remove(&name(which))));
            return Ok(true);
        }
        let OpenArrayOp::AddField { count, which } = op else { return Ok(true) };
        let (name, wanted) = (name(which), TYPES[usize::from(count) % TYPES.len()]);
        let has = self.type_of(name);
        let added = self.array.try_add_typed(name, wanted);
        let taken = has.filter(|has| *has != wanted);
        match (added, taken) {
            (Err(OpenError::Memory(_)), _) => return Ok(false),
            (added, Some(has)) => {
                same("added", added, Err(OpenError::Taken { name, has, wanted }))?;
            }
            (added, None) => same("added", added, Ok(()))?,
        }
        if has.is_none() {
            self.fields.push((name, wanted));
            let value = shown(zero(wanted));
            self.rows.iter_mut().for_each(|row| drop(row.insert(name, value.clone())));
        }
        Ok(true)
    }

    fn set(&mut self, op: OpenArrayOp) -> Result<bool, String> {
        use OpenArrayOp as Op;
        let (Op::SetValue { count, which, at }
        | Op::SetAny { count, which, at }
        | Op::SetList { count, which, at }) = op
        else {
            return Ok(true);
        };
        let (row, name) = (self.row(at), name(which));
        let has = self.type_of(name).filter(|_| row < self.rows.len());
        let any = TYPES[usize::from(count) % TYPES.len()];
        let (set, expected, value) = match op {
            Op::SetList { .. } => {
                let values: Vec<OpenValue<'_>> =
                    (0..count % 6).map(|n| value_of(TYPES[usize::from(n)], n)).collect();
                let set = self.array.try_set_list(row, name, &values);
                (set, has == Some(FieldType::List), format!("List({values:?})"))
            }
            _ => {
                let wanted = if let Op::SetAny { .. } = op { any } else { has.unwrap_or(any) };
                let value = value_of(wanted, count);
                let set = self.array.try_set_value(row, name, value).map_err(OpenError::Memory);
                (set, has == Some(wanted), shown(value))
            }
        };
        match set {
            Err(OpenError::Memory(_)) => return Ok(false),
            Err(error) => return Err(error.to_string()),
            Ok(set) => same("set", set, expected)?,
        }
        if expected {
            self.rows[row].insert(name, value);
        }
        Ok(true)
    }

    fn save_and_open(&mut self) -> Result<bool, String> {
        // Rows without a field hold nothing, and are not all opened again.
        if self.fields.is_empty() {
            return Ok(true);
        }
        let mut bytes: Array<'_, u8> = Array::new_in(self.memory);
        if self.array.try_save(&mut bytes).is_err() {
            return Ok(false);
        }
        match OpenArray::try_open_in(&bytes, self.memory) {
            Err(OpenError::Memory(_)) => Ok(false),
            Err(error) => Err(error.to_string()),
            Ok(opened) => {
                same("layout", opened.layout(), self.array.layout())?;
                self.array = opened;
                self.compare().map(|()| true)
            }
        }
    }

    fn arrange(&mut self, op: OpenArrayOp) -> Result<(), GrowError> {
        match op {
            OpenArrayOp::Compact => self.array.try_compact(),
            OpenArrayOp::Reserve { count } => self.array.try_reserve(count.into()),
            OpenArrayOp::Clone => {
                self.array.try_clone_in(self.memory).map(|copy| self.array = copy)
            }
            _ => {
                self.array.clear();
                self.rows.clear();
                Ok(())
            }
        }
    }
}
