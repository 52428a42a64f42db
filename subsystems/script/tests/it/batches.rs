//! One call for many objects: what scripts do with views, and what they cannot do.

use loligo_script::{
    Callback, IdKind, Route, Script, ScriptError, ScriptErrorKind, Settings, VIEWS_MAX, Value, View,
};

use crate::memory::with_memory;
use crate::world::{LAMP, World, bindings, machine, shown};

const ENTITY: IdKind = IdKind::new(40, "Entity");

/// Runs a test on both routes, compiled and not.
fn on_all(mut test: impl FnMut(&mut Script<'_, World>, &mut World)) {
    for route in [Route::Plain, Route::Foreign] {
        for checks in [true, false] {
            for instructions_max in [None, Some(50_000_000)] {
                let settings = Settings { route, checks, instructions_max, temporaries: 64 };
                with_memory(|memory| {
                    let mut script = Script::try_new(&bindings(), &settings, memory).unwrap();
                    test(&mut script, &mut World::default());
                    script.validate();
                });
            }
        }
    }
}

/// Defines `run` and finds it.
fn defined(script: &mut Script<'_, World>, world: &mut World, code: &str) -> Callback {
    script.evaluate(world, code).unwrap();
    script.callback("run").unwrap()
}

/// Calls `run` with four ids, and numbers that it may write; returns the error's message.
fn message(script: &mut Script<'_, World>, world: &mut World, body: &str) -> String {
    let run = defined(script, world, &format!("function run(ids, xs, ys)\n{body}\nend"));
    let (ids, ys) = ([5, 6, 7, 8], [1.0, 2.0, 3.0, 4.0]);
    let mut xs = [0.0_f32; 4];
    let mut views = [View::Ids(ENTITY, &ids), View::FloatsMut(&mut xs), View::Numbers(&ys)];
    let result = script.call_batch(world, run, &mut views, &[]);
    script.validate();
    result.map_or_else(|error| error.message().to_owned(), |_| "no error".to_owned())
}

#[test]
fn a_batch_reads_and_writes_in_place() {
    on_all(|script, world| {
        let code = "function run(ids, lamps, xs, ys, zs, dt, up)
            assert(#ids == 1000 and #lamps == 1 and #xs == 1000 and up == true)
            for i = 1, #ids do
                xs[i] = xs[i] + ys[i] * dt
                zs[i] = zs[i] + Lamp.number(lamps[1])
            end
            first, last = ids[1], ids[#ids]
        end";
        let run = defined(script, world, code);
        let ids: Vec<u32> = (0..1000).map(|id| u32::MAX - id).collect();
        let ys: Vec<f32> = (0..1000).map(|y| y as f32).collect();
        let (mut xs, mut zs) = (vec![1.0_f64; 1000], vec![0.5_f32; 1000]);
        for _ in 0..3 {
            let mut views = [
                View::Ids(ENTITY, &ids),
                View::Ids(LAMP, &[9]),
                View::NumbersMut(&mut xs),
                View::Floats(&ys),
                View::FloatsMut(&mut zs),
            ];
            let arguments = [Value::Number(0.25), Value::Bool(true)];
            assert!(script.call_batch(world, run, &mut views, &arguments).unwrap());
        }
        for (index, (x, z)) in xs.iter().zip(&zs).enumerate() {
            assert_eq!((*x, *z), (1.0 + 0.75 * index as f64, 27.5), "of {index}");
        }
        let bits = (f64::from(40) * 2f64.powi(32) + f64::from(u32::MAX - 999) + 0.5).to_string();
        assert_eq!(shown(script, world, &format!("last == {bits}")), "true");
    });
}

#[test]
fn ids_of_a_view_have_their_kind() {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| {
            let (mut script, mut world) = (machine(route, memory), World::default());
            assert_eq!(message(&mut script, &mut world, "assert(ids[1] ~= ids[2])"), "no error");
            let error = message(&mut script, &mut world, "Lamp.number(ids[2])");
            assert!(error.contains("Lamp.number: argument 1 must be a Lamp, and is a "), "{error}");
            assert!(error.ends_with("(in the batch of `run`, at index 2: Entity 6)"), "{error}");
        });
    }
}

#[test]
fn a_view_that_is_kept_is_refused() {
    on_all(|script, world| {
        let run = defined(script, world, "function run(xs) kept = kept or xs return xs[1] end");
        let call = |script: &mut Script<'_, World>, world: &mut World| {
            let mut xs = [1.0, 2.0];
            script.call_batch(world, run, &mut [View::NumbersMut(&mut xs)], &[]).unwrap()
        };
        assert!(call(script, world));
        for code in ["local x = kept[1]", "kept[1] = 2", "local x = #kept"] {
            let error = shown(script, world, code);
            assert_eq!(
                error,
                "error: console:1: this view is of a call that is over; copy what you need of it \
                 while the call runs",
                "{code}"
            );
        }
        // In another batch, whose views are in the same places, and in compiled code.
        let run = defined(
            script,
            world,
            "function run(xs) for i = 1, 300 do local x = (i < 290 and xs or kept)[1] end end",
        );
        let mut xs = [1.0, 2.0];
        let error = script.call_batch(world, run, &mut [View::NumbersMut(&mut xs)], &[]);
        let error = error.unwrap_err();
        assert!(error.message().contains("of a call that is over"), "{error}");
        assert_eq!(shown(script, world, "kept"), "View");
    });
}

