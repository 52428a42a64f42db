//! The tables of subsystems, written for tools.

use core::fmt::{self, Write as _};

use loligo_ids::IdString64;
use loligo_interface::{Report, ReportValue};
use loligo_resources::ResourceKey;
use loligo_sjson::{Nest, Writer};

use crate::frame::Engine;

impl Engine<'_, '_> {
    /// Writes the tables of all subsystems that have some: `{ subsystem: { table: [ { field: value } ] } }`.
    pub(super) fn write_tables(&self, writer: &mut Writer<'_>) -> fmt::Result {
        writer.start(Nest::Object)?;
        let mut done = Ok(());
        self.world.report(&mut |name, report| {
            let writer = &mut *writer;
            let mut tables = Tables { engine: self, writer, name, open: Open::Nothing, done };
            report(&mut tables);
            done = tables.end();
        });
        done?;
        writer.end(Nest::Object)
    }

    /// Writes the name of a resource: its text where it is loaded, else its hash.
    fn write_resource(&self, key: ResourceKey, writer: &mut Writer<'_>) -> fmt::Result {
        if let Some(resource) = self.content.resources.get(key) {
            return writer.string(resource.debug_name());
        }
        let mut text = HashText([0; 17], 0);
        write!(text, "#{:016x}", key.name.hash())?;
        writer.string(core::str::from_utf8(&text.0[..text.1]).unwrap_or_default())
    }
}

/// Writes the tables of one subsystem. After an error nothing more is written.
struct Tables<'t, 'w, 's, 'e, 'm> {
    engine: &'t Engine<'e, 'm>,
    writer: &'t mut Writer<'w>,
    name: &'s str,
    open: Open,
    done: fmt::Result,
}

/// What has begun and not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Open {
    Nothing,
    Subsystem,
    Table,
    Row,
}

impl Tables<'_, '_, '_, '_, '_> {
    fn then(&mut self, write: impl FnOnce(&mut Self) -> fmt::Result) {
        if self.done.is_ok() {
            self.done = write(self);
        }
    }

    /// Ends what is within something that is open.
    fn end_within(&mut self, what: Open) -> fmt::Result {
        if self.open == Open::Row && what < Open::Row {
            self.writer.end(Nest::Object)?;
            self.open = Open::Table;
        }
        if self.open == Open::Table && what < Open::Table {
            self.writer.end(Nest::Array)?;
            self.open = Open::Subsystem;
        }
        if self.open == Open::Subsystem && what < Open::Subsystem {
            self.writer.end(Nest::Object)?;
            self.open = Open::Nothing;
        }
        Ok(())
    }

    fn end(mut self) -> fmt::Result {
        self.then(|own| own.end_within(Open::Nothing));
        self.done
    }
}

impl Report for Tables<'_, '_, '_, '_, '_> {
    fn table(&mut self, name: &'static str) {
        self.then(|own| {
            own.end_within(Open::Subsystem)?;
            if own.open == Open::Nothing {
                own.writer.key(own.name)?;
                own.writer.start(Nest::Object)?;
            }
            own.writer.key(name)?;
            own.open = Open::Table;
            own.writer.start(Nest::Array)
        });
    }

    fn row(&mut self) {
        self.then(|own| {
            own.end_within(Open::Table)?;
            if own.open == Open::Table {
                own.open = Open::Row;
                own.writer.start(Nest::Object)?;
            }
            Ok(())
        });
    }

    fn field(&mut self, name: &'static str, value: ReportValue<'_>) {
        self.then(|own| {
            if own.open != Open::Row {
                return Ok(());
            }
            own.writer.key(name)?;
            let writer = &mut *own.writer;
            match value {
                ReportValue::Number(number) => write_number(number, writer),
                ReportValue::Bool(is) => writer.bool(is),
                ReportValue::Text(text) => writer.string(text),
                ReportValue::Entity(Some(entity)) => writer.u64(entity.to_bits().into()),
                ReportValue::Vector3(numbers) => {
                    writer.start(Nest::Array)?;
                    numbers.iter().try_for_each(|of| write_number((*of).into(), writer))?;
                    writer.end(Nest::Array)
                }
                ReportValue::Resource(type_name, name) => {
                    let key = ResourceKey { type_hash: IdString64::new(type_name), name };
                    own.engine.write_resource(key, writer)
                }
                _ => writer.null(),
            }
        });
    }
}

/// Writes a number to three places after the point, which are as many as people read.
fn write_number(number: f64, writer: &mut Writer<'_>) -> fmt::Result {
    match number.is_finite() {
        true => writer.f64((number * 1e3).round() / 1e3),
        false => writer.null(),
    }
}

/// A hash as text.
struct HashText([u8; 17], usize);

impl fmt::Write for HashText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let place = self.0.get_mut(self.1..self.1 + text.len()).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.1 += text.len();
        Ok(())
    }
}
