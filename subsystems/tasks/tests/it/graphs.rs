//! Random graphs of tasks compared with a serial model.
//!
//! A graph is made beforehand: each task may wait for an earlier one, be a child of an earlier one
//! that is kept open, be done elsewhere, add children while it runs, or panic. The model says which
//! run and which fail; each that runs must find all that it waited for complete.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use loligo_tasks::{Scope, ScopeError, Settings, Task, TaskId, ThreadIndex, WaitError, Worker};

use crate::{quietly, with_workers};

/// How many graphs are tried for each number of workers, unless LOLIGO_GRAPHS asks for more.
const GRAPHS: u64 = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Run,
    Panic,
    Empty,
    External,
    /// A group that stays open while the graph is made.
    Group,
    /// A join of the two before it, if they have no parent.
    Join,
}

/// A task of a graph.
#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    after: Option<usize>,
    parent: Option<usize>,
    joins: Vec<usize>,
    /// How many children it adds while it runs, and whether the last panics.
    children: u32,
    child_panics: bool,
    priority: u8,
    on_main: bool,
    held: bool,
}

/// Xorshift, seeded.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

fn graph(random: &mut Random) -> Vec<Node> {
    let count = 5 + random.below(60) as usize;
    let mut nodes: Vec<Node> = Vec::new();
    let mut groups = Vec::new();
    for index in 0..count {
        let kind = match random.below(20) {
            0 => Kind::Panic,
            1 | 2 => Kind::Empty,
            3 => Kind::External,
            4 | 5 => Kind::Group,
            6..=8 if index >= 2 => Kind::Join,
            _ => Kind::Run,
        };
        let elsewhere = matches!(kind, Kind::External | Kind::Group);
        let earlier = |random: &mut Random| random.below(index.max(1) as u64) as usize;
        let parent = (!groups.is_empty() && kind != Kind::Join && random.one_in(3))
            .then(|| groups[random.below(groups.len() as u64) as usize]);
        // Neither a group that it is in, nor what is open because of that.
        let after = (index > 0 && !elsewhere && kind != Kind::Join && !random.one_in(3))
            .then(|| earlier(random))
            .filter(|after| {
                parent.is_none_or(|parent| *after < parent && !needs(&nodes, *after, parent))
            });
        let joins = if kind == Kind::Join {
            let mut picks = [earlier(random), earlier(random), earlier(random)].to_vec();
            picks.retain(|pick| {
                nodes[*pick].parent.is_none() && !nodes.iter().any(|node| node.joins.contains(pick))
            });
            picks
        } else {
            Vec::new()
        };
        if kind == Kind::Group {
            groups.push(index);
        }
        let children =
            if kind == Kind::Run && random.one_in(4) { random.below(5) as u32 } else { 0 };
        nodes.push(Node {
            kind,
            after,
            parent,
            joins,
            children,
            child_panics: children > 0 && random.one_in(8),
            priority: random.below(70) as u8,
            on_main: !elsewhere && kind != Kind::Join && random.one_in(10),
            held: !elsewhere && kind != Kind::Join && random.one_in(5),
        });
    }
    nodes
}

/// Returns `true` if `node` can only complete when `other` has: then nothing in `other` may wait
/// for it.
fn needs(nodes: &[Node], node: usize, other: usize) -> bool {
    let children = (0..nodes.len()).filter(|index| nodes[*index].parent == Some(node));
    node == other
        || nodes.get(node).is_some_and(|known| {
            known.after.is_some_and(|after| needs(nodes, after, other))
                || known.joins.iter().any(|join| needs(nodes, *join, other))
        })
        || children.into_iter().any(|child| needs(nodes, child, other))
}