#[test]
fn what_is_not_in_a_view_is_refused() {
    on_all(|script, world| {
        let mut refused = |body: &str, wanted: &str| {
            for body in
                [body.to_owned(), format!("for i = 1, 200 do local x = xs[1] + #xs end {body}")]
            {
                let error = message(script, world, &body);
                assert!(error.starts_with("console:2: "), "{body}: {error}");
                assert!(error.contains(wanted), "{body}: {error}");
            }
        };
        for key in ["0", "5", "-1", "1.5", "0/0", "1e300", "-1e300", "2^32", "1/0"] {
            refused(&format!("local x = xs[{key}]"), "the view has no index ");
            refused(&format!("xs[{key}] = 1"), "they are whole numbers from 1 to 4");
        }
        refused("xs[#xs + 1] = 1", "the view has no index 5");
        refused("local x = xs['a']", "a view is indexed by whole numbers");
        refused("local x = xs.a", "a view is indexed by whole numbers");
        refused("local x = xs[nil]", "a view is indexed by whole numbers");
        refused("xs[{}] = 1", "a view is indexed by whole numbers");
        refused("ys[1] = 1", "this view can be read, not written");
        refused("ids[1] = ids[2]", "this view can be read, not written");
        refused("xs[1] = '1'", "a view holds numbers");
        refused("xs[1] = nil", "a view holds numbers");
        refused("for i = 1, 200 do xs[1] = i < 190 and i or 'x' end", "a view holds numbers");
        refused("for i = 1, 200 do xs[i < 190 and 1 or 'x'] = 1 end", "indexed by whole numbers");
        refused("for i = 1, 200 do local x = xs[i] end", "the view has no index 5");
        // What is computed of a view is another view of this call, or none.
        refused("local x = (xs + 100)[1]", "of a call that is over");
        refused("local x = (xs - 0.25)[1]", "attempt to index a number value");
        refused("local x = (xs + ids)[1]", "attempt to index a number value");
        refused("coroutine.yield()", "attempt to yield");
    });
}

#[test]
fn numbers_are_indexed_by_mistake_as_before() {
    on_all(|script, world| {
        let mut gives = |code: &str, wanted: &str| {
            assert_eq!(shown(script, world, code), format!("error: console:1: {wanted}"));
        };
        gives("local n = 5 local x = n.y", "attempt to index a number value by 'y'");
        gives("local n = 5 n.y = 1", "attempt to index a number value by 'y'");
        gives("local n = 5 local x = n[1]", "attempt to index a number value");
        gives("local n = 5 local x = #n", "attempt to get length of a number value");
        gives("local v = Vector3(1, 2, 3) local x = v.x", "attempt to index a Vector3 by 'x'");
        gives("local v = Vector3(1, 2, 3) v.x = 1", "attempt to index a Vector3 by 'x'");
        gives("local c = Camera.main() local x = #c", "attempt to get length of a Camera");
        assert_eq!(shown(script, world, "pcall(getmetatable, 1)"), "true\tfalse");
        let error = shown(script, world, "setmetatable(1, {})");
        assert!(error.starts_with("error: "), "{error}");
    });
}

