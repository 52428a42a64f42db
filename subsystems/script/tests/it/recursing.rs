//! Functions of Lua that call back: however deep, they end in an error and not in the end of the
//! process.

use std::thread::Builder;

use loligo_script::Route;

use crate::memory::with_memory;
use crate::world::{World, machine, shown};

/// Each recurses for ever by way of another function of the library.
const RECURSIONS: [(&str, &str); 16] = [
    ("gsub", "local function g() return (('x'):gsub('x', g)) end g()"),
    (
        "gsub by a table",
        "local t = {} setmetatable(t, { __index = function(t) return (('x'):gsub('x', t)) end }) local _ = t.x",
    ),
    ("wrap", "local function w() return coroutine.wrap(w)() end w()"),
    (
        "resume",
        "local function r() local ok, why = coroutine.resume(coroutine.create(r)) if not ok then error(why, 0) end end r()",
    ),
    ("sort", "local function s() table.sort({ 2, 1 }, s) end s()"),
    (
        "sort by what compares",
        "local m = {} m.__lt = function() table.sort({ setmetatable({}, m), setmetatable({}, m) }) end \
         table.sort({ setmetatable({}, m), setmetatable({}, m) })",
    ),
    (
        "tostring",
        "local m = {} m.__tostring = function(s) return tostring(s) .. '' end tostring(setmetatable({}, m))",
    ),
    (
        "format",
        "local m = {} m.__tostring = function(s) return ('%s'):format(s) end ('%s'):format(setmetatable({}, m))",
    ),
    (
        "print",
        "local m = {} m.__tostring = function(s) print(s) return '' end print(setmetatable({}, m))",
    ),
    ("load", "local function l() load(l) end l()"),
    ("require", "require('itself')"),
    (
        "pcall",
        "local function p() local ok, why = pcall(p) if not ok then error(why, 0) end end p()",
    ),
    ("xpcall", "local function h() return xpcall(error, h) end xpcall(error, h) error('it ended')"),
    ("foreach", "local function f() table.foreach({ 1 }, f) end f()"),
    (
        "metamethods",
        "local m = {} m.__index = function(t, k) return t[k .. 'x'] end \
         m.__concat = function(a, b) return a .. b end m.__eq = function(a, b) return a == b end \
         local a, b = setmetatable({}, m), setmetatable({}, m) local _ = pcall(function() return a.x end) \
         _ = pcall(function() return a == b end) return a .. b",
    ),
    ("call", "local m = {} m.__call = function(t) return t() .. '' end setmetatable({}, m)()"),
];

/// Texts that nest or chain as deep as they are long.
fn texts() -> Vec<(&'static str, String)> {
    let many = 20_000;
    vec![
        ("parentheses", format!("return {}1{}", "(".repeat(many), ")".repeat(many))),
        ("tables", format!("return {}{}", "{".repeat(many), "}".repeat(many))),
        ("minus", format!("return {}1", "- ".repeat(many))),
        ("not", format!("return {}1", "not ".repeat(many))),
        ("concatenations", format!("a = 'x' return {}a", "a..".repeat(many))),
        ("powers", format!("return {}1", "1^".repeat(many))),
        ("functions", format!("{} {}", "return function() ".repeat(many), "end ".repeat(many))),
        ("blocks", format!("{} {}", "do ".repeat(many), "end ".repeat(many))),
        ("else", format!("if a then {} end", "elseif a then ".repeat(many))),
        ("calls", format!("return a{}", "()".repeat(many))),
        ("fields", format!("return a{}", ".b".repeat(many))),
        ("sums", format!("a = 1 return {}a", "a+".repeat(many))),
    ]
}

fn recurse_on(stack_bytes: usize) {
    let run = move || {
        for (name, code) in RECURSIONS {
            for most in [None, Some(3_000_000)] {
                with_memory(|memory| {
                    let mut script = machine(Route::Foreign, memory);
                    let mut world = World::with(&[("itself", "local r = require r('itself')")]);
                    script.set_instructions_max(most).unwrap();
                    let shown = shown(&mut script, &mut world, code);
                    assert!(shown.starts_with("error: "), "{name}: {shown}");
                    script.set_instructions_max(None).unwrap();
                    assert_eq!(
                        crate::world::shown(&mut script, &mut world, "1 + 1"),
                        "2",
                        "after {name}"
                    );
                    script.validate();
                });
            }
        }
        for (name, text) in texts() {
            with_memory(|memory| {
                let mut script = machine(Route::Foreign, memory);
                let mut world = World::with(&[("deep", &text)]);
                // Some of them are right however long; none ends the process.
                let loaded = script.load(&mut world, "deep").map_err(|error| error.to_string());
                let code = format!("local f, why = load([=[{text}]=]) return why or type(f)");
                let shown = shown(&mut script, &mut world, &code);
                assert!(!shown.is_empty(), "{name}: {loaded:?}");
                assert_eq!(
                    crate::world::shown(&mut script, &mut world, "1 + 1"),
                    "2",
                    "after {name}"
                );
            });
        }
    };
    Builder::new().stack_size(stack_bytes).spawn(run).expect("a thread").join().expect("it ended");
}

#[test]
fn recursion_ends_in_an_error_on_two_mebibytes_of_stack() {
    recurse_on(2 << 20);
}

#[test]
fn recursion_ends_in_an_error_on_eight_mebibytes_of_stack() {
    recurse_on(8 << 20);
}

#[test]
fn what_nests_a_little_goes_on() {
    with_memory(|memory| {
        let (mut script, mut world) = (machine(Route::Foreign, memory), World::default());
        let code = "local function nest(n) if n == 0 then return 'deep' end \
                    return coroutine.wrap(function() return nest(n - 1) end)() end return nest(90)";
        assert_eq!(shown(&mut script, &mut world, code), "deep");
        // Recursion that was too deep has no lasting effect.
        for _ in 0..3 {
            let deeper = code.replace("90", "101");
            assert!(shown(&mut script, &mut world, &deeper).contains("more than 100 deep"));
        }
        assert_eq!(shown(&mut script, &mut world, code), "deep");
    });
}
