//! The functions that the engine calls in scripts, and those that only look like them.

use loligo_diagnostics::{Log, log};
use loligo_script::Script;

use crate::memory::SharedAllocator;
use crate::world::World;

/// Called when a level was spawned.
pub(super) const START: &str = "start";

/// Called in each update.
pub(super) const UPDATE: &str = "update";

/// Called for each event, by kind.
pub(super) const EVENTS: [&str; 3] = ["spawned", "removed", "resource_changed"];

/// Called once for all events of a kind, in place of the functions above.
pub(super) const EVENTS_ALL: [&str; 3] = ["spawned_all", "removed_all", "resource_changed_all"];

/// The table of functions that are called for many entities.
pub(super) const BATCHES: &str = "batches";

/// Lists global functions that are called as one of the engine's but for capitals, underscores and
/// an `on` before it, and tables that are called as its table `batches`.
pub(super) const LOOK_ALIKES: &str = "
local function plain(name) return (name:lower():gsub('_', '')) end
local found = {}
local function find(kind, wanted)
    for name, value in pairs(_G) do
        if type(name) == 'string' and type(value) == kind and rawget(_G, wanted) == nil
            and (plain(name) == plain(wanted) or plain(name) == 'on' .. plain(wanted)) then
            found[#found + 1] = name .. ' ' .. wanted
        end
    end
end
for _, wanted in ipairs({ 'start', 'update', 'spawned', 'spawned_all', 'removed', 'removed_all',
    'resource_changed', 'resource_changed_all' }) do
    find('function', wanted)
end
find('table', 'batches')
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
        if let Some((name, BATCHES)) = line.split_once(' ') {
            log!(
                log,
                Warning,
                "the scripts have a table `{name}`, which nobody reads; the engine reads `{BATCHES}`: rename it"
            );
        } else if let Some((name, wanted)) = line.split_once(' ') {
            log!(
                log,
                Warning,
                "the scripts have a function `{name}`, which nobody calls; the engine calls `{wanted}`: rename it"
            );
        }
    }
}