/// Code that was compiled for one call holds for the next, with other arrays.
#[test]
fn compiled_code_sees_other_arrays_in_the_next_call() {
    on_all(|script, world| {
        let code = "function run(xs, ys, count) for i = 1, count do xs[i] = xs[i] + ys[i] end end";
        let run = defined(script, world, code);
        for round in 0..40 {
            let count = if round % 4 == 3 { 10 } else { 1000 };
            let asked = Value::Number(if round % 8 == 7 { 11.0 } else { f64::from(count) });
            let (mut floats, mut doubles) = (vec![1.0_f32; 1000], vec![2.0_f64; 1000]);
            let ys: Vec<f64> = (0..count).map(f64::from).collect();
            let len = count as usize;
            let xs = if round % 3 == 0 {
                View::NumbersMut(&mut doubles[..len])
            } else {
                View::FloatsMut(&mut floats[..len])
            };
            let result = script.call_batch(world, run, &mut [xs, View::Numbers(&ys)], &[asked]);
            if round % 8 == 7 {
                let error = result.unwrap_err();
                assert!(error.message().contains("the view has no index 11"), "{error}");
            } else {
                assert!(result.unwrap(), "round {round}");
            }
            for index in 0..1000 {
                let added = if index < len { index as f64 } else { 0.0 };
                let (float, double) = (f64::from(floats[index]), doubles[index]);
                let wanted = if round % 3 == 0 { (1.0, 2.0 + added) } else { (1.0 + added, 2.0) };
                assert_eq!((float, double), wanted, "round {round}, index {index}");
            }
        }
        // Writable, then not; a view, then a number.
        let mut xs = vec![0.0_f32; 1000];
        let ys = vec![0.0; 1000];
        let asked = [Value::Number(1000.0)];
        let mut views = [View::FloatsMut(&mut xs), View::Numbers(&ys)];
        assert!(script.call_batch(world, run, &mut views, &asked).unwrap());
        let mut views = [View::Floats(&xs), View::Numbers(&ys)];
        let error = script.call_batch(world, run, &mut views, &asked).unwrap_err();
        assert!(error.message().contains("this view can be read, not written"), "{error}");
        let mut views = [View::FloatsMut(&mut xs)];
        let asked = [Value::Number(5.0), Value::Number(1000.0)];
        let error = script.call_batch(world, run, &mut views, &asked).unwrap_err();
        assert!(error.message().contains("attempt to index a number value"), "{error}");
    });
}

#[test]
fn nan_may_come_and_go() {
    on_all(|script, world| {
        let code = "function run(xs, fs, x)
            local count = 0
            for i = 1, #xs do
                if xs[i] ~= xs[i] then count = count + 1 end
                if fs[i] ~= fs[i] then count = count + 1 end
            end
            xs[7], fs[8], xs[9], seen = x, x, -(x + 0), count
        end";
        let run = defined(script, world, code);
        let (mut xs, mut fs) = (vec![0.0_f64; 300], vec![0.0_f32; 300]);
        for (x, wanted) in [(1.0, 0), (f64::NAN, 0), (f64::NAN, 3), (0.5, 3), (2.0, 0)] {
            let mut views = [View::NumbersMut(&mut xs), View::FloatsMut(&mut fs)];
            script.call_batch(world, run, &mut views, &[Value::Number(x)]).unwrap();
            assert_eq!(shown(script, world, "seen"), wanted.to_string());
        }
        assert_eq!((xs[6], fs[7], xs[8]), (2.0, 2.0, -2.0));
    });
}

#[test]
fn an_error_names_the_function_and_the_element() {
    on_all(|script, world| {
        let error = message(
            script,
            world,
            "for i = 1, 4 do local id = ids[i]\nlocal x = i > 2 and nil + 1 end",
        );
        assert_eq!(
            error,
            "console:3: attempt to perform arithmetic on a nil value (in the batch of `run`, at \
             index 3: Entity 7)"
        );
        let error = message(script, world, "error('none')");
        assert_eq!(error, "console:2: none (in the batch of `run`, at index 0)");
        let error = message(script, world, "local x = ys[2] panics()");
        assert!(
            error.contains("a panic in the engine: on purpose (in the batch of `run`"),
            "{error}"
        );
        assert_eq!(message(script, world, "pcall(function() return xs[9] end)"), "no error");
    });
}

#[test]
fn what_was_written_before_an_error_stays() {
    on_all(|script, world| {
        let code =
            "function run(xs) for i = 1, #xs do if i == 3 then error('no') end xs[i] = i end end";
        let run = defined(script, world, code);
        let mut xs = [0.0; 4];
        let error = script.call_batch(world, run, &mut [View::NumbersMut(&mut xs)], &[]);
        let error: ScriptError<'_> = error.unwrap_err();
        assert_eq!(error.kind(), ScriptErrorKind::Run);
        assert!(error.stack().contains("console:1: in function"), "{error}");
        assert_eq!(xs, [1.0, 2.0, 0.0, 0.0]);
    });
}

