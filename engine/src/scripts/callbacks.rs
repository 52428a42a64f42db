//! The functions that the engine calls in scripts, and those that only look like them.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_containers::text::{self, FormatError};
use loligo_diagnostics::{Log, log};
use loligo_script::Script;

use crate::memory::SharedAllocator;
use crate::world::World;

/// Called when a level was spawned.
pub(super) const START: &str = "start";

/// Called in each update.
pub(super) const UPDATE: &str = "update";

/// The most bytes of the name of a function for events.
pub(super) const NAME_BYTES_MAX: usize = 64;

/// Returns the name of the function that is called once for all events of a kind, in place of the
/// one that has their name: `removed_all`.
pub(super) fn name_of_all<'n>(name: &str, place: &'n mut [u8; NAME_BYTES_MAX]) -> &'n str {
    let mut len = 0;
    for byte in name.bytes().chain(*b"_all").take(NAME_BYTES_MAX) {
        place[len] = byte;
        len += 1;
    }
    core::str::from_utf8(&place[..len]).unwrap_or_default()
}

/// The table of functions that are called for many entities.
pub(super) const BATCHES: &str = "batches";

/// Lists global functions that are called as one of the engine's but for capitals, underscores and
/// an `on` before it, and tables that are called as its table `batches`. Before it the engine's
/// `names` are written.
const LOOK_ALIKES: &str = "
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
for wanted in names:gmatch('%S+') do find('function', wanted) end
find('table', 'batches')
table.sort(found)
return table.concat(found, '\\n')";

/// Warns of functions that the game's author took for the engine's.
pub(super) fn warn_of_look_alikes<'m>(
    script: &mut Script<'m, World<'m>>,
    world: &mut World<'m>,
    log: &Log<'_, SharedAllocator<'m>>,
    memory: SharedRef<'m>,
) {
    let Ok(code) = look_alikes(world, memory) else { return };
    let code = core::str::from_utf8(&code).unwrap_or_default();
    // A script that took the functions away that this needs gets no warning.
    let Ok(found) = script.evaluate(world, code) else { return };
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

/// Writes the names of all functions that the engine calls before what looks for others like them.
fn look_alikes<'m>(
    world: &World<'m>,
    memory: SharedRef<'m>,
) -> Result<Array<'m, u8, SharedAllocator<'m>>, FormatError> {
    let mut code = Array::new_in(memory);
    text::try_format(&mut code, format_args!("local names = '{START} {UPDATE} on_save on_load"))?;
    for schema in world.schemas() {
        text::try_format(&mut code, format_args!(" {0} {0}_all", schema.name))?;
    }
    text::try_format(&mut code, format_args!("'{LOOK_ALIKES}"))?;
    Ok(code)
}