/// What the model says: whether each starts well, and whether it fails.
fn model(nodes: &[Node]) -> Vec<(bool, bool)> {
    let mut failed = vec![None; nodes.len()];
    (0..nodes.len()).for_each(|index| _ = fails(nodes, index, &mut failed));
    let outcome = |index: usize| {
        let node = &nodes[index];
        let runs = node.after.is_none_or(|after| failed[after] == Some(false));
        (runs, failed[index] == Some(true))
    };
    (0..nodes.len()).map(outcome).collect()
}

fn fails(nodes: &[Node], index: usize, known: &mut Vec<Option<bool>>) -> bool {
    if let Some(failed) = known[index] {
        return failed;
    }
    let node = &nodes[index];
    let children: Vec<usize> =
        (0..nodes.len()).filter(|child| nodes[*child].parent == Some(index)).collect();
    let failed = node.kind == Kind::Panic
        || node.child_panics
        || node.after.is_some_and(|after| fails(nodes, after, known))
        || node.joins.iter().any(|join| fails(nodes, *join, known))
        || children.into_iter().any(|child| fails(nodes, child, known));
    known[index] = Some(failed);
    failed
}

/// A graph as it runs.
struct Running<'g> {
    nodes: &'g [Node],
    ran: Vec<AtomicU32>,
    children: Vec<AtomicU32>,
    /// The id of each, as bits, once it is known.
    ids: Vec<AtomicU64>,
    wrong: AtomicBool,
}

impl Running<'_> {
    fn run(&self, worker: &Worker<'_>, index: usize) {
        let node = &self.nodes[index];
        self.ran[index].fetch_add(1, Ordering::Relaxed);
        if let Some(after) = node.after {
            let id = TaskId::from_bits(self.ids[after].load(Ordering::SeqCst));
            let open = id.is_none_or(|id| worker.is_open(id));
            if open {
                self.wrong.store(true, Ordering::SeqCst);
            }
        }
        if node.on_main && worker.thread() != ThreadIndex(0) {
            self.wrong.store(true, Ordering::SeqCst);
        }
        if node.kind == Kind::Panic {
            panic!("on purpose");
        }
    }
}

/// Makes the task of a node.
fn task_of<'s>(
    running: &'s Running<'_>,
    scope: &'s Scope<'s, '_>,
    index: usize,
    ids: &[TaskId],
) -> Task<'s> {
    let node = &running.nodes[index];
    let mut task = match node.kind {
        Kind::Run | Kind::Panic => Task::new(&"node", move |worker| {
            running.run(worker, index);
            let own = worker.task().expect("it is in a task");
            let node = &running.nodes[index];
            for number in 1..=node.children {
                let panics = node.child_panics && number == node.children;
                let child = Task::new(&"child", move |_| {
                    running.children[index].fetch_add(1, Ordering::Relaxed);
                    assert!(!panics, "on purpose");
                });
                scope.add(child.child_of(own)).expect("there is room");
            }
        }),
        Kind::Empty | Kind::Join => Task::empty(&"empty"),
        Kind::External | Kind::Group => Task::external(&"elsewhere"),
    };
    if let Some(after) = node.after {
        task = task.after(ids[after]);
    }
    if let Some(parent) = node.parent {
        task = task.child_of(ids[parent]);
    }
    if node.on_main {
        task = task.on(ThreadIndex(0));
    }
    task
}

