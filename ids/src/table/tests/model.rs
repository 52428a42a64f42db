//! A naive model that says what every operation gives, ids included, and random programs against
//! it.

use core::marker::PhantomData;
use core::mem;
use std::collections::{BTreeMap, VecDeque};
use std::vec::Vec;

use crate::error::{InsertAtError, InsertError, NotReserved};
use crate::id::{Id, Repr, SmallId, TableId};
use crate::policy::{End, Fifo, FreeList, GenerationEnd, Lifo, Refuse, Retire, Wrap};
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::{Random, TestBacking};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    /// Free, after this generation.
    Free(u64),
    Live(u64),
    Reserved(u64),
    Retired,
}

/// What a table does, said with a list of states, a queue and a map.
pub(super) struct Model<I, F, E> {
    pub(super) slots: Vec<State>,
    pub(super) free: VecDeque<usize>,
    pub(super) live: BTreeMap<u64, u64>,
    limit: usize,
    tag: u64,
    kind: PhantomData<(I, F, E)>,
}

impl<I, F, E> Clone for Model<I, F, E> {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            free: self.free.clone(),
            live: self.live.clone(),
            limit: self.limit,
            tag: self.tag,
            kind: PhantomData,
        }
    }
}

impl<I: TableId, F: FreeList, E: GenerationEnd> Model<I, F, E> {
    pub(super) fn new(limit: usize, tag: u64) -> Self {
        Self {
            slots: Vec::new(),
            free: VecDeque::new(),
            live: BTreeMap::new(),
            limit,
            tag,
            kind: PhantomData,
        }
    }

    fn bits(&self, slot: usize, generation: u64) -> u64 {
        let above = I::INDEX_BITS + I::GENERATION_BITS;
        self.tag.checked_shl(above).unwrap_or(0) | generation << I::INDEX_BITS | slot as u64
    }

    /// `None` if the table is full, or the slot has lived all its lives.
    fn next(&mut self) -> Option<(usize, u64)> {
        if self.free.len() > F::MIN_FREE {
            let slot = self.free[0];
            let State::Free(last) = self.slots[slot] else { panic!("the model lost slot {slot}") };
            let spent = last == I::GENERATIONS;
            if spent && E::END == End::Refuse {
                return None;
            }
            self.free.pop_front();
            return Some((slot, if spent { 1 } else { last + 1 }));
        }
        if self.slots.len() == self.limit {
            return None;
        }
        self.slots.push(State::Retired);
        Some((self.slots.len() - 1, 1))
    }

    pub(super) fn insert(&mut self, value: u64) -> Option<u64> {
        let (slot, generation) = self.next()?;
        self.slots[slot] = State::Live(generation);
        let bits = self.bits(slot, generation);
        assert!(self.live.insert(bits, value).is_none(), "an id is given out twice");
        Some(bits)
    }

    pub(super) fn reserve(&mut self) -> Option<u64> {
        let (slot, generation) = self.next()?;
        self.slots[slot] = State::Reserved(generation);
        Some(self.bits(slot, generation))
    }

    fn release(&mut self, slot: usize, generation: u64) {
        if generation == I::GENERATIONS && E::END == End::Retire {
            self.slots[slot] = State::Retired;
            return;
        }
        self.slots[slot] = State::Free(generation);
        if F::LIFO { self.free.push_front(slot) } else { self.free.push_back(slot) }
    }

    fn parts(&self, bits: u64) -> Option<(usize, u64)> {
        let slot = (bits & I::INDEX_MASK) as usize;
        let generation = (bits & I::GENERATION_MASK) >> I::INDEX_BITS;
        (self.bits(slot, generation) == bits && generation > 0).then_some((slot, generation))
    }

    pub(super) fn remove(&mut self, bits: u64) -> Option<u64> {
        let value = self.live.remove(&bits)?;
        let (slot, generation) = self.parts(bits).expect("live ids are this table's");
        self.release(slot, generation);
        Some(value)
    }

    fn reserved(&self, bits: u64) -> Option<(usize, u64)> {
        let (slot, generation) = self.parts(bits)?;
        (self.slots.get(slot) == Some(&State::Reserved(generation))).then_some((slot, generation))
    }

    pub(super) fn fill(&mut self, bits: u64, value: u64) -> bool {
        let Some((slot, generation)) = self.reserved(bits) else { return false };
        self.slots[slot] = State::Live(generation);
        self.live.insert(bits, value);
        true
    }

    pub(super) fn give_up(&mut self, bits: u64) -> bool {
        let Some((slot, generation)) = self.reserved(bits) else { return false };
        self.release(slot, generation);
        true
    }

