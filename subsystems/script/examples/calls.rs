//! What a call of a bound function costs, beyond the loop in Lua that calls it: both routes, both
//! kinds of functions.
//!
//! `cargo run --profile measured -p loligo-script --example calls`

use std::time::Instant;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_script::{Binding, Function, Kind, Route, Script, ScriptError, Settings, Value};

const CALLS: u32 = 1_000_000;
const ROUNDS: u32 = 20;

const BINDINGS: &[Binding<()>] = &[
    Binding::direct("direct", "the sum", |_: &mut (), a: f64, b: f64| a + b),
    Binding {
        name: "call",
        arguments: &[Kind::Number, Kind::Number],
        results: &[Kind::Number],
        help: "the sum",
        function: Function::Call(|(), call| {
            call.return_number(call.number(0) + call.number(1));
            Ok(())
        }),
    },
];

/// Returns the nanoseconds that a turn of a loop takes, the least of all rounds.
fn turn<'m>(route: Route, turn: &str, memory: &'m dyn Allocator) -> Result<f64, ScriptError<'m>> {
    let settings = Settings { route, checks: false, ..Settings::default() };
    let mut script = Script::try_new(BINDINGS, &settings, memory)?;
    let code = format!(
        "local call, direct = call, direct \
         function run(calls) local sum = 0 for i = 1, calls do sum = {turn} end result = sum end"
    );
    script.evaluate(&mut (), &code)?;
    let run = script.callback("run")?;
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        script.call(&mut (), run, &[Value::Number(f64::from(CALLS))])?;
        least = least.min(begin.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    Ok(least)
}

fn main() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("scripts", &pages);
    let measure = |route, what: &str| match turn(route, what, &heap) {
        Ok(ns) => ns,
        Err(error) => {
            eprintln!("calls: {error}");
            std::process::exit(1);
        }
    };
    let empty = measure(Route::Foreign, "sum + i");
    println!("an addition in Lua {empty:8.2} ns, loop and all; what calls add to it:");
    for (name, route) in [("foreign", Route::Foreign), ("plain", Route::Plain)] {
        for function in ["direct", "call"] {
            let ns = measure(route, &format!("{function}(sum, i)")) - empty;
            println!("{name:<10} {function:<10} {ns:8.2} ns");
        }
    }
}
