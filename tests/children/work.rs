//! What a program under an allocator of ours does: it is all global allocations.

use std::collections::{BTreeMap, HashMap};
use std::thread;

/// Works on several threads, each with blocks of many sizes, some handed to another thread; returns
/// a number that depends on all of it.
pub(crate) fn work() -> u64 {
    let threads: Vec<_> = (0..4_u64)
        .map(|seed| {
            thread::spawn(move || {
                let mut map = HashMap::new();
                let mut tree = BTreeMap::new();
                let mut random = seed;
                for step in 0..3000_u64 {
                    random = random.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                    let length = (random >> 40) as usize % 700;
                    map.insert(random % 500, vec![step as u8; length]);
                    tree.insert(random % 300, format!("{step:>width$}", width = length % 40));
                    if random.is_multiple_of(3) {
                        map.remove(&(random / 3 % 500));
                    }
                    if step.is_multiple_of(1000) {
                        // Aligned as few blocks are.
                        map.insert(1000 + step, vec![1; 1 << 20]);
                    }
                }
                let bytes: usize = map.values().map(Vec::len).sum();
                let text: usize = tree.values().map(String::len).sum();
                (map, bytes as u64 + text as u64)
            })
        })
        .collect();
    threads
        .into_iter()
        .map(|thread| {
            let (map, sum) = thread.join().expect("a thread of a child ends well");
            // What another thread allocated is freed here.
            drop(map);
            sum
        })
        .sum()
}

/// Runs the child's job: `work`, or a double free.
pub(crate) fn run() {
    let job = std::env::args().nth(1).unwrap_or_default();
    if job == "double-free" {
        let block = Box::into_raw(Box::new([0_u64; 8]));
        println!("misused address: {block:p}");
        // SAFETY: the block is a box's.
        drop(unsafe { Box::from_raw(block) });
        // SAFETY: none; that is the misuse.
        drop(unsafe { Box::from_raw(block) });
        println!("the process went on");
        return;
    }
    println!("worked {}", work());
}
