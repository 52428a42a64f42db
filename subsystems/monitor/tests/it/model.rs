//! Programs of calls on two recorders, against lists.

use loligo_monitor::{Monitor, Name, Recorder, name};
use proptest::prelude::*;

use crate::seen::{Debug, Seen, small, with_heap};

#[derive(Clone, Copy, Debug)]
enum Step {
    Begin(usize),
    End(usize),
    Counter(i64),
    Vector,
    Flush,
    Frame,
    Switch,
    Drain,
    /// The thread ends, and another of its name begins.
    Renew,
}

const NAMES: [(&str, Name); 3] = [("a", name!("a")), ("b", name!("b")), ("c", name!("c"))];

/// What a thread has recorded and what consumers are to see, by the simplest means.
#[derive(Default)]
struct Thread {
    open: Vec<&'static str>,
    waiting: Vec<String>,
    handed_in: Vec<String>,
    /// The frame that it recorded something in last.
    frame: u32,
}

impl Thread {
    fn record(&mut self, frame: u32, line: String) {
        self.notice(frame);
        self.waiting.push(line);
    }

    /// Hands in what is of the frame before.
    fn notice(&mut self, frame: u32) {
        if self.frame != frame {
            self.handed_in.append(&mut self.waiting);
        }
        self.frame = frame;
    }

    /// Ends a scope and those that are open within it.
    fn end(&mut self, thread: &str, name: &str) {
        if let Some(index) = self.open.iter().rposition(|open| *open == name) {
            for cut in self.open.drain(index..).rev().collect::<Vec<_>>() {
                let mark = if cut == name && self.open.len() == index { "<" } else { "<!" };
                self.waiting.push(format!("{thread} {mark} {cut}"));
            }
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<(bool, Step)>> {
    let step = prop_oneof![
        4 => (0..3_usize).prop_map(Step::Begin),
        4 => (0..3_usize).prop_map(Step::End),
        2 => any::<i64>().prop_map(Step::Counter),
        1 => Just(Step::Vector),
        1 => Just(Step::Flush),
        1 => Just(Step::Frame),
        1 => Just(Step::Switch),
        1 => Just(Step::Drain),
        1 => Just(Step::Renew),
    ];
    prop::collection::vec((any::<bool>(), step), 0..120)
}

/// Runs a program on both.
fn run(program: &[(bool, Step)], heap: &Debug<'_>) {
    let monitor = small(heap);
    let names = ["one", "two"];
    let made = |name| monitor.try_recorder(name).expect("there is memory");
    let mut recorders = names.map(made);
    let mut threads = [Thread::default(), Thread::default()];
    let (mut on, mut frame) = (true, 0);
    for &(second, step) in program {
        let index = usize::from(second);
        let (recorder, thread, name) = (&recorders[index], &mut threads[index], names[index]);
        match step {
            Step::Flush => {
                recorder.flush();
                thread.handed_in.append(&mut thread.waiting);
            }
            Step::Switch => {
                on = !on;
                monitor.set_recording(on);
            }
            Step::Drain => compare(&monitor, &mut threads),
            Step::Renew => {
                // The old one must end before the new one begins.
                let ended = core::mem::replace(&mut recorders[index], made("between"));
                drop(ended);
                recorders[index] = made(name);
                for open in thread.open.drain(..).rev().collect::<Vec<_>>() {
                    thread.waiting.push(format!("{name} <! {open}"));
                }
                thread.handed_in.append(&mut thread.waiting);
                thread.frame = frame;
            }
            _ if on => record(step, recorder, thread, name, &mut frame),
            Step::Frame => recorder.frame(),
            Step::Begin(number) => recorder.begin(NAMES[number].1),
            Step::End(number) => recorder.end(NAMES[number].1),
            Step::Counter(value) => recorder.counter(name!("counter"), value),
            Step::Vector => recorder.vector3(name!("vector"), [0.0; 3]),
        }
        monitor.validate().expect("nothing is broken");
    }
    drop(recorders);
    for (thread, name) in threads.iter_mut().zip(names) {
        for open in thread.open.drain(..).rev().collect::<Vec<_>>() {
            thread.waiting.push(format!("{name} <! {open}"));
        }
        thread.handed_in.append(&mut thread.waiting);
    }
    compare(&monitor, &mut threads);
    assert_eq!(monitor.stats().lost, 0, "it is few");
}

/// Does one step that records something.
fn record(
    step: Step,
    recorder: &Recorder<'_>,
    thread: &mut Thread,
    name: &'static str,
    frame: &mut u32,
) {
    match step {
        Step::Begin(number) => {
            let (text, scope) = NAMES[number];
            recorder.begin(scope);
            thread.record(*frame, format!("{name} > {text}"));
            thread.open.push(text);
        }
        Step::End(number) => {
            let (text, scope) = NAMES[number];
            recorder.end(scope);
            thread.notice(*frame);
            thread.end(name, text);
        }
        Step::Counter(value) => {
            recorder.counter(name!("counter"), value);
            let bound = 1_i64 << 59;
            thread.record(*frame, format!("{name} counter {}", value.clamp(-bound, bound - 1)));
        }
        Step::Frame => {
            recorder.frame();
            thread.record(*frame, format!("{name} frame {frame}"));
            *frame += 1;
            thread.frame = *frame;
            thread.handed_in.append(&mut thread.waiting);
        }
        _ => {
            recorder.vector3(name!("vector"), [1.5, -0.0, 3.0]);
            thread.record(*frame, format!("{name} vector [1.5, -0.0, 3.0]"));
        }
    }
}

/// Drains, and compares what each thread has handed in.
fn compare(monitor: &Monitor<'_, Debug<'_>>, threads: &mut [Thread; 2]) {
    let mut seen = Seen::default();
    assert_eq!(monitor.drain(&mut [&mut seen]).lost, 0, "it is few");
    for (thread, name) in threads.iter_mut().zip(["one", "two"]) {
        let lines: Vec<_> = seen.lines.iter().filter(|line| line.starts_with(name)).collect();
        let expected: Vec<_> = thread.handed_in.iter().collect();
        assert_eq!(lines, expected, "thread {name}");
        thread.handed_in.clear();
    }
}

proptest! {
    #[test]
    fn programs_are_seen_as_recorded(program in steps()) {
        with_heap(|heap| run(&program, heap));
    }
}
