//! Scripts under the suite for subsystems: machines made, modules loaded, callbacks, the console,
//! the collector and the inspection, with each request for memory refused in turn.

use loligo_allocators::{Allocator, Arming, HeapAllocator, PageAllocator};
use loligo_script::{Binding, Collector, CollectorSettings, Host, Route, Script, Settings, Value};
use loligo_tests::Violation;
use loligo_tests::conformance::Watch;

use crate::subsystems::conforms;

/// One module, and a number that it sets.
#[derive(Default)]
struct World {
    set: f64,
}

impl Host for World {
    fn module(&mut self, name: &str) -> Option<&[u8]> {
        (name == "game").then_some(GAME.as_bytes())
    }
}

const GAME: &str = "local M = {}\nfunction M.double(x) return 2 * x end\n\
    function update(x, text)\n  local t = { x, #text }\n  set(M.double(t[1]) + t[2])\nend\nreturn M";

const BINDINGS: &[Binding<World>] =
    &[Binding::direct("set", "sets the number", |world: &mut World, to: f64| world.set = to)];

/// A script, used in all ways; what it shows may not change when something is refused.
fn used(route: Route, watch: &Watch<'_>) -> Result<(), Violation> {
    let settings = Settings { route, checks: true, temporaries: 16, ..Settings::default() };
    let make = |memory| Script::try_new(BINDINGS, &settings, memory);
    let mut world = World::default();
    let mut script = watch
        .make(make, |script: &Script<'_, World>| script.bindings().len())?
        .claiming(|script| script.memory_use().live_bytes as usize);
    script.call(|script| script.load(&mut world, "game"))?;
    let update = script.call(|script| script.callback("update"))?;
    let arguments = [Value::Number(4.0), Value::Text("text")];
    script.call(|script| script.call(&mut world, update, &arguments))?;
    assert_eq!(world.set, 12.0, "the callback was called");
    script.call(|script| script.reload(&mut world, "game"))?;
    script.call(|script| script.evaluate(&mut world, "#('a' .. 'b')"))?;
    let wrong = script.call(|script| {
        // An error takes memory for its text, or goes without.
        Ok::<_, core::convert::Infallible>(script.evaluate(&mut world, "nothing.x").is_err())
    })?;
    assert!(wrong, "there is no such variable");
    script.call(|script| script.count_objects())?;
    script.call(|script| script.begin_trace(4))?;
    script.call(|script| script.call(&mut world, update, &arguments))?;
    script.call(|script| script.end_trace().map(drop))?;
    let mut collector = Collector::new(CollectorSettings::default());
    script.call(|script| collector.collect(script, || false))?;
    script.call(Script::collect_all)
}

#[test]
fn scripts_with_foreign_bindings_conform() {
    conforms(|watch| used(Route::Foreign, watch));
}

#[test]
fn scripts_with_plain_bindings_conform() {
    conforms(|watch| used(Route::Plain, watch));
}

#[test]
fn callbacks_take_nothing_from_anywhere() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let mut world = World::default();
    let settings = Settings::default();
    let mut script = Script::try_new(BINDINGS, &settings, &heap).expect("there is memory");
    let code =
        "function quiet(x) set(Vector3.x(Vector3.add(Vector3(x, 0, 0), Vector3(x, 1, 2)))) end";
    script.evaluate(&mut world, code).expect("it is Lua");
    let quiet = script.callback("quiet").expect("there is memory");
    let mut frame = |script: &mut Script<'_, World>, number: u32| {
        script.begin_frame();
        let arguments = [Value::Number(f64::from(number))];
        assert!(script.call(&mut world, quiet, &arguments).expect("it works"));
        assert_eq!(world.set, f64::from(2 * number));
    };
    // Until all is compiled that will be.
    for number in 0..2000 {
        frame(&mut script, number);
    }
    let alone = crate::subsystems::ONE_AT_A_TIME.lock();
    let (before, blocks) = (script.memory_use(), heap.stats().allocations_total);
    let count = || crate::GUARD.violations().allocations + crate::GUARD.violations().frees;
    let heap_before = count();
    crate::GUARD.armed_with(Arming::new().count_only(), || {
        for number in 0..1000 {
            frame(&mut script, number);
        }
    });
    let violations = count() - heap_before;
    drop(alone);
    assert_eq!(violations, 0, "calls of the global heap");
    assert_eq!(script.memory_use(), before, "garbage was made");
    assert_eq!(heap.stats().allocations_total, blocks, "blocks of its memory");
}
