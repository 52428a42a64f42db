//! The checks of an id table.

use core::fmt;

use crate::conformance::token::Token;
use crate::rule::{Rule, Violation, require};

use super::{IdTable, TableLimits};

/// An id of any table.
pub(super) trait AnyId: Copy + Eq + fmt::Debug {}

impl<I: Copy + Eq + fmt::Debug> AnyId for I {}

/// A table with ids of the type `I`.
type Table<'t, I> = dyn IdTable<Id = I> + 't;

/// What a check found.
type Found = Result<(), Violation>;

/// Objects of a check that needs some.
const SOME: u32 = 100;
/// Objects of a check that needs many.
const MANY: u32 = 20_000;

/// How many objects a check may put in that would like `count`.
fn room(count: u32, limits: &TableLimits) -> u32 {
    limits.objects_max.map_or(count, |most| count.min(most as u32))
}

/// Puts one object in.
fn insert<I: AnyId>(table: &mut Table<'_, I>, number: u32) -> Result<I, Violation> {
    let len = table.len();
    table.insert(Token::new(number)).ok_or_else(|| {
        Violation::new(Rule::Served, format!("insert is refused with {len} objects in the table"))
    })
}

/// Puts the objects 0 to `count` in.
fn fill<I: AnyId>(table: &mut Table<'_, I>, count: u32) -> Result<Vec<I>, Violation> {
    (0..count).map(|number| insert(table, number)).collect()
}

/// Checks that an id names the object of that number.
fn names<I: AnyId>(table: &mut Table<'_, I>, id: I, number: u32) -> Found {
    let found = table.get(id).map(Token::number);
    require(found == Some(number), Rule::Model, || {
        format!("get({id:?}) returns {found:?}, not the object {number}")
    })?;
    let found = table.get_mut(id).map(|token| token.number());
    require(found == Some(number), Rule::Model, || {
        format!("get_mut({id:?}) returns {found:?}, not the object {number}")
    })?;
    require(table.contains(id), Rule::Model, || {
        format!("contains({id:?}) is false while it names the object {number}")
    })
}

/// Checks that an id whose object is gone names nothing, and that a removal by it removes nothing.
fn is_stale<I: AnyId>(table: &mut Table<'_, I>, id: I, when: &str) -> Found {
    let found = table.get(id).map(Token::number);
    require(found.is_none(), Rule::Stale, || {
        format!("get({id:?}) returns the object {found:?} {when}")
    })?;
    let found = table.get_mut(id).map(|token| token.number());
    require(found.is_none(), Rule::Stale, || {
        format!("get_mut({id:?}) returns the object {found:?} {when}")
    })?;
    require(!table.contains(id), Rule::Stale, || format!("contains({id:?}) is true {when}"))?;
    let len = table.len();
    let found = table.remove(id).map(|token| token.number());
    require(found.is_none(), Rule::Stale, || {
        format!("remove({id:?}) removes the object {found:?} {when}")
    })?;
    has_len(table, len)
}

fn has_len<I: AnyId>(table: &Table<'_, I>, len: usize) -> Found {
    require(table.len() == len, Rule::Model, || {
        format!("len is {} with {len} objects in the table", table.len())
    })
}

/// All that a walk shows.
fn visited<I: AnyId>(table: &Table<'_, I>) -> Vec<(I, u32)> {
    let mut visited = Vec::new();
    table.visit(&mut |id, token| visited.push((id, token.number())));
    visited
}

/// A fresh table is empty.
pub(super) fn empty<I: AnyId>(table: &mut Table<'_, I>, _limits: &TableLimits) -> Found {
    has_len(table, 0)?;
    let visited = visited(table);
    require(visited.is_empty(), Rule::Model, || format!("a fresh table shows {visited:?}"))?;
    table.clear();
    has_len(table, 0)
}

/// An object is found by its id, also with others in the table.
pub(super) fn insert_and_get<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let mut ids = Vec::new();
    for number in 0..room(SOME, limits) {
        ids.push(insert(table, number)?);
        has_len(table, ids.len())?;
        for (&id, number) in ids.iter().zip(0..) {
            names(table, id, number)?;
        }
    }
    Ok(())
}

/// No two live objects have one id.
pub(super) fn unique_ids<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let mut ids = fill(table, room(SOME, limits))?;
    for turn in 0..2 * ids.len() {
        let other = turn * 7 % ids.len();
        let gone = ids.swap_remove(other);
        let _ = table.remove(gone);
        let id = insert(table, turn as u32)?;
        require(!ids.contains(&id), Rule::Stale, || {
            format!("{id:?} is given out while it names another object")
        })?;
        ids.push(id);
    }
    for (place, id) in ids.iter().enumerate() {
        require(!ids[..place].contains(id), Rule::Stale, || format!("two objects have {id:?}"))?;
    }
    Ok(())
}

/// What is removed is handed out, and all others stay.
pub(super) fn remove<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let count = room(SOME, limits);
    let ids = fill(table, count)?;
    // An order that begins and ends in the middle: 37 and 100 have no common divisor.
    let order: Vec<u32> = (0..count).map(|turn| (turn * 37 + 50) % count).collect();
    let mut is_there = vec![true; count as usize];
    for (turn, &number) in order.iter().enumerate() {
        let id = ids[number as usize];
        if !core::mem::take(&mut is_there[number as usize]) {
            continue;
        }
        let removed = table.remove(id).map(|token| token.number());
        require(removed == Some(number), Rule::Model, || {
            format!("remove({id:?}) returns {removed:?}, not the object {number}")
        })?;
        has_len(table, is_there.iter().filter(|&&is_there| is_there).count())?;
        if turn % 9 == 0 {
            for (&id, number) in ids.iter().zip(0..).filter(|&(_, other)| is_there[other as usize])
            {
                names(table, id, number)?;
            }
        }
    }
    Ok(())
}