/// Runs a graph and compares it with the model.
fn check(main: &Worker<'_>, seed: u64) {
    let mut random = Random(seed);
    let nodes = graph(&mut random);
    let counters = || (0..nodes.len()).map(|_| AtomicU32::new(0)).collect();
    let running = Running {
        nodes: &nodes,
        ran: counters(),
        children: counters(),
        ids: (0..nodes.len()).map(|_| AtomicU64::new(0)).collect(),
        wrong: AtomicBool::new(false),
    };
    let expected = model(&nodes);
    let result = main.scope(&"graph", |scope| {
        let running = &running;
        let mut ids: Vec<TaskId> = Vec::new();
        let mut elsewhere = Vec::new();
        let mut held = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let task = task_of(running, scope, index, &ids);
            let id = if node.kind == Kind::Join {
                let joins: Vec<TaskId> = node.joins.iter().map(|join| ids[*join]).collect();
                scope.join(&"join", &joins).expect("they have no parent")
            } else {
                let task = task.priority(node.priority);
                scope.add(if node.held { task.held() } else { task }).expect("there is room")
            };
            running.ids[index].store(id.to_bits(), Ordering::SeqCst);
            ids.push(id);
            if node.held {
                held.push(id);
            }
            if matches!(node.kind, Kind::External | Kind::Group) {
                elsewhere.push(id);
            }
            if random.one_in(10) {
                main.run_one();
            }
            if random.one_in(20) {
                main.validate();
            }
        }
        release(main, &mut random, held, elsewhere);
        for (index, id) in ids.iter().enumerate() {
            let told = main.wait(*id);
            assert!(!main.is_open(*id), "seed {seed}: {index} is open after a wait");
            assert_eq!(told.is_err(), expected[index].1, "seed {seed}: {index} ends with {told:?}");
        }
        main.validate();
    });
    compare(&running, &expected, result, seed);
}

/// Starts those that are held and completes those elsewhere, in any order.
fn release(
    main: &Worker<'_>,
    random: &mut Random,
    mut held: Vec<TaskId>,
    mut elsewhere: Vec<TaskId>,
) {
    while !held.is_empty() || !elsewhere.is_empty() {
        let (list, held_first) = if random.one_in(2) && !held.is_empty() {
            (&mut held, true)
        } else {
            (&mut elsewhere, false)
        };
        if list.is_empty() {
            continue;
        }
        let id = list.swap_remove(random.below(list.len() as u64) as usize);
        if held_first {
            main.start(id).expect("it is held");
        } else {
            main.complete(id).expect("it is open");
        }
    }
}

/// Compares what has run with the model.
fn compare(
    running: &Running<'_>,
    expected: &[(bool, bool)],
    result: Result<(), ScopeError>,
    seed: u64,
) {
    let nodes = running.nodes;
    let failed = expected.iter().any(|(_, failed)| *failed);
    match result {
        Ok(()) => assert!(!failed, "seed {seed}: the scope does not know of a failure"),
        Err(error) => assert!(failed, "seed {seed}: {error}"),
    }
    for (index, node) in nodes.iter().enumerate() {
        let runs = matches!(node.kind, Kind::Run | Kind::Panic) && expected[index].0;
        let ran = running.ran[index].load(Ordering::Relaxed);
        assert_eq!(ran, u32::from(runs), "seed {seed}: {index} of {nodes:#?}");
        let children = running.children[index].load(Ordering::Relaxed);
        // A child that panics keeps none of its siblings from running but those that have not
        // started.
        if !node.child_panics {
            assert_eq!(children, if runs { node.children } else { 0 }, "seed {seed}: {index}");
        }
    }
    assert!(!running.wrong.load(Ordering::SeqCst), "seed {seed}: one ran too early, or elsewhere");
}

#[test]
fn random_graphs_do_what_the_model_says() {
    let number = |name| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let base = number("LOLIGO_SEED").unwrap_or(0x005E_ED00);
    let graphs = number("LOLIGO_GRAPHS").unwrap_or(GRAPHS);
    println!("seeds from {base} on; LOLIGO_SEED sets the first, LOLIGO_GRAPHS how many");
    quietly(|| {
        with_workers(Settings { tasks: 1024, ..Settings::default() }, |tasks| {
            tasks.run(|main| {
                for seed in base..base + graphs {
                    check(main, seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
                    assert_eq!(main.stats().open, 0, "all have completed");
                    let next = main.add(Task::new(&"next", |_| {})).expect("there is room");
                    assert_eq!(main.wait(next), Ok::<_, WaitError>(()), "it goes on");
                }
            });
        });
    });
}
