//! Modules: loaded by name, reloaded.

use loligo_script::{Route, Value};

use crate::memory::with_memory;
use crate::world::{World, machine, shown};

#[test]
fn modules_require_each_other() {
    with_memory(|memory| {
        let mut world = World::with(&[
            ("main", "local door = require 'door'\nfunction count() return door.count() end"),
            ("door", "local M = {} local n = 0 function M.count() n = n + 1 return n end return M"),
            ("a", "require 'b'"),
            ("b", "\nrequire 'a'"),
            ("broken", "local x = 1\nlocal y = = 2"),
            ("fails", "\n\nerror('at start')"),
            ("user", "require 'fails'"),
        ]);
        let mut script = machine(Route::Foreign, memory);
        script.load(&mut world, "main").unwrap();
        script.load(&mut world, "main").unwrap();
        assert_eq!(shown(&mut script, &mut world, "count() + count()"), "3");
        let error = script.load(&mut world, "a").unwrap_err();
        assert_eq!(error.place().unwrap().0, "b.lua");
        assert_eq!(error.place().unwrap().1, 2);
        assert!(error.message().contains("the module `a` requires itself"), "{error}");
        let error = script.load(&mut world, "nowhere").unwrap_err();
        assert!(error.message().contains("there is no module `nowhere`"), "{error}");
        let error = script.load(&mut world, "broken").unwrap_err();
        assert_eq!(error.place().unwrap().0, "broken.lua");
        assert_eq!(error.place().unwrap().1, 2);
        for _ in 0..2 {
            let error = script.load(&mut world, "user").unwrap_err();
            assert_eq!(error.message(), "fails.lua:3: at start");
            assert!(error.stack().contains("user.lua:1: in main chunk"), "{error}");
        }
        world.modules[6].1 = "return 5".into();
        world.modules[5].1 = "return 5".into();
        script.load(&mut world, "user").unwrap();
    });
}

#[test]
fn a_reload_reaches_code_that_runs() {
    with_memory(|memory| {
        let first = "local M = { count = 0, part = { f = function() return 1 end } }\n\
            local function step() return 1 end\n\
            function M.tick() M.count = M.count + step() return M.count end\n\
            function M.gone() end\n\
            return M";
        let second = "local M = { count = 1000, new = 5, part = { f = function() return 2 end } }\n\
            local function step() return 10 end\n\
            function M.tick() M.count = M.count + step() return M.count end\n\
            function M.added() return M.count end\n\
            return M";
        let mut world = World::with(&[
            ("part", first),
            (
                "main",
                "local part = require 'part'\nlocal inner = part.part\n\
                function update(dt) result = part.tick() end\n\
                function inside() return inner.f() end",
            ),
        ]);
        let mut script = machine(Route::Foreign, memory);
        script.load(&mut world, "main").unwrap();
        let update = script.callback("update").unwrap();
        for _ in 0..2 {
            script.call(&mut world, update, &[Value::Number(0.1)]).unwrap();
        }
        world.modules[0].1 = second.into();
        assert!(script.reload(&mut world, "part").unwrap());
        script.call(&mut world, update, &[Value::Number(0.1)]).unwrap();
        assert_eq!(shown(&mut script, &mut world, "result, inside()"), "12\t2");
        let seen = "local p = require 'part' return p.added(), p.gone, p.new, p.count";
        assert_eq!(shown(&mut script, &mut world, seen), "12\tnil\t5\t12");

        // A text that is not valid Lua, or fails, leaves the last good one.
        for wrong in ["function = 5", "error('no')"] {
            world.modules[0].1 = wrong.into();
            assert!(script.reload(&mut world, "part").is_err());
            script.call(&mut world, update, &[Value::Number(0.1)]).unwrap();
        }
        assert_eq!(shown(&mut script, &mut world, "result"), "32");

        // A callback that a reload replaces is the new one.
        world.modules[1].1 = "function update(dt) result = dt end".into();
        assert!(script.reload(&mut world, "main").unwrap());
        script.call(&mut world, update, &[Value::Number(0.5)]).unwrap();
        assert_eq!(shown(&mut script, &mut world, "result"), "0.5");
        assert!(!script.reload(&mut world, "never loaded").unwrap());
    });
}
