//! Pushing to and popping from rows at random, their lengths staying where they were.

use core::hint::black_box;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::random::Random;
use crate::work::containers::arrays::{Lens, Lists, OPERATIONS, filled};

/// Pushes and pops in equal parts, each at a random row, none beyond the greatest length.
pub(crate) fn push_pop<L: Lists + 'static>(name: &'static str, lens: Lens) -> Contender {
    let (mut lists, rows) = filled::<L>(lens);
    let mut now = lens.draw();
    let most = now.iter().copied().max().unwrap_or(0).max(1);
    let mut random = Random::new(43);
    let mut script: Vec<(L::Row, bool)> = Vec::with_capacity(OPERATIONS as usize);
    Contender::new(name, move || {
        script.clear();
        for _ in 0..OPERATIONS {
            let row = random.below(lens.rows) as usize;
            let push = now[row] == 0 || now[row] < most && random.below(2) == 0;
            if push { now[row] += 1 } else { now[row] -= 1 }
            script.push((rows[row], push));
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
