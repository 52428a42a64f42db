//! Memory that runs out, at each place in turn.

use loligo_allocators::Refusals;
use loligo_script::{Collector, CollectorSettings, Route, Script, Settings, Value};

use crate::memory::refusing;
use crate::world::{World, bindings};

const GAME: &str = "local M, n = {}, 0
function M.count() n = n + 1 return n end
function update(x, text)
    local a, b, c = x, text, {}
    local f = function() return a, b, c, n end
    coroutine.wrap(function() coroutine.yield(f()) end)()
    Camera.set_position(Camera.main(), Vector3(x, M.count(), #(text .. x)))
end
return M";

/// Uses a machine in most ways; each may be refused, and is tried again.
fn use_all(memory: &dyn loligo_allocators::Allocator, route: Route) {
    let mut world = World::with(&[("game", GAME)]);
    let settings = Settings { route, checks: true, temporaries: 8, ..Settings::default() };
    let table = bindings();
    let make = || Script::try_new(&table, &settings, memory);
    let mut script = make().or_else(|_| make()).unwrap();
    let mut twice = |work: &mut dyn FnMut(&mut Script<'_, World>, &mut World) -> bool| {
        script.begin_frame();
        let is_done = work(&mut script, &mut world) || work(&mut script, &mut world);
        assert!(is_done, "it fails though memory is there again");
        script.validate();
    };
    twice(&mut |script, world| script.load(world, "game").is_ok());
    twice(&mut |script, world| {
        let Ok(update) = script.callback("update") else { return false };
        script.begin_frame();
        script.call(world, update, &[Value::Number(1.0), Value::Text("new text")]).is_ok()
    });
    twice(&mut |script, world| script.reload(world, "game").is_ok());
    twice(&mut |script, _| script.count_objects().is_ok());
    let mut collector = Collector::new(CollectorSettings::default());
    twice(&mut |script, _| collector.collect(script, || false).is_ok());
    twice(&mut |script, _| script.collect_all().is_ok());
}

#[test]
fn each_refusal_is_an_error_and_no_more() {
    for route in [Route::Plain, Route::Foreign] {
        let mut number = 0;
        while refusing(Refusals::Nth(number), |memory| use_all(memory, route)).0 > 0 {
            // Making a machine takes some two thousand blocks, one much like the other.
            number += if number < 64 { 1 } else { 7 };
        }
        assert!(number > 500, "only {number} requests");
    }
}
