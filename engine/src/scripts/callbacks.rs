//! The functions that the engine calls in scripts, and those that only look like them.

use loligo_diagnostics::{Log, log};
use loligo_script::Script;

use crate::memory::SharedAllocator;
use crate::world::World;

/// The names, in the order in which [`Scripts`](super::Scripts) has them.
pub(super) const NAMES: [&str; 5] = ["start", "update", "spawned", "removed", "resource_changed"];

/// Lists global functions that are called as one of the engine's but for capitals, underscores and
/// an `on` before it.
const LOOK_ALIKES: &str = "
local function plain(name) return (name:lower():gsub('_', '')) end
local found = {}
for _, wanted in ipairs({ 'start', 'update', 'spawned', 'removed', 'resource_changed' }) do
    for name, value in pairs(_G) do
        if type(name) == 'string' and type(value) == 'function' and rawget(_G, wanted) == nil
            and (plain(name) == plain(wanted) or plain(name) == 'on' .. plain(wanted)) then
            found[#found + 1] = name .. ' ' .. wanted
        end
    end
end
table.sort(found)
return table.concat(found, '\\n')";

/// Warns of functions that the game's author took for the engine's.
pub(super) fn warn_of_look_alikes<'m>(
    script: &mut Script<'m, World<'m>>,
    world: &mut World<'m>,
    log: &Log<'_, SharedAllocator<'m>>,
) {
    // A script that took the functions away that this needs gets no warning.
    let Ok(found) = script.evaluate(world, LOOK_ALIKES) else { return };
    for line in core::str::from_utf8(&found).unwrap_or_default().lines() {
        if let Some((name, wanted)) = line.split_once(' ') {
            log!(
                log,
                Warning,
                "the scripts have a function `{name}`, which nobody calls; the engine calls `{wanted}`: rename it"
            );
        }
    }
}
