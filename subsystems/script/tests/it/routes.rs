//! Plain and foreign bindings give the same, entry by entry.

use loligo_script::{Binding, Kind, Route, Value};

use crate::memory::with_memory;
use crate::world::{CAMERA, LAMP, World, bindings, machine, shown};

/// Runs code on both routes, many times so that it is compiled, and returns what it gives.
fn both(code: &str) -> String {
    let run = |route| {
        with_memory(|memory| {
            let mut world = World::default();
            let mut script = machine(route, memory);
            let first = shown(&mut script, &mut world, code);
            for _ in 0..3 {
                script.begin_frame();
                let again = shown(&mut script, &mut world, code);
                assert_eq!(again, first, "{route:?}: {code}");
            }
            (first, world)
        })
    };
    let (plain, foreign) = (run(Route::Plain), run(Route::Foreign));
    assert_eq!(plain, foreign, "{code}");
    plain.0
}

/// A good value of a kind, in Lua.
fn good(kind: Kind) -> String {
    match kind {
        Kind::Bool => "true".into(),
        Kind::Number => "2".into(),
        Kind::Text => "'text'".into(),
        Kind::Id(kind) | Kind::OptionalId(kind) if kind == CAMERA => "Camera.main()".into(),
        Kind::Id(kind) | Kind::OptionalId(kind) if kind == LAMP => {
            "Camera.lamp(Camera.main())".into()
        }
        Kind::Vector3 => "Vector3(1, 2, 3)".into(),
        Kind::Quaternion => "Quaternion.euler(0.1, 0.2, 0.3)".into(),
        Kind::Matrix4x4 => "Matrix4x4.pose(Quaternion.identity(), Vector3(4, 5, 6))".into(),
        Kind::Numbers => "{ 1, 2, 3 }".into(),
        Kind::Fields => "{ name = 'text' }".into(),
        other => panic!("no value for {other:?}"),
    }
}

/// Values that are wrong for most kinds.
const WRONG: &[&str] = &[
    "nil",
    "true",
    "1",
    "0/0",
    "-1e300",
    "2^40 + 0.5",
    "''",
    "'7'",
    "{}",
    "{ 'x' }",
    "print",
    "coroutine.create(print)",
    "Camera.main()",
    "Camera.main() + Camera.main()",
    "Vector3(0, 0, 0)",
    "Quaternion.identity()",
    "Matrix4x4.identity()",
];

/// All tables of bindings, the crate's own included.
fn all_bindings() -> Vec<Binding<World>> {
    with_memory(|memory| machine(Route::Plain, memory).bindings().to_vec())
}

#[test]
fn every_binding_gives_the_same_on_both_routes() {
    let all = all_bindings();
    assert!(all.len() > bindings().len() + 20, "only {} bindings", all.len());
    for binding in &all {
        let good: Vec<_> = binding.arguments.iter().map(|kind| good(*kind)).collect();
        let call = |arguments: &[String]| format!("{}({})", binding.name, arguments.join(", "));
        both(&call(&good));
        both(&format!("pcall({}, {})", binding.name, if good.is_empty() { "1" } else { &good[0] }));
        // In a loop, so that it is compiled.
        both(&format!("local r for i = 1, 60 do r = {} end return r", call(&good)));
    }
}

#[test]
fn every_wrong_argument_gives_the_same_error_on_both_routes() {
    with_memory(|memory| {
        let mut worlds = [World::default(), World::default()];
        let mut scripts = [machine(Route::Plain, memory), machine(Route::Foreign, memory)];
        for binding in all_bindings() {
            for place in 0..binding.arguments.len() {
                for wrong in WRONG {
                    let mut arguments: Vec<_> =
                        binding.arguments.iter().map(|kind| good(*kind)).collect();
                    arguments[place] = (*wrong).into();
                    let code = format!("{}({})", binding.name, arguments.join(", "));
                    let [plain, foreign] = [0, 1].map(|index| {
                        scripts[index].begin_frame();
                        shown(&mut scripts[index], &mut worlds[index], &code)
                    });
                    assert_eq!(plain, foreign, "{code}");
                }
            }
        }
        assert_eq!(worlds[0], worlds[1]);
    });
}

