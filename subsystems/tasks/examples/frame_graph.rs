//! The frame of the article as a graph of tasks, and which thread ran which task when: a few
//! columns for each thread.
//!
//! ```sh
//! cargo run --release -p loligo-tasks --example frame_graph -- [WORKERS]
//! ```

use core::hint::black_box;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::Mutex;
use std::time::Instant;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_tasks::{Begun, Observer, Settings, Task, Tasks};

const USAGE: &str = "\
Runs a frame (animation, scene graph, gui, rendering, sound) as tasks and draws what each thread did.

Usage: cargo run --release -p loligo-tasks --example frame_graph -- [WORKERS]

WORKERS is how many threads there are besides the main one; without, one for each other core.

Example: cargo run --release -p loligo-tasks --example frame_graph -- 3
";

/// How many characters a line of the picture has.
const COLUMNS: usize = 76;

/// What each thread did: from when to when, and the name.
struct Timeline {
    start: Instant,
    done: Mutex<Vec<(u8, Duration, Duration, &'static str)>>,
    begun: Mutex<Vec<(u8, Duration)>>,
}

impl Observer for Timeline {
    fn begin(&self, task: &Begun) {
        let begun = (task.thread.0, self.start.elapsed());
        self.begun.lock().expect("no panic").push(begun);
    }

    fn end(&self, task: &Begun) {
        let mut begun = self.begun.lock().expect("no panic");
        let last = begun.iter().rposition(|(thread, _)| *thread == task.thread.0);
        let (thread, from) = begun.remove(last.expect("it has begun"));
        drop(begun);
        let entry = (thread, from, self.start.elapsed(), *task.name);
        self.done.lock().expect("no panic").push(entry);
    }
}

/// Computes for about this many microseconds.
fn compute(us: u32) {
    let from = Instant::now();
    while from.elapsed() < Duration::from_micros(u64::from(us)) {
        (0..100_u64).for_each(|number| _ = black_box(number * number));
    }
}

fn main() {
    let workers = match std::env::args().nth(1).as_deref() {
        None => None,
        Some("--help" | "-h") => return print!("{USAGE}"),
        Some(number) => match number.parse() {
            Ok(number) => Some(number),
            Err(_) => {
                eprintln!("`{number}` is no number of workers; name one, or see --help");
                std::process::exit(2);
            }
        },
    };
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("tasks", &pages);
    let settings = Settings { tasks: 256, workers, ..Settings::default() };
    let mut tasks = match Tasks::try_new(&settings, &heap) {
        Ok(tasks) => tasks,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    };
    let timeline = Timeline {
        start: Instant::now(),
        done: Mutex::new(Vec::with_capacity(256)),
        begun: Mutex::new(Vec::with_capacity(64)),
    };
    let animated = AtomicUsize::new(0);
    tasks.run_observed(&timeline, |main| {
        let frame = main.scope(&"frame", |scope| {
            let animated = &animated;
            let animate = move |worker: &loligo_tasks::Worker<'_>| {
                let pose = |characters: core::ops::Range<usize>| {
                    animated.fetch_add(characters.len(), Ordering::Relaxed);
                    compute(20 * characters.len() as u32);
                };
                worker.parallel_for(&"animation", 100, 5, pose).expect("no panic");
            };
            let animation = scope.add(Task::new(&"animation", animate).priority(3))?;
            let graph = Task::new(&"scene graph", |_| compute(300)).after(animation).priority(3);
            let graph = scope.add(graph)?;
            let gui = scope.add(Task::new(&"gui", |_| compute(500)).priority(2))?;
            let both = scope.join(&"gui and scene graph", &[graph, gui])?;
            scope.add(Task::new(&"render", |_| compute(600)).after(both).priority(3))?;
            scope.add(Task::new(&"sound", |_| compute(700)).priority(1))
        });
        frame.expect("no task panics").expect("there is room");
    });
    draw(&timeline.done.into_inner().expect("no panic"));
    println!("{} characters animated", animated.into_inner());
}

/// Draws a line for each thread: the first letter of what it did on top of its stack.
fn draw(done: &[(u8, Duration, Duration, &str)]) {
    let first = done.iter().map(|entry| entry.1).min().unwrap_or_default();
    let last = done.iter().map(|entry| entry.2).max().unwrap_or_default();
    let column = |time: Duration| {
        let share = (time - first).as_secs_f64() / (last - first).as_secs_f64().max(1e-9);
        ((share * COLUMNS as f64) as usize).min(COLUMNS)
    };
    let threads = done.iter().map(|entry| entry.0).max().map_or(0, |thread| thread + 1);
    for thread in 0..threads {
        let mut line = [b'.'; COLUMNS];
        // What began first is below what it ran meanwhile.
        let mut own: Vec<_> = done.iter().filter(|entry| entry.0 == thread).collect();
        own.sort_by_key(|entry| entry.1);
        for (_, from, to, name) in own {
            let (from, to) = (column(*from), column(*to));
            line[from..to].fill(name.as_bytes()[0]);
        }
        println!("thread {thread} {}", String::from_utf8_lossy(&line));
    }
    println!("a animation, s scene graph or sound, g gui, r render, . nothing; {:?}", last - first);
}
