//! The five base subsystems together: formulas read from SJSON, computed as tasks over columns of
//! floats, recorded into a trace that viewers open, and a deliberate error with its contexts.
//!
//! ```sh
//! cargo run --release -p loligo-engine --example base -- [FOLDER]
//! cargo run --release -p loligo-engine --example base -- --fail
//! ```

use core::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use loligo_allocators::{Allocator, MemoryGlobals, MemoryOptions, Overview, SharedRef, StaticHeap};
use loligo_containers::Array;
use loligo_diagnostics::{Options as Reports, OrStop as _, context, ensure, install};
use loligo_engine::{GameClock, Memory, MemoryPlan, TimeStep, with_memory};
use loligo_expressions::{BatchStack, Expression, Input, Symbols};
use loligo_monitor::{ChromeTrace, Monitor, Name, Options, current, name};
use loligo_sjson::{Options as Format, Value, ValueRef};
use loligo_tasks::{
    AddError, Begun, MainThread, Observer, Settings, Task, Tasks, ThreadIndex, Worker,
};

const USAGE: &str = "\
Reads formulas from SJSON, computes them for every spark of a fire as tasks, and writes what the threads did as a
trace. Open it at https://ui.perfetto.dev or in chrome://tracing.

Usage: cargo run --release -p loligo-engine --example base -- [--fail] [FOLDER]

FOLDER is where trace.json goes; without, the folder for temporary files.
--fail adds a formula that ends in no number, and the program stops with a report.

Example: cargo run --release -p loligo-engine --example base -- .
";

/// What is read, unless a test has another text.
pub(crate) const SPARKS: &str = include_str!("base.sjson");

/// A formula that ends in no number for sparks that have just begun.
pub(crate) const WRONG: &str =
    "sparks = 1024 frames = 1 wind = \"1\" channels = { heat = \"ln(age - 1) / wind\" }";

const SUBSYSTEMS: [&str; 4] = ["data", "effects", "tasks", "monitor"];

/// What formulas may name.
const VARIABLES: [&str; 4] = ["age", "own", "wind", "time"];

/// How many sparks a task computes at once.
const GRAIN: usize = 2048;

/// The static name of each channel that there may be, for the timeline.
const CHANNELS: [&&str; 8] = [
    &"channel 0",
    &"channel 1",
    &"channel 2",
    &"channel 3",
    &"channel 4",
    &"channel 5",
    &"channel 6",
    &"channel 7",
];

fn main() -> ExitCode {
    let (mut text, mut folder) = (SPARKS, std::env::temp_dir());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--help" | "-h" => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            "--fail" => text = WRONG,
            option if option.starts_with('-') => {
                eprintln!("base: there is no option `{option}`; see --help");
                return ExitCode::from(2);
            }
            path => folder = PathBuf::from(path),
        }
    }
    match run(text, &folder, &mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("base: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs an effect, writes the trace to `folder`, and reports it.
///
/// # Errors
///
/// What is wrong with the text or the folder.
pub(crate) fn run(text: &str, folder: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    // From here on whatever stops the program is reported, with its contexts.
    install(&Reports { program: "base", folder: Some(folder), ..Reports::default() })?;
    let boot = StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot");
    let globals = MemoryGlobals::init(&boot, &MemoryOptions::new())?;
    let plan =
        "subsystems = { monitor = { allocator = \"heap\" } data = { allocator = \"heap\" } }";
    let plan = MemoryPlan::try_read(plan, &SUBSYSTEMS, globals.default_allocator())?;
    with_memory(&globals, &plan, &SUBSYSTEMS, |memory| burn(text, folder, memory, out))?
}

/// An effect: its formulas, and a column for each.
struct Effect<'a> {
    sparks: usize,
    frames: i64,
    wind: Formula<'a>,
    channels: Array<'a, Channel<'a>, dyn Allocator + Sync + 'a>,
    ages: Array<'a, f32, dyn Allocator + Sync + 'a>,
    owns: Array<'a, f32, dyn Allocator + Sync + 'a>,
}

type Formula<'a> = Expression<'a, dyn Allocator + Sync + 'a>;

struct Channel<'a> {
    name: &'a str,
    formula: Formula<'a>,
    values: Array<'a, f32, dyn Allocator + Sync + 'a>,
}

fn burn(
    text: &str,
    folder: &Path,
    memory: Memory<'_>,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let [data, effects, tasks, debug] =
        SUBSYSTEMS.map(|subsystem| memory.subsystem(subsystem).expect("it is listed"));
    let value = Value::try_parse_in(text.as_bytes(), &Format::SJSON, data)?;
    let mut effect = Effect::try_new(value.root(), effects)?;

    let monitor = Monitor::try_new_in(&Options::default(), debug)?;
    let path = folder.join("trace.json");
    let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut trace = ChromeTrace::try_new_in(BufWriter::new(file), 256, debug)?;
    let recorder = monitor.try_recorder("main")?;
    let mut tasks = Tasks::try_new_in(&Settings::default(), tasks)?;
    let mut clock = GameClock::new(TimeStep::EachFrame { step: 1_000_000_000 / 60 });
    let mut events = 0;
    tasks.run_observed(&Threads { monitor: &monitor }, |main| {
        recorder.run(|| {
            for _ in 0..effect.frames {
                let time = clock.now() as f32 / 1e9;
                clock.advance(0);
                effect.frame(time, main, effects)?;
                recorder.frame();
                events += monitor.drain(&mut [&mut trace]).events;
            }
            Ok::<_, Box<dyn Error>>(())
        })
    })?;
    events += monitor.drain(&mut [&mut trace]).events;
    trace.finish()?.flush()?;

    for channel in &*effect.channels {
        let mean = channel.values.iter().sum::<f32>() / effect.sparks as f32;
        writeln!(out, "{}: {mean:.3} on average in the last frame", channel.name)?;
    }
    writeln!(out, "{events} events of {} frames in {}", effect.frames, path.display())?;
    let mut all = Vec::new();
    memory.visit(&mut |allocator| all.push(allocator as &dyn Allocator));
    writeln!(out, "\n{}", Overview::new(&all))?;
    Ok(())
}