    pub(super) fn insert_at(&mut self, bits: u64, value: u64) -> bool {
        let Some((slot, generation)) = self.parts(bits) else { return false };
        if slot >= self.limit {
            return false;
        }
        let first = self.slots.len();
        if slot >= first {
            for between in first..slot {
                self.slots.push(State::Free(0));
                if F::LIFO {
                    self.free.insert(between - first, between);
                } else {
                    self.free.push_back(between);
                }
            }
            self.slots.push(State::Retired);
        }
        match self.slots[slot] {
            State::Live(_) | State::Reserved(_) => return false,
            State::Free(_) => {
                let position = self.free.iter().position(|&free| free == slot);
                // The slot that was next takes the turn of this one.
                self.free.swap_remove_front(position.expect("a free slot is in the queue"));
            }
            State::Retired => {}
        }
        self.slots[slot] = State::Live(generation);
        self.live.insert(bits, value);
        true
    }
}

/// Compares everything that can be seen of a table with the model.
pub(super) fn compare<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(
    table: &Table<'_, S, u64, I, F, E, TestBacking>,
    model: &Model<I, F, E>,
) {
    table.validate().expect("the table is whole");
    assert_eq!(table.len(), model.live.len(), "the number of objects");
    let seen: BTreeMap<u64, u64> =
        table.iter_with_ids().map(|(id, value)| (id.bits(), *value)).collect();
    assert_eq!(seen, model.live, "what iteration shows");
    assert!(table.iter().eq(table.iter_with_ids().map(|(_, value)| value)), "both orders");
    assert!(table.ids().eq(table.iter_with_ids().map(|(id, _)| id)), "both orders");
    let mut back: Vec<_> = table.iter_with_ids().rev().collect();
    back.reverse();
    assert!(table.iter_with_ids().eq(back), "from the other end");
    for (&bits, value) in &model.live {
        let id = I::checked(bits).expect("the model's ids are ids");
        assert_eq!(table.get(id), Some(value), "lookup of {id:?}");
        assert_eq!(&table[id], value, "as an index");
    }
    for slot in 0..model.slots.len() + 2 {
        let state = model.slots.get(slot).copied().unwrap_or(State::Retired);
        let expected = match state {
            State::Live(generation) => Some(model.bits(slot, generation)),
            _ => None,
        };
        let found = table.get_by_slot(I::Repr::narrow(slot as u64));
        assert_eq!(found.map(|(id, _)| id.bits()), expected, "slot {slot}, {state:?}");
        assert_eq!(found.map(|(_, value)| value), expected.map(|bits| &model.live[&bits]));
    }
    let stats = table.stats();
    let count =
        |is: fn(&State) -> bool| model.slots.iter().filter(|state| is(state)).count() as u64;
    assert_eq!(stats.free, model.free.len() as u64, "free slots");
    assert_eq!(stats.reserved, count(|state| matches!(state, State::Reserved(_))), "reserved");
    assert_eq!(stats.retired, count(|state| matches!(state, State::Retired)), "retired");
    assert_eq!(stats.fresh, (model.limit - model.slots.len()) as u64, "fresh slots");
}

