//! Character sheets: looked up, copied, counted.

mod maps;
mod ours;

pub(crate) use maps::{ByHash, ByName};
pub(crate) use ours::{Stores, StoresInSet, set_bytes};

use core::hint::black_box;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::outcome::Reading;
use crate::random::Random;

/// What a sheet says under a name.
#[derive(Clone, Copy)]
pub(crate) enum Entry {
    Bool(bool),
    Number(f32),
    Text(&'static str),
    Array(&'static [f32]),
}

/// The sheet that the article has for an example, with what else a character has.
pub(crate) const SHEET: [(&[&str], Entry); 16] = [
    (&["name"], Entry::Text("The One")),
    (&["class"], Entry::Text("paladin")),
    (&["home", "position"], Entry::Array(&[12.0, 0.5, -40.0])),
    (&["status_effects", "drunk"], Entry::Bool(true)),
    (&["status_effects", "delirious"], Entry::Bool(true)),
    (&["status_effects", "poisoned"], Entry::Bool(false)),
    (&["stats", "health"], Entry::Number(100.0)),
    (&["stats", "mana"], Entry::Number(200.0)),
    (&["stats", "strength"], Entry::Number(14.0)),
    (&["stats", "agility"], Entry::Number(11.0)),
    (&["stats", "wisdom"], Entry::Number(9.0)),
    (&["stats", "luck"], Entry::Number(3.0)),
    (&["stats", "armour"], Entry::Number(35.0)),
    (&["stats", "speed"], Entry::Number(1.5)),
    (&["stats", "level"], Entry::Number(7.0)),
    (&["stats", "experience"], Entry::Number(8_250.0)),
];

/// Where the numbers begin in the sheet.
const NUMBERS: usize = 6;

/// Sheets in one kind of container.
pub(crate) trait Sheets: Sized + 'static {
    /// What a value is looked up by.
    type Key: Copy;

    /// One sheet on its own.
    type Sheet;

    const NAME: &'static str;

    fn new(count: u32) -> Self;

    /// Returns the key of a path.
    fn key(path: &'static [&'static str]) -> Self::Key;

    fn number(&self, sheet: u32, key: Self::Key) -> Option<f32>;

    fn copy(&self, sheet: u32) -> Self::Sheet;

    /// Returns the bytes that all sheets take.
    fn bytes(&self) -> usize;
}

/// About how many lookups a pass is.
const LOOKUPS: u32 = 300_000;

/// Returns a contender that looks numbers up, each in a sheet drawn at random.
pub(crate) fn get<S: Sheets>(sheets: u32) -> Contender {
    let all = S::new(sheets);
    let keys: Vec<S::Key> = SHEET[NUMBERS..].iter().map(|(path, _)| S::key(path)).collect();
    let mut random = Random::new(7);
    // As many as are looked up in a pass, so that nothing learns the order.
    let wanted: Box<[(u32, S::Key)]> = (0..LOOKUPS)
        .map(|_| (random.below(sheets), keys[random.below(keys.len() as u32) as usize]))
        .collect();
    Contender::new(S::NAME, move || {
        // An untimed run first, so that the caches do not hold the data of the contender before.
        sum(&all, &wanted[..wanted.len() / 4]);
        let mut total = 0;
        let ns = clock::time(|| total = sum(&all, &wanted));
        let least = u64::from(LOOKUPS) * u64::from(1.0f32.to_bits());
        assert!(total > least, "the numbers are not those that were put in");
        Pass { ns, operations: u64::from(LOOKUPS) }
    })
}

/// Adds the numbers' bits up: one cycle in the chain, and no register that a call has to save, so
/// that this shows what a lookup takes and not what adding does.
#[inline(never)]
fn sum<S: Sheets>(all: &S, wanted: &[(u32, S::Key)]) -> u64 {
    let mut sum = 0;
    for &(sheet, key) in black_box(wanted) {
        let Some(number) = all.number(sheet, key) else { lost() };
        sum += u64::from(number.to_bits());
    }
    sum
}

/// Ends a workload whose sheets do not have what was put into them.
#[cold]
#[inline(never)]
fn lost() -> ! {
    panic!("a sheet has no such number")
}

/// Copies of a pass.
const COPIES: u32 = 20_000;

/// Sheets that are copied in turn.
const COPIED: u32 = 100;

/// Returns a contender that copies sheets and drops the copies.
pub(crate) fn clone<S: Sheets>() -> Contender {
    let all = S::new(COPIED);
    Contender::new(S::NAME, move || {
        let ns = clock::time(|| {
            for number in 0..COPIES {
                drop(black_box(all.copy(black_box(number % COPIED))));
            }
        });
        Pass { ns, operations: u64::from(COPIES) }
    })
}

/// Sheets whose memory is counted.
const COUNTED: u32 = 1_000;

/// Returns the bytes of a set of sheets over those of others, and how many they are.
pub(crate) fn memory_over<P: Sheets>() -> Reading {
    let (ours, theirs) = (StoresInSet::new(COUNTED).bytes(), P::new(COUNTED).bytes());
    let each = |bytes: usize| bytes as f64 / f64::from(COUNTED);
    let one_float = set_bytes(COUNTED, &SHEET[NUMBERS..=NUMBERS]);
    Reading::Alone {
        figures: vec![ours as f64 / theirs as f64],
        note: Some(format!(
            "{:.1} bytes a sheet beside {:.1}; {:.1} bytes a store of one float",
            each(ours),
            each(theirs),
            each(one_float),
        )),
    }
}

/// Returns what a block takes of the C library's heap: what may be used of it and the 8 bytes of
/// its size.
fn malloc_bytes(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    // SAFETY: any size may be asked for.
    let block = unsafe { libc::malloc(bytes) };
    assert!(!block.is_null(), "the C library has no {bytes} bytes");
    // SAFETY: the block is live.
    let usable = unsafe { libc::malloc_usable_size(block) };
    // SAFETY: as above, and it is not used again.
    unsafe { libc::free(block) };
    usable + 8
}
