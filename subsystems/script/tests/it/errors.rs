//! Errors stop the call, not the machine.

use loligo_script::{Binding, Route, Script, ScriptErrorKind, Settings, Value};

use crate::memory::with_memory;
use crate::world::{World, bindings, machine, shown};

/// Runs a test on both routes.
fn on_both(mut test: impl FnMut(&mut Script<'_, World>, &mut World)) {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| test(&mut machine(route, memory), &mut World::default()));
    }
}

#[test]
fn an_error_tells_file_line_and_stack() {
    on_both(|script, world| {
        world.modules = vec![(
            "game/door".into(),
            "local function open(door)\n  return door.handle.turn\nend\n\
             function update(dt)\n  local door = {}\n  return 1 + open(door)\nend\n"
                .into(),
        )];
        script.load(world, "game/door").unwrap();
        let update = script.callback("update").unwrap();
        for _ in 0..3 {
            let error = script.call(world, update, &[Value::Number(0.1)]).unwrap_err();
            assert_eq!(error.kind(), ScriptErrorKind::Run);
            let (file, line, reason) = error.place().unwrap();
            assert_eq!((file, line), ("game/door.lua", 2));
            assert_eq!(reason, "attempt to index field 'handle' (a nil value)");
            assert!(error.stack().contains("game/door.lua:6: in function"), "{error}");
        }
        assert_eq!(shown(script, world, "1 + 1"), "2");
    });
}

#[test]
fn what_the_engine_does_wrong_is_an_error_of_the_script() {
    on_both(|script, world| {
        let error = shown(script, world, "panics()");
        assert_eq!(error, "error: panics: a panic in the engine: on purpose");
        // In machine code, too.
        let code = "for i = 1, 300 do if i == 290 then panics() else nothing() end end";
        assert_eq!(
            shown(script, world, code),
            "error: console:1: panics: a panic in the engine: on purpose"
        );
        let error = shown(script, world, "return (returns_nothing())");
        assert_eq!(error, "error: console:1: returns_nothing: it returned 0 results of 1");
        let error = shown(script, world, "wrong_kind(1)");
        assert!(
            error.contains("wrong_kind: a panic in the engine: argument 0 is a number"),
            "{error}"
        );
        let error = shown(script, world, "return (long_text())");
        assert!(error.contains("a text of 5000 bytes is too long to return"), "{error}");
        let error = script.load(world, "panics").unwrap_err();
        assert!(error.message().contains("a panic in the engine"), "{error}");
        assert_eq!(shown(script, world, "add(1, 2)"), "3");
    });
}

#[test]
fn errors_that_are_no_texts_are_told() {
    on_both(|script, world| {
        assert_eq!(
            shown(script, world, "error({})"),
            "error: an error that is no text, but a table"
        );
        assert_eq!(shown(script, world, "error()"), "error: an error that is no text, but a nil");
        let code = "error(setmetatable({}, {__tostring = function() return 'own' end}))";
        assert_eq!(shown(script, world, code), "error: own");
        let code = "error(setmetatable({}, {__tostring = function() error('again') end}))";
        assert!(shown(script, world, code).starts_with("error: "));
        let deep = shown(script, world, "local function f() return 1 + f() end f()");
        assert!(deep.contains("stack overflow"), "{deep}");
        assert!(shown(script, world, "x = = 1").starts_with("error: console:1: unexpected symbol"));
    });
}

#[test]
fn a_script_that_does_not_end_is_stopped() {
    on_both(|script, world| {
        script.set_instructions_max(Some(1_000_000)).unwrap();
        let code = "local n = 0 while true do n = n + 1 end";
        let error = shown(script, world, code);
        assert!(error.starts_with("error: console:1: the call ran more instructions"), "{error}");
        // Nor can it catch that and go on.
        let error =
            shown(script, world, "while true do pcall(function() while true do end end) end");
        assert!(error.contains("the call ran more instructions"), "{error}");
        let code = "local c = coroutine.wrap(function() while true do end end) c()";
        assert!(shown(script, world, code).contains("more instructions"));
        assert_eq!(script.count_objects().unwrap().of("Car"), 0);
        let none = script.callback("none").unwrap();
        assert!(!script.call(world, none, &[]).unwrap());
        assert_eq!(shown(script, world, "1 + 1"), "2");
        script.set_instructions_max(None).unwrap();
        let code = "local n = 0 for i = 1, 3000000 do n = n + 1 end return n";
        assert_eq!(shown(script, world, code), "3000000");
    });
}

#[test]
fn scripts_reach_nothing_that_is_not_theirs() {
    on_both(|script, world| {
        let names = "io, os, package, ffi, jit, dofile, loadfile, string.dump, debug.getregistry, \
            debug.sethook, debug.setmetatable, gcinfo, module, newproxy";
        let nothing = vec!["nil"; names.split(',').count()].join("\t");
        assert_eq!(shown(script, world, names), nothing);
        let bytecode = "load('\\27LJ\\2')";
        assert!(shown(script, world, bytecode).contains("attempt to load chunk with wrong mode"));
        assert!(shown(script, world, "loadstring('\\27LJ\\2')").contains("wrong mode"));
        assert!(shown(script, world, "require 'ffi'").contains("there is no module `ffi`"));
        assert!(shown(script, world, "collectgarbage('count') > 10").contains("true"));
        assert!(shown(script, world, "collectgarbage()").contains("the engine collects"));
        world.modules = vec![("bytecode".into(), "\u{1b}LJ".into())];
        assert!(script.load(world, "bytecode").unwrap_err().message().contains("binary chunk"));
    });
}

#[test]
fn bindings_that_are_wrong_are_named() {
    with_memory(|memory| {
        for (name, what) in [
            ("Camera.set.position", "its name must be"),
            ("", "its name must be"),
            ("Camera.end now", "its name must be"),
            ("Vector3.new", "there is another of that name"),
        ] {
            let binding = Binding { name, ..bindings()[0] };
            let error = Script::try_new(&[binding], &Settings::default(), memory).unwrap_err();
            assert_eq!(error.kind(), ScriptErrorKind::Binding);
            assert!(error.text().contains(what), "{error}");
        }
    });
}
