//! The checks of a map.

use crate::conformance::token::{MapKey, Token};
use crate::rule::{Rule, Violation, require};

use super::{Map, MapLimits};

/// What a check found.
type Found = Result<(), Violation>;

/// Entries of a check that needs some.
const SOME: u32 = 100;
/// Entries of a check that needs many.
const MANY: u32 = 20_000;
/// Insertions and removals of a check that wears a map out.
const TURNS: u32 = 40_000;

/// The key of each turn: all below `count` once, neither in order nor in runs, for a count that 37
/// does not divide.
fn scattered(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(move |turn| (turn * 37 + 50) % count)
}

/// Puts a value in where there is none.
fn insert(map: &mut dyn Map, key: u32, value: u32) -> Found {
    let old = map.insert(MapKey::new(key), Token::new(value)).map(|token| token.number());
    require(old.is_none(), Rule::Model, || {
        format!("insert of the new key {key} returns the value {old:?}")
    })
}

/// Puts the values `1000 + key` in under all keys below `count`.
fn fill(map: &mut dyn Map, count: u32) -> Found {
    scattered(count).try_for_each(|key| insert(map, key, 1000 + key))
}

/// Checks what is there under a key.
fn holds(map: &mut dyn Map, key: u32, value: Option<u32>) -> Found {
    let found = map.get(&MapKey::new(key)).map(Token::number);
    require(found == value, Rule::Model, || {
        format!("get({key}) returns {found:?}, not {value:?}")
    })?;
    let found = map.get_mut(&MapKey::new(key)).map(|token| token.number());
    require(found == value, Rule::Model, || {
        format!("get_mut({key}) returns {found:?}, not {value:?}")
    })
}

/// Checks that a removal by a key hands that value out.
fn removes(map: &mut dyn Map, key: u32, value: Option<u32>) -> Found {
    let found = map.remove(&MapKey::new(key)).map(|token| token.number());
    require(found == value, Rule::Model, || {
        format!("remove({key}) returns {found:?}, not {value:?}")
    })
}

fn has_len(map: &dyn Map, len: usize) -> Found {
    require(map.len() == len, Rule::Model, || {
        format!("len is {} with {len} entries in the map", map.len())
    })
}

/// All that a walk shows.
fn visited(map: &dyn Map) -> Vec<(u32, u32)> {
    let mut visited = Vec::new();
    map.visit(&mut |key, token| visited.push((key, token.number())));
    visited
}

/// A fresh map is empty.
pub(super) fn empty(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    has_len(map, 0)?;
    for key in [0, 1, u32::MAX] {
        holds(map, key, None)?;
        removes(map, key, None)?;
    }
    let visited = visited(map);
    require(visited.is_empty(), Rule::Model, || format!("a fresh map shows {visited:?}"))?;
    map.clear();
    has_len(map, 0)
}

/// A value is found under its key, also with others in the map.
pub(super) fn insert_and_get(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    let mut keys: Vec<u32> = Vec::new();
    for key in scattered(SOME) {
        insert(map, key, 1000 + key)?;
        keys.push(key);
        has_len(map, keys.len())?;
        keys.iter().try_for_each(|&key| holds(map, key, Some(1000 + key)))?;
    }
    Ok(())
}

/// Keys that were never inserted are not found, on either side of those that were.
pub(super) fn absent_keys(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    scattered(SOME).try_for_each(|key| insert(map, 2 * key + 2, key))?;
    for key in (0..SOME).map(|key| 2 * key + 1).chain([0, 2 * SOME + 2, u32::MAX]) {
        holds(map, key, None)?;
        removes(map, key, None)?;
    }
    has_len(map, SOME as usize)
}

/// A value takes the place of the one that was there, which is handed out.
pub(super) fn replace(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    fill(map, SOME)?;
    for key in scattered(SOME) {
        let old = map.insert(MapKey::new(key), Token::new(key)).map(|token| token.number());
        require(old == Some(1000 + key), Rule::Model, || {
            format!("insert over the value {} at {key} returns {old:?}", 1000 + key)
        })?;
        has_len(map, SOME as usize)?;
        holds(map, key, Some(key))?;
    }
    (0..SOME).try_for_each(|key| holds(map, key, Some(key)))
}

