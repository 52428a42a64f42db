//! Scripts that do not end are stopped, whatever they are in the middle of. The clock is the test's
//! own.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::thread;

use loligo_script::{Route, Script, ScriptErrorKind, Watch, Watchdog};

use crate::memory::with_memory;
use crate::world::{World, machine, shown};

const LIMIT: Duration = Duration::from_secs(2);

/// Runs a line while another thread looks at it, by a clock on which a second passes between two
/// looks.
fn watched(
    script: &mut Script<'_, World>,
    world: &mut World,
    code: &str,
) -> Result<String, (ScriptErrorKind, String)> {
    let watch = script.watch();
    let is_over = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            let mut now = 0;
            // Relaxed: it says that the work is over, and orders nothing.
            while !is_over.load(Ordering::Relaxed) {
                now += 1_000_000_000;
                watch.look(now);
                thread::yield_now();
            }
        });
        let result = script.evaluate(world, code);
        is_over.store(true, Ordering::Relaxed);
        match result {
            Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Err(error) => Err((error.kind(), error.to_string())),
        }
    })
}

const ENDLESS: [(&str, &str); 12] = [
    ("interpreted loop", "jit_off = string.rep while true do local _ = pcall(error) end"),
    ("compiled loop", "local n = 0 while true do n = n + 1 end"),
    ("compiled loop of numbers", "for i = 1, 1e18 do end"),
    ("loop that catches", "while true do pcall(function() while true do end end) end"),
    (
        "loop that catches by a handler",
        "while true do xpcall(function() while true do end end, function() while true do end end) end",
    ),
    ("coroutine", "coroutine.wrap(function() while true do end end)()"),
    (
        "coroutine that catches",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    ),
    ("pattern", "('a'):rep(4000):find(('a*'):rep(20) .. 'b')"),
    (
        "plain search",
        "local a = ('a'):rep(2^22) while true do a:find(('a'):rep(2^21) .. 'b', 1, true) end",
    ),
    ("replacement", "while true do ('a'):rep(100):gsub('.', function() return 'b' end) end"),
    ("sort", "table.sort({ 3, 2, 1 }, function() while true do end end)"),
    ("recursion", "local function f() f() f() end while true do pcall(f) end"),
];

#[test]
fn what_does_not_end_is_stopped_and_the_machine_goes_on() {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| {
            let (mut script, mut world) = (machine(route, memory), World::default());
            script.set_time_max(Some(LIMIT));
            for (name, code) in ENDLESS {
                let (kind, text) = watched(&mut script, &mut world, code).expect_err(name);
                assert_eq!(kind, ScriptErrorKind::Stopped, "{name}: {text}");
                assert!(text.contains("the script ran longer than"), "{name}: {text}");
                script.validate();
                assert_eq!(shown(&mut script, &mut world, "1 + 1"), "2", "after {name}");
            }
            // Compiled code is as fast as before: nothing is left that looks at each instruction.
            let code = "local n = 0 for i = 1, 3000000 do n = n + 1 end return n";
            assert_eq!(shown(&mut script, &mut world, code), "3000000");
        });
    }
}

/// Each loop is compiled for the first time while the other thread looks without a pause: both
/// write LuaJIT's table of instructions. With `lua_sethook` from the other thread one of these went
/// on for good in one run of four, and another ended in an assertion of LuaJIT.
#[test]
fn a_loop_is_stopped_while_it_is_compiled() {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| {
            let (mut script, mut world) = (machine(route, memory), World::default());
            script.set_time_max(Some(LIMIT));
            for turn in 0..300 {
                let every = 2 + turn % 11;
                let code = format!(
                    "local t, n = {{}}, {turn} while true do for i = 1, 90 do \
                     if i % {every} == n % 3 then n = n + 1 else n = n - i end \
                     t[n % 5] = (t[i % 5] or 0) + 1 end end"
                );
                let stopped = watched(&mut script, &mut world, &code).expect_err("it has no end");
                assert_eq!(stopped.0, ScriptErrorKind::Stopped, "turn {turn}: {}", stopped.1);
            }
            assert_eq!(shown(&mut script, &mut world, "1 + 1"), "2");
        });
    }
}

#[test]
fn a_module_that_does_not_end_is_stopped_as_it_loads() {
    with_memory(|memory| {
        let mut script = machine(Route::Foreign, memory);
        let mut world = World::with(&[("endless", "while true do end"), ("short", "ran = true")]);
        script.set_time_max(Some(LIMIT));
        let watch = script.watch();
        thread::scope(|threads| {
            threads.spawn(|| (0..).map(|look| look * 1_000_000_000).find(|now| watch.look(*now)));
            let error = script.load(&mut world, "endless").expect_err("it does not end");
            assert_eq!(error.kind(), ScriptErrorKind::Stopped, "{error}");
            assert!(error.message().starts_with("endless.lua:1: "), "{error}");
        });
        script.load(&mut world, "short").expect("it ends");
        assert_eq!(shown(&mut script, &mut world, "ran"), "true");
    });
}

#[test]
fn what_ends_in_time_is_left_alone() {
    with_memory(|memory| {
        let (mut script, mut world) = (machine(Route::Foreign, memory), World::default());
        let watch = script.watch();
        assert!(!watch.look(u64::MAX), "nothing runs");
        // Without a limit nothing is stopped, however long it takes.
        assert_eq!(
            watched(
                &mut script,
                &mut world,
                "local n = 0 for i = 1, 1e6 do n = n + i end return n"
            ),
            Ok("500000500000".into())
        );
        script.set_time_max(Some(LIMIT));
        for number in 0..200 {
            assert_eq!(
                shown(&mut script, &mut world, &format!("{number} + 1")),
                (number + 1).to_string()
            );
            // A look at each, later each time: the call is another one.
            assert!(!watch.look(number * 5_000_000_000), "it has ended");
        }
        drop(script);
        assert!(!watch.look(u64::MAX), "the machine is gone");
    });
}

#[test]
fn a_watchdog_stops_by_the_systems_clock() {
    with_memory(|memory| {
        let (mut script, mut world) = (machine(Route::Foreign, memory), World::default());
        script.set_time_max(Some(Duration::from_millis(20)));
        let dog = Watchdog::try_new(script.watch()).expect("a thread");
        let error = script.evaluate(&mut world, "while true do end").expect_err("it does not end");
        assert_eq!(error.kind(), ScriptErrorKind::Stopped, "{error}");
        assert!(error.text().contains("longer than the 0.02 s that it may take"), "{error}");
        drop(dog);
        let _: Watch = script.watch();
    });
}