#[test]
fn a_batch_calls_the_engine_and_coroutines() {
    on_all(|script, world| {
        let code = "local seen = coroutine.wrap(function(xs)
                while true do xs[2] = xs[2] + add(xs[1], 1) xs = coroutine.yield() end
            end)
            function run(xs) nothing() seen(xs) end";
        let run = defined(script, world, code);
        let mut xs = [1.0, 0.0];
        for _ in 0..3 {
            script.call_batch(world, run, &mut [View::NumbersMut(&mut xs)], &[]).unwrap();
        }
        assert_eq!((xs, world.calls), ([1.0, 6.0], 3));
        // A coroutine that keeps its view is refused as any other.
        let code = "local seen = coroutine.wrap(function(xs)
                while true do local x = xs[1] coroutine.yield() end
            end)
            function run(xs) seen(xs) end";
        let run = defined(script, world, code);
        script.call_batch(world, run, &mut [View::NumbersMut(&mut xs)], &[]).unwrap();
        let error = script.call_batch(world, run, &mut [View::NumbersMut(&mut xs)], &[]);
        assert!(error.unwrap_err().message().contains("of a call that is over"));
    });
}

#[test]
fn a_batch_that_does_not_end_is_stopped() {
    let settings = Settings { instructions_max: Some(100_000), ..Settings::default() };
    with_memory(|memory| {
        let mut world = World::default();
        let mut script = Script::try_new(&bindings(), &settings, memory).unwrap();
        let code = "function run(xs) while true do xs[1] = xs[1] + 1 end end";
        let run = defined(&mut script, &mut world, code);
        let mut xs = [0.0];
        let error = script.call_batch(&mut world, run, &mut [View::NumbersMut(&mut xs)], &[]);
        let error = error.unwrap_err();
        assert!(error.message().contains("(in the batch of `run`, at index 1)"), "{error}");
        assert!(xs[0] > 1000.0, "{xs:?}");
        script.validate();
    });
}

#[test]
fn nan_and_nothing_are_values_as_others() {
    on_all(|script, world| {
        let code = "function run(xs, none, fs)
            assert(xs[1] ~= xs[1] and xs[2] ~= xs[2] and #none == 0 and fs[1] ~= fs[1])
            for i = 1, 200 do assert(xs[2] ~= xs[2]) end
            xs[1], xs[2] = 1 / 0, 0 / 0
        end";
        let run = defined(script, world, code);
        // Bits that LuaJIT would take for a reference.
        let mut xs = [f64::from_bits(0xffff_8000_0000_1234), -f64::NAN];
        let mut views = [
            View::NumbersMut(&mut xs),
            View::Numbers(&[]),
            View::Floats(&[f32::from_bits(0xffff_1234)]),
        ];
        script.call_batch(world, run, &mut views, &[]).unwrap();
        assert!(xs[0] == f64::INFINITY && xs[1].is_nan(), "{xs:?}");
    });
}

#[test]
fn a_batch_allocates_nothing() {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| {
            let mut world = World::default();
            let mut script = machine(route, memory);
            let code = "function run(ids, xs, dt) for i = 1, #ids do xs[i] = xs[i] + dt end end";
            let run = defined(&mut script, &mut world, code);
            let (ids, mut xs) = (vec![1; 50], vec![0.0_f32; 50]);
            let mut before = script.memory_use();
            for call in 0..3000 {
                if call == 1000 {
                    before = script.memory_use();
                }
                let mut views = [View::Ids(ENTITY, &ids), View::FloatsMut(&mut xs)];
                let arguments = [Value::Number(1.0)];
                script.call_batch(&mut world, run, &mut views, &arguments).unwrap();
            }
            assert_eq!(script.memory_use(), before, "{route:?}");
            assert!(xs.iter().all(|x| *x == 3000.0), "{route:?}: {xs:?}");
        });
    }
}

#[test]
fn there_need_not_be_such_a_function() {
    with_memory(|memory| {
        let mut script = machine(Route::Foreign, memory);
        let run = script.callback("run").unwrap();
        assert!(!script.call_batch(&mut World::default(), run, &mut [], &[]).unwrap());
        script.validate();
    });
}

#[test]
#[should_panic(expected = "17 views are more than the 16 of a call")]
fn more_views_than_a_call_has_are_a_panic() {
    with_memory(|memory| {
        let mut script = machine(Route::Foreign, memory);
        let run = script.callback("run").unwrap();
        let mut views: Vec<_> = (0..=VIEWS_MAX).map(|_| View::Numbers(&[])).collect();
        let _ = script.call_batch(&mut World::default(), run, &mut views, &[]);
    });
}

#[test]
fn a_callback_is_defined_while_there_is_a_function_of_its_name() {
    on_all(|script, world| {
        let run = script.callback("lib.run").unwrap();
        assert!(!script.is_defined(run).unwrap(), "not yet");
        script.evaluate(world, "lib = { run = function() end }").unwrap();
        assert!(script.is_defined(run).unwrap() && script.call(world, run, &[]).unwrap());
        script.evaluate(world, "lib.run = 5").unwrap();
        assert!(!script.is_defined(run).unwrap() && !script.call(world, run, &[]).unwrap());
    });
}