/// What is removed is handed out and gone, and all others stay.
pub(super) fn remove(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    fill(map, SOME)?;
    for (turn, gone) in scattered(SOME).enumerate() {
        removes(map, gone, Some(1000 + gone))?;
        removes(map, gone, None)?;
        has_len(map, SOME as usize - turn - 1)?;
        for (later, key) in scattered(SOME).enumerate() {
            holds(map, key, (later > turn).then_some(1000 + key))?;
        }
    }
    Ok(())
}

/// Keys of one hash are distinguished, in whatever order they come and go.
pub(super) fn equal_hashes(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    for pair in 0..SOME {
        let (even, odd) = (2 * pair, 2 * pair + 1);
        let (first, second) = if pair % 2 == 0 { (even, odd) } else { (odd, even) };
        insert(map, first, first)?;
        holds(map, second, None)?;
        insert(map, second, second)?;
        holds(map, first, Some(first))?;
        if pair % 3 == 0 {
            removes(map, first, Some(first))?;
            holds(map, second, Some(second))?;
            holds(map, first, None)?;
        }
    }
    Ok(())
}

/// A walk shows each entry once.
pub(super) fn visit(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    fill(map, SOME)?;
    for key in scattered(SOME).filter(|key| key % 3 == 0) {
        removes(map, key, Some(1000 + key))?;
    }
    let mut shown = visited(map);
    shown.sort_unstable();
    let expected: Vec<_> =
        (0..SOME).filter(|key| key % 3 != 0).map(|key| (key, 1000 + key)).collect();
    require(shown == expected, Rule::Model, || format!("a walk shows {shown:?}, not {expected:?}"))
}

/// Where an order is promised, a walk keeps it, whatever was inserted and removed before.
pub(super) fn order(map: &mut dyn Map, limits: &MapLimits) -> Found {
    if !limits.sorted {
        return Ok(());
    }
    for round in 0..3 {
        for key in scattered(SOME).filter(|key| key % 3 == round) {
            insert(map, key, key)?;
        }
        let keys: Vec<u32> = visited(map).into_iter().map(|(key, _)| key).collect();
        require(keys.is_sorted(), Rule::Order, || format!("a walk shows the keys {keys:?}"))?;
        for key in scattered(SOME).filter(|key| key % 7 == round && key % 3 <= round) {
            drop(map.remove(&MapKey::new(key)));
        }
    }
    Ok(())
}

/// What is written under a key is there afterwards, and nowhere else.
pub(super) fn change(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    fill(map, SOME)?;
    for key in scattered(SOME).filter(|key| key % 2 == 0) {
        if let Some(token) = map.get_mut(&MapKey::new(key)) {
            token.set_number(key);
        }
    }
    (0..SOME).try_for_each(|key| holds(map, key, Some(if key % 2 == 0 { key } else { 1000 + key })))
}

/// Clearing removes all, and the map is used again.
pub(super) fn clear(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    for _ in 0..3 {
        fill(map, SOME)?;
        map.clear();
        has_len(map, 0)?;
        let shown = visited(map);
        require(shown.is_empty(), Rule::Model, || format!("a cleared map shows {shown:?}"))?;
        (0..SOME).try_for_each(|key| holds(map, key, None))?;
    }
    Ok(())
}

/// Many entries are all found, however often the map had to grow for them.
pub(super) fn growth(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    fill(map, MANY)?;
    has_len(map, MANY as usize)?;
    (0..MANY).try_for_each(|key| holds(map, key, Some(1000 + key)))
}

/// A map in which entries come and go for long, few at a time, stays right: the tombstones of
/// removed entries in a hash table neither hide an entry nor fill the table.
pub(super) fn churn(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    const LIVE: u32 = 50;
    for turn in 0..TURNS {
        insert(map, turn, turn)?;
        if let Some(old) = turn.checked_sub(LIVE) {
            removes(map, old, Some(old))?;
            holds(map, old, None)?;
            holds(map, turn - LIVE / 2, Some(turn - LIVE / 2))?;
        }
    }
    has_len(map, LIVE as usize)
}

/// Keys and values that were removed, replaced, cleared away or left in a map that goes are dropped
/// once.
pub(super) fn drops(map: &mut dyn Map, _limits: &MapLimits) -> Found {
    fill(map, SOME)?;
    scattered(SOME).for_each(|key| drop(map.insert(MapKey::new(key), Token::new(key))));
    scattered(SOME / 3).for_each(|key| drop(map.remove(&MapKey::new(key))));
    map.clear();
    fill(map, SOME)?;
    scattered(SOME / 4).for_each(|key| drop(map.remove(&MapKey::new(key))));
    Ok(())
}
