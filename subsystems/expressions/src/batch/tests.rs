//! Every machine gives the same bits: each runs the same bytecode over the same columns, and is
//! compared with single runs.
#![expect(unsafe_code, reason = "machines of a test are run as those of the crate are")]

mod faulty;

use std::vec::Vec;
use std::{format, println};

use loligo_allocators::{HeapAllocator, PageAllocator};

use super::job::Job;
use super::machine::run;
use super::path::Path;
use super::vector::{Plain, Vector};
use super::{BatchStack, Input};
use crate::bytecode::Bytecode;
use crate::limits::DEPTH_MAX;
use crate::operation::{
    BINARY, BINARY_FLOAT, BINARY_NAMES, BINARY_VARIABLE, CALL, END, FLOAT, TERNARY, TERNARY_NAMES,
    UNARY, UNARY_NAMES, VARIABLE,
};
use crate::symbols::{Function, Symbols};
use crate::word::word;
use faulty::Faulty;

/// NaNs of both signs, quiet and signalling, infinities, zeros, denormals, whole numbers and
/// halves, angles that are reduced elsewhere, and powers that are made otherwise.
const CORNERS: [u32; 30] = [
    0x7fc0_0000,
    0xffc0_0001,
    0x7f80_0001,
    0xff80_1234,
    0x7f80_0000,
    0xff80_0000,
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x4000_0000,
    0x4040_0000,
    0xc040_0000,
    0x4080_0000,
    0x3fc0_0000,
    0x4b00_0001,
    0xcb7f_ffff,
    0x3eaa_aaab,
    0x4cbe_bc20,
    0xcf00_0000,
    0x3f7f_ffff,
    0x40c9_0fdb,
    0x42b2_0000,
];

/// Functions of the user's, one with a form for columns.
static FUNCTIONS: [Function<'static>; 3] = [
    Function::new("seven", 0, |_| 7.0),
    Function::new("mix", 3, |a| (a[0] - a[1]) * a[2]),
    Function::new("half", 1, |a| a[0] * 0.5).with_batch(|columns, to| {
        to.iter_mut().zip(columns[0]).for_each(|(to, a)| *to = a * 0.5);
    }),
];

const SYMBOLS: Symbols<'static> =
    Symbols { variables: &["x", "y", "same", "z"], constants: &[], functions: &FUNCTIONS };

/// Runs a job.
type Run = fn(&mut Job<'_>);

/// A machine: its name, the inputs of a block, and how it is run.
type Machine = (&'static str, usize, Run);

/// A machine that every processor has.
fn plain<V: Vector, const VECTORS: usize, const KEEPS: bool>(job: &mut Job<'_>) {
    // SAFETY: the vectors of tests are arrays of floats, without any instructions.
    unsafe { run::<V, VECTORS, KEEPS>(job) }
}

/// Those of the crate that the processor has, and the one for processors of which nothing is known,
/// with and without a column in registers.
fn machines() -> Vec<Machine> {
    let mut machines: Vec<Machine> =
        [("plain", 32, plain::<Plain, 8, false> as Run), ("keeping", 8, plain::<Plain, 2, true>)]
            .into();
    for path in Path::ALL {
        if path.is_there() {
            let run: Run = match path {
                Path::One => |job| Path::One.run(job),
                Path::Small => |job| Path::Small.run(job),
                Path::Baseline => |job| Path::Baseline.run(job),
                #[cfg(target_feature = "sse2")]
                Path::Avx2 => |job| Path::Avx2.run(job),
                #[cfg(target_feature = "sse2")]
                Path::Avx512 => |job| Path::Avx512.run(job),
            };
            machines.push(("of the crate", path.lanes(), run));
        } else {
            println!("skipped: the processor has no {path:?}");
        }
    }
    machines
}

/// Numbers that look random: the same after the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(below)) >> 32) as u32
    }

    /// Returns a corner, a float of ordinary size, or any bits.
    fn float(&mut self) -> f32 {
        match self.next(4) {
            0 => f32::from_bits(self.next(u32::MAX)),
            1 => self.next(20_000) as f32 * 0.001 - 10.0,
            _ => f32::from_bits(CORNERS[self.next(CORNERS.len() as u32) as usize]),
        }
    }
}

