//! Ninety lookups, five removals and five insertions of a hundred, at random places.

use core::hint::black_box;

use crate::blocks::look_at;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::id_table::{IdTable, Object};
use crate::random::Random;
use crate::work::ids::{Filled, Operation, found, times};

/// The mix with the given number of objects alive. Drawing a place costs about a nanosecond, which
/// is in the figures of all.
pub(crate) struct Mix<const LIVE: u32>;

/// Operations of a group: lookups, then removals, then insertions, so that a table has more than
/// the last free place to hand out.
const LOOKUPS: u32 = 90;
const CHANGES: u32 = 5;
const GROUP: u32 = LOOKUPS + 2 * CHANGES;

impl<const LIVE: u32> Operation for Mix<LIVE> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let mut filled = Filled::<T>::new(LIVE);
        let mut random = Random::new(34);
        let groups = times(GROUP);
        Contender::new(name, move || {
            // An untimed run first, so that the caches do not hold the data of the contender
            // before.
            run(&mut filled, &mut random, groups / 2);
            let ns = clock::time(|| run(&mut filled, &mut random, groups));
            Pass { ns, operations: u64::from(groups * GROUP) }
        })
    }
}

#[inline(never)]
fn run<T: IdTable>(filled: &mut Filled<T>, random: &mut Random, groups: u32) {
    let Filled { table, ids } = filled;
    let count = ids.len() as u32;
    let mut sum = 0u64;
    for value in 0..groups {
        for _ in 0..LOOKUPS {
            let id = ids[random.below(count) as usize];
            sum = sum.wrapping_add(found(table.get(id)).value);
        }
        // One place out of each fifth of the ids, so that they differ.
        let part = count / CHANGES;
        let offset = random.below(part);
        for change in 0..CHANGES {
            let id = ids[(offset + change * part) as usize];
            sum = sum.wrapping_add(found(table.remove(id)).value);
            look_at(table);
        }
        for change in 0..CHANGES {
            let id = &mut ids[(offset + change * part) as usize];
            *id = table.insert(Object::new(u64::from(value)));
            look_at(table);
        }
    }
    black_box(sum);
}
