//! Prints the table of `docs/evidence/arrays-of-arrays.md`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator};

/// Pages for the program's own memory.
static PAGES: PageAllocator = PageAllocator::new("array_forms");

/// The program's own memory, and that of vectors: the same kind of heap that our forms are on.
#[global_allocator]
static MEMORY: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in("array_forms", &PAGES));

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = match arguments.as_slice() {
        [] => Some(100_000),
        [rows] => rows.parse().ok().filter(|rows| (100..=4_000_000).contains(rows)),
        _ => None,
    };
    let Some(rows) = rows else {
        eprintln!("usage: array_forms [ROWS], from 100 to 4000000");
        return ExitCode::from(2);
    };
    loligo_benches::array_forms::print(rows);
    ExitCode::SUCCESS
}
