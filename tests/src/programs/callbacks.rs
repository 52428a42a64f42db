//! Programs on a queue of callbacks and the table of their functions, compared with a list of what
//! was queued.

use std::collections::VecDeque;

use loligo_allocators::Allocator;
use loligo_containers::{
    Callback, Callback16, CallbackId, CallbackTable, Callbacks, GrowError, Later, RunError,
};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a queue of callbacks. Calls are numbered as they come; functions are
    /// `which`, of which some may not be in the table yet.
    CallbacksOp of 32 by run_callbacks {
        /// Adds a function that notes what it is called with.
        0..=3 => AddNoting,
        /// Adds one that also queues a call of it to the first function.
        4..=5 => AddQueueing,
        /// Queues a call.
        6..=14 => Queue { which: u16 },
        /// Queues several that were made before.
        15..=17 => QueueAll { count: u8, which: u16 },
        /// Queues what waits once more, by another queue.
        18..=19 => Append,
        /// Makes the calls that wait.
        20..=28 => Run,
        /// Drops those that wait.
        29..=31 => Clear,
    }
}

/// Runs a program on a queue and on a list of calls, and returns how many operations were refused
/// memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do.
pub fn run_callbacks(program: &[CallbacksOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// The numbers of functions that are called: a few more than most programs add.
const FUNCTIONS: u16 = 12;

/// The most calls that wait when they are queued once more.
const MANY: usize = 300;

/// What a function is called with.
type Data = [u32; 3];

/// What the functions see.
#[derive(Default)]
struct Heard {
    calls: Vec<Data>,
    /// Whether a call that a function queued was served, in order.
    queued: VecDeque<bool>,
}

fn note(heard: &mut Heard, data: Data) {
    heard.calls.push(data);
}

fn note_and_queue(heard: &mut Heard, later: &mut Later<'_, Callback16>, data: Data) {
    heard.calls.push(data);
    let first: CallbackId<Data> = CallbackId::from_number(0);
    let again = [data[0], data[1] + 1, data[2]];
    // What one queues that was itself queued so is enough.
    if data[1] == 0 {
        heard.queued.push_back(later.try_queue(first, again).is_ok());
    }
}

pub(super) struct Both<'a> {
    table: CallbackTable<'a, Heard>,
    calls: Callbacks<'a>,
    heard: Heard,
    memory: &'a dyn Allocator,
    /// The functions, and whether each queues.
    functions: Vec<bool>,
    waiting: VecDeque<(u32, Data)>,
    next: u32,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self {
            table: CallbackTable::new_in(memory),
            calls: Callbacks::new_in(memory),
            heard: Heard::default(),
            memory,
            functions: Vec::new(),
            waiting: VecDeque::new(),
            next: 0,
        }
    }
}

impl Beside for Both<'_> {
    type Op = CallbacksOp;

    fn lose(&mut self) {
        self.calls.clear();
    }

    fn step(&mut self, op: CallbacksOp) -> Result<bool, String> {
        self.next += 1;
        let served = match op {
            CallbacksOp::AddNoting => self.table.try_add(note).map(|id| self.added(id, false)),
            CallbacksOp::AddQueueing => {
                self.table.try_add_queueing(note_and_queue).map(|id| self.added(id, true))
            }
            CallbacksOp::Run => return self.run(),
            CallbacksOp::Clear => {
                self.calls.clear();
                self.waiting.clear();
                return same("empty", self.calls.is_empty(), true).map(|()| true);
            }
            _ => return Ok(self.queue(op).is_ok()),
        };
        match served {
            Ok(done) => done.map(|()| true),
            Err(_) => Ok(false),
        }
    }

    fn compare(&self) -> Result<(), String> {
        let waiting: Vec<(u32, Data)> =
            self.calls.as_slice().iter().map(|call| (call.function(), call.data())).collect();
        same("calls that wait", waiting, self.waiting.iter().copied().collect())?;
        same("length", self.calls.len(), self.waiting.len())?;
        same("functions", self.table.len(), self.functions.len())
    }
}

impl Both<'_> {
    fn added(&mut self, id: CallbackId<Data>, queues: bool) -> Result<(), String> {
        same("number", id.number() as usize, self.functions.len())?;
        self.functions.push(queues);
        Ok(())
    }

    fn queue(&mut self, op: CallbacksOp) -> Result<(), GrowError> {
        let number = self.next;
        match op {
            CallbacksOp::Queue { which } => {
                let (function, data) = (u32::from(which % FUNCTIONS), [number, 0, 7]);
                self.calls.try_queue(CallbackId::from_number(function), data)?;
                self.waiting.push_back((function, data));
            }
            CallbacksOp::QueueAll { count, which } => {
                let calls = (0..u32::from(count) % 32)
                    .map(|n| ((u32::from(which) + n) % u32::from(FUNCTIONS), [number, 0, n]));
                let made: Vec<Callback16> = calls
                    .clone()
                    .map(|(function, data)| {
                        Callback16::new(CallbackId::<Data>::from_number(function), data)
                    })
                    .collect();
                self.calls.try_queue_all(&made)?;
                self.waiting.extend(calls);
            }
            _ if self.waiting.len() > MANY => {}
            _ => {
                let mut other: Callbacks<'_> = Callbacks::new_in(self.memory);
                other.try_queue_all(self.calls.as_slice())?;
                self.calls.try_append(&mut other)?;
                let again: Vec<_> = self.waiting.iter().copied().collect();
                self.waiting.extend(again);
            }
        }
        Ok(())
    }

    /// Makes the calls on both. A call that a function queues waits for the next run.
    fn run(&mut self) -> Result<bool, String> {
        let ran = self.calls.run(&self.table, &mut self.heard);
        let mut made = Vec::new();
        let (mut later, mut served) = (Vec::new(), true);
        let mut expected = Ok(self.waiting.len() as u32);
        while let Some((function, data)) = self.waiting.pop_front() {
            let Some(&queues) = self.functions.get(function as usize) else {
                let functions = self.functions.len() as u32;
                expected = Err(RunError { function, functions });
                break;
            };
            made.push(data);
            if queues && data[1] == 0 {
                let was = self.heard.queued.pop_front().ok_or("a call was not made")?;
                served &= was;
                later.extend(was.then_some((0, [data[0], 1, data[2]])));
            }
        }
        self.waiting.extend(later);
        same("ran", ran, expected)?;
        same("calls made", core::mem::take(&mut self.heard.calls), made)?;
        same("calls queued meanwhile", self.heard.queued.len(), 0)?;
        self.compare().map(|()| served)
    }
}
