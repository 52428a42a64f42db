//! What scripts record in the monitor: scopes and values by name. Without the monitor it is nothing.

use loligo_monitor::{Name, current};
use loligo_script::{Call, Kind};

use super::Done;
use crate::world::World;

pub(super) const NUMBER: &[Kind] = &[Kind::Text, Kind::Number];
pub(super) const VECTOR: &[Kind] = &[Kind::Text, Kind::Vector3];

pub(super) fn start(_: &mut World<'_>, call: &mut Call<'_>) -> Done {
    named(call, current::begin)
}

pub(super) fn stop(_: &mut World<'_>, call: &mut Call<'_>) -> Done {
    named(call, current::end)
}

pub(super) fn record(_: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let value = call.number(1) as f32;
    named(call, |name| current::float(name, value))
}

pub(super) fn record_vector(_: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let value = call.vector3(1).to_array();
    named(call, |name| current::vector3(name, value))
}

/// Records under the name that the first argument is, if this thread records.
fn named(call: &mut Call<'_>, record: impl FnOnce(Name)) -> Done {
    if current::is_recording() {
        let name = current::try_name(call.text(0)?);
        let name = name.map_err(|error| call.refuse(format_args!("{error}")))?;
        if let Some(name) = name {
            record(name);
        }
    }
    Ok(())
}
