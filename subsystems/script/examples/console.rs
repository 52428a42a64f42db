//! A console: lines of Lua are run in a machine with a tiny world as its host, and answered.
//!
//! `cargo run -p loligo-script --example console` reads lines until the end of input; `echo
//! 'Lamp.count()' | cargo run -p loligo-script --example console` answers one. `:count` counts
//! objects by type, `:paths TYPE` says what holds them.

use std::io::{self, BufRead, Write};

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator, ProxyAllocator};
use loligo_script::{
    ArgumentError, Binding, Call, Function, Host, IdKind, Kind, Script, ScriptError, Settings,
};

/// The world of the console: a row of lamps.
struct World {
    lamps: [bool; 8],
}

const LAMP: IdKind = IdKind::new(16, "Lamp");

const BINDINGS: &[Binding<World>] = &[
    Binding {
        name: "Lamp.count",
        arguments: &[],
        results: &[Kind::Number],
        help: "how many lamps are lit",
        function: Function::Call(count),
    },
    Binding {
        name: "Lamp.by_number",
        arguments: &[Kind::Number],
        results: &[Kind::OptionalId(LAMP)],
        help: "the lamp of a number from 1 to 8, or nil",
        function: Function::Call(by_number),
    },
    Binding {
        name: "Lamp.set_lit",
        arguments: &[Kind::Id(LAMP), Kind::Bool],
        results: &[],
        help: "switches a lamp",
        function: Function::Call(set_lit),
    },
];

fn count(world: &mut World, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    call.return_number(world.lamps.iter().filter(|lit| **lit).count() as f64);
    Ok(())
}

fn by_number(world: &mut World, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    let number = call.number(0);
    let index = (0..world.lamps.len() as u32).find(|index| f64::from(index + 1) == number);
    call.return_optional_id(index);
    Ok(())
}

fn set_lit(world: &mut World, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    let (lamp, lit) = (call.id(0), call.bool(1));
    match world.lamps.get_mut(lamp as usize) {
        Some(place) => *place = lit,
        None => return Err(call.refuse(format_args!("there is no lamp {lamp}"))),
    }
    Ok(())
}

impl Host for World {
    fn print(&mut self, line: &[u8]) {
        println!("{}", String::from_utf8_lossy(line));
    }
}

fn main() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let memory = ProxyAllocator::new("scripts", &heap);
    let end = converse(&memory).map_err(|error| error.to_string());
    if let Err(error) = end {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn converse(memory: &dyn Allocator) -> Result<(), ScriptError<'_>> {
    let mut world = World { lamps: [false; 8] };
    let settings = Settings { checks: true, ..Settings::default() };
    let mut script = Script::try_new(BINDINGS, &settings, memory)?;
    println!("{} functions; the last of them:", script.bindings().len());
    for binding in script.bindings().iter().rev().take(BINDINGS.len()) {
        println!("  {binding}: {}", binding.help);
    }
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        script.begin_frame();
        if line == ":count" {
            for (name, count) in script.count_objects()?.iter() {
                println!("{count:8} {name}");
            }
        } else if let Some(name) = line.strip_prefix(":paths ") {
            script.object_paths(name, 5)?.iter().for_each(|path| println!("{path}"));
        } else {
            match script.evaluate(&mut world, &line) {
                Ok(text) => println!("{}", String::from_utf8_lossy(&text)),
                Err(error) => println!("{error}"),
            }
        }
        io::stdout().flush().ok();
    }
    println!("{} bytes are in use by scripts.", memory.stats().granted);
    Ok(())
}
