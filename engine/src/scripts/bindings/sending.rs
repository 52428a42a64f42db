//! Events and commands of subsystems that scripts send: a function for each schema.

use loligo_containers::{Array, GrowError};
use loligo_interface::EventSchema;
use loligo_script::{Binding, Call, Function};

use super::Done;
use crate::memory::SharedAllocator;
use crate::world::{EVENT_BYTES_MAX, World};

/// Appends `Event.name` and `Command.name` for the events and commands of subsystems.
pub(super) fn add<'m>(
    world: &World<'m>,
    all: &mut Array<'m, Binding<World<'m>>, SharedAllocator<'m>>,
) -> Result<(), GrowError> {
    for (number, schema) in world.joined().schemas().enumerate() {
        all.try_push(Binding {
            name: schema.__sending.event,
            arguments: schema.__sending.arguments,
            results: &[],
            help: schema.help,
            function: Function::Numbered(number as u32, send_event),
        })?;
    }
    for (number, schema) in world.joined().command_schemas().enumerate() {
        all.try_push(Binding {
            name: schema.__sending.command,
            arguments: schema.__sending.arguments,
            results: &[],
            help: schema.help,
            function: Function::Numbered(number as u32, send_command),
        })?;
    }
    Ok(())
}

fn send_event(world: &mut World<'_>, number: u32, call: &mut Call<'_>) -> Done {
    let Some(schema) = world.joined().schemas().nth(number as usize) else { return Ok(()) };
    let bytes = written(schema, call)?;
    let sent = world.send_bytes(schema.kind, &bytes[..schema.bytes]);
    sent.map_err(|error| call.refuse(format_args!("{error}")))
}

fn send_command(world: &mut World<'_>, number: u32, call: &mut Call<'_>) -> Done {
    let Some(schema) = world.joined().command_schemas().nth(number as usize) else { return Ok(()) };
    let bytes = written(schema, call)?;
    let sent = world.command_bytes(schema.kind, &bytes[..schema.bytes]);
    sent.map_err(|error| call.refuse(format_args!("{error}")))
}

/// Returns the arguments of a call as the bytes of an event.
fn written(
    schema: &EventSchema,
    call: &mut Call<'_>,
) -> Result<[u8; EVENT_BYTES_MAX], loligo_script::ArgumentError> {
    let mut bytes = [0; EVENT_BYTES_MAX];
    for (argument, field) in schema.fields.iter().enumerate() {
        field.write(call, argument, &mut bytes)?;
    }
    Ok(bytes)
}