/// Runs `steps` random operations on a table and on the model.
fn program<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(seed: u64, limit: usize, tag: u64) {
    std::println!("seed {seed}, limit {limit}, tag {tag}");
    // Tables that grow where they are, that move, and that do both.
    let backing = TestBacking::with_room([0, 700, 100_000][seed as usize % 3]);
    let mut random = Random::new(seed);
    let mut table = Table::<S, u64, I, F, E, _>::with_limit_in(limit, &backing).with_tag(tag);
    let mut model = Model::<I, F, E>::new(table.limit(), tag);
    let mut known: Vec<I> = Vec::new();
    for step in 0..600 {
        let any = |random: &mut Random, known: &Vec<I>| {
            let above = I::INDEX_BITS + I::GENERATION_BITS;
            let made = (random.next() & I::GENERATION_MASK)
                | tag.checked_shl(above).unwrap_or(0)
                | random.below(limit + 2) as u64 & I::INDEX_MASK;
            match random.below(4) {
                0 => I::checked(made),
                _ if known.is_empty() => None,
                _ => Some(known[known.len() - 1 - random.below(known.len().min(40))]),
            }
        };
        match random.below(16) {
            0..=5 => {
                let inserted = table.insert(step).ok();
                assert_eq!(inserted.map(I::bits), model.insert(step), "insert at step {step}");
                known.extend(inserted);
            }
            6..=9 => {
                let Some(id) = any(&mut random, &known) else { continue };
                assert_eq!(table.remove(id), model.remove(id.bits()), "remove at step {step}");
            }
            10 => {
                let reserved = table.reserve_id().ok();
                assert_eq!(reserved.map(I::bits), model.reserve(), "reserve at step {step}");
                known.extend(reserved);
            }
            11 => {
                let Some(id) = any(&mut random, &known) else { continue };
                let filled = table.fill(id, step);
                assert_eq!(filled == Ok(()), model.fill(id.bits(), step), "fill at step {step}");
                assert!(matches!(filled, Ok(()) | Err(NotReserved)), "one error");
            }
            12 => {
                let Some(id) = any(&mut random, &known) else { continue };
                assert_eq!(table.give_up(id), model.give_up(id.bits()), "give up at {step}");
            }
            13 | 14 => {
                let Some(id) = any(&mut random, &known) else { continue };
                let placed = table.insert_at(id, step);
                assert_eq!(placed.is_ok(), model.insert_at(id.bits(), step), "at step {step}");
                assert!(!matches!(placed, Err(InsertAtError::Memory { .. })), "there is memory");
                known.push(id);
            }
            _ if random.below(2) == 0 => many(&mut table, &mut model, &mut random, &mut known),
            _ => whole(&mut table, &mut model, &mut random, &mut known),
        }
        if step % 8 == 0 {
            compare(&table, &model);
        }
    }
    compare(&table, &model);
}

/// One operation on many objects.
fn many<S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(
    table: &mut Table<'_, S, u64, I, F, E, TestBacking>,
    model: &mut Model<I, F, E>,
    random: &mut Random,
    known: &mut Vec<I>,
) {
    match random.below(6) {
        0 => {
            let (divisor, mut gone) = (2 + random.next() % 3, Vec::new());
            table.retain(|id, value| {
                let keep = *value % divisor != 0;
                if !keep {
                    gone.push(id);
                }
                keep
            });
            gone.iter()
                .for_each(|id| assert!(model.remove(id.bits()).is_some(), "{id:?} retained"));
        }
        1 => {
            // In part, then the rest by dropping it.
            let order: Vec<I> = table.drain().map(|(id, _)| id).collect();
            order
                .iter()
                .for_each(|id| assert!(model.remove(id.bits()).is_some(), "{id:?} drained"));
        }
        2 => {
            let ids: Vec<I> = known.iter().rev().take(5).copied().collect();
            let count = ids.iter().filter(|id| model.remove(id.bits()).is_some()).count();
            assert_eq!(table.remove_batch(ids), count, "batch of removals");
        }
        3 => {
            let mut made = Vec::new();
            let before = (model.clone(), table.len());
            let inserted = table.insert_batch([70, 71, 72], |id| made.push(id));
            for (id, value) in made.iter().zip([70, 71, 72]) {
                assert_eq!(model.insert(value), Some(id.bits()), "batch of insertions");
            }
            match inserted {
                Ok(count) => assert_eq!(count, 3, "all of them"),
                Err(InsertError::Full { .. }) => {
                    *model = before.0;
                    assert_eq!((table.len(), made.len()), (before.1, 0), "none of them");
                }
                Err(_) => assert!(model.insert(0).is_none(), "the model is at its end, too"),
            }
            known.extend(made);
        }
        4 => {
            for (id, value) in table.iter_with_ids_mut() {
                *value += 1;
                *model.live.get_mut(&id.bits()).expect("a live id") += 1;
            }
            table.iter_mut().for_each(|value| *value += 1);
            model.live.values_mut().for_each(|value| *value += 1);
        }
        _ if known.is_empty() => {}
        _ => {
            let ids = [0, 1].map(|_| known[known.len() - 1 - random.below(known.len().min(20))]);
            let both = ids[0] != ids[1] && ids.iter().all(|id| model.live.contains_key(&id.bits()));
            let many = table.get_many_mut(ids);
            assert_eq!(many.is_some(), both, "two at once");
            for (id, value) in ids.iter().zip(many.into_iter().flatten()) {
                *value += 5;
                *model.live.get_mut(&id.bits()).expect("a live id") += 5;
            }
        }
    }
}

