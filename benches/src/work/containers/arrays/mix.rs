//! Pushing to and popping from rows at random, their lengths staying where they were.

use core::hint::black_box;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::random::Random;
use crate::work::containers::arrays::{Lens, Lists, OPERATIONS, filled};

/// Pushes and pops in equal parts, each at a random row, none beyond its greatest length.
pub(crate) fn push_pop<L: Lists + 'static>(name: &'static str, lens: Lens) -> Contender {
    let (mut lists, rows) = filled::<L>(lens);
    let mut now = lens.draw();
    let mut random = Random::new(43);
    let mut script: Vec<(L::Row, bool)> = Vec::with_capacity(OPERATIONS as usize);
    Contender::new(name, move || {
        script.clear();
        for _ in 0..OPERATIONS {
            let row = random.below(lens.rows);
            let (len, name) = (&mut now[row as usize], rows[row as usize]);
            let push = *len == 0 || *len < lens.most_of(row) && random.below(2) == 0;
            *len = if push { *len + 1 } else { *len - 1 };
            script.push((name, push));
        }
        let ns = clock::time(|| {
            black_box(run(&mut lists, &script));
        });
        Pass { ns, operations: u64::from(OPERATIONS) }
    })
}

#[inline(never)]
fn run<L: Lists>(lists: &mut L, script: &[(L::Row, bool)]) -> u32 {
    let mut sum = 0u32;
    for (row, push) in script {
        if *push {
            lists.push(*row, sum);
        } else {
            sum = sum.wrapping_add(lists.pop(*row).unwrap_or_else(|| missing()));
        }
    }
    sum
}

#[cold]
#[inline(never)]
fn missing() -> ! {
    panic!("a row lacks an element that was pushed to it")
}