#[test]
fn tables_of_numbers_are_read_in_place() {
    for (code, result) in [
        ("sum(0, {})", "0\t0"),
        ("sum(0.5, { 1, 2, 3 })", "6.5\t0"),
        ("local t = {} for i = 1, 1000 do t[i] = i end return sum(0, t)", "500500\t0"),
        // Backwards they are in the part of the table that is hashed.
        ("local t = {} for i = 9, 1, -1 do t[i] = i end return sum(0, t)", "45\t0"),
        ("sum(0, { 1, 2, 'x', 4 })", "3\t2"),
        ("sum(0, { n = 5 })", "0\t0"),
        ("sum(0, setmetatable({}, { __index = function() return 1 end }))", "0\t0"),
        ("sum(1, 2)", "error: sum: argument 2 must be a table of numbers, and is a number"),
        ("sum(1)", "error: sum: argument 2 must be a table of numbers, and is nil"),
        (
            "fields({ name = 'Ada', count = 3, is = true })",
            "[65, 100, 97] Number(3.0) Bool(true) - - - ",
        ),
        (
            "fields({ name = '', count = -0.5, is = false, [''] = print })",
            "[] Number(-0.5) Bool(false) Other - - ",
        ),
        (
            "fields({ ['a\\0b'] = 1, ['größe'] = 'ß', name = {} })",
            "Other - - - Number(1.0) [195, 159] ",
        ),
        ("fields({ count = Camera.main(), 'name', [1] = 'count' })", "- id - - - - "),
        (
            "local t = {} for i = 1, 300 do t['n' .. i] = i t[i] = i end t.count = 7 t.name = nil return fields(t)",
            "- Number(7.0) - - - - ",
        ),
        ("fields({})", "- - - - - - "),
        ("fields()", "- - - - - - "),
        ("fields(nil)", "- - - - - - "),
        ("fields(setmetatable({}, { __index = function() return 1 end }))", "- - - - - - "),
        (
            "fields(3)",
            "error: fields: argument 1 must be a table of names and values, and is a number",
        ),
        (
            "fields('name')",
            "error: fields: argument 1 must be a table of names and values, and is a string",
        ),
        ("vectors({ Vector3(1, 2, 3), 4, Camera.main(), Vector3(0, 5, 0) })", "107"),
    ] {
        let shown = both(code);
        assert!(shown.contains(result), "{code}: {shown}");
    }
}

#[test]
fn results_are_what_they_should_be() {
    assert_eq!(both("mixed(2, true, 'a')"), "3\tfalse\t<a>");
    assert_eq!(both("Vector3.elements(Vector3(1, 2, 3))"), "1\t2\t3");
    assert_eq!(both("Vector3.cross(Vector3(1, 0, 0), Vector3(0, 1, 0))"), "Vector3[0, 0, 1]");
    assert_eq!(both("Lamp.number(Camera.lamp(Camera.main()))"), "4294967202");
    assert_eq!(both("Camera.lamp(nil)"), "nil");
    assert_eq!(both("Camera.lamp(Camera.main())"), "Lamp 4294967202");
    assert_eq!(both("Camera.set_position(Camera.main(), Vector3(1, 2, 3))"), "");
    let echo = |camera: &str| {
        let lamp = "Camera.lamp(Camera.main())";
        both(&format!("local x = direct.echo({camera}, {lamp}, Vector3(1, 2, 3), 2) return x"))
    };
    assert_eq!(echo("Camera.main()"), "Lamp 4294967202");
    assert_eq!(echo("nil"), "nil");
    assert_eq!(echo("Camera.main() + 1"), "error: console:1: direct.echo: there is no such camera");
    assert_eq!(both("direct.both(true, true)"), "true");
    assert_eq!(both("direct.both(true, false)"), "false");
    assert_eq!(both("direct.count()"), "");
    assert_eq!(both("direct.not_a_number() ~= direct.not_a_number()"), "true");
    let error = both("local x = direct.panics()");
    assert!(error.contains("direct.panics: a panic in the engine: assertion"), "{error}");
    assert_eq!(both("not_a_number() ~= not_a_number()"), "true");
    assert_eq!(both("bytes('a\\0b')"), "195");
    assert_eq!(both("bytes('')"), "0");
    assert_eq!(both("Matrix4x4.column(Matrix4x4.identity(), 2)"), "0\t1\t0\t0");
    let boxed = "local b = Matrix4x4Box(pose(turn(0), Vector3(1, 2, 3))) \
        return Matrix4x4.translation(b:unbox())";
    assert_eq!(both(boxed), "Vector3[1, 2, 3]");
    let boxed = "local b = Vector3Box() b:store(Vector3(1, 2, 3)) return Vector3.x(b:unbox())";
    assert_eq!(both(boxed), "1");
}

