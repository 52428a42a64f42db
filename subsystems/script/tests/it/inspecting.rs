//! What is alive, what holds it, and which calls make garbage.

use loligo_script::Route;

use crate::memory::with_memory;
use crate::world::{World, machine, shown};

const CARS: &str = "
Car = {} Car.__index = Car
function Car.new(number) return setmetatable({ number = number }, Car) end
managers = { traffic = { active = {} } }
for i = 1, 50 do managers.traffic.active[i] = Car.new(i) end
";

#[test]
fn objects_are_counted_by_type() {
    with_memory(|memory| {
        let mut world = World::default();
        let mut script = machine(Route::Foreign, memory);
        let before = script.count_objects().unwrap();
        assert_eq!(before.of("Car"), 0);
        shown(&mut script, &mut world, CARS);
        let counts = script.count_objects().unwrap();
        assert_eq!(counts.of("Car"), 50);
        assert_eq!(counts.of("table"), before.of("table") + 4);
        // Itself it does not count.
        let (tables, again) = (counts.of("table"), script.count_objects().unwrap());
        assert_eq!((again.of("table"), again.of("Car")), (tables, 50));
        shown(&mut script, &mut world, "managers.traffic.active = {}");
        assert_eq!(script.count_objects().unwrap().of("Car"), 0);
        let order: Vec<_> = counts.iter().map(|(_, count)| count).collect();
        assert!(order.is_sorted_by(|a, b| a >= b), "{order:?}");
    });
}

#[test]
fn the_way_to_what_is_held_is_found() {
    let ways = [
        ("managers.traffic.active[7] = Car.new(1)", "globals.managers.traffic.active[7]"),
        ("managers['two words'] = Car.new(1)", "globals.managers[\"two words\"]"),
        (
            "do local hidden = Car.new(1) function update() return hidden end end",
            "globals.update.upvalue(hidden)",
        ),
        (
            "thing = setmetatable({}, { __index = { car = Car.new(1) } })",
            "globals.thing.metatable().__index.car",
        ),
        ("keys = { [Car.new(1)] = true }", "globals.keys.key(table)"),
        (
            "routine = coroutine.create(function() local mine = Car.new(1) coroutine.yield() \
            return mine end) coroutine.resume(routine)",
            "globals.routine.local(mine)",
        ),
        ("function f() end setfenv(f, { car = Car.new(1) })", "globals.f.environment().car"),
        ("weak = setmetatable({ Car.new(1) }, { __mode = 'v' })", ""),
    ];
    for (code, way) in ways {
        with_memory(|memory| {
            let mut world = World::default();
            let mut script = machine(Route::Foreign, memory);
            let classes = "Car = {} function Car.new(n) return setmetatable({ n }, Car) end \
                managers = { traffic = { active = {} } }";
            assert_eq!(shown(&mut script, &mut world, classes), "");
            assert_eq!(shown(&mut script, &mut world, code), "");
            let paths = script.object_paths("Car", 5).unwrap();
            let found: Vec<_> = paths.iter().collect();
            let wanted: Vec<_> = (!way.is_empty()).then_some(way).into_iter().collect();
            assert_eq!(found, wanted, "{code}");
        });
    }
}

#[test]
fn who_makes_garbage_is_found() {
    with_memory(|memory| {
        let mut world = World::with(&[(
            "game",
            "local function point(x)\n  return { x, x }\nend\n\
             local function near()\n  return point(2)\nend\n\
             function update()\n  for i = 1, 10 do point(i) end\n  near()\n  local s = 'a' .. frame\n\
             frame = frame + 1\nend\nframe = 0\n",
        )]);
        let mut script = machine(Route::Foreign, memory);
        script.load(&mut world, "game").unwrap();
        let update = script.callback("update").unwrap();
        for _ in 0..10 {
            script.call(&mut world, update, &[]).unwrap();
        }
        script.begin_trace(64).unwrap();
        for _ in 0..100 {
            script.call(&mut world, update, &[]).unwrap();
        }
        let trace = script.end_trace().unwrap().unwrap();
        assert_eq!(trace.lost(), 0);
        let places: Vec<_> = trace
            .entries()
            .map(|entry| {
                let lines = entry.frames().iter().filter(|frame| frame.file() == "game.lua");
                (lines.map(|frame| frame.line()).collect::<Vec<_>>(), entry.count)
            })
            .collect();
        // A table and its elements are two blocks, or one.
        let of =
            |lines: &[u32]| places.iter().find(|place| place.0 == lines).map_or(0, |place| place.1);
        assert!(of(&[2, 8]) >= 1000, "{places:?}");
        assert!(of(&[2, 5, 9]) + of(&[2, 9]) >= 100, "{places:?}");
        assert!(of(&[10]) >= 100, "{places:?}");
        assert_eq!(places[0].0, [2, 8]);
        assert!(script.end_trace().unwrap().is_none());

        // What has no room in the table is counted.
        script.begin_trace(1).unwrap();
        script.call(&mut world, update, &[]).unwrap();
        let trace = script.end_trace().unwrap().unwrap();
        assert!(trace.lost() > 0);
        assert_eq!(trace.entries().count(), 1);
        script.begin_trace(8).unwrap();
    });
}