/// The values of the variables: x and y are each pair of corners, z is anything.
struct Columns([Vec<f32>; 3]);

impl Columns {
    fn new(random: &mut Random) -> Self {
        let count = CORNERS.len() * CORNERS.len();
        let corner = |at: usize| f32::from_bits(CORNERS[at % CORNERS.len()]);
        // More than eight of the longest blocks, so that the second one turns back.
        let rows = || 0..count + 203;
        Self([
            rows().map(corner).collect(),
            rows().map(|row| corner(row / CORNERS.len())).collect(),
            rows().map(|_| random.float()).collect(),
        ])
    }

    /// Runs bytecode on a machine and returns the first row that differs from a single run.
    fn first_difference(&self, bytecode: &Bytecode<'_>, count: usize, run: Run) -> Option<usize> {
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new("paths", &pages);
        let mut stack = BatchStack::try_new(bytecode.depth(), &heap).expect("there is memory");
        let mut results = std::vec![0.0; count];
        let [x, y, z] = &self.0;
        let same = z[7];
        let inputs = [Input::Column(x), Input::Column(y), Input::Same(same), Input::Column(z)];
        run(&mut Job::new(bytecode, &inputs, &mut results, &mut stack.slots));
        let mut rows = results.iter().enumerate();
        rows.position(|(row, result)| {
            bytecode.run(&[x[row], y[row], same, z[row]]).to_bits() != result.to_bits()
        })
    }
}

/// Compares all machines with single runs.
fn compare(columns: &Columns, words: &[u32], counts: &[usize], note: &str) {
    let bytecode = Bytecode::verify(words, &SYMBOLS).expect("the words are bytecode");
    for (name, lanes, run) in machines() {
        for count in counts.iter().copied().filter(|count| *count >= lanes) {
            let row = columns.first_difference(&bytecode, count, run);
            assert_eq!(row, None, "{name}, {lanes} at once, {count} inputs, {note}\n{bytecode}");
        }
    }
}

/// Every operation in every form, its name first.
fn operations(random: &mut Random) -> Vec<(&'static str, Vec<u32>)> {
    let (x, y, same, z) =
        (word(VARIABLE, 0), word(VARIABLE, 1), word(VARIABLE, 2), word(VARIABLE, 3));
    let end = word(END, 0);
    let mut all = Vec::new();
    for (code, name) in (0..).zip(UNARY_NAMES) {
        all.extend([x, z].map(|from| (*name, [from, word(UNARY + code, 0), end].into())));
    }
    for (code, name) in (0..).zip(BINARY_NAMES) {
        for index in 0..4 {
            all.push((*name, [x, word(BINARY_VARIABLE + code, index), end].into()));
            all.push((*name, [y, word(BINARY_VARIABLE + code, index), end].into()));
        }
        all.push((*name, [x, y, word(BINARY + code, 0), end].into()));
        all.push((*name, [same, z, word(BINARY + code, 0), end].into()));
        for float in CORNERS.into_iter().chain([random.float().to_bits()]) {
            all.push((*name, [y, word(BINARY_FLOAT + code, 0), float, end].into()));
        }
    }
    for (code, name) in (0..).zip(TERNARY_NAMES) {
        all.push((*name, [x, y, z, word(TERNARY + code, 0), end].into()));
        all.push((*name, [z, x, y, word(TERNARY + code, 0), end].into()));
    }
    all
}