/// An id whose object was removed names nothing.
pub(super) fn stale_ids<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let ids = fill(table, room(SOME, limits))?;
    for (&id, number) in ids.iter().zip(0..) {
        if number % 3 != 1 {
            drop(table.remove(id));
            is_stale(table, id, "after its object was removed")?;
        }
    }
    for (&id, number) in ids.iter().zip(0..) {
        if number % 3 == 1 {
            names(table, id, number)?;
        } else {
            is_stale(table, id, "after its object was removed")?;
        }
    }
    Ok(())
}

/// An id whose slot is used again names nothing.
pub(super) fn reuse<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    if !limits.generations {
        return Ok(());
    }
    let count = room(SOME, limits);
    let mut live = fill(table, count)?;
    let mut gone = Vec::new();
    for round in 1..=4 {
        for id in live.drain(..) {
            drop(table.remove(id));
            gone.push(id);
        }
        live = (0..count)
            .map(|number| insert(table, round * count + number))
            .collect::<Result<_, _>>()?;
        for &id in &gone {
            is_stale(table, id, "after its slot was used again")?;
        }
        for (&id, number) in live.iter().zip(round * count..) {
            names(table, id, number)?;
        }
    }
    Ok(())
}

/// A slot is used as often as the limits say, and the first id does not come again.
pub(super) fn many_lives<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    if !limits.generations {
        return Ok(());
    }
    let neighbour =
        if limits.objects_max == Some(1) { None } else { Some(insert(table, u32::MAX)?) };
    let first = insert(table, 0)?;
    drop(table.remove(first));
    for life in 1..limits.lives {
        let id = insert(table, life)?;
        require(id != first && !table.contains(first), Rule::Stale, || {
            format!("{first:?} names another object after {life} uses of its slot")
        })?;
        let removed = table.remove(id).map(|token| token.number());
        require(removed == Some(life), Rule::Model, || {
            format!("remove({id:?}) returns {removed:?}, not the object {life}")
        })?;
    }
    neighbour.map_or(Ok(()), |neighbour| names(table, neighbour, u32::MAX))
}

/// A walk shows each object once, with its id, holes or none.
pub(super) fn visit<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let count = room(SOME, limits);
    let ids = fill(table, count)?;
    for step in [1, 2, 5] {
        for (&id, number) in ids.iter().zip(0..) {
            if step != 1 && number % step == 0 && table.contains(id) {
                drop(table.remove(id));
            }
        }
        let shown = visited(table);
        has_len(table, shown.len())?;
        for (id, number) in ids.iter().copied().zip(0..count) {
            let times = shown.iter().filter(|&&found| found == (id, number)).count();
            let expected = usize::from(table.contains(id));
            require(times == expected, Rule::Model, || {
                format!(
                    "a walk shows the object {number} with {id:?} {times} times, not {expected}"
                )
            })?;
        }
    }
    Ok(())
}

/// What is written through an id is there afterwards, and nowhere else.
pub(super) fn change<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let ids = fill(table, room(SOME, limits))?;
    for (&id, number) in ids.iter().zip(0..) {
        if let Some(token) = table.get_mut(id) {
            token.set_number(1000 + number);
        }
    }
    for (&id, number) in ids.iter().zip(1000..) {
        names(table, id, number)?;
    }
    Ok(())
}

/// Clearing removes all, and the ids from before name nothing, also when the slots are used again.
pub(super) fn clear<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let count = room(SOME, limits);
    let before = fill(table, count)?;
    table.clear();
    has_len(table, 0)?;
    for &id in &before {
        is_stale(table, id, "after clear")?;
    }
    let shown = visited(table);
    require(shown.is_empty(), Rule::Model, || format!("a cleared table shows {shown:?}"))?;
    let after = fill(table, count)?;
    if limits.generations {
        for &id in &before {
            is_stale(table, id, "after clear, its slot being used again")?;
        }
    }
    for (&id, number) in after.iter().zip(0..) {
        names(table, id, number)?;
    }
    has_len(table, after.len())
}

/// Many objects are all found, however often the table had to grow for them.
pub(super) fn growth<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let ids = fill(table, room(MANY, limits))?;
    has_len(table, ids.len())?;
    for (&id, number) in ids.iter().zip(0..) {
        names(table, id, number)?;
    }
    Ok(())
}

/// A full table refuses, stays as it was, and accepts one more for each that is removed.
pub(super) fn full<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let Some(most) = limits.objects_max else { return Ok(()) };
    let mut ids = fill(table, most as u32)?;
    for turn in 0..8_usize {
        let more = table.insert(Token::new(u32::MAX));
        require(more.is_none(), Rule::Bound, || {
            format!("one more object than {most} was taken, under {more:?}")
        })?;
        has_len(table, most)?;
        for (&id, number) in ids.iter().zip(0..) {
            names(table, id, number)?;
        }
        let number = turn * 5 % most;
        drop(table.remove(ids[number]));
        ids[number] = insert(table, number as u32)?;
    }
    Ok(())
}

/// Objects that were removed, cleared away or left in a table that goes are dropped once.
pub(super) fn drops<I: AnyId>(table: &mut Table<'_, I>, limits: &TableLimits) -> Found {
    let count = room(SOME, limits);
    let ids = fill(table, count)?;
    for &id in ids.iter().step_by(3) {
        drop(table.remove(id));
    }
    table.clear();
    for &id in fill(table, count)?.iter().step_by(4) {
        drop(table.remove(id));
    }
    Ok(())
}