/// One operation on the table as a whole, or by a slot.
fn whole<'a, S: Shape, I: TableId, F: FreeList, E: GenerationEnd>(
    table: &mut Table<'a, S, u64, I, F, E, TestBacking>,
    model: &mut Model<I, F, E>,
    random: &mut Random,
    known: &mut Vec<I>,
) {
    match random.below(6) {
        0 => {
            let copy = table.clone();
            assert!(copy.iter_with_ids().eq(table.iter_with_ids()), "in one order");
            *table = copy;
            assert!(table.capacity() >= model.slots.len(), "room for every slot");
        }
        1 => {
            table.shrink_to_fit();
            assert_eq!(table.capacity(), model.slots.len(), "a place for each slot used");
        }
        2 => {
            let mut made_for = None;
            let inserted = table.insert_with(|id| {
                made_for = Some(id);
                id.bits()
            });
            assert_eq!(inserted.ok(), made_for, "the id that the object was made for");
            let expected = model.insert(0);
            assert_eq!(made_for.map(I::bits), expected, "the next id");
            if let Some(bits) = expected {
                model.live.insert(bits, bits);
            }
            known.extend(made_for);
        }
        3 | 4 => {
            let slot = random.below(model.slots.len() + 2);
            let State::Live(generation) = *model.slots.get(slot).unwrap_or(&State::Retired) else {
                assert_eq!(table.remove_by_slot(I::Repr::narrow(slot as u64)), None, "{slot}");
                return;
            };
            let bits = model.bits(slot, generation);
            let index = I::Repr::narrow(slot as u64);
            let (id, value) = table.get_mut_by_slot(index).expect("the slot is live");
            assert_eq!((id.bits(), Some(&*value)), (bits, model.live.get(&bits)), "{slot}");
            assert_eq!(table.remove_by_slot(index), model.remove(bits).map(|value| (id, value)));
        }
        _ => {
            let taken = mem::replace(table, Table::new_in(table.memory.expect("it grows")));
            let expected: Vec<u64> = taken.iter().copied().collect();
            let mut all = taken.clone().into_iter();
            let last = all.next_back();
            assert_eq!(last.as_ref(), expected.last(), "from the back");
            let rest = all.len();
            assert!(all.eq(expected[..rest].iter().copied()), "the objects in order");
            *table = taken;
        }
    }
}

fn every_policy<S: Shape, I: TableId>(seed: u64) {
    // The highest, so that every bit above the generation counts.
    let tag = (1 << I::TAG_BITS) - 1;
    for (at, limit) in [1, 3, 4, 17, 300].into_iter().enumerate() {
        let seed = seed * 1000 + at as u64;
        program::<S, I, Lifo, Retire>(seed, limit, tag);
        program::<S, I, Lifo, Wrap>(seed + 100, limit, tag);
        program::<S, I, Lifo, Refuse>(seed + 200, limit, tag);
        program::<S, I, Fifo, Retire>(seed + 300, limit, tag);
        program::<S, I, Fifo<3>, Retire>(seed + 400, limit, tag);
        program::<S, I, Fifo<3>, Wrap>(seed + 500, limit, tag);
        program::<S, I, Fifo<1>, Refuse>(seed + 600, limit, tag);
    }
}

/// The two policies that differ most, which keeps the number of tables to compile down.
fn two_policies<S: Shape, I: TableId>(seed: u64) {
    // The highest, so that every bit above the generation counts.
    let tag = (1 << I::TAG_BITS) - 1;
    for (at, limit) in [1, 3, 4, 17, 300].into_iter().enumerate() {
        let seed = seed * 1000 + at as u64;
        program::<S, I, Lifo, Retire>(seed, limit, tag);
        program::<S, I, Fifo<3>, Wrap>(seed + 100, limit, tag);
    }
}

fn every_split<S: Shape>(seed: u64) {
    every_policy::<S, Id<u8, u32, 4, 2>>(seed + 1);
    two_policies::<S, Id<u8, u32, 16, 16>>(seed + 2);
    two_policies::<S, Id<u8>>(seed + 3);
    two_policies::<S, SmallId<u8>>(seed + 10);
    two_policies::<S, Id<u8, u32, 22, 10>>(seed + 4);
    two_policies::<S, Id<u8, u64, 32, 32>>(seed + 5);
    two_policies::<S, Id<u8, u64, 48, 16>>(seed + 6);
    two_policies::<S, Id<u8, u32, 2, 1>>(seed + 7);
    two_policies::<S, Id<u8, u32, 1, 2>>(seed + 8);
    two_policies::<S, Id<u8, u64, 9, 3>>(seed + 9);
}

#[test]
fn holes_do_what_the_model_says() {
    every_split::<Holes>(10);
}

#[test]
fn packed_does_what_the_model_says() {
    every_split::<Packed>(20);
}
