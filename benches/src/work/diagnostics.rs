//! What diagnostics add where nothing is wrong: a context around some work, and a check that holds.

use core::hint::black_box;

use loligo_diagnostics::{context, ensure};

use crate::clock;
use crate::contender::{Contender, Pass};

/// How often a pass does it.
const TIMES: u64 = 4_000_000;

/// How deep contexts are within each other where they do.
const DEPTH: u64 = 8;

/// Returns a loop whose body is one scope with a context, which borrows a name.
pub(crate) fn context() -> Contender {
    scopes("a context", |name, index| {
        context!("When spawning unit", name);
        black_box(index);
    })
}

/// Returns the same without.
pub(crate) fn no_context() -> Contender {
    scopes("none", |_, index| {
        black_box(index);
    })
}

/// Returns calls within each other, each with a context: an operation is one of them.
pub(crate) fn nested_contexts() -> Contender {
    #[inline(never)]
    fn spawn(name: &str, left: u64) {
        context!("When spawning unit", name);
        if left > 1 {
            spawn(name, left - 1);
        }
        // Of a number, as a text goes through memory in two halves, which costs more than a
        // context.
        black_box(left);
    }
    nested("contexts", spawn)
}

/// Returns the same without.
pub(crate) fn no_nested_contexts() -> Contender {
    #[inline(never)]
    fn spawn(name: &str, left: u64) {
        // It is handed on as where contexts show it.
        let _ = name;
        if left > 1 {
            spawn(name, left - 1);
        }
        // Of a number, as a text goes through memory in two halves, which costs more than a
        // context.
        black_box(left);
    }
    nested("none", spawn)
}

/// Returns a check that holds, with a message that is never made.
pub(crate) fn ensured() -> Contender {
    checks("loligo", |index, limit| ensure!(index < limit, "{} of {}", index, limit))
}

/// Returns a bare branch to an abort.
pub(crate) fn branch() -> Contender {
    checks("a bare branch", |index, limit| {
        if index >= limit {
            std::process::abort();
        }
    })
}

fn scopes(name: &'static str, scope: impl Fn(&str, u64) + 'static) -> Contender {
    Contender::new(name, move || {
        let unit = black_box("big_bird");
        let ns = clock::time(|| {
            for index in 0..TIMES {
                scope(unit, index);
            }
        });
        Pass { ns, operations: TIMES }
    })
}

fn nested(name: &'static str, spawn: fn(&str, u64)) -> Contender {
    Contender::new(name, move || {
        let unit = black_box("big_bird");
        let ns = clock::time(|| {
            for _ in 0..TIMES / DEPTH {
                spawn(unit, DEPTH);
            }
        });
        Pass { ns, operations: TIMES }
    })
}

fn checks(name: &'static str, check: impl Fn(u64, u64) + 'static) -> Contender {
    Contender::new(name, move || {
        let limit = black_box(TIMES);
        let ns = clock::time(|| {
            for index in 0..TIMES {
                check(black_box(index), limit);
            }
        });
        Pass { ns, operations: TIMES }
    })
}
