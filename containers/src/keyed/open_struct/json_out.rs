//! Open structs and arrays as JSON.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use crate::keyed::json::{JsonWriter, Nest};
use crate::keyed::open_struct::OpenArray;
use crate::keyed::open_struct::field::FieldType;
use crate::keyed::open_struct::value::{Event, OpenValue, Walk};

impl<A: Allocator + ?Sized> OpenArray<'_, A> {
    /// Writes the rows as a JSON array of objects.
    ///
    /// `names` finds the names of fields and of hashed values; those it does not know come out as
    /// `"#89abcdef"`, from which they are read back, too.
    ///
    /// # Complexity
    ///
    /// O(all data); nothing is allocated here.
    ///
    /// # Errors
    ///
    /// What the sink refuses. Also a number that is not finite, for which JSON has no word. What
    /// was written until then stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{OpenArray, OpenLayout};
    /// use loligo_ids::id32;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut units: OpenArray = OpenArray::new(OpenLayout::ArrayOfStructs, &MEMORY);
    /// units.try_extend_from_json(br#"[{"name": "orc", "hp": 9}, {"hp": 12}]"#)?;
    ///
    /// let mut text = String::new();
    /// units.write_json(|name| (name == id32!("hp")).then_some("hp"), &mut text)?;
    /// let unknown = id32!("name");
    /// assert_eq!(text, format!("[{{\"#{unknown}\":\"orc\",\"hp\":9}},{{\"#{unknown}\":\"\",\"hp\":12}}]"));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn write_json<'n>(
        &self,
        names: impl Fn(IdString32) -> Option<&'n str>,
        to: &mut dyn fmt::Write,
    ) -> fmt::Result {
        let mut writer = JsonWriter::new(to);
        writer.start(Nest::Array)?;
        for row in 0..self.len() {
            self.write_row(row, &names, &mut writer)?;
        }
        writer.end(Nest::Array)
    }

    /// Writes a row as an object.
    pub(super) fn write_row<'n>(
        &self,
        row: usize,
        names: &impl Fn(IdString32) -> Option<&'n str>,
        writer: &mut JsonWriter<'_>,
    ) -> fmt::Result {
        writer.start(Nest::Object)?;
        for index in 0..self.fields().len() {
            if let Some(value) = self.value_at(row, index) {
                write_name(self.name(index), names, |name| writer.key(name))?;
                write_value(value, names, writer)?;
            }
        }
        writer.end(Nest::Object)
    }
}

fn write_value<'n>(
    value: OpenValue<'_>,
    names: &impl Fn(IdString32) -> Option<&'n str>,
    writer: &mut JsonWriter<'_>,
) -> fmt::Result {
    match value {
        OpenValue::Bool(value) => writer.bool(value),
        OpenValue::Int(value) => writer.i64(value.into()),
        OpenValue::Float(value) => writer.f32(value),
        OpenValue::Vector3(value) => write_numbers(&value, writer),
        OpenValue::Quaternion(value) => write_numbers(&value, writer),
        OpenValue::Hash(name) => write_name(name, names, |name| writer.string(name)),
        OpenValue::Text(text) => writer.string(text),
        OpenValue::List(list) => write_nested(Walk::of_list(list), Nest::Array, names, writer),
        OpenValue::Dictionary(dictionary) => {
            write_nested(Walk::of_dictionary(dictionary), Nest::Object, names, writer)
        }
    }
}

fn write_nested<'n>(
    mut walk: Walk<'_>,
    outermost: Nest,
    names: &impl Fn(IdString32) -> Option<&'n str>,
    writer: &mut JsonWriter<'_>,
) -> fmt::Result {
    let nest = |field_type| match field_type {
        FieldType::Dictionary => Nest::Object,
        _ => Nest::Array,
    };
    writer.start(outermost)?;
    // Nothing that this array holds is damaged.
    while let Some(event) = walk.next().map_err(|_| fmt::Error)? {
        match event {
            Event::Key(name) => write_name(name, names, |name| writer.key(name))?,
            Event::Start(nested) => writer.start(nest(nested))?,
            Event::End(nested) => writer.end(nest(nested))?,
            // It holds no others, so this goes no deeper.
            Event::Value(value) => write_value(value, names, writer)?,
        }
    }
    Ok(())
}

fn write_numbers(numbers: &[f32], writer: &mut JsonWriter<'_>) -> fmt::Result {
    writer.start(Nest::Array)?;
    numbers.iter().try_for_each(|number| writer.f32(*number))?;
    writer.end(Nest::Array)
}

/// Hands the name of an id to `write`, or its hash in the form that is read back.
fn write_name<'n>(
    id: IdString32,
    names: &impl Fn(IdString32) -> Option<&'n str>,
    write: impl FnOnce(&str) -> fmt::Result,
) -> fmt::Result {
    match names(id) {
        // A name in the form of a hash would be read as that.
        Some(name) if hash_in(name).is_none() => write(name),
        _ => {
            let mut digits = *b"#00000000";
            for (digit, shift) in digits[1..].iter_mut().zip((0..8).rev()) {
                *digit = b"0123456789abcdef"[(id.hash() >> (4 * shift) & 15) as usize];
            }
            write(core::str::from_utf8(&digits).unwrap_or_default())
        }
    }
}

/// Returns the hash that a name of the form `#89abcdef` denotes.
pub(super) fn hash_in(name: &str) -> Option<IdString32> {
    let digits = name.strip_prefix('#').filter(|digits| digits.len() == 8)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok().map(IdString32::from_hash)
}