#[test]
fn wrong_arguments_are_named() {
    let error = both("local x = Camera.set_position(Vector3(1, 2, 3), Vector3(1, 2, 3))");
    assert_eq!(
        error,
        "error: console:1: Camera.set_position: argument 1 must be a Camera, and is a Vector3"
    );
    let error = both("local x = 1\nlocal y = Camera.position(Camera.lamp(Camera.main()))");
    assert_eq!(
        error,
        "error: console:2: Camera.position: argument 1 must be a Camera, and is a Lamp"
    );
    let error = both("local v = Camera.position()");
    assert_eq!(error, "error: console:1: Camera.position: argument 1 must be a Camera, and is nil");
    let error = both("local m = mixed(1, true, Camera.main())");
    assert_eq!(error, "error: console:1: mixed: argument 3 must be a string, and is a Camera");
    let error = both("local m = Vector3.x(Vector3(1, 2, 3) + Vector3(1, 2, 3))");
    assert_eq!(
        error,
        "error: console:1: Vector3.x: argument 1 must be a Vector3, and is a plain number"
    );
    let error = both("local x = mixed(1, true, '\\255')");
    assert_eq!(error, "error: console:1: mixed: argument 3 is not UTF-8 from its byte 1 on");
}

#[test]
fn temporaries_end_with_the_frame() {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| {
            let mut world = World::default();
            let mut script = machine(route, memory);
            assert_eq!(
                shown(&mut script, &mut world, "v = Vector3(1, 2, 3) b = Vector3Box(v)"),
                ""
            );
            assert_eq!(shown(&mut script, &mut world, "Vector3.x(v)"), "1");
            script.begin_frame();
            let error = shown(&mut script, &mut world, "local x = Vector3.x(v)");
            let wanted = "error: console:1: Vector3.x: argument 1 is a Vector3 of a frame that is \
                over; keep it in a Vector3Box";
            assert_eq!(error, wanted);
            // Not even when its place is in use again.
            let error = shown(
                &mut script,
                &mut world,
                "local w = Vector3(5, 6, 7) return 0 + Vector3.x(v)",
            );
            assert_eq!(error, wanted);
            assert_eq!(shown(&mut script, &mut world, "Vector3.x(b:unbox())"), "1");
            let error = shown(&mut script, &mut world, "for i = 1, 65 do Vector3(i, 0, 0) end");
            assert!(error.contains("this frame has had its 64 temporaries of Vector3"), "{error}");
            assert_eq!(script.temporaries_peak(), 64);
        });
    }
}

#[test]
fn callbacks_get_their_arguments() {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| {
            let mut world = World::default();
            let mut script = machine(route, memory);
            let code = "function on(a, b, c, d, e) print(a, b, c, d, e) \
                Camera.set_position(d, e) end";
            assert_eq!(shown(&mut script, &mut world, code), "");
            let on = script.callback("on").unwrap();
            let arguments = [
                Value::Number(1.5),
                Value::Bool(true),
                Value::Text("text"),
                Value::Id(CAMERA, 7),
                Value::Vector3([1.0, 2.0, 3.0].into()),
            ];
            assert!(script.call(&mut world, on, &arguments).unwrap());
            assert_eq!(world.printed, ["1.5\ttrue\ttext\tCamera 7\tVector3[1, 2, 3]"]);
            assert_eq!(world.position, [1.0, 2.0, 3.0].into());
            let none = script.callback("Game.none").unwrap();
            assert!(!script.call(&mut world, none, &[]).unwrap());
            assert_eq!(script.callback("on").unwrap(), on);
        });
    }
}
