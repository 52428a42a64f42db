//! Calls that follow one another in one protected call are as calls by themselves.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::thread;

use loligo_script::{Callback, Calls, Route, Script, ScriptErrorKind, Value, Watch};

use crate::memory::with_memory;
use crate::world::{World, machine, shown};

/// Calls one function with each of some numbers.
struct Each<F: FnMut(u32)> {
    callback: Callback,
    numbers: core::ops::Range<u32>,
    arguments: Vec<Value<'static>>,
    before: F,
}

impl<F: FnMut(u32)> Each<F> {
    fn new(callback: Callback, numbers: core::ops::Range<u32>, before: F) -> Self {
        Self { callback, numbers, arguments: Vec::new(), before }
    }
}

impl<F: FnMut(u32)> Calls for Each<F> {
    fn next_call(&mut self) -> Option<(Callback, &[Value<'_>])> {
        let number = self.numbers.next()?;
        (self.before)(number);
        self.arguments = vec![Value::Number(number.into()); 1 + number as usize];
        Some((self.callback, &self.arguments))
    }
}

fn with_machine(code: &str, act: impl Fn(&mut Script<'_, World>, &mut World, Callback)) {
    for route in [Route::Plain, Route::Foreign] {
        with_memory(|memory| {
            let (mut script, mut world) = (machine(route, memory), World::default());
            shown(&mut script, &mut world, code);
            let hit = script.callback("hit").expect("there is memory");
            act(&mut script, &mut world, hit);
            script.validate();
            assert_eq!(shown(&mut script, &mut world, "1 + 1"), "2", "it goes on");
        });
    }
}

#[test]
fn they_go_on_after_one_that_fails() {
    let code = "seen = {} function hit(n, ...)
        nothing()
        if n == 3 then error('not three') end
        seen[#seen + 1] = n .. ':' .. select('#', ...)
    end";
    with_machine(code, |script, world, hit| {
        let mut calls = Each::new(hit, 1..6, |_| {});
        let error = script.call_each(world, &mut calls).expect_err("the third fails");
        assert_eq!(error.kind(), ScriptErrorKind::Run);
        assert!(error.message().contains("not three"), "{error}");
        script.validate();
        script.call_each(world, &mut calls).expect("the others do not");
        assert_eq!(shown(script, world, "table.concat(seen, ' ')"), "1:1 2:2 4:4 5:5");
        assert_eq!(world.calls, 5, "the host is lent to each");
    });
}

#[test]
fn many_arguments_and_none_that_is_called() {
    with_machine(
        "count = 0 function hit(...) count = count + select('#', ...) end",
        |script, world, hit| {
            script.call_each(world, &mut Each::new(hit, 0..200, |_| {})).expect("they do not fail");
            assert_eq!(shown(script, world, "count"), "20100");
            let none = script.callback("none").expect("there is memory");
            let mut asked = 0;
            script
                .call_each(world, &mut Each::new(none, 0..9, |_| asked += 1))
                .expect("nothing fails");
            assert_eq!(asked, 9, "all are passed over");
        },
    );
}

#[test]
fn each_has_its_own_time_and_instructions() {
    with_machine(
        "count = 0 function hit() for i = 1, 300 do count = count + 1 end end",
        |script, world, hit| {
            script.set_time_max(Some(Duration::from_secs(2)));
            let watch = script.watch();
            // A look before each call, a second later than the one before it.
            let look = |number: u32| assert!(!watch.look(u64::from(number + 1) * 1_000_000_000));
            script.call_each(world, &mut Each::new(hit, 0..20, look)).expect("none is too long");
            script.set_instructions_max(Some(4000)).expect("there is memory");
            script.call_each(world, &mut Each::new(hit, 0..20, |_| {})).expect("none is too long");
            assert_eq!(shown(script, world, "count"), "12000");
            shown(
                script,
                world,
                "function hit(n) if n == 1 then while true do end end count = n end",
            );
            let mut calls = Each::new(hit, 0..4, |_| {});
            let error = script.call_each(world, &mut calls).expect_err("it does not end");
            assert!(error.message().contains("more instructions than it may"), "{error}");
            script.call_each(world, &mut calls).expect("the others end");
            assert_eq!(shown(script, world, "count"), "3");
        },
    );
}

/// Looks at the watch from another thread while `act` runs, by a clock on which a second passes
/// between two looks.
fn watched<R>(watch: &Watch, act: impl FnOnce() -> R) -> R {
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
        let result = act();
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn one_that_does_not_end_is_stopped() {
    let code = "seen = {} function hit(n)
        seen[#seen + 1] = n
        while n == 1 do pcall(function() while true do end end) end
    end";
    with_machine(code, |script, world, hit| {
        script.set_time_max(Some(Duration::from_secs(2)));
        let watch = script.watch();
        let mut calls = Each::new(hit, 0..4, |_| {});
        // By that clock one that would end may be stopped as well.
        let mut stopped = 0;
        while let Err(error) = watched(&watch, || script.call_each(world, &mut calls)) {
            assert_eq!(error.kind(), ScriptErrorKind::Stopped, "{error}");
            stopped += 1;
            assert!(stopped <= 4, "one for each call at most");
        }
        assert!(stopped > 0, "the second does not end");
        assert_eq!(calls.numbers, 4..4, "all were called");
    });
}

#[test]
fn a_panic_of_who_names_the_calls_is_passed_on() {
    with_machine("count = 0 function hit() count = count + 1 end", |script, world, hit| {
        let mut calls = Each::new(hit, 0..4, |number| assert!(number < 2, "on purpose"));
        let caught = catch_unwind(AssertUnwindSafe(|| script.call_each(world, &mut calls)));
        assert!(caught.is_err(), "it is the caller's");
        script.validate();
        assert_eq!(shown(script, world, "count"), "2");
    });
}