impl<'a> Effect<'a> {
    fn try_new(data: ValueRef<'a>, memory: SharedRef<'a>) -> Result<Self, Box<dyn Error>> {
        let number = |key: &str| {
            let number = data.get(key).and_then(|number| number.as_i64());
            let good = number.filter(|number| (1..1 << 20).contains(number));
            good.ok_or_else(|| format!("`{key}` is to be a number from 1 to 1048575"))
        };
        let text = |value: Option<ValueRef<'a>>, key: &str| {
            value
                .and_then(|value| value.as_str())
                .ok_or_else(|| format!("`{key}` is to be a formula in quotes"))
        };
        let sparks = number("sparks")? as usize;
        let mut ages = Array::try_with_capacity_in(sparks, memory)?;
        let mut owns = Array::try_with_capacity_in(sparks, memory)?;
        for spark in 0..sparks {
            ages.try_push(spark as f32 / sparks as f32)?;
            // The golden ratio spreads neighbours far apart.
            owns.try_push((spark as f32 * 0.618_034).fract())?;
        }
        let mut channels = Array::try_with_capacity_in(CHANNELS.len(), memory)?;
        let listed = data.get("channels").ok_or("`channels` is missing")?;
        for (name, formula) in listed.members() {
            if channels.len() == CHANNELS.len() {
                return Err(
                    format!("`{name}` is a channel too many: {} are", CHANNELS.len()).into()
                );
            }
            let formula = compiled(name, text(Some(formula), name)?, memory)?;
            let mut values = Array::try_with_capacity_in(sparks, memory)?;
            values.try_resize(sparks, 0.0)?;
            channels.try_push(Channel { name, formula, values })?;
        }
        let wind = compiled("wind", text(data.get("wind"), "wind")?, memory)?;
        Ok(Self { sparks, frames: number("frames")?, wind, channels, ages, owns })
    }

    /// Computes every channel, each by separate tasks.
    fn frame(
        &mut self,
        time: f32,
        main: &MainThread<'_>,
        memory: SharedRef<'_>,
    ) -> Result<(), Box<dyn Error>> {
        let _frame = current::scope(name!("frame"));
        let wind = self.wind.run(&[0.0, 0.0, 0.0, time]);
        current::float(name!("wind"), wind);
        let sparks = Sparks { ages: &self.ages, owns: &self.owns, wind, time, memory };
        let channels = &mut self.channels;
        main.scope(&"channels", |scope| {
            for (channel, &name) in channels.iter_mut().zip(&CHANNELS) {
                let sparks = &sparks;
                scope.add(Task::new(name, move |worker| channel.compute(name, sparks, worker)))?;
            }
            Ok::<_, AddError>(())
        })??;
        let values = self.channels.iter().flat_map(|channel| channel.values.iter().copied());
        current::float(name!("least value"), values.fold(f32::MAX, f32::min));
        Ok(())
    }
}

/// What the formulas of a frame are computed from.
struct Sparks<'s> {
    ages: &'s [f32],
    owns: &'s [f32],
    wind: f32,
    time: f32,
    memory: SharedRef<'s>,
}

impl Channel<'_> {
    /// Computes the values of all sparks, on as many threads as have nothing else to do.
    fn compute(&mut self, name: loligo_tasks::Name, sparks: &Sparks<'_>, worker: &Worker<'_>) {
        let (channel, formula) = (self.name, &self.formula);
        let computed =
            worker.parallel_for_each_mut(name, &mut self.values, GRAIN, |first, piece| {
                context!("When computing channel", channel);
                let range = first..first + piece.len();
                let mut stack = BatchStack::try_new_in(formula.bytecode().depth(), sparks.memory)
                    .or_stop("a column is small");
                let inputs = [
                    Input::Column(&sparks.ages[range.clone()]),
                    Input::Column(&sparks.owns[range]),
                    Input::Same(sparks.wind),
                    Input::Same(sparks.time),
                ];
                formula.run_batch(&inputs, piece, &mut stack);
                for (at, value) in piece.iter().enumerate() {
                    let spark = (first + at) as u64;
                    context!("When looking at spark", spark);
                    ensure!(value.is_finite(), "the formula gives {value}");
                }
            });
        computed.or_stop("what the pieces do was looked at");
    }
}

fn compiled<'a>(
    name: &str,
    formula: &str,
    memory: SharedRef<'a>,
) -> Result<Formula<'a>, Box<dyn Error>> {
    let symbols = Symbols { variables: &VARIABLES, ..Symbols::default() };
    Expression::try_compile_in(formula, &symbols, memory)
        .map_err(|error| format!("formula `{name}`: {error}").into())
}

/// Shows tasks in the timeline: each worker has a recorder, and each task is a scope.
struct Threads<'t, 'm> {
    monitor: &'t Monitor<'m, dyn Allocator + Sync + 'm>,
}

impl Observer for Threads<'_, '_> {
    fn begin(&self, task: &Begun) {
        current::begin(Name::new(task.name));
    }

    fn end(&self, task: &Begun) {
        current::end(Name::new(task.name));
    }

    fn thread(&self, thread: ThreadIndex, life: &mut dyn FnMut()) {
        match self.monitor.try_recorder(&format!("worker {}", thread.0)) {
            Ok(recorder) => recorder.run(life),
            // It works all the same, unseen.
            Err(_) => life(),
        }
    }
}
