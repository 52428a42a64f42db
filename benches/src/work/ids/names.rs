//! Names as numbers, against an interner and a map that was made for its keys.

use core::hint::black_box;

use lasso::{Rodeo, Spur};
use loligo_containers::{BuildIdHasher, HashMap};
use loligo_ids::{
    IdString, IdString64, LookupBytes, ReverseLookup, ReverseLookupBuilder, perfect_seed_in,
};

use super::perfect::names;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// Names of the interner.
const NAMES: u32 = 10_000;

/// Names of the map, as many as a format has keys.
const KEYS: u32 = 1_000;

/// Looks of a pass.
const LOOKS: u32 = 500_000;

/// Returns a contender that makes numbers of names, each of which comes twice.
fn interning(name: &'static str, intern: fn(&[String])) -> Contender {
    let mut names = names(5, NAMES);
    names.extend_from_within(..);
    Random::new(51).shuffle(&mut names);
    Contender::new(name, move || {
        let ns = clock::time(|| intern(&names));
        Pass { ns, operations: names.len() as u64 }
    })
}

/// Makes ids of names, and keeps the names for those who ask.
pub(crate) fn intern_ours() -> Contender {
    interning("ReverseLookupBuilder", |names| {
        let mut builder = ReverseLookupBuilder::<IdString64, Heap>::new_in(&HEAP);
        for name in names {
            let Ok(id) = builder.insert(name) else { panic!("two names with one hash") };
            black_box(id);
        }
    })
}

/// Interns names.
pub(crate) fn intern_lasso() -> Contender {
    interning("lasso", |names| {
        let mut rodeo = Rodeo::<Spur>::new();
        for name in names {
            black_box(rodeo.get_or_intern(name));
        }
    })
}

/// Returns a contender that asks for names by their numbers, at random.
fn resolving<I: Copy + 'static>(
    name: &'static str,
    ids: Vec<I>,
    resolve: impl Fn(I) -> usize + 'static,
) -> Contender {
    Contender::new(name, move || {
        let mut random = Random::new(52);
        let ns = clock::time(|| {
            for _ in 0..LOOKS {
                black_box(resolve(ids[random.below(NAMES) as usize]));
            }
        });
        Pass { ns, operations: u64::from(LOOKS) }
    })
}

/// Finds names by their ids in a saved lookup.
pub(crate) fn resolve_ours() -> Contender {
    let mut builder = ReverseLookupBuilder::<IdString64, Heap>::new_in(&HEAP);
    let ids = names(5, NAMES)
        .iter()
        .map(|name| builder.insert(name).unwrap_or_else(|_| panic!("two names with one hash")))
        .collect();
    let bytes: &'static LookupBytes<'static, Heap> =
        Box::leak(Box::new(builder.save().expect("the machine has this memory")));
    let lookup = ReverseLookup::<IdString64>::open(bytes).expect("the bytes were just saved");
    resolving("ReverseLookup", ids, move |id| lookup.get(id).map_or(0, str::len))
}

/// Finds interned names by their keys.
pub(crate) fn resolve_lasso() -> Contender {
    let mut rodeo = Rodeo::<Spur>::new();
    let keys = names(5, NAMES).iter().map(|name| rodeo.get_or_intern(name)).collect();
    let names = rodeo.into_resolver();
    resolving("lasso", keys, move |key| names.resolve(&key).len())
}

/// Returns a contender that looks up keys of a set that is known beforehand, at random.
fn looking_up(name: &'static str, look_up: impl Fn(&str) -> u32 + 'static) -> Contender {
    let keys = names(6, KEYS);
    Contender::new(name, move || {
        let mut random = Random::new(53);
        let ns = clock::time(|| {
            for _ in 0..LOOKS {
                black_box(look_up(&keys[random.below(KEYS) as usize]));
            }
        });
        Pass { ns, operations: u64::from(LOOKS) }
    })
}

/// Hashes the key under a seed that is perfect for the set, and looks up the hash.
pub(crate) fn look_up_ours() -> Contender {
    let keys = names(6, KEYS);
    let seed = perfect_seed_in(&keys, 100, &HEAP).unwrap_or_else(|error| panic!("{error}"));
    let mut map = HashMap::with_hasher_in(BuildIdHasher::new(), &HEAP);
    for (number, key) in (0..).zip(&keys) {
        map.insert(IdString64::with_seed(key, u64::from(seed)), number);
    }
    looking_up("perfect seed", move |key| {
        map.get(&IdString64::with_seed(key, u64::from(seed))).copied().unwrap_or(u32::MAX)
    })
}

/// Looks up the key in a map whose hash was made for the set.
pub(crate) fn look_up_phf() -> Contender {
    let keys: Vec<&'static str> = names(6, KEYS).into_iter().map(|key| &*key.leak()).collect();
    let state = phf_generator::generate_hash(&keys);
    let entries = state.map.iter().map(|&at| (keys[at], at as u32)).collect::<Vec<_>>();
    let map = phf::Map { key: state.key, disps: state.disps.leak(), entries: entries.leak() };
    looking_up("phf", move |key| map.get(key).copied().unwrap_or(u32::MAX))
}