#[test]
fn every_operation_gives_the_same_bits_on_every_machine() {
    let mut random = Random(0x2011_0313);
    let columns = Columns::new(&mut random);
    // The hash of all results, as of FNV-1a: other processors must come to the same.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (name, words) in operations(&mut random) {
        compare(&columns, &words, &[CORNERS.len() * CORNERS.len()], name);
        let bytecode = Bytecode::verify(&words, &SYMBOLS).expect("the words are bytecode");
        let [x, y, z] = &columns.0;
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            let result = bytecode.run(&[*x, *y, 0.25, *z]).to_bits();
            hash = (hash ^ u64::from(result)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(
        hash, 0x8626_a3e0_57fa_8f92,
        "the bits are not those of other processors: {hash:#x}"
    );
}

/// Draws bytecode of up to that many operations.
fn program(random: &mut Random, operations: u32) -> Vec<u32> {
    let mut words = Vec::new();
    let mut height = 0_usize;
    for _ in 0..operations {
        let (operation, pops) = match random.next(12) {
            0..3 => (VARIABLE, 0),
            3 => (FLOAT, 0),
            4 => (UNARY + random.next(UNARY_NAMES.len() as u32) as u8, 1),
            5 => (TERNARY + random.next(TERNARY_NAMES.len() as u32) as u8, 3),
            6 => (CALL, 0),
            at => {
                let form = [BINARY, BINARY_VARIABLE, BINARY_FLOAT][at as usize % 3];
                (
                    form + random.next(BINARY_NAMES.len() as u32) as u8,
                    1 + usize::from(form == BINARY),
                )
            }
        };
        let data = match operation {
            VARIABLE | BINARY_VARIABLE..BINARY_FLOAT => random.next(4),
            CALL => random.next(3),
            _ => 0,
        };
        let pops = if operation == CALL { FUNCTIONS[data as usize].arguments() } else { pops };
        if pops > height || height + 1 - pops > DEPTH_MAX {
            continue;
        }
        height = height + 1 - pops;
        words.push(word(operation, data));
        if operation == FLOAT || operation >= BINARY_FLOAT {
            words.push(random.float().to_bits());
        }
    }
    if height == 0 {
        words.push(word(VARIABLE, 0));
        height = 1;
    }
    words.extend((1..height).map(|_| word(BINARY, 0)));
    words.push(word(END, 0));
    words
}

#[test]
fn any_bytecode_gives_the_same_bits_on_every_machine() {
    let seed = std::env::var("LOLIGO_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(0x5eed_2011);
    println!("LOLIGO_SEED={seed}");
    let mut random = Random(seed);
    let columns = Columns::new(&mut random);
    for round in 0..150 {
        let operations = 1 + random.next(40);
        let words = program(&mut random, operations);
        let counts = [1, 3, 4, 5, 31, 33, 65, 127, 129, 300, columns.0[0].len()];
        let note = format!("seed {seed}, round {round}");
        compare(&columns, &words, &counts, &note);
    }
}

#[test]
fn a_fault_in_one_instruction_is_found() {
    let mut random = Random(0x2011_0313);
    let columns = Columns::new(&mut random);
    let operations = operations(&mut random);
    let found = |run: Run| {
        let mut names = operations.iter().filter(|(_, words)| {
            let bytecode = Bytecode::verify(words, &SYMBOLS).expect("the words are bytecode");
            columns.first_difference(&bytecode, CORNERS.len() * CORNERS.len(), run).is_some()
        });
        names.next().map(|(name, _)| *name)
    };
    assert_eq!(found(plain::<Faulty<0>, 8, false>), None, "without a fault");
    let faults: [(Run, &str); 6] = [
        (plain::<Faulty<1>, 8, false>, "min"),
        (plain::<Faulty<2>, 8, false>, "max"),
        (plain::<Faulty<3>, 8, false>, "-"),
        (plain::<Faulty<4>, 8, false>, "!="),
        (plain::<Faulty<5>, 8, false>, "-"),
        (plain::<Faulty<6>, 8, false>, "sqrt"),
    ];
    for (at, (run, name)) in (1..).zip(faults) {
        assert_eq!(found(run), Some(name), "of fault {at}");
    }
}
