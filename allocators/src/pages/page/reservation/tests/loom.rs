//! Every interleaving of two threads that commit and decommit the same pages of a reservation while
//! the owner's count is read, up to a bound of preemptions.

use std::vec::Vec;

use loom::sync::{Arc, Mutex};
use loom::thread;

use crate::pages::page::reservation::tally::{Lock, Part, Whole, change};
use crate::threads::sync::shared::model::{Fault, Gate, explore, is, must_fail};

const PAGES: usize = 2;

impl<T> Lock<T> for Mutex<T> {
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut held = self.lock().expect("no thread panics with the lock");
        work(&mut held)
    }
}

/// A reservation's pages, each committed or not, a byte each.
type Map = Vec<bool>;

impl Part for Map {
    fn committed(&self) -> usize {
        self.iter().filter(|&&committed| committed).count()
    }
}

/// The owner's count.
struct Owner(usize);

impl Whole for Owner {
    fn committed(&mut self) -> &mut usize {
        &mut self.0
    }
}

/// A reservation and its owner.
#[derive(Clone)]
struct World {
    map: Arc<Mutex<Map>>,
    owner: Arc<Mutex<Owner>>,
}

impl World {
    fn new() -> Self {
        Self {
            map: Arc::new(Mutex::new(Map::from([false; PAGES]))),
            owner: Arc::new(Mutex::new(Owner(0))),
        }
    }

    /// Commits or decommits all pages; with the planted fault the owner's count is changed after
    /// the map is unlocked.
    fn set(&self, committed: bool) {
        let work = |map: &mut Map| map.fill(committed);
        if !is(Fault::SplitLocks) {
            return change(&*self.map, &*self.owner, work);
        }
        let (before, after) = self.map.with(|map| {
            let before = map.committed();
            work(map);
            (before, map.committed())
        });
        // With overflow checks the wrap would panic, under the lock.
        self.owner.with(|owner| {
            owner.0 = owner.0.wrapping_add(after).wrapping_sub(before);
        });
    }

    /// Reads the owner's count.
    fn look(&self) {
        let counted = self.owner.with(|owner| owner.0);
        assert!(counted <= PAGES, "{counted} pages are counted of {PAGES}");
    }
}

/// Runs `one` in a thread and `two` in this one, and compares both counts at the end.
fn both(one: impl FnOnce(&World) + 'static, two: impl FnOnce(&World)) {
    let world = World::new();
    let gate = Gate::new();
    let (other, other_gate) = (world.clone(), gate.clone());
    let thread = thread::spawn(move || {
        other_gate.pass();
        one(&other);
    });
    gate.pass();
    two(&world);
    thread.join().expect("the thread ends well");
    world.look();
    let (map, owner) = (world.map.with(|map| map.committed()), world.owner.with(|owner| owner.0));
    assert_eq!(map, owner, "both counts are one number");
}

/// One commits while the other decommits the same pages and reads the count.
fn opposite() {
    both(
        |world| world.set(true),
        |world| {
            world.set(false);
            world.look();
        },
    );
}

/// Both commit and decommit.
fn alike() {
    let work = |world: &World| {
        world.set(true);
        world.look();
        world.set(false);
    };
    both(work, work);
}

#[test]
fn loom_page_committed_opposite() {
    explore("page_committed::opposite", 3, 20, opposite);
}

#[test]
fn loom_page_committed_alike() {
    explore("page_committed::alike", 3, 60, alike);
}

#[test]
fn loom_page_committed_faults_are_caught() {
    let said = ["pages are counted of"];
    must_fail("page_committed::opposite", Fault::SplitLocks, &said, opposite);
    must_fail("page_committed::alike", Fault::SplitLocks, &said, alike);
}
